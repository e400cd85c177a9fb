// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/answers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/sweep/effects.h"
#include "sim/sweep/level_lines.h"
#include "sim/sweep/machine_rows.h"
#include "sim/sweep/value_steps.h"

namespace okksim::sim::sweep {
namespace {

constexpr std::size_t kShownRows = 20;

std::string front_text(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<std::size_t> front = front_of(rows);
    if (front.empty()) return "no machine has a value of every objective for all workloads yet\n";
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
    std::string text = front_text(table, rows) + levels_text(table, rows);
    const std::vector<Effect> effects = main_effects(table, rows);
    if (!effects.empty()) {
        text += fmt::format("effect of each parameter on {}, over all others:\n",
                            table.spec().objectives[0]);
    }
    const auto named = [](const std::string& value) { return value.empty() ? "as it is" : value; };
    for (std::size_t i = 0; i < std::min(effects.size(), kShownRows); ++i) {
        const Effect& effect = effects[i];
        if (!effect.stands_out && (i == 0 || effects[i - 1].stands_out)) {
            text += " not told from chance by these points:\n";
        }
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
    return text + value_steps_text(table, rows);
}

}  // namespace okksim::sim::sweep
