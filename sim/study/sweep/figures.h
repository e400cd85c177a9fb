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

/// What is known of a point, in the order of the store's columns (README.md): times, commands,
/// traffic, shares, and every engine's time by cause.
const std::vector<std::string>& figure_names();
/// Of every kind of engine, its times by cause: they add up to the same span.
const std::vector<std::vector<std::string>>& cause_figures();
/// Whether a figure is one of those.
bool is_cause_figure(const std::string& name);
/// Where a figure is; nothing for other names.
std::optional<std::size_t> figure_index(const std::string& name);

/// Values by figure_index(); NaN: not known of this point.
class Figures {
 public:
    Figures() : values_(figure_names().size(), std::nan("")) {}

    /// The name is one of figure_names().
    void set(const std::string& name, double value);
    void set_at(std::size_t index, double value) { values_[index] = value; }
    double operator[](std::size_t index) const { return values_[index]; }
    std::optional<double> get(const std::string& name) const;
    std::size_t size() const { return values_.size(); }

 private:
    std::vector<double> values_;
};

/// Time by cause of the engines of each kind together, shares in which they are occupied, commands,
/// traffic, operations, energy, and the machine's area.
void add_account(Figures& figures, const trace::Account& account, const Machine& machine);
/// Of a graph: the same figures as `okksim run`.
Figures graph_figures(const execution::ExecutionReport& report, const execution::MemoryUse& memory,
                      const bound::ReachableBound& bound, const Machine& machine);

}  // namespace okksim::sim::sweep
