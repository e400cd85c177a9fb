// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace okksim::sim::sweep {

std::vector<std::string> Axis::parameters() const {
    std::vector<std::string> all;
    if (interval) all.push_back(name);
    for (const AxisValue& value : values) {
        for (const auto& [parameter, text] : value.settings) {
            if (std::ranges::find(all, parameter) == all.end()) all.push_back(parameter);
        }
    }
    return all;
}

AxisValue Axis::at(double position) const {
    if (!interval) {
        const auto count = static_cast<double>(values.size());
        const auto index = static_cast<std::size_t>(position * count);
        return values[std::min(index, values.size() - 1)];
    }
    const double low = interval->is_log ? std::log(interval->low) : interval->low;
    const double high = interval->is_log ? std::log(interval->high) : interval->high;
    double value = low + position * (high - low);
    if (interval->is_log) value = std::exp(value);
    value = std::clamp(value, interval->low, interval->high);
    const std::string text = interval->is_whole
                                 ? fmt::format("{}", std::llround(value))
                                 // Six significant digits keep the value short enough to type
                                 // again.
                                 : fmt::format("{}", std::stod(fmt::format("{:.6g}", value)));
    return {text, {{name, text}}};
}

}  // namespace okksim::sim::sweep
