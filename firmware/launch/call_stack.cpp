// SPDX-License-Identifier: Apache-2.0
#include "firmware/launch/call_stack.h"

#include <backtrace.h>  // GCC's; the functions are in Boost's library
#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <boost/core/demangle.hpp>
#include <boost/stacktrace/frame.hpp>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "firmware/launch/fault_delivery.h"
#include "firmware/launch/interrupted_state.h"
#include "firmware/launch/kernel_invoker.h"
#include "firmware/launch/kernel_registry.h"
#include "firmware/launch/stack_reading.h"

namespace okksim::firmware {
namespace {

struct Walk {
    RawCallStack& stack;
    const void* outermost_function = nullptr;
    std::uintptr_t inner_limit = 0;
    bool interrupted = false;  ///< begin at the frame whose stack pointer is inner_limit
    bool started = false;
};

_Unwind_Reason_Code visit(_Unwind_Context* frame, void* data) {
    Walk& walk = *static_cast<Walk*>(data);
    // libgcc's CFA of a frame is the stack pointer after the inner call returns.
    const auto stack_pointer = static_cast<std::uintptr_t>(_Unwind_GetCFA(frame));
    if (!walk.started) {
        walk.started =
            walk.interrupted ? stack_pointer == walk.inner_limit : stack_pointer > walk.inner_limit;
        if (!walk.started) return _URC_NO_REASON;
    }
    if (reinterpret_cast<const void*>(_Unwind_GetRegionStart(frame)) == walk.outermost_function ||
        walk.stack.count == RawCallStack::kMaximumFrames) {
        return _URC_END_OF_STACK;
    }
    int before_instruction = 0;
    auto address = static_cast<std::uintptr_t>(_Unwind_GetIPInfo(frame, &before_instruction));
    if (address == 0) return _URC_END_OF_STACK;
    // A return address may belong to the next line or even the next function.
    if (before_instruction == 0) --address;
    walk.stack.addresses[static_cast<std::size_t>(walk.stack.count++)] =
        reinterpret_cast<const void*>(address);
    return _URC_NO_REASON;
}

/// Describes a function without a name that is in the module of a kernel.
std::string stripped_function(const void* address) {
    const std::string kernel = KernelRegistry::instance().at_or_before(address);
    Dl_info here{}, there{};
    if (kernel.empty() || dladdr(address, &here) == 0) return {};
    const auto* const entry =
        reinterpret_cast<const void*>(KernelRegistry::instance().find(kernel));
    if (dladdr(entry, &there) == 0 || here.dli_fbase != there.dli_fbase) return {};
    return "(a function without a name, of " + kernel + " or after it)";
}

/// A crash may have stopped a thread for good while it held a lock, so waits for locks are bounded.
constexpr std::chrono::seconds kLongestWait{1};
using TimedLock = std::unique_lock<std::timed_mutex>;

/// Kernels by the addresses that stand for their last calls. The table is in use until the
/// program's very end.
struct LastCalls {
    std::timed_mutex mutex;
    std::map<const void*, const void*> entries;
};
LastCalls& last_calls() {
    static LastCalls& calls = *new LastCalls;
    return calls;
}

/// Returns the kernel whose last call an address stands for; nullptr for other addresses.
const void* entry_of(const void* address) {
    LastCalls& calls = last_calls();
    const TimedLock lock(calls.mutex, kLongestWait);
    const auto found = calls.entries.find(address);
    return found == calls.entries.end() ? nullptr : found->second;
}

/// Returns whether an address is in a loaded program or library.
bool is_code(const void* address) {
    Dl_info found{};
    return address != nullptr && dladdr(address, &found) != 0;
}

/// Returns the word at an address; nullptr if it cannot be read.
const void* readable_word(const void* address) {
    const void* word = nullptr;
    const iovec to{&word, sizeof word};
    const iovec from{const_cast<void*>(address), sizeof word};
    if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof word) return nullptr;
    return word;
}

extern "C" {
int add_place(void* places, std::uintptr_t, const char* file, int line, const char* function) {
    if (file == nullptr) return 0;
    CodePlace& place = static_cast<std::vector<CodePlace>*>(places)->emplace_back();
    place.file = file;
    place.line = static_cast<std::size_t>(line);
    // The demangler would take plain names, of C and of local functions, for types: "i" for int.
    const bool is_mangled = function != nullptr && std::string_view(function).starts_with("_Z");
    if (function != nullptr) {
        place.function = is_mangled ? boost::core::demangle(function) : function;
    }
    return 0;
}
void ignore_error(void*, const char*, int) {}
}

/// Returns the source lines of an address from the debug information: the functions that the
/// compiler has inlined there, innermost first.
std::vector<CodePlace> source_places(const void* address) {
    Dl_info found{};
    std::vector<CodePlace> places;
    if (dladdr(address, &found) == 0 || found.dli_fname == nullptr) return places;
    // A state knows the code that was loaded when it was made. States are in use until the
    // program's very end, so they are never destroyed.
    static std::timed_mutex mutex;
    static auto& states = *new std::map<std::string, backtrace_state*>;
    const TimedLock lock(mutex, kLongestWait);
    backtrace_state* own_state = nullptr;
    backtrace_state*& state = lock.owns_lock() ? states[found.dli_fname] : own_state;
    if (state == nullptr) state = backtrace_create_state(nullptr, 1, ignore_error, nullptr);
    if (state != nullptr) {
        backtrace_pcinfo(state, reinterpret_cast<std::uintptr_t>(address), add_place, ignore_error,
                         &places);
    }
    return places;
}

}  // namespace

