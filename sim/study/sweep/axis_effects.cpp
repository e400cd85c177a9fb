// SPDX-License-Identifier: Apache-2.0
// Effects and interactions by axis instead of by parameter.
#include <algorithm>
#include <utility>

#include "sim/study/sweep/effects.h"
#include "sim/study/sweep/labels.h"

namespace okksim::sim::sweep {
namespace {

/// Returns the axis of a parameter.
const Axis& axis_with(const PointTable& table, const std::string& parameter) {
    return *std::ranges::find_if(table.spec().axes, [&](const Axis& axis) {
        return std::ranges::count(axis.parameters(), parameter) > 0;
    });
}

/// Returns the name within a bundle of the value that sets the parameter to `text`.
std::string name_of_value(const Axis& axis, const std::string& parameter, const std::string& text) {
    if (axis.name == parameter) return value_label(parameter, text);
    for (const AxisValue& value : axis.values) {
        if (std::ranges::count(value.settings, std::pair(parameter, text))) return value.text;
    }
    return text;
}

}  // namespace

std::vector<Effect> axis_effects(const PointTable& table, const std::vector<MachineRow>& rows) {
    std::vector<Effect> effects;
    for (Effect& effect : main_effects(table, rows)) {
        const Axis& axis = axis_with(table, effect.parameter);
        if (std::ranges::count(effects, axis.name, &Effect::parameter)) continue;
        effect.best = name_of_value(axis, effect.parameter, effect.best);
        effect.worst = name_of_value(axis, effect.parameter, effect.worst);
        effect.parameter = axis.name;
        effects.push_back(std::move(effect));
    }
    return effects;
}

std::vector<Interaction> axis_interactions(const PointTable& table,
                                           const std::vector<MachineRow>& rows) {
    std::vector<Interaction> all;
    for (Interaction& pair : interactions(table, rows)) {
        pair.first = axis_with(table, pair.first).name;
        pair.second = axis_with(table, pair.second).name;
        const bool is_known = std::ranges::any_of(all, [&](const Interaction& known) {
            return known.first == pair.first && known.second == pair.second;
        });
        if (!is_known) all.push_back(std::move(pair));
    }
    return all;
}

}  // namespace okksim::sim::sweep
