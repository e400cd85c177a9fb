// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <numeric>
#include <vector>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

/// Random pointwise operators on machines of several sizes, with broadcasts and any storage order.
namespace okksim::tests {

using Dims = std::vector<std::int32_t>;
using Values = std::vector<std::int64_t>;

struct MachineSize {
    int lanes;
    int local_bytes;
};
inline constexpr MachineSize kMachineSizes[] = {{4, 16384}, {8, 32768}, {64, 524288}};

/// Shapes of rank 0 to 6 with about `elements` elements.
inline Dims random_shape(RandomSource& random, std::int64_t elements) {
    Dims dims(static_cast<std::size_t>(random.between(0, kernels::kMaxRank)), 1);
    while (!dims.empty() && elements > 1) {
        const auto count = static_cast<std::int64_t>(dims.size());
        auto& dim = dims[static_cast<std::size_t>(random.below(count))];
        const std::int64_t factor =
            std::min(elements, random.between(2, random.one_in(3) ? 50 : 5));
        dim *= static_cast<std::int32_t>(factor);
        elements /= factor;
    }
    return dims;
}

inline std::vector<int> random_order(RandomSource& random, std::size_t rank) {
    std::vector<int> order(rank);
    std::iota(order.begin(), order.end(), 0);
    if (random.one_in(2)) return order;
    for (std::size_t i = rank; i > 1; --i) {
        const auto j = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)));
        std::swap(order[i - 1], order[j]);
    }
    return order;
}

/// Position in an operand of dimensions `dims` of the element for output position `index` of shape
/// `out`: row-major, broadcast where a dimension is 1.
inline std::size_t broadcast_position(std::size_t index, const Dims& out, const Dims& dims) {
    std::size_t position = 0, step = 1;
    for (std::size_t i = out.size(); i-- > 0;) {
        const auto extent = static_cast<std::size_t>(out[i]);
        if (dims[i] != 1) position += index % extent * step;
        step *= static_cast<std::size_t>(dims[i]);
        index /= extent;
    }
    return position;
}

/// One tensor operand: its type and how its elements are drawn.
struct RandomOperand {
    tosa::DType type;
    std::function<std::int64_t(RandomSource&)> draw;
    bool broadcasts = true;
};

/// Result of a random run: the output's elements and, for each, the elements of the operands.
struct PointwiseRun {
    Values output;
    std::vector<Values> operands;  ///< [operand][output position]
    firmware::CallCounts counts;
};

/// A one-dimensional constant operand that follows the random operands of run_random().
struct ConstantOperand {
    tosa::DType type;
    Values values;
};

inline PointwiseRun run_random(
    tosa::OpCode op, const tosa::Attributes& attributes, const std::vector<RandomOperand>& operands,
    tosa::DType out_type, RandomSource& random,
    const std::function<std::vector<ConstantOperand>(const Dims&)>& constants = {}) {
    const MachineSize& size = random.element(kMachineSizes);
    KernelMachine machine(size.lanes, size.local_bytes, 16 * 1024 * 1024);
    OperatorRun runner(machine);
    // The GDMA spreads small tensors of short elements; commands of the compute engine unpack large
    // ones.
    const Dims dims =
        random_shape(random, random.one_in(12) ? 250000 : random.pick({1, 30, 500, 5000, 20000}));
    PointwiseRun result;
    std::vector<kernels::DeviceTensor> inputs;
    for (const RandomOperand& operand : operands) {
        Dims own = dims;
        if (operand.broadcasts) {
            for (auto& dim : own) dim = random.one_in(5) ? 1 : dim;
        }
        // The last operand has full dimensions, so that the operands together determine the output.
        if (&operand == &operands.back()) own = dims;
        inputs.push_back(runner.tensor(operand.type, own, random_order(random, own.size())));
        Values values(static_cast<std::size_t>(inputs.back().count()));
        for (auto& value : values) value = operand.draw(random);
        runner.write(inputs.back(), values);
        Values spread(static_cast<std::size_t>(
            std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>())));
        for (std::size_t i = 0; i < spread.size(); ++i) {
            spread[i] = values[broadcast_position(i, dims, own)];
        }
        result.operands.push_back(std::move(spread));
    }
    if (constants) {
        for (const ConstantOperand& constant : constants(dims)) {
            inputs.push_back(
                runner.tensor(constant.type, {static_cast<std::int32_t>(constant.values.size())}));
            runner.write(inputs.back(), constant.values);
        }
    }
    const kernels::DeviceTensor output =
        runner.tensor(out_type, dims, random_order(random, dims.size()));
    result.counts = runner.run(op, attributes, inputs, {output});
    result.output = runner.read(output);
    return result;
}

/// An integer element as the specification reads it.
inline std::int64_t sign_extended(tosa::DType type, std::int64_t bits) {
    const int width = 8 * kernels::stored_bytes(type);
    return width == 64
               ? bits
               : static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << (64 - width)) >>
                     (64 - width);
}

/// A random integer of the type; extremes and small numbers are more likely.
inline std::int64_t random_integer(tosa::DType type, RandomSource& random) {
    const int width = type == tosa::DType::kI48 ? 48 : 8 * kernels::stored_bytes(type);
    const std::int64_t most = (std::int64_t{1} << (width - 1)) - 1;
    if (random.one_in(6)) return random.pick({0, 1, -1, most, -most - 1, most - 1, -most});
    if (random.one_in(3)) return random.between(-20, 20);
    return random.between(-most - 1, most);
}

}  // namespace okksim::tests
