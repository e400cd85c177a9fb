// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/validate/validate.h"

#include <algorithm>
#include <map>

#include "isa/base/errors.h"
#include "sim/graph/captures.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/operator_walk.h"
#include "sim/graph/validate/argument_check.h"
#include "sim/graph/validate/levels.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

/// Returns the extensions that follow from attributes instead of data types.
FeatureSet attribute_features(const Operator& op) {
    const auto* rescale = op.attributes_if<RescaleAttributes>();
    if (rescale == nullptr) return 0;
    switch (rescale->rounding_mode) {
        case RoundingMode::kUnknown:
        case RoundingMode::kSingleRound: return 0;
        case RoundingMode::kInexactRound: return feature_bit(Feature::kExtInexactRound);
        case RoundingMode::kDoubleRound: return feature_bit(Feature::kExtDoubleRound);
    }
    return 0;
}

bool has_dynamic_input(const Block& block, const Operator& op) {
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        if (input_rule(op.op, i).binding == Binding::kConstant && !block.input(op, i).has_data) {
            return true;
        }
    }
    return false;
}

void check_interface(const Block& block) {
    for (const auto& [list, name] :
         {std::pair(&block.inputs, "inputs"), std::pair(&block.outputs, "outputs")}) {
        for (const TensorIndex index : *list) {
            const Tensor& tensor = block.tensors[index];
            if (tensor.type != DType::kShape) continue;
            throw_illegal_graph(
                {&block, nullptr, "tensor " + tensor.name, "shape_t"},
                std::string("the ") + name + " of a graph do not include elements of type shape_t",
                "2.2");
        }
    }
}

void check_attribute_features(const OperatorCheck& check, FeatureSet features) {
    const FeatureSet needed = attribute_features(check.op());
    if ((needed & ~features) == 0) return;
    for (int i = 0; i < kFeatureCount; ++i) {
        const auto feature = static_cast<Feature>(i);
        if ((needed & feature_bit(feature)) != 0) {
            check.fail("rounding_mode", "", "the mode needs " + std::string(feature_name(feature)));
        }
    }
}

void check_block(const Graph& graph, const Block& block, const ValidationOptions& options) {
    for (const Tensor& tensor : block.tensors) {
        if (!tensor.producer) check_tensor(block, tensor);
    }
    // Shapes may be inputs and outputs in 0.90.
    if ((options.features & feature_bit(Feature::kTosa090)) == 0) check_interface(block);
    for (const Operator& op : block.operators) {
        const OperatorCheck check(graph, block, op);
        check_arguments(check, options.features);
        check_operator_rules(check);
        check_attribute_features(check, options.features);
        // Checked last, as an impossible shape usually comes from an attribute that breaks a rule.
        for (const TensorIndex index : op.outputs) check_tensor(block, block.tensors[index]);
    }
}

/// tosa_nesting_depth stays below MAX_NESTING when a control-flow operator starts.
void check_nesting(const Graph& graph) {
    std::map<std::pair<std::uint32_t, std::uint32_t>, int> depths;
    for (const BlockReference reference : blocks_inside_out(graph)) {
        int& depth = depths[{reference.region, reference.block}];
        const Block& block = graph.block(reference);
        for (const Operator& op : block.operators) {
            for (const SubGraph* sub_graph : sub_graphs(op)) {
                const int inner = depths[{sub_graph->block.region, sub_graph->block.block}] + 1;
                depth = std::max(depth, inner);
                if (depth <= kMaxNesting) continue;
                throw_illegal_graph({&block, &op, "nesting depth", std::to_string(depth)},
                                    "ERROR_IF(tosa_nesting_depth >= MAX_NESTING), at level 8K " +
                                        std::to_string(kMaxNesting),
                                    op_section(op.op));
            }
        }
    }
}

}  // namespace

void check_operator_rules(const OperatorCheck& check) {
    switch (check.op().op) {
#define OKKSIM_TOSA_OPERATOR(op, attributes, kernel, work, storage, fusion, reads, bound, layer, \
                             rules)                                                              \
    case OpCode::op:                                                                             \
        return rules(check);
#include "kernels/tosa/operators.def"
#undef OKKSIM_TOSA_OPERATOR
    }
}

void validate_graph(const Graph& graph, const ValidationOptions& options) {
    check_nesting(graph);
    ValidationOptions allowed = options;
    allowed.features &= ~(kBeyondV1Features & ~graph.beyond_v1);
    for (const Region& region : graph.regions) {
        for (const Block& block : region.blocks) check_block(graph, block, allowed);
    }
}

std::vector<OperatorMode> operator_modes(const Graph& graph) {
    std::map<const TypeRow*, std::uint64_t> counts;
    for_each_operator(graph, [&](const Block& block, const Operator& op) {
        const TypeRow* row = find_type_row(OperatorCheck(graph, block, op));
        OKKSIM_CHECK(row != nullptr);
        ++counts[row];
    });
    std::vector<OperatorMode> modes;
    for (const auto& [row, count] : counts) {
        modes.push_back({row->op, std::string(row->mode), std::string(row->needs), count});
    }
    return modes;
}

FeatureSet required_features(const Graph& graph) {
    FeatureSet features = 0;
    for (const OperatorMode& mode : operator_modes(graph)) {
        features |= parse_feature_need(mode.needs).all_of;
    }
    for_each_operator(graph, [&](const Block& block, const Operator& op) {
        features |= attribute_features(op);
        if (has_dynamic_input(block, op)) features |= feature_bit(Feature::kExtDynamic);
    });
    return features;
}

}  // namespace okksim::sim::graph
