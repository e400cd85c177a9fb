// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ucontext.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/launch/raw_call_stack.h"

namespace okksim::firmware {

/// Returns the frames of the calling thread between two functions, both excluded. `innermost_frame`
/// is a frame address of a function of this library. `outermost_function` is the start of the outer
/// one.
RawCallStack capture_call_stack(const void* innermost_frame, const void* outermost_function);

/// Reads the call stack of the kernel that a signal has interrupted, in the handler of the signal.
/// The stack begins with the interrupted function and has at least one frame.
void capture_interrupted(RawCallStack& stack, const ucontext_t& state);

/// Returns an address that stands in call stacks for the last call of a kernel. The compiler has
/// made that call a jump, so its address is unknown. locate() returns the kernel and the line where
/// it begins. The address is the same for the same `entry` and is not the address of any code.
const void* last_call_of(const void* entry);

/// Returns whether an address is in the C library.
bool is_library_code(const void* address);
/// Returns whether an address is in this library.
bool is_own_code(const void* address);
/// Returns the stack from the first frame that is not in the C library; the whole stack if there is
/// no such frame.
RawCallStack without_library_frames(const RawCallStack& stack);
/// Returns the stack without the frames of this library.
RawCallStack without_own_frames(const RawCallStack& stack);

/// Returns the address in the program's own code that has called this library, on this thread;
/// nullptr if it is unknown.
const void* calling_code();

/// Findings append this text to an address without a line.
inline constexpr const char* kHowToGetLines =
    " (for its line compile it with -g, and do not strip it)";

/// The position of an address of code, as far as the host knows it.
struct CodePlace {
    std::string function;  ///< empty: unknown
    std::string file;      ///< empty: the code has no line numbers
    std::size_t line = 0;
    std::string module;        ///< program or library that holds it
    std::uint64_t offset = 0;  ///< in the module, as addr2line takes it
    std::string_view remark;   ///< appended by text()

    /// "add_rows at kernel.c:12"; "add_rows in libkernel.so+0x11c" without line numbers.
    std::string text() const;
};
/// Returns the function at an address. If the compiler has inlined it, its callers follow,
/// innermost first. The result has at least one element.
std::vector<CodePlace> locate(const void* address);

/// Returns the text of the line that contains a call, or how to get the line if it is unknown. The
/// text is empty for nullptr.
std::string describe_address(const void* return_address);

/// Returns one line per frame: function, source position or library, as far as the host knows them.
std::vector<std::string> describe_call_stack(const RawCallStack& stack);

}  // namespace okksim::firmware
