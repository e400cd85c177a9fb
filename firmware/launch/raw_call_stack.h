// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace okksim::firmware {

/// Return addresses of firmware frames, innermost first. The struct is plain data, so that a signal
/// handler may fill it.
struct RawCallStack {
    static constexpr int kMaximumFrames = 24;
    std::array<const void*, kMaximumFrames> addresses{};
    int count = 0;
};

/// The return address of the function whose frame address is `frame`; nullptr if it is unknown. The
/// function costs one load.
inline const void* call_site(const void* frame) {
#if defined(__x86_64__) || defined(__aarch64__)
    return frame == nullptr ? nullptr : static_cast<const void* const*>(frame)[1];
#else
    return nullptr;
#endif
}

}  // namespace okksim::firmware
