// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/machine_rows.h"

namespace okksim::sim::sweep {

/// A graph on two machines that differ in one axis, which has adjacent values of the sweep.
/// Compares the change in time with the change in the lower bound of all plans.
struct ValueStep {
    std::string parameter;  ///< of the axis; the name of a bundle
    std::string from, to;
    std::string others;  ///< the settings that both have
    std::string workload;
    double us_from = 0, us_to = 0;
    double bound_from = 0, bound_to = 0;
    /// The causes whose times changed for the busiest engine, largest change first, such as
    /// "gdma_dram_bandwidth_us".
    std::vector<std::pair<std::string, double>> causes;
    double dram_bytes = 0;  ///< change in bytes read and written

    /// Returns (time's factor) / (bound's factor).
    double beside_bound() const { return (us_to / us_from) / (bound_to / bound_from); }
    /// True if both factors are equal within 10 %.
    bool follows_bound() const;
};

/// Returns the steps of all parameters with numbers, in the order of the values. Points without a
/// bound (kernels, traces, failed points) have no steps.
std::vector<ValueStep> value_steps(const PointTable& table, const std::vector<MachineRow>& rows);

/// Means of a step from a value to the next one, over pairs of machines and over workloads.
/// Factors have geometric means, and causes have arithmetic means.
struct StepMean {
    std::string parameter, from, to;
    std::string workload;  ///< empty: all
    std::size_t pairs = 0;
    double us = 1, bound = 1;  ///< factors
    std::string cause;         ///< the one that grew most, or shrank most if none grew
    double cause_us = 0;
    double dram_bytes = 0;

    double gained() const { return 100 * (1 - us); }
    double possible() const { return 100 * (1 - bound); }
};
std::vector<StepMean> step_means(const std::vector<ValueStep>& steps, bool by_workload);

/// Formats a mean as a sentence: "chip.lanes 32 to 64 gained 4 %, possible 41 %, because ...".
std::string step_sentence(const StepMean& step);

/// Formats the steps as text: what the next value gains in time and in the bound, and the causes.
std::string value_steps_text(const PointTable& table, const std::vector<MachineRow>& rows);

}  // namespace okksim::sim::sweep
