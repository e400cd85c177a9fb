// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/lab/fidelity/contest.h"
#include "sim/lab/fidelity/cross_validation.h"
#include "sim/machine/ensemble.h"

namespace okksim::sim::fidelity {

/// The share of silicon's times that bands are designed to contain.
inline constexpr double kBandShare = 0.8;
/// Largest useful widening factor of the members' spread in each direction. It is twice the noise
/// of silicon's times (sim/lab/fidelity/README.md).
inline constexpr double kMostWidening = 1.06;

/// A case and the bands of the members that were not fitted to it.
struct BandedCase {
    std::string name;  ///< "conv2d 0"
    std::size_t members = 0;
    double silicon_us = 0;
    Band spread;          ///< of the members, not widened
    Band band;            ///< widened by the factor that cases of other operators need
    double widening = 1;  ///< factor of the spread that this case needs
    bool inside() const { return band.low <= silicon_us && silicon_us <= band.high; }
};

/// Share of silicon times inside the bands of cases that the fits have not seen. The widening of a
/// case uses only cases of other operators.
struct BandCoverage {
    std::vector<BandedCase> cases;
    double widening = 1;       ///< factor from all cases
    double file_widening = 1;  ///< factor in the ensemble's file, which users' bands have
    std::size_t inside() const;
    std::size_t inside_spread() const;
    /// Returns the number of cases inside the band with the file's factor, by the members that have
    /// not seen the case.
    std::size_t inside_file() const;
    bool met() const;
};

/// A case and its times by the members that have not seen it.
struct UnseenTimes {
    std::string op;
    std::string name;
    double silicon_us = 0;
    std::vector<double> times;
};
/// Computes the coverage. Cases that all members have seen are left out. `file_widening` becomes
/// the factor from all cases. Pure function.
BandCoverage band_coverage(std::span<const UnseenTimes> cases);

/// Computes the coverage for a contest that was run on an ensemble's machines; `first` is the index
/// of the first one.
BandCoverage band_coverage(const ContestReport& contest, const Ensemble& ensemble,
                           std::size_t first);

/// Returns the text of an ensemble file for read_ensemble() from the fits of a cross-validation.
std::string ensemble_text(const CrossValidation& validation,
                          std::span<const FittedParameter> parameters, const Machine& machine);

std::string to_text(const BandCoverage& coverage);
std::string to_markdown(const BandCoverage& coverage);
nlohmann::ordered_json to_json(const BandCoverage& coverage);

}  // namespace okksim::sim::fidelity
