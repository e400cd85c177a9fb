// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/value_uses.h"

#include "sim/graph/captures.h"

namespace okksim::sim::planning {

ValueUses::ValueUses(const graph::Block& block)
    : readers_(block.tensors.size()), leaves_(block.tensors.size(), false) {
    for (std::uint32_t i = 0; i < block.operators.size(); ++i) {
        const graph::Operator& op = block.operators[i];
        for (const graph::TensorIndex input : op.inputs) readers_[input].push_back(i);
        for (const tosa::SubGraph* sub_graph : graph::sub_graphs(op)) {
            for (const graph::TensorIndex value : sub_graph->captures) leaves_[value] = true;
        }
    }
    for (const graph::TensorIndex output : block.outputs) leaves_[output] = true;
}

}  // namespace okksim::sim::planning
