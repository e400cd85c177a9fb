// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/gate/map_kernels.h"

namespace okksim::sim::gate {

GateCase kernel(const char* name, Describe describe) {
    return {name, [describe] {
                OperatorGraph graph;
                describe(graph);
                return graph.finish();
            }};
}

void unary(OperatorGraph& g, OpCode code, DType type) {
    g.op(code, tosa::NoAttributes{}, {g.input(type, kMap)}, type, kMap);
}

void binary(OperatorGraph& g, OpCode code, DType in, DType out, tosa::Attributes attributes) {
    g.op(code, std::move(attributes), {g.input(in, kMap), g.input(in, kMap)}, out, kMap);
}

void multiply(OperatorGraph& g, DType type) {
    g.op(OpCode::kMul, tosa::NoAttributes{},
         {g.input(type, kMap), g.input(type, kMap), g.value(DType::kI8, {0})}, type, kMap);
}

void select(OperatorGraph& g, DType type) {
    g.op(OpCode::kSelect, tosa::NoAttributes{},
         {g.input(DType::kBool, kMap), g.input(type, kMap), g.input(type, kMap)}, type, kMap);
}

void clamp(OperatorGraph& g, DType type, const tosa::ElementBytes& low,
           const tosa::ElementBytes& high) {
    tosa::ClampAttributes attributes;
    attributes.min_val = low;
    attributes.max_val = high;
    attributes.nan_mode = tosa::NanPropagationMode::kPropagate;
    g.op(OpCode::kClamp, attributes, {g.input(type, kMap)}, type, kMap);
}

void max_pool(OperatorGraph& g, DType type) {
    tosa::MaxPool2dAttributes attributes;
    attributes.kernel = {3, 3};
    attributes.stride = {1, 1};
    attributes.pad = {1, 1, 1, 1};
    attributes.nan_mode = tosa::NanPropagationMode::kPropagate;
    g.op(OpCode::kMaxPool2d, attributes, {g.input(type, kMap)}, type, kMap);
}

}  // namespace okksim::sim::gate
