// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/lab/fidelity/csv.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// The kind of target of a class.
enum class ClassBar {
    kUsual,      ///< kMedianBar, kMostRowsBar and kAnyRowBar
    kOneFactor,  ///< all rows have the same factor to the estimator, from 1 to kMostDepthwise
    kEachRow,    ///< no row differs from the estimator by more than kEachRowBar
};

/// Agreement of one instruction class with the estimator's tables; ratios are simulated /
/// estimated.
struct ClassFigures {
    std::string name;
    std::size_t rows = 0;
    double median = 0;  ///< of simulated / estimated
    double p90 = 0;     ///< 90th percentile of |simulated / estimated - 1|
    double worst = 1;   ///< the ratio farthest from 1
    double least = 1;   ///< smallest ratio
    double greatest = 1;
    /// Any factor in this range reproduces every row within half a cycle. No factor does if low
    /// exceeds high.
    double factor_low = 0;
    double factor_high = 0;
    ClassBar bar = ClassBar::kUsual;
    std::string worst_row;
    bool judged = true;  ///< false: listed, but without a target
    std::string note;

    bool met() const;
};

/// Simulated and estimated cycles of an instruction. They contain execution only, because the
/// estimator has no start-up and no launch.
struct RowFigures {
    std::string name;  ///< instruction class
    double simulated = 0;
    double estimated = 0;
};

/// Prices one row of an estimator table on a machine. The result is empty if no instruction of the
/// machine does the row's operation.
using RowPricer = std::function<std::vector<RowFigures>(const CsvTable&, std::size_t row,
                                                        const models::MachineParams&)>;
/// Returns the pricers by file name without extension.
const std::map<std::string, RowPricer>& row_pricers();

struct EstimatorReport {
    std::vector<ClassFigures> classes;
    std::vector<std::string> tables_without_instruction;
    std::vector<std::string> absent_tables;
    bool met() const;
};

/// Convolutions with fewer input channels are limited by fetching on silicon, but not in the
/// estimator's tables. They form separate classes by channel count, without a target.
inline constexpr std::int32_t kSharedFetchChannels = 8;
inline constexpr const char* kFewChannels = "convolution, input channels: ";

/// Targets of an instruction class: median error, 90th percentile, any row, depthwise factor, and
/// each row of kEachRow.
inline constexpr double kMedianBar = 0.03;
inline constexpr double kMostRowsBar = 0.10;
inline constexpr double kAnyRowBar = 0.25;
inline constexpr double kMostDepthwise = 3;
inline constexpr double kEachRowBar = 0.12;

/// Reads every table in `folder`. Throws ConfigError if a table is malformed.
EstimatorReport compare_with_estimator(const std::filesystem::path& folder, const Machine& machine);

}  // namespace okksim::sim::fidelity
