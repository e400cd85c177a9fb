// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

namespace okksim::firmware {

/// While one lives, the arguments of this thread's okk calls are known to be valid, and only the
/// machine's instruction groups are checked. Planners use it: they try thousands of commands, and
/// the best ones are checked when they run.
class TrustedArguments {
 public:
    TrustedArguments() : outer_(std::exchange(in_force_, true)) {}
    ~TrustedArguments() { in_force_ = outer_; }
    TrustedArguments(const TrustedArguments&) = delete;
    TrustedArguments& operator=(const TrustedArguments&) = delete;

    static bool in_force() { return in_force_; }

 private:
    inline static thread_local bool in_force_ = false;

    bool outer_;
};

}  // namespace okksim::firmware
