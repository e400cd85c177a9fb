// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/signal_fault.h"

#include <signal.h>

#include <cstdio>
#include <string>

#include "firmware/launch/kernel_faults.h"
#include "firmware/leave/crash_fault.h"

namespace okksim::firmware {
namespace {

FaultRecord firmware_fault(FaultCode code, std::string value, std::string rule,
                           std::string advice) {
    FaultRecord record;
    record.code = code;
    record.value = std::move(value);
    record.rule = std::move(rule);
    record.advice = std::move(advice);
    record.unit = "firmware";
    return record;
}

FaultRecord memory_fault(const FaultDelivery& delivery) {
    const SignalReport& report = delivery.signal;
    const auto address = reinterpret_cast<std::uintptr_t>(report.address);
    const auto stack = reinterpret_cast<std::uintptr_t>(report.stack_pointer);
    constexpr std::uintptr_t kPage = 4096;
    char text[64];
    std::snprintf(text, sizeof text, "address %p", report.address);
    if (report.call_stack.count > 0 && report.address == report.call_stack.addresses[0]) {
        return firmware_fault(FaultCode::kHostSignal, std::string("a jump to ") + text,
                              "firmware may run only loaded code",
                              "look for an uninitialised function pointer or jmp_buf, or for an "
                              "out-of-bounds array write that hit a return address");
    }
    if (report.code == SI_KERNEL) {
        return firmware_fault(FaultCode::kHostSignal, "an address that cannot exist",
                              "firmware may access only its own memory",
                              "look for an uninitialised or overwritten pointer, or for an "
                              "out-of-bounds array write that hit a return address");
    }
    const auto arguments_end = reinterpret_cast<std::uintptr_t>(delivery.arguments_end);
    if (arguments_end != 0 && address >= arguments_end && address < arguments_end + kPage) {
        return firmware_fault(
            FaultCode::kBadArgument,
            "byte " + std::to_string(delivery.arguments_size + (address - arguments_end)),
            "a kernel may read the " + std::to_string(delivery.arguments_size) +
                " bytes of arguments that the launch passed",
            "make the size that the host passes equal to the size of the kernel's struct");
    }
    if (address < kPage) {
        return firmware_fault(FaultCode::kHostSignal, std::string("NULL pointer, ") + text,
                              "a NULL pointer must not be dereferenced",
                              "check the pointer, or the launch arguments it was read from");
    }
    if (stack < delivery.lowest_frame && address < delivery.lowest_frame) {
        return stack_overflow(std::string(", ") + text);
    }
    if (delivery.closed_page != 0 && address - delivery.closed_page < kPage) {
        return firmware_fault(FaultCode::kHostSignal,
                              std::string("the stack of the kernel's callers, ") + text,
                              "firmware must stay inside its variables",
                              "look for an out-of-bounds write to an array on the stack");
    }
    if (address < stack + kPage && address + 16 * kPage > stack) {
        return stack_overflow(std::string(", ") + text);
    }
    return firmware_fault(
        FaultCode::kHostSignal, text, "firmware may access only its own memory",
        "device addresses are not pointers: use okk_global_mem_addr(), okk_local_mem_addr(), "
        "okk_l2_sram_addr() or okk_dtcm_addr(), and stay inside that memory");
}

std::string abort_text() {
    const char* const text = abort_message();
    std::string message = text == nullptr ? "" : std::string(": ") + text;
    while (message.ends_with('\n')) message.pop_back();
    return message;
}

FaultRecord arithmetic_fault(const SignalReport& report) {
    const bool integer = report.code == FPE_INTDIV;
    return firmware_fault(FaultCode::kHostSignal,
                          integer ? "integer division by zero" : "arithmetic trap",
                          "firmware must not divide by zero or overflow a division",
                          "check the divisor before dividing");
}

}  // namespace

FaultRecord signal_fault(const FaultDelivery& delivery, double idle_seconds) {
    const SignalReport& report = delivery.signal;
    FaultRecord record;
    switch (report.number) {
        case SIGFPE: record = arithmetic_fault(report); break;
        case SIGABRT:
            record = firmware_fault(FaultCode::kAssertion, "abort() was called" + abort_text(),
                                    "a kernel must not abort",
                                    "a failed assert() prints its condition above; fix it or use "
                                    "OKKERNEL_ASSERT");
            break;
        case SIGILL:
            record = firmware_fault(FaultCode::kHostSignal, "illegal instruction",
                                    "firmware must return from every function it enters",
                                    "look for a function without a return or a wild call");
            break;
        case SIGTRAP:
            record = firmware_fault(FaultCode::kHostSignal, "a breakpoint",
                                    "firmware must not stop itself",
                                    "remove the breakpoint, or run the program in a debugger");
            break;
        case SIGSEGV:
        case SIGBUS: record = memory_fault(delivery); break;
        default: record = idle_time_fault(idle_seconds); break;
    }
    if (delivery.function != nullptr && record.code == FaultCode::kHostSignal) {
        record.function = delivery.function;
        record.argument = "a pointer argument";
    }
    return record;
}

}  // namespace okksim::firmware
