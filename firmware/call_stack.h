// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

namespace okksim::firmware {

/// Return addresses of firmware frames, innermost first. Plain data, so that a signal handler may
/// fill it.
struct RawCallStack {
    static constexpr int kMaximumFrames = 24;
    std::array<const void*, kMaximumFrames> addresses{};
    int count = 0;
};

/// Frames of the calling thread from just above `innermost_frame` (a frame address of a function of
/// this library) out to the function that starts at `outermost_function`, both excluded.
RawCallStack capture_call_stack(const void* innermost_frame, const void* outermost_function);

/// The same from a signal handler: begins with the interrupted function, whose stack pointer and
/// program counter the handler was given.
RawCallStack capture_interrupted_call_stack(const void* stack_pointer, const void* program_counter,
                                            const void* outermost_function);

/// One line per frame: function, source position or library, as far as the host can tell.
std::vector<std::string> describe_call_stack(const RawCallStack& stack);

}  // namespace okksim::firmware
