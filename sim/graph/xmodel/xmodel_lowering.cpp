// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

Rounding rounding_of(const NodeView& node, const std::string& mode) {
    if (mode == "DPU_ROUND") return Rounding::kHalfUp;
    if (mode == "STD_ROUND") return Rounding::kHalfAway;
    if (mode == "PY3_ROUND") return Rounding::kHalfEven;
    node.illegal("round_mode", mode, "round_mode is DPU_ROUND, STD_ROUND or PY3_ROUND");
}

void Lowering::require_arithmetic(const Value& value) {
    if (!value.type.has_arithmetic()) {
        throw UnsupportedPart(value.type.name() + " arithmetic", true);
    }
}

void Lowering::require_order(const Value& value) {
    if (value.type.words() != FileWords::kFloat64) require_arithmetic(value);
}

void Lowering::require_rank(const Call& call, const Value& value, std::size_t rank) {
    if (value.rank() == rank) return;
    call.node.illegal("input " + value.name, shape_text(value.shape),
                      "the operand has " + std::to_string(rank) + " dimensions");
}

void Lowering::require_type(const Call& call, const Value& value, const char* argument) {
    if (value.type == call.input().type) return;
    call.node.illegal(std::string(argument) + " " + value.name, value.type.name(),
                      "the types match, here " + call.input().type.name());
}

int Lowering::fix_point(const Call& call, const Value& value) {
    if (value.fix_point) return *value.fix_point;
    call.node.illegal("fix_point of " + value.name, "missing",
                      "tensors of " + value.type.name() + " have a fix_point");
}

Shape Lowering::maps_shape(const Call& call, const Value& value) {
    const Shape& s = value.shape;
    return call.is_oplib() ? Shape{s[0], s[2], s[3], s[1]} : s;
}

Shape Lowering::from_maps(const Call& call, const Shape& maps) {
    return call.is_oplib() ? Shape{maps[0], maps[3], maps[1], maps[2]} : maps;
}

void Lowering::set_maps(const Call& call, Value& result, TensorIndex tensor) {
    const Shape& shape = ops_.shape(tensor);
    result.shape = from_maps(call, {shape.begin(), shape.begin() + 4});
    ValueTensors::set_feature_map(result, call.vocabulary, tensor);
}

}  // namespace okksim::sim::graph::xmodel
