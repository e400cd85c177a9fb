// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_operators.h"

#include <unordered_map>

namespace okksim::sim::graph::xmodel {

namespace {

constexpr OperatorRow kRows[] = {
#define OKKSIM_XMODEL_OPERATOR(name, vocabulary, inputs, weights, lowering) \
    {name, Vocabulary::vocabulary, Inputs::inputs, Weights::weights, &Lowering::lowering},
#include "sim/graph/xmodel/xmodel_operators.def"
#undef OKKSIM_XMODEL_OPERATOR
};

}  // namespace

const OperatorRow* find_operator(std::string_view type) {
    static const auto table = [] {
        std::unordered_map<std::string_view, const OperatorRow*> result;
        for (const OperatorRow& row : kRows) result.emplace(row.type, &row);
        return result;
    }();
    const auto row = table.find(type);
    return row == table.end() ? nullptr : row->second;
}

}  // namespace okksim::sim::graph::xmodel
