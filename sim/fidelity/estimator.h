// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/fidelity/csv.h"
#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// What a class is held to.
enum class ClassBar {
    kUsual,      ///< kMedianBar, kMostRowsBar and kAnyRowBar
    kOneFactor,  ///< one factor of the estimator gives all rows, from 1 to kMostDepthwise
    kEachRow,    ///< no row farther from the estimator than kEachRowBar
};

/// Agreement of one instruction class with the estimator's tables.
struct ClassFigures {
    std::string name;
    std::size_t rows = 0;
    double median = 0;  ///< of simulated / estimated
    double p90 = 0;     ///< |simulated / estimated - 1| that 90 % of the rows do not exceed
    double worst = 1;   ///< ratio that is farthest from 1
    double least = 1;   ///< of all ratios
    double greatest = 1;
    /// Factors between these give every row to half a cycle; none does where they cross.
    double factor_low = 0;
    double factor_high = 0;
    ClassBar bar = ClassBar::kUsual;
    std::string worst_row;
    bool judged = true;  ///< false: listed, but no bar applies
    std::string note;

    bool met() const;
};

/// Simulated cycles of an instruction beside the estimator's. Only execution is compared: the
/// estimator knows no start-up and no launch.
struct RowFigures {
    std::string name;  ///< class
    double simulated = 0;
    double estimated = 0;
};

/// Prices the rows of one estimator table on a machine. Empty: the row is nothing that the
/// machine's instructions can do.
using RowPricer = std::function<std::vector<RowFigures>(const CsvTable&, std::size_t row,
                                                        const models::MachineParams&)>;
/// Pricers by file name without extension.
const std::map<std::string, RowPricer>& row_pricers();

struct EstimatorReport {
    std::vector<ClassFigures> classes;
    std::vector<std::string> tables_without_instruction;
    std::vector<std::string> absent_tables;
    bool met() const;
};

/// Convolutions with fewer input channels are bound by fetching on silicon, and not in the
/// estimator's tables: classes of their own, by channel count, without a bar.
inline constexpr std::int32_t kSharedFetchChannels = 8;
inline constexpr const char* kFewChannels = "convolution, input channels: ";

/// Bars of an instruction class.
inline constexpr double kMedianBar = 0.03;
inline constexpr double kMostRowsBar = 0.10;
inline constexpr double kAnyRowBar = 0.25;
inline constexpr double kMostDepthwise = 3;
inline constexpr double kEachRowBar = 0.12;

/// Reads every table in `folder`. ConfigError when a table is malformed.
EstimatorReport compare_with_estimator(const std::filesystem::path& folder, const Machine& machine);

}  // namespace okksim::sim::fidelity
