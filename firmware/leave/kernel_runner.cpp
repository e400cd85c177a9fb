// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/kernel_runner.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "firmware/guard/exit_guard.h"
#include "firmware/guard/launch_guards.h"
#include "firmware/launch/call_stack.h"
#include "firmware/launch/foreign_call.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/launch_arguments.h"
#include "firmware/leave/idle_timer.h"
#include "firmware/leave/signal_fault.h"
#include "firmware/leave/signal_guard.h"
#include "firmware/leave/stack_room.h"
#include "firmware/watch/kernel_checks.h"
#include "isa/base/errors.h"

namespace okksim::firmware {

namespace {

FaultRecord exception_fault(const std::string& what) {
    FaultRecord record;
    record.code = FaultCode::kBadState;
    record.value = "a C++ exception left the kernel" + (what.empty() ? "" : ": " + what);
    record.rule = "a kernel must end by returning: a device cannot catch exceptions";
    record.advice = "catch the exception in the kernel; use OKKERNEL_ASSERT to report an error";
    record.unit = "firmware";
    record.call_stack = describe_call_stack(last_throw());
    return record;
}

/// Calls the kernel; returns false if it left by a jump. The function holds no object with a
/// destructor, because a jump would skip it.
[[gnu::noinline]] bool call_kernel(FaultDelivery& delivery, KernelEntry entry, const void* args) {
    if (sigsetjmp(delivery.jump_target, 1) != 0) return false;
    delivery.runner_active = 1;
    invoke_kernel(entry, args, delivery.closed_page);
    delivery.function = nullptr;
    return true;
}

/// Calls the kernel and turns its own exceptions into its fault. Exceptions of API functions in
/// kThrow mode have known types.
bool call_catching(FaultDelivery& delivery, KernelEntry entry, const void* args) {
    if (delivery.mode == DeliveryMode::kThrow) return call_kernel(delivery, entry, args);
    try {
        return call_kernel(delivery, entry, args);
    } catch (const std::exception& error) {
        throw ProgramFault(exception_fault(error.what()));
    } catch (...) {
        throw ProgramFault(exception_fault(""));
    }
}

/// Sets running_delivery to a delivery while it lives.
class RunningDelivery {
 public:
    explicit RunningDelivery(FaultDelivery& delivery)
        : previous_(running_delivery.exchange(&delivery)) {}
    ~RunningDelivery() { running_delivery = previous_; }
    RunningDelivery(const RunningDelivery&) = delete;
    RunningDelivery& operator=(const RunningDelivery&) = delete;

