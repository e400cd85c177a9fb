// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// A graph on two machines that differ in one parameter alone, of which the first has a value and
/// the second the next one of the sweep: its time beside what no plan comes below.
struct ValueStep {
    std::string parameter, from, to;
    std::string others;    ///< the settings that both have
    std::string workload;  ///< empty where the sweep has one
    double us_from = 0, us_to = 0;
    double bound_from = 0, bound_to = 0;
    /// The causes whose times changed most, of the engine that works most, the largest first:
    /// "gdma_memory_bandwidth_us".
    std::vector<std::pair<std::string, double>> causes;
    double dram_bytes = 0;  ///< read and written: so many more

    /// (time's factor) / (bound's factor).
    double beside_bound() const { return (us_to / us_from) / (bound_to / bound_from); }
    /// Both change alike, within a tenth.
    bool follows_bound() const;
};

/// Of parameters with numbers, in their order. Points without a bound (kernels, recordings, failed
/// ones) have no steps.
std::vector<ValueStep> value_steps(const PointTable& table, const std::vector<MachineRow>& rows);

/// The steps as lines for people: what the next value was worth, to the plans and to the bound, and
/// what made the difference.
std::string value_steps_text(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
