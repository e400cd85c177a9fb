// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/lab/fidelity/band_coverage.h"
#include "sim/lab/fidelity/bandwidth.h"
#include "sim/lab/fidelity/batch_differences.h"
#include "sim/lab/fidelity/contest.h"
#include "sim/lab/fidelity/cross_validation.h"
#include "sim/lab/fidelity/estimator.h"
#include "sim/lab/fidelity/goals.h"
#include "sim/lab/fidelity/inputs.h"
#include "sim/lab/fidelity/int8_figure.h"
#include "sim/lab/fidelity/network_figure.h"
#include "sim/lab/fidelity/operator_figure.h"
#include "sim/lab/fidelity/second_chip.h"

namespace okksim::sim::fidelity {

/// Mean absolute error of the contest cases if one fitted number is 10 % lower or higher.
struct Sensitivity {
    std::string path;
    double value = 0;
    double low = 0;  ///< plausible range
    double high = 0;
    std::string meaning;
    std::optional<double> error_lower;  ///< empty if the contest was not run on this machine
    std::optional<double> error_higher;
    std::optional<RefittedNumber> refitted;  ///< by the cross-validation
    /// True if the value is strictly inside its range.
    bool inside() const { return low < value && value < high; }
};

/// All parts of `okksim fidelity`. A part is empty if its files are missing.
struct FidelityReport {
    Machine machine;
    Inputs inputs;
    std::optional<EstimatorReport> estimator;
    std::optional<ContestReport> contest;
    std::vector<RateFigure> rates;
    std::optional<std::vector<NetworkFigure>> networks;  ///< empty: not run
    std::optional<BatchReport> batches;                  ///< empty: no networks.csv
    std::optional<SecondChipReport> second_chip;         ///< empty: no record
    std::optional<BandCoverage> bands;      ///< of the first folder's cases; empty: not run
    std::optional<BandCoverage> all_bands;  ///< of the cases of all folders
    std::optional<Int8Report> int8;         ///< empty: not run
    std::optional<std::vector<OperatorFigure>> operators;  ///< empty: not run
    std::vector<Sensitivity> fitted;
    std::optional<CrossValidation> cross_validation;  ///< empty: not run
    std::vector<Goal> goals;                          ///< of the cases of all folders
    std::vector<std::string> notes;

    /// True if every part was run and meets its targets.
    bool met() const;
};

std::string to_text(const FidelityReport& report);
/// Returns a page of documentation with the tables, the fitted and predicted values, and the known
/// limits.
std::string to_markdown(const FidelityReport& report);
nlohmann::ordered_json to_json(const FidelityReport& report);

/// Format the part about the cross-validation.
std::string to_text(const CrossValidation& validation);
std::string to_markdown(const CrossValidation& validation);
nlohmann::ordered_json to_json(const CrossValidation& validation);

}  // namespace okksim::sim::fidelity
