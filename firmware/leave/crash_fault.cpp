// SPDX-License-Identifier: Apache-2.0
#include "firmware/leave/crash_fault.h"

#include <dlfcn.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "firmware/launch/call_stack.h"
#include "firmware/launch/interrupted_state.h"

namespace okksim::firmware {
namespace {

/// The number of frames that are searched for functions of the C library's heap.
constexpr int kHeapFrames = 8;

bool is_heap_function(const void* address) {
    constexpr std::array<std::string_view, 8> kFunctions{
        "malloc",   "free",          "calloc", "realloc",
        "memalign", "aligned_alloc", "cfree",  "posix_memalign"};
    Dl_info found{};
    if (!is_library_code(address) || dladdr(address, &found) == 0 || found.dli_sname == nullptr) {
        return false;
    }
    std::string_view name = found.dli_sname;
    if (name.starts_with("__libc_")) name.remove_prefix(7);
    for (const std::string_view function : kFunctions) {
        if (name == function) return true;
    }
    return false;
}

std::string signal_text(int number) {
    const char* const name = sigabbrev_np(number);
    return "SIG" + std::string(name == nullptr ? "?" : name);
}

std::string without_newlines(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

}  // namespace

const char* abort_message() {
    struct Message {
        unsigned int bytes;
        char text[1];
    };
    // This variable is the only source for the text of the C library's failed check.
    static void* const place = dlvsym(RTLD_DEFAULT, "__abort_msg", "GLIBC_PRIVATE");
    if (place == nullptr) return nullptr;
    const Message* const message = *static_cast<Message* const*>(place);
    return message == nullptr ? nullptr : message->text;
}

bool is_heap_damage(int number, const ucontext_t& state) {
    if (number == SIGABRT) {
        const char* const text = abort_message();
        if (text == nullptr) return false;
        const std::string_view message = text;
        return !message.starts_with("***") && message.find("Assertion") == std::string_view::npos;
    }
    if (!is_library_code(program_counter_of(state))) return false;
    RawCallStack stack;
    capture_interrupted(stack, state);
    for (int i = 0; i < stack.count && i < kHeapFrames; ++i) {
        if (is_heap_function(stack.addresses[static_cast<std::size_t>(i)])) return true;
    }
    return false;
}

FaultRecord hosts_fault(const SignalReport& report) {
    FaultRecord record;
    record.unit = "host program";
    const char* const text = report.number == SIGABRT ? abort_message() : nullptr;
    record.value = signal_text(report.number);
    if (text != nullptr) record.value += ": " + without_newlines(text);
    if (report.number == SIGABRT) {
        record.code = FaultCode::kAssertion;
        record.rule = "a host program must not abort";
        record.advice = "look for a failed assert(), an abort() or an uncaught exception there";
    } else {
        record.code = FaultCode::kHostSignal;
        record.rule = "a program may access only its own memory";
        record.advice =
            "check the program's pointers there; a kernel may have overwritten them: build both "
            "with -fsanitize=address";
    }
    return record;
}

FaultRecord crash_fault(const SignalReport& report, const char* exception, bool in_call) {
    FaultRecord record;
    record.code = FaultCode::kHostSignal;
    record.unit = "firmware";
    const char* const text = report.number == SIGABRT ? abort_message() : exception;
    record.value = text != nullptr
                       ? without_newlines(text)
                       : signal_text(report.number) + (in_call ? " in the simulator" : "");
    record.rule = "a kernel may write only to its own memory";
    record.advice =
        "the heap, the stack or the simulator's data were overwritten, perhaps long before: build "
        "the kernel with -fsanitize=address, or look for an out-of-bounds array access";
    if (exception != nullptr) record.advice += "; otherwise this is a bug in okksim";
    return record;
}

}  // namespace okksim::firmware
