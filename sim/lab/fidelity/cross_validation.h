// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/lab/fidelity/contest.h"
#include "sim/lab/fidelity/fit.h"
#include "sim/lab/fidelity/fitted_parameters.h"
#include "sim/lab/fidelity/statistics.h"

namespace okksim::sim::fidelity {

/// The model to fit: pure functions of the values, called from several threads.
struct FittedModel {
    std::function<double(const Values&, std::size_t)> ratio;  ///< simulated / silicon of a case
    /// Errors of the published rates; 0 within their ranges.
    std::function<std::vector<double>(const Values&)> rate_errors;
    std::vector<std::size_t> order;  ///< all cases, those that are fastest to compute first
    /// Implausibility of values, in the unit of errors; may be empty.
    std::function<double(const Values&)> prior;
};

/// A case and its ratio simulated / silicon with numbers from several fits: to all cases, and to
/// subsets without the case.
struct PredictedCase {
    std::string op;
    int number = 0;
    double fitted = 0;
    double without_case = 0;
    double without_half = 0;  ///< without the case's half, which is every second case of the list
    double without_operator = 0;  ///< without all cases of its operator
    double silicon_us = 0;
    std::optional<SiliconRange> range = std::nullopt;  ///< of silicon's times
    bool further = false;                              ///< from a folder after the first one
};

/// Limit of the mean absolute error of the first folder's cases that are left out one by one.
inline constexpr double kLeftOutBar = 0.063;

/// One fitted number by the various fits.
struct RefittedNumber {
    double all = 0;    ///< fitted to all cases
    double least = 0;  ///< smallest value of the fits that leave out one case
    double most = 0;
};

/// Values fitted to cases drawn with replacement: one of several parameter sets that fit about
/// equally well.
struct EnsembleFit {
    Values values;
    std::vector<int> drawn;      ///< by case: how often it was drawn
    std::vector<double> ratios;  ///< by case: simulated / silicon
};

/// Prediction of cases by numbers that were not fitted to them.
struct CrossValidation {
    std::vector<PredictedCase> cases;
    std::vector<RefittedNumber> numbers;  ///< one per axis
    std::vector<EnsembleFit> ensemble;    ///< the requested number of members

    /// Returns the agreement of one kind of ratio over all cases. Its rank correlation has no
    /// meaning.
    Agreement figures(double PredictedCase::*ratio) const;
    /// Returns the mean error outside silicon's ranges of cases left out one by one; nothing if a
    /// case has no range.
    std::optional<double> left_out_outside() const;
    /// Returns the first folder's cases, for which the limit was set.
    CrossValidation first_folder() const;
    /// True if the first folder's cases, left out one by one, meet their limit.
    bool met() const;
};

/// Fits the numbers, starting from the middle of their ranges. It fits them to all cases, to all
/// but each case, to each half, and to all but each operator. Then it makes `members` fits, each to
/// a draw with replacement whose size is the number of cases. Every fit minimises the prior and the
/// mean absolute error of its cases and of the published rates. The result does not depend on the
/// number of threads. `progress(done, all)` is called after each fit, from one thread at a time.
CrossValidation cross_validate(const std::vector<PredictedCase>& cases, std::span<const Axis> axes,
                               const FittedModel& model, int threads,
                               const std::function<void(std::size_t, std::size_t)>& progress = {},
                               std::size_t members = 0);

/// Cross-validates some parameters of a machine with the counted cases of a finished contest.
/// Kernels that took more than twice as long as the best one of their case are left out. The ends
/// of a number's range are less plausible than its middle.
CrossValidation cross_validate(const ContestReport& contest, const std::string& machine,
                               const std::vector<std::string>& settings,
                               std::span<const FittedParameter> parameters, int threads,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               std::size_t members = 0);

}  // namespace okksim::sim::fidelity
