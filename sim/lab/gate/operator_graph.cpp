// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/gate/operator_graph.h"

#include <cmath>
#include <cstring>

#include "sim/execution/random_input.h"

namespace okksim::sim::gate {

TensorIndex OperatorGraph::input(DType type, Shape shape) {
    inputs_.push_back(execution::random_input(type, shape, next_seed_++));
    return builder_.input(type, std::move(shape));
}

TensorIndex OperatorGraph::indices(Shape shape, std::int64_t count, std::int64_t first) {
    graph::HostTensor value = execution::random_input(DType::kI32, shape, next_seed_++);
    std::vector<std::byte> bytes(value.data.begin(), value.data.end());
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int32_t)) {
        std::int32_t index = 0;
        std::memcpy(&index, bytes.data() + at, sizeof index);
        index = static_cast<std::int32_t>(first + (index + 128) % count);
        std::memcpy(bytes.data() + at, &index, sizeof index);
    }
    inputs_.push_back(graph::make_host_tensor(DType::kI32, shape, std::move(bytes)));
    return builder_.input(DType::kI32, std::move(shape));
}

TensorIndex OperatorGraph::positive(Shape shape) {
    const graph::HostTensor value = execution::random_input(DType::kFp32, shape, next_seed_++);
    std::vector<std::byte> bytes(value.data.begin(), value.data.end());
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(float)) {
        float number = 0;
        std::memcpy(&number, bytes.data() + at, sizeof number);
        number = number == 0 ? 1.0f : std::abs(number);
        std::memcpy(bytes.data() + at, &number, sizeof number);
    }
    inputs_.push_back(graph::make_host_tensor(DType::kFp32, shape, std::move(bytes)));
    return builder_.input(DType::kFp32, std::move(shape));
}

TensorIndex OperatorGraph::weights(DType type, Shape shape) {
    const graph::HostTensor value = execution::random_input(type, shape, next_seed_++);
    return builder_.constant_bytes(type, std::move(shape), graph::constant_bytes(value));
}

TensorIndex OperatorGraph::value(DType type, const std::vector<std::int64_t>& values) {
    return builder_.constant(type, {static_cast<std::int64_t>(values.size())}, values);
}

TensorIndex OperatorGraph::zero(DType type) {
    const auto bytes = static_cast<std::size_t>(tosa::storage_bits(type) / 8);
    return builder_.constant_bytes(type, {1}, std::vector<std::byte>(bytes));
}

TensorIndex OperatorGraph::shape(const std::vector<std::int64_t>& values) {
    return builder_.shape_value(values);
}

TensorIndex OperatorGraph::scalar(DType type, std::size_t rank, std::int64_t number) {
    return builder_.constant(type, Shape(rank, 1), {number});
}

TensorIndex OperatorGraph::apply(OpCode code, tosa::Attributes attributes,
                                 std::vector<TensorIndex> inputs, DType type, Shape shape) {
    return builder_.add(code, std::move(attributes), std::move(inputs), type, std::move(shape));
}

void OperatorGraph::op(OpCode code, tosa::Attributes attributes, std::vector<TensorIndex> inputs,
                       DType type, Shape shape) {
    builder_.output(apply(code, std::move(attributes), std::move(inputs), type, std::move(shape)));
}

void OperatorGraph::op_with_two_outputs(OpCode code, tosa::Attributes attributes,
                                        std::vector<TensorIndex> inputs, DType type,
                                        const Shape& shape) {
    const TensorIndex first = builder_.tensor(type, shape);
    const TensorIndex second = builder_.tensor(type, shape);
    builder_.add_with_outputs(code, std::move(attributes), std::move(inputs), {first, second});
    builder_.output(first);
    builder_.output(second);
}

GateGraph OperatorGraph::finish() { return {builder_.finish(), std::move(inputs_)}; }

}  // namespace okksim::sim::gate
