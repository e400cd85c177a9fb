// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/builder.h"
#include "sim/graph/host_tensor.h"
#include "tests/support/random_source.h"

namespace okksim::tests {

/// Adds control flow on a value of the main block; the result is unknown before the run. One of two
/// blocks reverses the value along an axis, or a loop does so a few times. The controlling value is
/// an input, which is appended to `inputs`.
inline sim::graph::TensorIndex add_branch(sim::graph::GraphBuilder& builder, RandomSource& random,
                                          sim::graph::TensorIndex value, tosa::DType type,
                                          const sim::graph::Shape& shape,
                                          std::vector<sim::graph::HostTensor>& inputs) {
    using tosa::DType;
    using tosa::OpCode;
    constexpr tosa::BlockReference kMain{0, 0};
    const bool loops = random.one_in(2);
    const auto reversed = [&](sim::graph::TensorIndex x) {
        const auto axis = static_cast<std::int32_t>(random.between(1, 3));
        return builder.add(OpCode::kReverse, tosa::ReverseAttributes{axis}, {x}, type, shape);
    };
    const DType decider = loops ? DType::kI32 : DType::kBool;
    const auto decision = static_cast<std::uint8_t>(random.between(0, loops ? 3 : 1));
    std::vector<std::byte> bytes(loops ? 4 : 1);
    bytes[0] = std::byte{decision};
    inputs.push_back(sim::graph::make_host_tensor(decider, {1}, bytes));
    const std::string name = std::to_string(inputs.size());  // blocks have different ones
    const auto decides = builder.input(decider, {1});
    const auto first = builder.begin_block((loops ? "cond" : "then") + name);
    if (loops) {
        const auto left = builder.input(decider, {1});
        builder.input(type, shape);
        builder.output(builder.add(OpCode::kGreater, tosa::NoAttributes{},
                                   {left, builder.constant(DType::kI32, {1}, {0})}, DType::kBool,
                                   {1}));
    } else {
        builder.output(reversed(builder.input(type, shape)));
    }
    const auto second = builder.begin_block((loops ? "body" : "else") + name);
    if (loops) {
        const auto left = builder.input(decider, {1});
        const auto x = builder.input(type, shape);
        builder.output(builder.add(OpCode::kSub, tosa::NoAttributes{},
                                   {left, builder.constant(DType::kI32, {1}, {1})}, DType::kI32,
                                   {1}));
        builder.output(reversed(x));
    } else {
        builder.output(reversed(reversed(builder.input(type, shape))));
    }
    builder.select_block(kMain);
    const auto result = builder.tensor(type, shape);
    if (loops) {
        builder.add_with_outputs(OpCode::kWhileLoop,
                                 tosa::WhileLoopAttributes{{first, {}}, {second, {}}},
                                 {decides, value}, {builder.tensor(decider, {1}), result});
    } else {
        builder.add_with_outputs(OpCode::kCondIf, tosa::CondIfAttributes{{first, {}}, {second, {}}},
                                 {decides, value}, {result});
    }
    return result;
}

}  // namespace okksim::tests
