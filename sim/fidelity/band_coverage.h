// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "sim/fidelity/contest.h"
#include "sim/fidelity/cross_validation.h"
#include "sim/machine/ensemble.h"

namespace okksim::sim::fidelity {

/// The share of times that bands are made to hold.
inline constexpr double kBandShare = 0.8;
/// Bands that the members' spread must be widened by more than this for, each way, say nothing:
/// twice the noise of silicon's own times (sim/fidelity/README.md).
inline constexpr double kMostWidening = 1.06;

/// A case beside the bands of members that were not fitted to it.
struct BandedCase {
    std::string name;  ///< "conv2d 0"
    std::size_t members = 0;
    double silicon_us = 0;
    Band spread;          ///< of the members alone
    Band band;            ///< widened by what cases of other operators ask for
    double widening = 1;  ///< of the spread, that the case itself would need
    bool inside() const { return band.low <= silicon_us && silicon_us <= band.high; }
};

/// How often silicon lies in the bands of cases that the fits have not seen, nor the widening
/// anything of their operators.
struct BandCoverage {
    std::vector<BandedCase> cases;
    double widening = 1;       ///< that all cases together ask for
    double file_widening = 1;  ///< that the ensemble's file says: of the bands that users get
    std::size_t inside() const;
    std::size_t inside_spread() const;
    bool met() const;
};

/// `times[m]` of a case: of the members that have not seen it.
struct UnseenTimes {
    std::string op;
    std::string name;
    double silicon_us = 0;
    std::vector<double> times;
};
/// A case without any member that has not seen it is left out. The file says what all cases ask
/// for. Pure.
BandCoverage band_coverage(std::span<const UnseenTimes> cases);

/// The same for a contest that was run on an ensemble's machines, the first of which is `first`.
BandCoverage band_coverage(const ContestReport& contest, const Ensemble& ensemble,
                           std::size_t first);

/// The file that read_ensemble() reads, from the fits of a cross-validation.
std::string ensemble_text(const CrossValidation& validation,
                          std::span<const FittedParameter> parameters, const Machine& machine);

std::string to_text(const BandCoverage& coverage);
std::string to_markdown(const BandCoverage& coverage);
nlohmann::ordered_json to_json(const BandCoverage& coverage);

}  // namespace okksim::sim::fidelity