const void* last_call_of(const void* entry) {
    LastCalls& calls = last_calls();
    const TimedLock lock(calls.mutex, kLongestWait);
    for (const auto& [call, known] : calls.entries) {
        if (known == entry) return call;
    }
    const void* const call = new std::byte;
    calls.entries.emplace(call, entry);
    return call;
}

namespace {

void add_frame(RawCallStack& stack, const void* address) {
    stack.addresses[static_cast<std::size_t>(stack.count++)] = address;
}

/// Adds the last call of a kernel that has left its frame to that call.
void add_last_call(RawCallStack& stack, const void* outermost_function) {
    if (outermost_function == nullptr || active_delivery == nullptr) return;
    if (stack.count == 0 && active_delivery->last_call != nullptr) {
        add_frame(stack, active_delivery->last_call);
    }
}

}  // namespace

RawCallStack capture_call_stack(const void* innermost_frame, const void* outermost_function) {
    RawCallStack stack;
    read_stack([&] {
        Walk walk{stack};
        walk.outermost_function = outermost_function;
        walk.inner_limit = reinterpret_cast<std::uintptr_t>(innermost_frame);
        _Unwind_Backtrace(visit, &walk);
    });
    add_last_call(stack, outermost_function);
    return stack;
}

namespace {

/// Frames that were destroyed may make this function crash; the frames that it has found until then
/// stay in `stack`.
void read_interrupted(RawCallStack& stack, const void* stack_pointer, const void* program_counter,
                      const void* outermost_function) {
    stack = {};
    if (!is_code(program_counter)) {
        // No code is at the address of the call. The return address of the call is on the stack.
        add_frame(stack, program_counter);
        const void* caller = readable_word(stack_pointer);
        if (is_code(caller)) {
            RawCallStack outer;
            if (is_kernel_invoker(caller)) {
                add_last_call(outer, outermost_function);
            } else {
                add_frame(outer, static_cast<const char*>(caller) - 1);
            }
            if (outer.count > 0) add_frame(stack, outer.addresses[0]);
        }
        return;
    }
    Walk walk{stack};
    walk.outermost_function = outermost_function;
    walk.inner_limit = reinterpret_cast<std::uintptr_t>(stack_pointer);
    walk.interrupted = true;
    _Unwind_Backtrace(visit, &walk);
}

}  // namespace

void capture_interrupted(RawCallStack& stack, const ucontext_t& state) {
    read_stack([&] {
        read_interrupted(stack, stack_pointer_of(state), program_counter_of(state),
                         kernel_invoker());
    });
    if (stack.count == 0) {
        stack.addresses[0] = program_counter_of(state);
        stack.count = 1;
    }
}

