// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace okksim::sim::sweep {
namespace {

std::string setting_of(const MachineRow& row, const std::string& parameter) {
    for (const auto& [path, value] : row.settings) {
        if (path == parameter) return value;
    }
    return "";
}

/// Returns the level names of a parameter for the rows: its values, or value ranges (quarters) if
/// there are many numbers.
std::vector<std::string> value_names(const std::vector<const MachineRow*>& rows,
                                     const std::string& parameter) {
    constexpr std::size_t kMostValues = 10, kParts = 4;
    std::vector<std::string> names;
    std::vector<double> numbers;
    for (const MachineRow* row : rows) {
        names.push_back(setting_of(*row, parameter));
        if (const auto number = number_of(names.back())) numbers.push_back(*number);
    }
    const bool all_numbers = numbers.size() == names.size();
    std::vector<double> sorted = numbers;
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (!all_numbers || sorted.size() <= kMostValues) return names;
    const auto first = [&](std::size_t part) { return part * sorted.size() / kParts; };
    for (std::size_t i = 0; i < names.size(); ++i) {
        std::size_t part = kParts - 1;
        while (numbers[i] < sorted[first(part)]) --part;
        names[i] = fmt::format("{:g} to {:g}", sorted[first(part)], sorted[first(part + 1) - 1]);
    }
    return names;
}

/// Returns the rows whose first objective is positive, so that it has a logarithm.
std::vector<const MachineRow*> measured(const std::vector<MachineRow>& rows) {
    std::vector<const MachineRow*> all;
    for (const MachineRow& row : rows) {
        if (!row.objectives.empty() && row.objectives[0] > 0) all.push_back(&row);
    }
    return all;
}

/// A factor of the model: an axis or a parameter, with a level for every row.
struct Factor {
    std::vector<std::size_t> level_of;  ///< by row
    std::vector<std::string> names;     ///< by level
    std::vector<double> effects;        ///< by level, on the logarithm

    explicit Factor(const std::vector<std::string>& names_of_rows) {
        std::map<std::string, std::size_t> levels;
        for (const std::string& name : names_of_rows) {
            const auto [level, is_new] = levels.emplace(name, names.size());
            if (is_new) names.push_back(name);
            level_of.push_back(level->second);
        }
        effects.resize(names.size());
    }
    double of(std::size_t row) const { return effects[level_of[row]]; }
    std::size_t rows_of(std::size_t level) const {
        return static_cast<std::size_t>(std::ranges::count(level_of, level));
    }
    /// Sets each effect to the mean of the values at its level. Returns the largest change.
    double fit(const std::vector<double>& values) {
        std::vector<double> sums(names.size());
        std::vector<std::size_t> counts(names.size());
        for (std::size_t row = 0; row < values.size(); ++row) {
            sums[level_of[row]] += values[row];
            ++counts[level_of[row]];
        }
        double change = 0;
        for (std::size_t level = 0; level < effects.size(); ++level) {
            const double mean = sums[level] / static_cast<double>(counts[level]);
            change = std::max(change, std::abs(mean - effects[level]));
            effects[level] = mean;
        }
        return change;
    }
};

/// An additive model of the logarithm of the first objective: a sum over the axes, and residuals.
struct Model {
    std::vector<std::vector<std::string>> names;  ///< by parameter and row
    std::vector<Factor> axes;
    std::vector<std::size_t> axis_of;  ///< by parameter
    std::vector<double> rest;          ///< residuals by row
    double chance = 0;                 ///< standard deviation that no axis explains

    Model(const PointTable& table, const std::vector<const MachineRow*>& rows);
    /// Returns the effects of a parameter, taken from its axis.
    Factor parameter(std::size_t index) const {
        Factor factor(names[index]);
        std::vector<double> values;
        for (std::size_t row = 0; row < rest.size(); ++row) {
            values.push_back(axes[axis_of[index]].of(row));
        }
        factor.fit(values);
        return factor;
    }

 private:
    void fit(const std::vector<double>& logs);
};

Model::Model(const PointTable& table, const std::vector<const MachineRow*>& rows) {
    for (const std::string& parameter : table.parameters()) {
        names.push_back(value_names(rows, parameter));
    }
    // The parameters of a bundle change together, so they share the effects of their axis.
    std::vector<std::vector<std::string>> joined;
    for (const Axis& axis : table.spec().axes) {
        joined.emplace_back(rows.size());
        for (std::size_t i = 0; i < axis.parameters().size(); ++i) {
            const std::vector<std::string>& own = names[axis_of.size()];
            for (std::size_t row = 0; row < rows.size(); ++row) {
                joined.back()[row] += own[row] + '\n';
            }
            axis_of.push_back(joined.size() - 1);
        }
    }
    for (const auto& axis : joined) axes.emplace_back(axis);
    std::vector<double> logs;
    for (const MachineRow* row : rows) logs.push_back(std::log(row->objectives[0]));
    fit(logs);
}

void Model::fit(const std::vector<double>& logs) {
    constexpr int kMostRounds = 200;
    constexpr double kSmall = 1e-10;
    const double mean =
        std::accumulate(logs.begin(), logs.end(), 0.0) / static_cast<double>(logs.size());
    std::size_t unknown = 1;
    for (const Factor& axis : axes) unknown += axis.names.size() - 1;
    // With few points per unknown, a joint fit is unreliable: each axis is fitted alone.
    const bool together = logs.size() >= 2 * unknown;
    rest.resize(logs.size());
    for (int round = 0; round < (together ? kMostRounds : 1); ++round) {
        double change = 0;
        for (Factor& axis : axes) {
            for (std::size_t row = 0; row < logs.size(); ++row) {
                rest[row] = logs[row] - mean;
                for (const Factor& other : axes) {
                    if (together && &other != &axis) rest[row] -= other.of(row);
                }
            }
            change = std::max(change, axis.fit(rest));
        }
        if (change < kSmall) break;
    }
    for (std::size_t row = 0; row < logs.size(); ++row) {
        rest[row] = logs[row] - mean;
        for (const Factor& axis : axes) rest[row] -= axis.of(row);
    }
    // Effects fitted alone may overlap, so the variance then counts as unexplained.
    double squares = 0;
    for (std::size_t row = 0; row < logs.size(); ++row) {
        const double left = together ? rest[row] : logs[row] - mean;
        squares += left * left;
    }
    const std::size_t spent = together ? unknown : 1;
    chance = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(
                                     1, logs.size() > spent ? logs.size() - spent : 1)));
}

