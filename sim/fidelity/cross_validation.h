// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/fidelity/contest.h"
#include "sim/fidelity/fit.h"
#include "sim/fidelity/fitted_parameters.h"
#include "sim/fidelity/statistics.h"

namespace okksim::sim::fidelity {

/// What is fitted: pure functions of the values, called from several threads.
struct FittedModel {
    std::function<double(const Values&, std::size_t)> ratio;  ///< of a case: simulated / silicon
    /// Of the published rates; 0 within their ranges.
    std::function<std::vector<double>(const Values&)> rate_errors;
    std::vector<std::size_t> order;  ///< all cases, those that take least time first
    /// How implausible values are, in the unit of errors; may be empty.
    std::function<double(const Values&)> prior;
};

/// A case and its ratio by numbers fitted to all cases, and to those that it is left out of.
struct PredictedCase {
    std::string op;
    int number = 0;
    double fitted = 0;
    double without_case = 0;
    double without_half = 0;      ///< the case's half: every second case, in the order of the list
    double without_operator = 0;  ///< all cases of its operator
    double silicon_us = 0;
    std::optional<SiliconRange> range = std::nullopt;  ///< of silicon's times
};

/// Bar of the mean absolute error of cases that are left out one by one.
inline constexpr double kLeftOutBar = 0.063;

/// One fitted number as the fits find it.
struct RefittedNumber {
    double all = 0;    ///< fitted to all cases
    double least = 0;  ///< of the fits that leave out one case
    double most = 0;
};

/// Values fitted to cases drawn with replacement: one of many sets that fit about equally well.
struct EnsembleFit {
    Values values;
    std::vector<int> drawn;      ///< how often the fit saw each case
    std::vector<double> ratios;  ///< of all cases
};

/// How well the fitted numbers predict cases that they were not fitted to.
struct CrossValidation {
    std::vector<PredictedCase> cases;
    std::vector<RefittedNumber> numbers;  ///< one per axis
    std::vector<EnsembleFit> ensemble;    ///< as many as were asked for

    /// Of one kind of ratio over all cases; its rank correlation means nothing.
    Agreement figures(double PredictedCase::*ratio) const;
    /// Mean error outside the ranges of silicon of cases left out one by one; nothing where a case
    /// has none.
    std::optional<double> left_out_outside() const;
    /// The error of cases left out one by one is within its bar.
    bool met() const;
};

/// Fits the numbers anew, from the middle of their ranges, to all cases, to all but each one, to
/// each half, and to all but each operator's; then `members` times to as many cases as there are,
/// drawn with replacement. Every fit minimises the mean absolute error of its cases and of the
/// published rates, and the prior. The outcome does not depend on the number of threads.
/// `progress(done, all)` is called after each fit, from one thread at a time.
CrossValidation cross_validate(const std::vector<PredictedCase>& cases, std::span<const Axis> axes,
                               const FittedModel& model, int threads,
                               const std::function<void(std::size_t, std::size_t)>& progress = {},
                               std::size_t members = 0);

/// The same for the counted cases of a contest that was run and some parameters of its machine.
/// Kernels that took twice as long as the best one of their case are left out. The ends of a
/// number's range are less plausible than its middle.
CrossValidation cross_validate(const ContestReport& contest, const std::string& machine,
                               const std::vector<std::string>& settings,
                               std::span<const FittedParameter> parameters, int threads,
                               const std::function<void(std::size_t, std::size_t)>& progress,
                               std::size_t members = 0);

}  // namespace okksim::sim::fidelity
