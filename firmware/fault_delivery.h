// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>

#include "firmware/call_stack.h"

namespace okksim::firmware {

/// How a fault leaves a kernel.
enum class DeliveryMode : std::uint8_t {
    /// As a C++ exception through the kernel's frames: kernels in C++ clean up after themselves.
    kThrow,
    /// By a jump to the runner: kernels in C may lack the tables that exceptions need.
    kJump,
};

/// A host signal that firmware code raised; plain data because a signal handler fills it.
struct SignalReport {
    int number = 0;
    int code = 0;
    const void* address = nullptr;
    const void* stack_pointer = nullptr;
    RawCallStack call_stack;
};

/// Of the function that calls kernels: what its linker knows.
[[gnu::visibility("hidden")]] extern const char invoker_begin[] asm("__start_okksim_invoker");
[[gnu::visibility("hidden")]] extern const char invoker_end[] asm("__stop_okksim_invoker");

/// Whether an address lies in that function.
inline bool is_kernel_invoker(const void* address) {
    const auto* const at = static_cast<const char*>(address);
    return std::less_equal<>()(invoker_begin, at) && std::less<>()(at, invoker_end);
}

class PointerWatch;
class OwnAccesses;

/// State that decides how faults leave the running kernel. Signal handlers read it, so what they
/// need is plain data. `in_runtime` is set while code of this library or of the machine runs: a
/// signal then is not the kernel's doing and jumping would leave that code half done.
class FaultDelivery {
 public:
    DeliveryMode mode = DeliveryMode::kThrow;
    volatile std::sig_atomic_t runner_active = 0;
    volatile std::sig_atomic_t in_runtime = 0;
    volatile std::sig_atomic_t time_is_up = 0;
    /// API function that another thread has called, which no kernel may.
    std::atomic<const char*> foreign_call = nullptr;
    sigjmp_buf jump_target;
    SignalReport signal;
    /// End and size of the launch's argument block; nullptr when the kernel got a bare pointer.
    const std::byte* arguments_end = nullptr;
    std::size_t arguments_size = 0;
    /// API function being called, nullptr in the kernel's own code.
    const char* volatile function = nullptr;
    /// Frame of that function: the firmware's frames lie above.
    const void* function_frame = nullptr;
    /// Stands for the kernel's last call (last_call_of()).
    const void* last_call = nullptr;
    /// A page of the stack, above the kernel's frames, to which nobody has access; 0: none.
    std::uintptr_t closed_page = 0;
    /// Frames of the kernel's must not lie below.
    std::uintptr_t lowest_frame = 0;
    /// While it has taken access to memory away from the kernel's own code.
    PointerWatch* watch = nullptr;
    OwnAccesses* own_accesses = nullptr;  ///< likewise

    bool is_watched() const { return watch != nullptr || own_accesses != nullptr; }
    /// Behind the call of the API function that runs; nullptr: unknown.
    const void* call() const {
        const void* const site = call_site(function_frame);
        return is_kernel_invoker(site) ? call_after_jump() : site;
    }
    /// call() of a kernel whose last call is a jump.
    const void* call_after_jump() const {
        return last_call == nullptr ? nullptr : static_cast<const char*>(last_call) + 1;
    }
    /// What an API function raised.
    std::exception_ptr exception;

    /// Leaves the API function with `exception`: throws it, or jumps to the runner. In kJump mode
    /// no object of the frames between here and the runner is destroyed.
    [[noreturn]] void deliver();
};

/// The delivery of the kernel that began last of all that run, on any thread; nullptr: none.
extern std::atomic<FaultDelivery*> running_delivery;

}  // namespace okksim::firmware