namespace {

/// Returns the start of the program or library that holds an address; nullptr if there is none. The
/// host API calls this for every frame, so it avoids dladdr(), which searches all symbols.
const void* module_of(const void* address) {
    dl_find_object found{};
    return _dl_find_object(const_cast<void*>(address), &found) == 0 ? found.dlfo_map_start
                                                                    : nullptr;
}

}  // namespace

bool is_library_code(const void* address) {
    static const void* const library = module_of(reinterpret_cast<const void*>(&std::getenv));
    return library != nullptr && module_of(address) == library;
}

bool is_own_code(const void* address) {
    static const void* const own = module_of(reinterpret_cast<const void*>(&locate));
    return own != nullptr && module_of(address) == own;
}

RawCallStack without_library_frames(const RawCallStack& stack) {
    const auto* const begin = stack.addresses.begin();
    const auto* const end = begin + stack.count;
    const auto* const own = std::find_if_not(begin, end, is_library_code);
    if (own == end) return stack;
    RawCallStack rest;
    std::copy(own, end, rest.addresses.begin());
    rest.count = static_cast<int>(end - own);
    return rest;
}

RawCallStack without_own_frames(const RawCallStack& stack) {
    RawCallStack rest;
    for (int i = 0; i < stack.count; ++i) {
        const void* const address = stack.addresses[static_cast<std::size_t>(i)];
        if (!is_own_code(address)) add_frame(rest, address);
    }
    return rest;
}

const void* calling_code() {
    const RawCallStack stack = capture_call_stack(nullptr, nullptr);
    for (int i = 0; i < stack.count; ++i) {
        const void* const address = stack.addresses[static_cast<std::size_t>(i)];
        if (!is_own_code(address) && !is_library_code(address)) return address;
    }
    return nullptr;
}

std::string CodePlace::text() const {
    std::string text = function.empty() ? "(unknown function)" : function;
    if (!file.empty()) {
        text += " at " + file + (line == 0 ? "" : ":" + std::to_string(line));
    } else if (!module.empty()) {
        text += fmt::format(" in {}+{:#x}", module, offset);
    }
    return text.append(remark);
}

namespace {
bool is_in_c_header(const CodePlace& place) {
    return place.file.starts_with("/usr/include/") && !place.file.starts_with("/usr/include/c++/");
}
}  // namespace

std::vector<CodePlace> locate(const void* address) {
    if (const void* const entry = entry_of(address)) {
        std::vector<CodePlace> places = locate(entry);
        places.erase(places.begin(), places.end() - 1);
        places.front().remark = ", its last call";
        return places;
    }
    std::vector<CodePlace> places = source_places(address);
    if (places.empty()) {
        places.emplace_back();
        places.front().function = boost::stacktrace::frame(address).name();
        if (places.front().function.empty()) places.front().function = stripped_function(address);
    }
    // Lines of the C library's headers (_FORTIFY_SOURCE) are no lines of the kernel's source.
    const auto own = std::find_if_not(places.begin(), places.end(), is_in_c_header);
    if (own != places.end()) places.erase(places.begin(), own);
    Dl_info found{};
    if (dladdr(address, &found) == 0) return places;
    for (CodePlace& place : places) {
        place.module = found.dli_fname == nullptr ? "" : found.dli_fname;
        place.offset = static_cast<std::uint64_t>(static_cast<const char*>(address) -
                                                  static_cast<const char*>(found.dli_fbase));
    }
    return places;
}

std::string describe_address(const void* return_address) {
    if (return_address == nullptr) return {};
    const CodePlace place = locate(static_cast<const char*>(return_address) - 1).front();
    return place.file.empty() ? place.text() + kHowToGetLines : place.text();
}

std::vector<std::string> describe_call_stack(const RawCallStack& stack) {
    std::vector<std::string> lines;
    bool has_lines = false;
    for (int i = 0; i < stack.count; ++i) {
        for (const CodePlace& place : locate(stack.addresses[static_cast<std::size_t>(i)])) {
            lines.push_back(place.text());
            has_lines = has_lines || !place.file.empty();
        }
    }
    if (!lines.empty() && !has_lines) lines.front() += kHowToGetLines;
    return lines;
}

}  // namespace okksim::firmware
