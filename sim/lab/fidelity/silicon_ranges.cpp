// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/silicon_ranges.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "isa/base/errors.h"
#include "sim/lab/fidelity/csv.h"

namespace okksim::sim::fidelity {
namespace {

constexpr double kStableShare = 0.05;
constexpr double kStableUs = 10;

}  // namespace

double SiliconRange::error(double microseconds) const {
    if (microseconds < low) return microseconds / low - 1;
    if (microseconds > high) return microseconds / high - 1;
    return 0;
}

SiliconRange stable_range(std::span<const double> values) {
    OKKSIM_CHECK(!values.empty());
    const double last = values.back();
    const double most = std::max(kStableShare * last, kStableUs);
    SiliconRange range{last, last, *std::min_element(values.begin(), values.end())};
    for (auto value = values.rbegin(); value != values.rend(); ++value) {
        if (std::abs(*value - last) > most) break;
        range.low = std::min(range.low, *value);
        range.high = std::max(range.high, *value);
    }
    return range;
}

std::map<std::pair<std::string, int>, SiliconRange> read_ranges(const std::filesystem::path& path) {
    const CsvTable table = CsvTable::read(path);
    const std::size_t op = table.column("op"), number = table.column("case"),
                      best = table.column("best_us");
    std::map<std::pair<std::string, int>, std::vector<double>> values;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        values[{table.text(row, op), static_cast<int>(table.integer(row, number))}].push_back(
            table.number(row, best));
    }
    std::map<std::pair<std::string, int>, SiliconRange> ranges;
    for (const auto& [key, list] : values) ranges[key] = stable_range(list);
    return ranges;
}

}  // namespace okksim::sim::fidelity
