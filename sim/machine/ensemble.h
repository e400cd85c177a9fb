// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim {

/// A confidence band of a time.
struct Band {
    double low = 0;
    double high = 0;
};

/// One parameter set that fits the known data of a chip about as well as its machine does.
struct EnsembleMember {
    std::vector<std::string> settings;  ///< "section.key=value"
    std::vector<std::string> seen;      ///< cases that it was fitted to: "conv2d 0"
};

/// Parameter sets of one machine, and the confidence band that their spread gives a time.
struct Ensemble {
    std::string machine;
    double share = 0;     ///< fraction of times that are within their band
    double widening = 1;  ///< factor on the members' spread, in both directions, for this fraction
    std::vector<EnsembleMember> members;
    std::vector<std::string> settings;  ///< of all members, applied last: "section.key=value"

    /// Returns the band of a time, from the members' times.
    Band band(std::vector<double> times) const;
    std::vector<Machine> machines() const;
};

/// Returns the quantiles (1 - share) / 2 and (1 + share) / 2 of at least one time.
Band spread(std::vector<double> times, double share);

/// Reads a file like sim/machines/bm1684.ensemble.toml. Throws ConfigError if it is malformed.
Ensemble read_ensemble(const std::string& text, const std::string& name);

/// The built-in sets for a machine: those of bm1684, with the other parameters of the machine.
struct EnsembleOfMachine {
    std::optional<Ensemble> ensemble;
    std::string why_not;  ///< reason for none: the machine changes a parameter that the sets vary
};
EnsembleOfMachine builtin_ensemble(const Machine& machine);

}  // namespace okksim::sim
