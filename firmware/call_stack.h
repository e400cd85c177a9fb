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

/// The same from a signal handler, into `stack`: begins with the interrupted function, whose stack
/// pointer and program counter the handler was given. Frames that were destroyed may make it crash;
/// what it has found until then stays in `stack`.
void capture_interrupted_call_stack(RawCallStack& stack, const void* stack_pointer,
                                    const void* program_counter, const void* outermost_function);

/// Where the function whose frame address is `frame` was called from; nullptr: unknown. Costs a
/// load.
inline const void* call_site(const void* frame) {
#if defined(__x86_64__) || defined(__aarch64__)
    return frame == nullptr ? nullptr : static_cast<const void* const*>(frame)[1];
#else
    return nullptr;
#endif
}
/// Function and source position behind a call, as far as the host can tell; empty for nullptr.
std::string describe_address(const void* return_address);

/// One line per frame: function, source position or library, as far as the host can tell.
std::vector<std::string> describe_call_stack(const RawCallStack& stack);

}  // namespace okksim::firmware
