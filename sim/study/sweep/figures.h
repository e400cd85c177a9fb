// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/execution/execution_report.h"
#include "sim/execution/model_run.h"
#include "sim/machine/ensemble.h"
#include "sim/trace/account.h"

namespace okksim::sim::sweep {

/// Returns the names of the measured values in the order of the store's columns (README.md):
/// times, commands, traffic, shares, and each engine's time by cause.
const std::vector<std::string>& figure_names();
/// Returns the names of the times by cause for each kind of engine. The times of every kind add up
/// to the same span.
const std::vector<std::vector<std::string>>& cause_figures();
/// True if the name is a time by cause.
bool is_cause_figure(const std::string& name);
/// Returns the index of a measured value; nothing for other names.
std::optional<std::size_t> figure_index(const std::string& name);

/// Measured values by figure_index(). NaN marks a value that this point does not have.
class Figures {
 public:
    Figures() : values_(figure_names().size(), std::nan("")) {}

    /// Sets a value; the name is one of figure_names().
    void set(const std::string& name, double value);
    void set_at(std::size_t index, double value) { values_[index] = value; }
    double operator[](std::size_t index) const { return values_[index]; }
    std::optional<double> get(const std::string& name) const;
    std::size_t size() const { return values_.size(); }

 private:
    std::vector<double> values_;
};

/// Returns which values contradict one another, as text, or nothing if they agree. The times by
/// cause of each engine kind add up to `launch_us`. Shares and powers follow from times and
/// energies. Limits are in order. A missing time by cause is 0.
std::optional<std::string> contradiction(const Figures& figures);

/// Sets the time by cause of each kind of engine, busy shares, commands, traffic, operations and
/// energy of the account, and the machine's area.
void add_account(Figures& figures, const trace::Account& account, const Machine& machine);
/// Returns the measured values of a graph, the same as `okksim run` reports.
Figures graph_figures(const execution::ExecutionReport& report, const execution::MemoryUse& memory,
                      const bound::ReachableBound& bound, const Machine& machine);

}  // namespace okksim::sim::sweep
