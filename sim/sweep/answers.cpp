// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace okksim::sim::sweep {
namespace {

constexpr std::size_t kShownRows = 20;

bool beats(const MachineRow& a, const MachineRow& b) {
    bool better = false;
    for (std::size_t i = 0; i < a.objectives.size(); ++i) {
        if (a.objectives[i] > b.objectives[i]) return false;
        better = better || a.objectives[i] < b.objectives[i];
    }
    return better;
}

/// Geometric mean over the workloads; plain where a value is not positive.
std::optional<double> mean(const PointTable& table, const MachineRow& row,
                           const std::string& objective) {
    double logs = 0, sum = 0;
    bool positive = true;
    for (const StoredPoint* point : row.points) {
        const auto value = table.value(*point, objective);
        if (!value || !point->result.failure.empty()) return std::nullopt;
        positive = positive && *value > 0;
        sum += *value;
        if (*value > 0) logs += std::log(*value);
    }
    const auto count = static_cast<double>(row.points.size());
    return positive ? std::exp(logs / count) : sum / count;
}

std::string settings_label(const PointSettings& settings) {
    std::string text;
    for (const auto& [path, value] : settings) {
        text += (text.empty() ? "" : " ") + path + "=" + value;
    }
    return text.empty() ? "(the base machine)" : text;
}

std::string setting_of(const MachineRow& row, const std::string& parameter) {
    for (const auto& [path, value] : row.settings) {
        if (path == parameter) return value;
    }
    return "";
}

/// Mean logarithms of the first objective by the value of a parameter.
struct Means {
    std::map<std::string, std::pair<double, std::size_t>> by_value;
    double all = 0;

    double of(const std::string& value) const {
        const auto& [sum, count] = by_value.at(value);
        return sum / static_cast<double>(count);
    }
};

/// What the rows' values of a parameter are called: themselves, or, of many numbers, the quarter
/// that they belong to.
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

Means means_of(const std::vector<const MachineRow*>& rows, const std::vector<std::string>& names) {
    Means means;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double log = std::log(rows[i]->objectives[0]);
        auto& [sum, count] = means.by_value[names[i]];
        sum += log;
        ++count;
        means.all += log / static_cast<double>(rows.size());
    }
    return means;
}

/// Rows whose first objective has a logarithm.
std::vector<const MachineRow*> measured(const std::vector<MachineRow>& rows) {
    std::vector<const MachineRow*> all;
    for (const MachineRow& row : rows) {
        if (!row.objectives.empty() && row.objectives[0] > 0) all.push_back(&row);
    }
    return all;
}

}  // namespace

std::vector<MachineRow> machine_rows(const PointTable& table) {
    std::vector<MachineRow> rows;
    std::map<PointSettings, std::size_t> places;
    for (const StoredPoint& point : table.points()) {
        const auto [place, is_new] = places.emplace(point.settings, rows.size());
        if (is_new) rows.push_back({point.settings, {}, {}});
        rows[place->second].points.push_back(&point);
    }
    for (MachineRow& row : rows) {
        if (row.points.size() != table.spec().workloads.size()) continue;
        for (const std::string& objective : table.spec().objectives) {
            const auto value = mean(table, row, objective);
            if (!value) {
                row.objectives.clear();
                break;
            }
            row.objectives.push_back(*value);
        }
    }
    return rows;
}

std::vector<std::size_t> front_of(const std::vector<MachineRow>& rows) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!rows[i].objectives.empty()) order.push_back(i);
    }
    // Whoever comes later in this order cannot beat who came before.
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rows[i].objectives; });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        const bool is_beaten = std::ranges::any_of(front, [&](std::size_t j) {
            return beats(rows[j], rows[i]) || rows[j].objectives == rows[i].objectives;
        });
        if (!is_beaten) front.push_back(i);
    }
    return front;
}

std::optional<std::size_t> knee_of(const std::vector<MachineRow>& rows,
                                   const std::vector<std::size_t>& front) {
    if (front.size() < 3 || rows[front[0]].objectives.size() != 2) return std::nullopt;
    const auto at = [&](std::size_t i, std::size_t k) {
        return std::log(std::max(rows[front[i]].objectives[k], 1e-300));
    };
    const std::size_t last = front.size() - 1;
    const double width = at(last, 0) - at(0, 0), height = at(last, 1) - at(0, 1);
    std::size_t knee = 0;
    double farthest = 0;
    for (std::size_t i = 1; i < last; ++i) {
        const double distance =
            std::abs((at(i, 0) - at(0, 0)) * height - (at(i, 1) - at(0, 1)) * width);
        if (distance > farthest) {
            farthest = distance;
            knee = i;
        }
    }
    return farthest > 0 ? std::optional(front[knee]) : std::nullopt;
}

