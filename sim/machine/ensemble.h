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
    std::vector<std::string> settings;  ///< of all members, the last ones: "section.key=value"

    /// The band of a time, from the times of the members.
    Band band(std::vector<double> times) const;
    std::vector<Machine> machines() const;
};

/// Between the shares (1 - share) / 2 and (1 + share) / 2 of some times; at least one.
Band spread(std::vector<double> times, double share);

/// Reads a file like sim/machines/bm1684.ensemble.toml. ConfigError when it is malformed.
Ensemble read_ensemble(const std::string& text, const std::string& name);

/// The built-in sets for a machine: those of bm1684 with all that the machine has otherwise.
struct EnsembleOfMachine {
    std::optional<Ensemble> ensemble;
    std::string why_not;  ///< when there is none: the machine has a number that the sets vary
};
EnsembleOfMachine builtin_ensemble(const Machine& machine);

}  // namespace okksim::sim
