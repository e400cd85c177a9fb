// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim {

/// Where a time is likely to be.
struct Band {
    double low = 0;
    double high = 0;
};

/// One set of parameters that fits what is known of a chip about as well as its machine does.
struct EnsembleMember {
    std::vector<std::string> settings;  ///< "section.key=value"
    std::vector<std::string> seen;      ///< cases that it was fitted to: "conv2d 0"
};

/// Sets of parameters of one machine, and what their spread says of a time.
struct Ensemble {
    std::string machine;
    double share = 0;     ///< of times that lie in their band
    double widening = 1;  ///< of the members' spread, each way, so that this holds
    std::vector<EnsembleMember> members;

    /// The band of a time, from the times of the members.
    Band band(std::vector<double> times) const;
    /// The members as machines, with further settings that come last.
    std::vector<Machine> machines(const std::vector<std::string>& settings) const;
};

/// Between the shares (1 - share) / 2 and (1 + share) / 2 of some times; at least one.
Band spread(std::vector<double> times, double share);

/// Reads a file like sim/machines/bm1684.ensemble.toml. ConfigError when it is malformed.
Ensemble read_ensemble(const std::string& text, const std::string& name);
/// The built-in one of a machine; nothing when it has none.
std::optional<Ensemble> builtin_ensemble(const std::string& machine);

}  // namespace okksim::sim
