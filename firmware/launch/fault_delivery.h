// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <ucontext.h>

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>

#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/raw_call_stack.h"

namespace okksim::firmware {

/// Ways in which a fault leaves a kernel.
enum class DeliveryMode : std::uint8_t {
    /// The fault is a C++ exception that passes the kernel's frames: kernels in C++ clean up.
    kThrow,
    /// The fault jumps to the runner: kernels in C may lack the tables that exceptions need.
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

/// A watch that takes access to memory away from the kernel's own code.
class MemoryWatch {
 public:
    /// Handles a signal, inside its handler. Returns whether the watch has caused the signal, so
    /// that the kernel may continue.
    virtual bool handles(int signal, const siginfo_t& info, ucontext_t& state) = 0;

 protected:
    ~MemoryWatch() = default;
};

/// State that decides how faults leave the running kernel. Signal handlers read it, so their part
/// of it is plain data. `in_runtime` is set while code of this library or of the machine runs. A
/// signal during that time is not a fault of the kernel, and a jump would interrupt that code.
class FaultDelivery {
 public:
    DeliveryMode mode = DeliveryMode::kThrow;
    volatile std::sig_atomic_t runner_active = 0;
    volatile std::sig_atomic_t in_runtime = 0;
    volatile std::sig_atomic_t time_is_up = 0;
    /// The API function that another thread has called, which is a fault.
    std::atomic<const char*> foreign_call = nullptr;
    sigjmp_buf jump_target;
    SignalReport signal;
    /// End and size of the launch's argument block; nullptr if the kernel got a bare pointer.
    const std::byte* arguments_end = nullptr;
    std::size_t arguments_size = 0;
    /// The API function that runs; nullptr in the kernel's own code.
    const char* volatile function = nullptr;
    /// The frame of that function. The firmware's frames are above it.
    const void* function_frame = nullptr;
    /// The address that stands for the kernel's last call (last_call_of()).
    const void* last_call = nullptr;
    /// A page of the stack, above the kernel's frames, that is closed to all accesses; 0: none.
    std::uintptr_t closed_page = 0;
    /// The lowest address that frames of the kernel may have.
    std::uintptr_t lowest_frame = 0;
    /// The watch that has taken access to memory away from the kernel's own code; nullptr: none.
    MemoryWatch* watch = nullptr;
    /// Set if the watch of the kernel's own accesses must act when the kernel stops.
    bool watches_accesses = false;

    bool is_watched() const { return watch != nullptr || watches_accesses; }
    /// Returns the return address of the running API function; nullptr if it is unknown.
    const void* call() const {
        const void* const site = call_site(function_frame);
        return is_kernel_invoker(site) ? call_after_jump() : site;
    }
    /// Returns call() for a kernel whose last call is a jump.
    const void* call_after_jump() const {
        return last_call == nullptr ? nullptr : static_cast<const char*>(last_call) + 1;
    }
    /// The exception that an API function has thrown.
    std::exception_ptr exception;

    /// Leaves the API function with `exception`: throws it, or jumps to the runner. In kJump mode,
    /// no object of the frames between here and the runner is destroyed.
    [[noreturn]] void deliver();
};

/// The delivery of the running kernel that began last, on any thread; nullptr: no kernel runs.
extern std::atomic<FaultDelivery*> running_delivery;

/// The delivery of the kernel that this thread runs; nullptr without a SignalGuard. Signal handlers
/// read it.
extern constinit thread_local FaultDelivery* active_delivery;

/// Returns whether the interrupted code is the kernel's own.
bool in_firmware(const FaultDelivery* delivery);

}  // namespace okksim::firmware
