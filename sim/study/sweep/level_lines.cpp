// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/level_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/study/sweep/labels.h"

namespace okksim::sim::sweep {
namespace {

constexpr std::size_t kMostLevels = 5;

/// Returns the largest value among a machine's workloads, as every workload must stay within the
/// level.
std::optional<double> largest(const PointTable& table, const MachineRow& row,
                              const std::string& metric) {
    std::optional<double> most;
    for (const StoredPoint* point : row.points) {
        const auto value = table.value(*point, metric);
        if (!value) return std::nullopt;
        most = std::max(most.value_or(*value), *value);
    }
    return most;
}

/// Returns the value of each row; nothing for machines that do not run every workload.
std::vector<std::optional<double>> values_of(const PointTable& table,
                                             const std::vector<MachineRow>& rows,
                                             const std::string& metric) {
    std::vector<std::optional<double>> values;
    for (const MachineRow& row : rows) {
        values.push_back(row.objectives.empty() ? std::nullopt : largest(table, row, metric));
    }
    return values;
}

/// Returns an objective of each row; nothing for machines that do not run every workload.
std::vector<std::optional<double>> means_of(const std::vector<MachineRow>& rows,
                                            std::size_t objective) {
    std::vector<std::optional<double>> values;
    for (const MachineRow& row : rows) {
        values.push_back(row.objectives.empty() ? std::nullopt
                                                : std::optional(row.objectives[objective]));
    }
    return values;
}

std::vector<double> levels_between(const std::vector<std::optional<double>>& values) {
    std::optional<double> low, high;
    for (const auto& value : values) {
        if (!value) continue;
        low = std::min(low.value_or(*value), *value);
        high = std::max(high.value_or(*value), *value);
    }
    return low ? round_levels(*low, *high) : std::vector<double>();
}

/// True if `a` has the better objective. Equal ones are decided by all objectives.
bool is_better(const MachineRow& a, const MachineRow& b, std::size_t objective) {
    if (a.objectives[objective] != b.objectives[objective]) {
        return a.objectives[objective] < b.objectives[objective];
    }
    return a.objectives < b.objectives;
}

LevelLine line_of(const std::string& metric, std::vector<double> levels,
                  const std::vector<std::optional<double>>& values,
                  const std::vector<MachineRow>& rows, std::size_t objective = 0) {
    std::ranges::sort(levels);
    LevelLine line{metric, {}, objective};
    for (const double most : levels) {
        Level level{most, 0, std::nullopt};
        for (std::size_t i = 0; i < rows.size(); ++i) {
            if (!values[i] || *values[i] > most) continue;
            ++level.machines;
            if (!level.best || is_better(rows[i], rows[*level.best], objective)) level.best = i;
        }
        line.levels.push_back(level);
    }
    return line;
}

/// Leaves out levels with the same best machine as the level before.
LevelLine without_repeats(LevelLine line) {
    const auto repeats = std::ranges::unique(line.levels, {}, &Level::best);
    line.levels.erase(repeats.begin(), repeats.end());
    return line;
}

}  // namespace

std::vector<double> round_levels(double low, double high) {
    std::vector<double> levels;
    if (!(low < high)) return levels;
    constexpr double kWide = 5;  // ratio from which the levels are logarithmic (1, 2, 5)
    if (low > 0 && high / low >= kWide) {
        for (double decade = std::pow(10, std::floor(std::log10(low))); decade < high;
             decade *= 10) {
            for (const double digit : {1.0, 2.0, 5.0}) {
                const double level = digit * decade;
                if (level > low && level < high) levels.push_back(level);
            }
        }
    } else {
        const double part = (high - low) / static_cast<double>(kMostLevels);
        double step = std::pow(10, std::floor(std::log10(part)));
        for (const double digit : {2.0, 2.5, 2.0}) {
            // Rounds the step up to 1, 2, 5 or 10 times the power of ten.
            if (step < part) step *= digit;
        }
        for (double i = std::ceil(low / step); i * step < high; ++i) levels.push_back(i * step);
    }
    // If there are too many levels, only every n-th is shown.
    const std::size_t every = (levels.size() + kMostLevels - 1) / kMostLevels;
    std::vector<double> shown;
    for (std::size_t i = every == 0 ? 0 : (levels.size() - 1) % every; i < levels.size();
         i += every) {
        shown.push_back(levels[i]);
    }
    return shown;
}

std::vector<LevelLine> level_lines(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::vector<LevelLine> lines;
    for (const auto& [metric, levels] : table.spec().levels) {
        lines.push_back(line_of(metric, levels, values_of(table, rows, metric), rows));
    }
    if (!lines.empty()) return lines;
    const std::vector<std::string>& objectives = table.spec().objectives;
    for (const std::string metric : {"area_mm2", "power_w"}) {
        if (table.spec().objectives[0] == metric) continue;
        const auto values = values_of(table, rows, metric);
        const std::vector<double> levels = levels_between(values);
        if (!levels.empty())
            lines.push_back(without_repeats(line_of(metric, levels, values, rows)));
    }
    // Budgets of the first objective, such as time, and of the others.
    for (std::size_t k = 0; k < objectives.size() && objectives.size() > 1; ++k) {
        if (std::ranges::count(lines, objectives[k], &LevelLine::metric) > 0) continue;
        const auto values = means_of(rows, k);
        const std::vector<double> levels = levels_between(values);
        if (levels.empty()) continue;
        lines.push_back(
            without_repeats(line_of(objectives[k], levels, values, rows, k == 0 ? 1 : 0)));
        lines.back().is_mean = true;
    }
    return lines;
}

std::string levels_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::string text;
    for (const LevelLine& line : level_lines(table, rows)) {
        const bool is_one = table.spec().workloads.size() == 1;
        text += fmt::format("Best {} for each upper limit of {}{}:\n",
                            table.spec().objectives[line.objective], line.metric,
                            is_one         ? ""
                            : line.is_mean ? " (mean over the workloads)"
                                           : " (of every workload)");
        for (const Level& level : line.levels) {
            text += fmt::format(" {:>10.6g}:", level.most);
            if (!level.best) {
                text += " no machine\n";
                continue;
            }
            const MachineRow& row = rows[*level.best];
            text +=
                fmt::format(" {:>14.6g}  {}  (of {} machines)\n", row.objectives[line.objective],
                            machine_label(table.spec(), row.settings), level.machines);
        }
    }
    return text;
}

}  // namespace okksim::sim::sweep