std::vector<Effect> main_effects(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<const MachineRow*> all = measured(rows);
    std::vector<Effect> effects;
    if (all.empty()) return effects;
    for (const std::string& parameter : table.parameters()) {
        std::vector<const MachineRow*> rows_of = all;
        if (table.spec().sampling == Sampling::kEach) {
            std::erase_if(rows_of, [&](const MachineRow* row) {
                return !row->settings.empty() && setting_of(*row, parameter).empty();
            });
        }
        if (rows_of.empty()) continue;
        const Means means = means_of(rows_of, value_names(rows_of, parameter));
        const auto by_mean = [&](const auto& a, const auto& b) {
            return means.of(a.first) < means.of(b.first);
        };
        const auto [best, worst] =
            std::minmax_element(means.by_value.begin(), means.by_value.end(), by_mean);
        effects.push_back({parameter, best->first, worst->first,
                           std::exp(means.of(worst->first) - means.of(best->first))});
    }
    std::ranges::stable_sort(effects, std::greater{}, &Effect::ratio);
    return effects;
}

std::vector<Interaction> interactions(const PointTable& table,
                                      const std::vector<MachineRow>& rows) {
    const std::vector<const MachineRow*> all = measured(rows);
    std::vector<Interaction> found;
    if (table.spec().sampling == Sampling::kEach) return found;
    const std::vector<std::string>& parameters = table.parameters();
    std::vector<std::vector<std::string>> names;
    std::vector<Means> own;
    for (const std::string& parameter : parameters) {
        names.push_back(value_names(all, parameter));
        own.push_back(means_of(all, names.back()));
    }
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        for (std::size_t j = i + 1; j < parameters.size(); ++j) {
            std::map<std::pair<std::string, std::string>, std::pair<double, std::size_t>> cells;
            for (std::size_t row = 0; row < all.size(); ++row) {
                auto& [sum, count] = cells[{names[i][row], names[j][row]}];
                sum += std::log(all[row]->objectives[0]);
                ++count;
            }
            double largest = 0;
            for (const auto& [values, cell] : cells) {
                const double expected =
                    own[i].of(values.first) + own[j].of(values.second) - own[i].all;
                const double mean_of_cell = cell.first / static_cast<double>(cell.second);
                largest = std::max(largest, std::abs(mean_of_cell - expected));
            }
            found.push_back({parameters[i], parameters[j], std::exp(largest)});
        }
    }
    std::ranges::stable_sort(found, std::greater{}, &Interaction::ratio);
    return found;
}

namespace {

std::string front_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<std::size_t> front = front_of(rows);
    if (front.empty()) return "no machine runs every workload\n";
    const auto knee = knee_of(rows, front);
    std::string text =
        fmt::format("front of {}: {} of {} machines\n", fmt::join(table.spec().objectives, ", "),
                    front.size(), rows.size());
    for (std::size_t i = 0; i < std::min(front.size(), kShownRows); ++i) {
        const MachineRow& row = rows[front[i]];
        for (const double value : row.objectives) text += fmt::format(" {:>14.6g}", value);
        text += "  " + settings_label(row.settings) + (knee == front[i] ? "  (knee)" : "") + "\n";
    }
    if (front.size() > kShownRows) {
        text += fmt::format(" ... {} more: --csv, --json\n", front.size() - kShownRows);
    }
    return text;
}

}  // namespace

std::string answers_text(const PointTable& table) {
    const std::vector<MachineRow> rows = machine_rows(table);
    std::string text = front_text(table, rows);
    const std::vector<Effect> effects = main_effects(table, rows);
    if (!effects.empty()) {
        text += fmt::format("effect of each parameter on {}, over all others:\n",
                            table.spec().objectives[0]);
    }
    const auto named = [](const std::string& value) { return value.empty() ? "as it is" : value; };
    for (std::size_t i = 0; i < std::min(effects.size(), kShownRows); ++i) {
        const Effect& effect = effects[i];
        text += fmt::format(" {:>8.4f}x  {}: best {}, worst {}\n", effect.ratio, effect.parameter,
                            named(effect.best), named(effect.worst));
    }
    std::size_t shown = 0;
    for (const Interaction& pair : interactions(table, rows)) {
        constexpr double kWorthTelling = 1.02;
        if (pair.ratio < kWorthTelling || ++shown > 5) break;
        text += fmt::format(" {:>8.3f}x  {} and {} together beyond that\n", pair.ratio, pair.first,
                            pair.second);
    }
    return text;
}

}  // namespace okksim::sim::sweep
