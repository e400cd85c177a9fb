// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/sample_tflites.h"

#include "tests/sim/graph/tflite_writer.h"

namespace okksim::tests {

namespace {

using TfliteType = tflite_wire::TensorType;

std::vector<std::uint8_t> sample_convolution() {
    TfliteWriter file;
    const int x = file.tensor("x", TfliteType::UINT8, {1, 3, 3, 2}, {{0.5F}, {128}});
    const int w = file.constant("w", TfliteType::UINT8, {2, 2, 2, 2},
                                std::vector<std::uint8_t>(16, 3), {{0.25F}, {1}});
    const int b = file.constant<std::int32_t>("b", TfliteType::INT32, {2}, {4, 5});
    const int y = file.tensor("y", TfliteType::UINT8, {1, 3, 3, 2}, {{1.0F}, {3}});
    tflite_wire::Conv2DOptionsT options;
    options.stride_w = options.stride_h = 1;
    options.activation = tflite_wire::Activation::RELU6;
    file.op(3, {x, w, b}, {y}, options);
    file.ends({x}, {y});
    return file.bytes();
}

std::vector<std::uint8_t> sample_shapes() {
    TfliteWriter file;
    const int x = file.tensor("x", TfliteType::FLOAT32, {2, 3});
    const int shape = file.tensor("shape", TfliteType::INT32, {2});
    const int begin = file.constant<std::int32_t>("begin", TfliteType::INT32, {1}, {1});
    const int end = file.constant<std::int32_t>("end", TfliteType::INT32, {1}, {2});
    const int part = file.tensor("part", TfliteType::INT32, {1});
    const int flat = file.constant<std::int32_t>("flat", TfliteType::INT32, {1}, {-1});
    const int wanted = file.tensor("wanted", TfliteType::INT32, {2});
    const int y = file.tensor("y", TfliteType::FLOAT32, {3, 2});
    tflite_wire::ConcatenationOptionsT join;
    file.op(77, {x}, {shape}, tflite_wire::ShapeOptionsT{});
    file.op(45, {shape, begin, end, begin}, {part}, tflite_wire::StridedSliceOptionsT{});
    file.op(2, {part, flat}, {wanted}, join);
    file.op(22, {x, wanted}, {y});
    file.ends({x}, {y});
    return file.bytes();
}

std::vector<std::uint8_t> sample_branches() {
    TfliteWriter file;
    const int c = file.tensor("c", TfliteType::BOOL, {});
    const int x = file.tensor("x", TfliteType::INT32, {2});
    const int y = file.tensor("y", TfliteType::INT32, {2});
    tflite_wire::IfOptionsT branches;
    branches.then_subgraph_index = 1;
    branches.else_subgraph_index = 2;
    file.op(118, {c, x}, {y}, branches);
    file.ends({c, x}, {y});
    for (const std::int32_t value : {1, 2}) {
        file.begin_subgraph();
        const int a = file.tensor("a", TfliteType::INT32, {2});
        const int k = file.constant<std::int32_t>("k", TfliteType::INT32, {1}, {value});
        const int r = file.tensor("r", TfliteType::INT32, {2});
        file.op(0, {a, k}, {r}, tflite_wire::AddOptionsT{});
        file.ends({a}, {r});
    }
    return file.bytes();
}

}  // namespace

std::vector<std::vector<std::uint8_t>> sample_tflites() {
    return {sample_convolution(), sample_shapes(), sample_branches()};
}

}  // namespace okksim::tests