 private:
    FaultDelivery* previous_;
};

/// Returns the kernel's part of a signal's call stack.
RawCallStack kernel_frames(const FaultDelivery& delivery, const void* entry) {
    const RawCallStack& stack = delivery.signal.call_stack;
    // The entry is a function of this library that has lost its return address or crashes because
    // of the kernel's arguments.
    if (is_own_code(entry)) return stack;
    RawCallStack own = without_own_frames(stack);
    const auto* const begin = own.addresses.data();
    // The kernel may have given its frame to a function of the C library.
    if (own.count < RawCallStack::kMaximumFrames &&
        std::all_of(begin, begin + own.count, is_library_code)) {
        own.addresses[static_cast<std::size_t>(own.count++)] = delivery.last_call;
    }
    return own;
}

std::optional<FaultRecord> call_guarded(Context& context, KernelEntry entry, const void* args) {
    FaultDelivery& delivery = context.delivery();
    const SignalGuard guard(delivery);
    const RunningDelivery running(delivery);
    const void* const outer_call =
        std::exchange(delivery.last_call, last_call_of(reinterpret_cast<const void*>(entry)));
    guard_launch();
    delivery.lowest_frame = lowest_kernel_frame();
    std::optional<IdleTimer> timer(std::in_place, context, reinterpret_cast<const void*>(entry));
    const std::uintptr_t outer_page = delivery.closed_page;
    struct Restore {
        FaultDelivery& delivery;
        std::uintptr_t outer_page;
        const void* outer_call;
        ~Restore() {
            close_page(delivery.closed_page, outer_page);
            delivery.last_call = outer_call;
        }
    } const restore{delivery, outer_page, outer_call};
    const bool returned = call_catching(delivery, entry, args);
    delivery.runner_active = 0;
    if (context.checks() != nullptr) context.checks()->kernel_has_left();
    if (returned) {
        throw_foreign_call(delivery);
        return std::nullopt;
    }
    if (delivery.exception) std::rethrow_exception(std::exchange(delivery.exception, nullptr));
    FaultRecord record = signal_fault(delivery, context.options().idle_seconds.value_or(0));
    timer.reset();
    if (context.options().call_stacks) {
        record.call_stack =
            describe_call_stack(kernel_frames(delivery, reinterpret_cast<const void*>(entry)));
    }
    return record;
}

/// Calls the kernel and also returns the fault that it throws.
std::optional<FaultRecord> call_to_the_end(Context& context, KernelEntry entry, const void* args) {
    std::optional<FaultRecord> fault;
    try {
        fault = call_guarded(context, entry, args);
    } catch (const ProgramFault& thrown) {
        fault = thrown.record();
    }
    end_child(fault);
    return fault;
}

}  // namespace

std::optional<FaultRecord> run_kernel(Context& context, KernelEntry entry, const void* args,
                                      DeliveryMode mode) {
    context.begin_launch();
    FaultDelivery& delivery = context.delivery();
    delivery.mode = mode;
    const Context::Binding binding(context);
    // The reset also happens after an exception of the machine, so that the next launch starts
    // clean.
    struct Reset {
        Context& context;
        FaultDelivery& delivery;
        ~Reset() {
            delivery.runner_active = 0;
            delivery.in_runtime = 0;
            delivery.lowest_frame = 0;
            delivery.mode = DeliveryMode::kThrow;
            delivery.arguments_end = nullptr;
            if (context.checks() != nullptr) context.checks()->kernel_has_left();
        }
    } const reset{context, delivery};
    auto fault = call_to_the_end(context, entry, args);
    if (!fault && context.checks() != nullptr) context.checks()->returned(context.parallel());
    return fault;
}

std::optional<FaultRecord> run_kernel(Context& context, KernelEntry entry,
                                      std::span<const std::byte> args, DeliveryMode mode) {
    const LaunchArguments copy(args);
    context.delivery().arguments_end = copy.end();
    context.delivery().arguments_size = copy.size();
    return run_kernel(context, entry, copy.data(), mode);
}

std::optional<FaultRecord> call_inner_kernel(Context& context, KernelEntry entry,
                                             std::span<const std::byte> args) {
    FaultDelivery& delivery = context.delivery();
    OKKSIM_CHECK(delivery.mode == DeliveryMode::kThrow);
    const LaunchArguments copy(args);
    delivery.arguments_end = copy.end();
    delivery.arguments_size = copy.size();
    delivery.mode = DeliveryMode::kJump;
    // The outer kernel continues. In kThrow mode, only signals use its jump target.
    struct Restore {
        FaultDelivery& delivery;
        sigjmp_buf outer_target;
        ~Restore() {
            std::memcpy(&delivery.jump_target, &outer_target, sizeof outer_target);
            delivery.mode = DeliveryMode::kThrow;
            delivery.runner_active = 1;
            delivery.in_runtime = 0;
            delivery.function = nullptr;
            delivery.signal = {};
            delivery.arguments_end = nullptr;
        }
    };
    Restore restore{delivery, {}};
    std::memcpy(&restore.outer_target, &delivery.jump_target, sizeof restore.outer_target);
    return call_to_the_end(context, entry, copy.data());
}

}  // namespace okksim::firmware
