// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/distribution.h"

#include <algorithm>
#include <cmath>

#include "tests/reference/tosa/operators.h"

namespace okksim::reference {

Distribution distribution_of(const Value& value) {
    Distribution d;
    const auto count = static_cast<std::size_t>(value.count());
    const auto at = [&](std::size_t i) {
        return value.is_float() ? value.real[i] : static_cast<double>(value.integer[i]);
    };
    if (count == 0) return d;
    double sum = 0.0, squares = 0.0;
    std::size_t low = 0, high = 0;
    d.least = d.greatest = at(0);
    for (std::size_t i = 0; i < count; ++i) {
        const double x = at(i);
        sum += x;
        squares += x * x;
        d.least = std::min(d.least, x);
        d.greatest = std::max(d.greatest, x);
        if (value.is_float()) continue;
        low += value.integer[i] == lowest(value.type) ? 1 : 0;
        high += value.integer[i] == highest(value.type) ? 1 : 0;
    }
    const auto n = static_cast<double>(count);
    d.mean = sum / n;
    d.deviation = std::sqrt(std::max(squares / n - d.mean * d.mean, 0.0));
    d.at_low = static_cast<double>(low) / n;
    d.at_high = static_cast<double>(high) / n;
    return d;
}

std::vector<std::string> expose_layers(sim::graph::Graph& graph) {
    auto& main = graph.regions[graph.entry.region].blocks[graph.entry.block];
    std::vector<std::string> names;
    main.outputs.clear();
    for (const auto& op : main.operators) {
        if (op.op == OpCode::kConst || op.op == OpCode::kReshape) continue;
        for (const auto index : op.outputs) {
            const auto& tensor = main.tensors[index];
            const bool shown = tosa::is_floating_point(tensor.type) || tensor.type == DType::kI8 ||
                               tensor.type == DType::kI16;
            if (!shown) continue;
            main.outputs.push_back(index);
            names.push_back(tensor.name + " " + std::string(tosa::op_name(op.op)));
        }
    }
    return names;
}

}  // namespace okksim::reference
