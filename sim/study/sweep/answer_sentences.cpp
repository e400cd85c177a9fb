// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sim/study/sweep/answers.h"
#include "sim/study/sweep/effects.h"
#include "sim/study/sweep/labels.h"
#include "sim/study/sweep/level_lines.h"
#include "sim/study/sweep/value_steps.h"

namespace okksim::sim::sweep {
namespace {

/// Ratio of the worst to the best value below which an axis does not matter.
constexpr double kMatters = 1.01;

/// Returns a number with four digits, and without an exponent between 1000 and ten million:
/// "12876".
std::string number_text(double value) {
    constexpr double kWhole = 1000, kLarge = 1e7;
    return value >= kWhole && value < kLarge ? fmt::format("{:.0f}", value)
                                             : fmt::format("{:.4g}", value);
}

/// Returns "us 4978 (+29 %), area_mm2 48.66 (+51 %)", with the distance from the least
/// value.
std::string objectives_text(const PointTable& table, const std::vector<MachineRow>& rows,
                            const std::vector<std::size_t>& front, std::size_t row) {
    std::vector<std::string> parts;
    for (std::size_t k = 0; k < table.spec().objectives.size(); ++k) {
        double least = rows[front[0]].objectives[k];
        for (const std::size_t other : front) least = std::min(least, rows[other].objectives[k]);
        const double own = rows[row].objectives[k];
        std::string part = fmt::format("{} {}", table.spec().objectives[k], number_text(own));
        if (least > 0) {
            part += own == least ? " (the least)"
                                 : fmt::format(" (+{} %)", percent_label(100 * (own / least - 1)));
        }
        parts.push_back(std::move(part));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string budget_sentence(const PointTable& table, const std::vector<MachineRow>& rows,
                            const LevelLine& line) {
    std::vector<std::string> parts;
    for (const Level& level : line.levels) {
        if (!level.best) continue;
        const MachineRow& best = rows[*level.best];
        parts.push_back(fmt::format("{:.6g}: {} ({})", level.most,
                                    machine_label(table.spec(), best.settings),
                                    number_text(best.objectives[line.objective])));
    }
    if (parts.empty()) return "";
    return fmt::format("Best {} for each budget of {}: {}.",
                       table.spec().objectives[line.objective], line.metric,
                       fmt::join(parts, "; "));
}

/// Returns the effect of each axis. The parameters of a bundle have the same effect.
std::string axes_sentence(const PointTable& table, const std::vector<Effect>& effects) {
    constexpr std::size_t kShown = 4;
    std::vector<std::string> strong, weak;
    for (const Effect& effect : effects) {
        const bool matters = effect.stands_out && effect.ratio >= kMatters;
        const std::string best = effect.best.empty() ? "the base machine's" : effect.best;
        if (!matters) {
            weak.push_back(effect.parameter);
        } else if (strong.size() < kShown) {
            strong.push_back(
                fmt::format("{} ({:.2f}x, best {})", effect.parameter, effect.ratio, best));
        }
    }
    const std::string& objective = table.spec().objectives[0];
    std::string text = strong.empty()
                           ? fmt::format("No axis changes {} by 1 % or more", objective)
                           : fmt::format("{} depends on {}", objective, fmt::join(strong, ", "));
    if (!weak.empty() && !strong.empty() && weak.size() <= kShown) {
        text += fmt::format(", and not on {}", fmt::join(weak, ", "));
    }
    return text + ".";
}

/// Returns the step whose gain is furthest from the possible one, or the largest gain.
std::string step_answer(const PointTable& table, const std::vector<MachineRow>& rows) {
    const std::vector<StepMean> means = step_means(value_steps(table, rows), false);
    if (means.empty()) return "";
    constexpr double kFar = 1.1;
    const auto missed = std::ranges::max_element(
        means, {}, [](const StepMean& mean) { return mean.us / mean.bound; });
    const auto largest = std::ranges::min_element(means, {}, &StepMean::us);
    return step_sentence(missed->us / missed->bound > kFar ? *missed : *largest);
}

}  // namespace

std::vector<std::string> main_answers(const PointTable& table,
                                      const std::vector<MachineRow>& rows) {
    std::vector<std::string> answers;
    const std::vector<std::size_t> front = front_of(rows);
    if (front.empty()) return answers;
    const auto add = [&](std::string text) {
        if (!text.empty()) answers.push_back(std::move(text));
    };
    const auto name = [&](std::size_t row) {
        return machine_label(table.spec(), rows[row].settings);
    };
    add(fmt::format("Best {}: {}, with {}.", table.spec().objectives[0], name(front[0]),
                    objectives_text(table, rows, front, front[0])));
    const std::vector<LevelLine> lines = level_lines(table, rows);
    if (!lines.empty()) add(budget_sentence(table, rows, lines[0]));
    if (const auto knee = knee_of(rows, front)) {
        add(fmt::format("Knee of the Pareto front: {}, with {}.", name(*knee),
                        objectives_text(table, rows, front, *knee)));
    }
    const std::vector<Effect> effects = axis_effects(table, rows);
    if (!effects.empty()) add(axes_sentence(table, effects));
    add(step_answer(table, rows));
    return answers;
}

}  // namespace okksim::sim::sweep
