// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "isa/base/errors.h"

namespace okksim::firmware::host {

/// The settings of the host API that environment variables make.
struct HostSettings {
    /// OKKSIM_SUMMARY: "1" or a path; empty: standard error.
    std::optional<std::string> summary_path;
    /// OKKSIM_ON_FAULT=continue: a launch that ended with a fault is logged and counts as done.
    bool continue_after_fault = false;
    /// OKKSIM_STRICT=1: a program whose kernels had faults or made mistakes ends with kStrictExit.
    bool strict = false;

    /// The problem of a variable. No device is opened then.
    std::optional<ConfigError> problem;

    static constexpr int kStrictExit = 3;
    /// The exit code of a program whose summary cannot be written.
    static constexpr int kUnwrittenExit = 2;
};

/// The settings of the environment.
HostSettings settings_from_environment();

}  // namespace okksim::firmware::host