Effect effect_of(const std::string& parameter, const Factor& factor) {
    const auto [best, worst] = std::ranges::minmax_element(factor.effects);
    return {parameter, factor.names[static_cast<std::size_t>(best - factor.effects.begin())],
            factor.names[static_cast<std::size_t>(worst - factor.effects.begin())],
            std::exp(*worst - *best)};
}

/// True if the best and the worst level differ by more than chance.
bool stands_out(const Factor& factor, double chance) {
    constexpr double kStandsOut = 3;  // times the standard error of the difference
    const auto [best, worst] = std::ranges::minmax_element(factor.effects);
    const auto rows = [&](auto level) {
        return static_cast<double>(
            factor.rows_of(static_cast<std::size_t>(level - factor.effects.begin())));
    };
    return *worst - *best > kStandsOut * chance * std::sqrt(1 / rows(best) + 1 / rows(worst));
}

/// Returns the effects for mode "each". A parameter is fitted to the base machine and the rows that
/// change it.
std::vector<Effect> single_effects(const PointTable& table,
                                   const std::vector<const MachineRow*>& all) {
    std::vector<Effect> effects;
    for (const std::string& parameter : table.parameters()) {
        std::vector<const MachineRow*> rows = all;
        std::erase_if(rows, [&](const MachineRow* row) {
            return !row->settings.empty() && setting_of(*row, parameter).empty();
        });
        if (rows.empty()) continue;
        Factor factor(value_names(rows, parameter));
        std::vector<double> logs;
        for (const MachineRow* row : rows) logs.push_back(std::log(row->objectives[0]));
        factor.fit(logs);
        effects.push_back(effect_of(parameter, factor));
    }
    return effects;
}

/// Returns the largest mean residual among rows that share the values of two parameters. Only means
/// that exceed the threshold of `chance` count.
double largest_rest(const Model& model, std::size_t first, std::size_t second, double chance) {
    constexpr double kStandsOut = 3;  // times the standard error of a mean
    std::map<std::pair<std::string, std::string>, std::pair<double, std::size_t>> cells;
    for (std::size_t row = 0; row < model.rest.size(); ++row) {
        auto& [sum, count] = cells[{model.names[first][row], model.names[second][row]}];
        sum += model.rest[row];
        ++count;
    }
    double largest = 0;
    for (const auto& [values, cell] : cells) {
        const auto count = static_cast<double>(cell.second);
        const double mean = std::abs(cell.first / count);
        if (mean >= kStandsOut * chance / std::sqrt(count)) largest = std::max(largest, mean);
    }
    return largest;
}

}  // namespace

std::vector<Effect> main_effects(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<const MachineRow*> all = measured(rows);
    std::vector<Effect> effects;
    if (all.empty()) return effects;
    if (table.spec().sampling == Sampling::kEach) {
        effects = single_effects(table, all);
    } else {
        const Model model(table, all);
        for (std::size_t i = 0; i < table.parameters().size(); ++i) {
            const Factor factor = model.parameter(i);
            effects.push_back(effect_of(table.parameters()[i], factor));
            if (table.spec().points != 0) {
                effects.back().stands_out = stands_out(factor, model.chance);
            }
        }
    }
    std::ranges::stable_sort(effects, std::greater{}, [](const Effect& effect) {
        return std::make_pair(effect.stands_out, effect.ratio);
    });
    return effects;
}

std::vector<Interaction> interactions(const PointTable& table,
                                      const std::vector<MachineRow>& rows) {
    const std::vector<const MachineRow*> all = measured(rows);
    std::vector<Interaction> found;
    if (all.empty() || table.spec().sampling == Sampling::kEach) return found;
    const Model model(table, all);
    double squares = 0;
    for (const double rest : model.rest) squares += rest * rest;
    const bool chosen = table.spec().points != 0;
    const double chance = chosen ? std::sqrt(squares / static_cast<double>(all.size())) : 0;
    const std::vector<std::string>& parameters = table.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        for (std::size_t j = i + 1; j < parameters.size(); ++j) {
            if (model.axis_of[i] == model.axis_of[j]) continue;
            const double largest = largest_rest(model, i, j, chance);
            found.push_back({parameters[i], parameters[j], std::exp(largest)});
        }
    }
    std::ranges::stable_sort(found, std::greater{}, &Interaction::ratio);
    return found;
}

}  // namespace okksim::sim::sweep
