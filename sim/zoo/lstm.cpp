// SPDX-License-Identifier: Apache-2.0
// Two LSTM layers over a sequence, with one iteration of a WHILE_LOOP per step. Quantised: int8
// sequence and outputs, int16 gates and cell states.
#include <cmath>

#include "sim/zoo/networks.h"

namespace okksim::sim::zoo {

using namespace okksim::tosa;

namespace {

constexpr std::int64_t kSteps = 32;
constexpr std::int64_t kInput = 128;
constexpr std::int64_t kHidden = 256;
constexpr int kGates = 4;                        ///< input, forget, output gate; candidate
constexpr Quantisation kOutput{1.0 / 128.0, 0};  ///< int8, output of a cell
constexpr Quantisation kState{1.0 / 4096.0, 0};  ///< int16, +-8: gates and cell states

/// The state of a layer that one step passes to the next.
struct State {
    Feature hidden;
    Feature cell;
};

/// The weights keep the sums of a gate at variance 1, half from the input and half from the state.
ConvLayer gate_layer(const Feature& state, bool bias) {
    return {.channels = kGates * state.shape[3],
            .bias = bias,
            .int16_result = true,
            .spread = std::sqrt(0.5)};
}

State step_real(NetworkBuilder& b, const Feature& gates, const State& state) {
    const Shape& shape = state.hidden.shape;
    const auto gate = [&](std::int64_t i, Activation activation) {
        return b.activate(b.slice(gates, {0, 0, 0, i * shape[3]}, shape), activation);
    };
    const auto product = [&](const Feature& x, const Feature& y) {
        Feature result = x;
        result.tensor = b.multiply(x.tensor, y.tensor, b.type(), shape);
        return result;
    };
    const Feature added = product(gate(0, Activation::kSigmoid), gate(3, Activation::kTanh));
    const Feature kept = product(gate(1, Activation::kSigmoid), state.cell);
    State next = state;
    next.cell.tensor = b.add(kept, added).tensor;
    next.hidden.tensor =
        product(gate(2, Activation::kSigmoid), b.activate(next.cell, Activation::kTanh)).tensor;
    return next;
}

/// Returns f(x) in units of 1/32767, for int16 x in units of kState.
TensorIndex table(NetworkBuilder& b, TensorIndex x, const Shape& shape, Activation activation) {
    std::vector<std::int64_t> entries;
    for (int i = -256; i <= 256; ++i) {
        const double value = activate(activation, i * 128.0 * kState.scale);
        entries.push_back(static_cast<std::int64_t>(std::nearbyint(32767.0 * value)));
    }
    const TensorIndex wide =
        b.op(OpCode::kTable, {x, b.integers(DType::kI16, entries)}, DType::kI32, shape);
    return b.rescale(wide, DType::kI32, 0, DType::kI16, 0, {1.0 / 128.0}, shape);
}

State step_quantised(NetworkBuilder& b, const Feature& gates, const State& state) {
    const Shape& shape = state.hidden.shape;
    const auto gate = [&](std::int64_t i, Activation activation) {
        const TensorIndex part = b.op(OpCode::kSlice,
                                      {gates.tensor, b.graph().shape_value({0, 0, 0, i * shape[3]}),
                                       b.graph().shape_value(shape)},
                                      DType::kI16, shape);
        return table(b, part, shape, activation);
    };
    // Products of int16 are int32; sums use units of 2^-24.
    const auto product = [&](TensorIndex x, TensorIndex y, int fraction_bits) {
        const TensorIndex wide = b.multiply(x, y, DType::kI32, shape);
        return b.rescale(wide, DType::kI32, 0, DType::kI32, 0,
                         {std::ldexp(1.0, 24 - fraction_bits)}, shape);
    };
    const TensorIndex added =
        product(gate(0, Activation::kSigmoid), gate(3, Activation::kTanh), 15 + 15);
    const TensorIndex kept = product(gate(1, Activation::kSigmoid), state.cell.tensor, 15 + 12);
    const TensorIndex total = b.op(OpCode::kAdd, {kept, added}, DType::kI32, shape);
    State next = state;
    next.cell.tensor =
        b.rescale(total, DType::kI32, 0, DType::kI16, 0, {std::ldexp(1.0, 12 - 24)}, shape);
    const TensorIndex bounded = table(b, next.cell.tensor, shape, Activation::kTanh);
    const TensorIndex output =
        b.multiply(gate(2, Activation::kSigmoid), bounded, DType::kI32, shape);
    next.hidden.tensor =
        b.rescale(output, DType::kI32, 0, DType::kI8, 0, {std::ldexp(1.0, 7 - 30)}, shape);
    return next;
}

State cell(NetworkBuilder& b, const Feature& x, const State& state) {
    const Feature from_input = b.conv(x, gate_layer(state.hidden, true));
    const Feature from_state = b.conv(state.hidden, gate_layer(state.hidden, false));
    if (!b.is_quantised()) return step_real(b, b.add(from_input, from_state), state);
    const auto widen = [&](const Feature& part) {
        return b.rescale(part.tensor, DType::kI16, 0, DType::kI32, 0, {1.0}, part.shape);
    };
    Feature gates = from_input;
    gates.tensor =
        b.op(OpCode::kAdd, {widen(from_input), widen(from_state)}, DType::kI32, gates.shape);
    gates.tensor = b.rescale(gates.tensor, DType::kI32, 0, DType::kI16, 0, {1.0}, gates.shape);
    return step_quantised(b, gates, state);
}

/// Values of the loop, in the order of its operands.
struct Loop {
    TensorIndex step;
    Feature sequence;  ///< [1, steps, batch * inputs]
    Feature outputs;   ///< [1, steps, batch * hidden]
    State layers[2];

    std::vector<Feature*> features() {
        return {&sequence,       &outputs,          &layers[0].hidden,
                &layers[0].cell, &layers[1].hidden, &layers[1].cell};
    }
};

DType type_of(NetworkBuilder& b, const Loop& loop, const Feature& feature) {
    const bool is_cell = &feature == &loop.layers[0].cell || &feature == &loop.layers[1].cell;
    return b.is_quantised() && is_cell ? DType::kI16 : b.type();
}

TensorIndex zeros(NetworkBuilder& b, DType type, const Shape& shape) {
    const std::uint64_t bytes = storage_bytes(type, graph::element_count(shape).value());
    return b.graph().constant_bytes(type, shape, std::vector<std::byte>(bytes));
}

Loop initial_values(NetworkBuilder& b, std::int64_t steps) {
    const std::int64_t batch = b.options().batch, hidden = b.scaled(kHidden);
    Loop loop{};
    loop.sequence = b.input("sequence", {1, steps, batch * b.scaled(kInput)});
    const Shape state{batch, 1, 1, hidden};
    // Expected squares after many steps. f c + i g with f and i about 1/2 brings c near to g. The
    // square of g is at least 0.4 while it keeps its sign. h is half of tanh(c). A step passes on
    // about half of an existing error, through the cell and again through the gates.
    for (State& layer : loop.layers) {
        layer.hidden = {0, state, {0.0, 0.1}, kOutput, 128.0 * b.rounding()};
        layer.cell = {0, state, {0.0, 0.5}, kState, 128.0 * b.rounding()};
    }
    loop.outputs = loop.layers[1].hidden;
    loop.outputs.shape = {1, steps, batch * hidden};
    for (Feature* feature : loop.features()) {
        if (feature == &loop.sequence) continue;
        feature->tensor = zeros(b, type_of(b, loop, *feature), feature->shape);
    }
    loop.step = b.graph().constant(DType::kI32, {}, {0});
    return loop;
}

/// Returns the loop's values as inputs of the current block.
Loop block_inputs(NetworkBuilder& b, const Loop& outer) {
    Loop loop = outer;
    loop.step = b.graph().input(DType::kI32, {});
    for (Feature* feature : loop.features()) {
        feature->tensor = b.graph().input(type_of(b, loop, *feature), feature->shape);
    }
    return loop;
}

void build_condition(NetworkBuilder& b, const Loop& outer, std::int64_t steps) {
    const Loop loop = block_inputs(b, outer);
    const TensorIndex limit = b.graph().constant(DType::kI32, {}, {steps});
    b.graph().output(b.op(OpCode::kGreater, {limit, loop.step}, DType::kBool, {}));
}

void build_body(NetworkBuilder& b, const Loop& outer) {
    Loop loop = block_inputs(b, outer);
    const std::int64_t batch = b.options().batch;
    const TensorIndex index =
        b.op(OpCode::kReshape, {loop.step, b.graph().shape_value({1, 1})}, DType::kI32, {1, 1});
    Feature x = loop.sequence;
    x.shape[1] = 1;
    x.tensor = b.op(OpCode::kGather, {loop.sequence.tensor, index}, b.type(), x.shape);
    x = b.reshape(x, {batch, 1, 1, x.shape[2] / batch});
    for (State& layer : loop.layers) {
        layer = cell(b, x, layer);
        x = layer.hidden;
    }
    const Feature line = b.reshape(x, {1, 1, loop.outputs.shape[2]});
    loop.outputs.tensor = b.op(OpCode::kScatter, {loop.outputs.tensor, index, line.tensor},
                               b.type(), loop.outputs.shape);
    const TensorIndex one = b.graph().constant(DType::kI32, {}, {1});
    b.graph().output(b.op(OpCode::kAdd, {loop.step, one}, DType::kI32, {}));
    for (Feature* feature : loop.features()) b.graph().output(feature->tensor);
}

}  // namespace

ZooModel build_lstm(const ZooOptions& options) {
    NetworkBuilder b(options);
    const std::int64_t steps = options.size > 0 ? options.size : kSteps;
    const BlockReference main{0, 0};
    Loop loop = initial_values(b, steps);
    const BlockReference condition = b.graph().begin_block("more_steps");
    build_condition(b, loop, steps);
    const BlockReference body = b.graph().begin_block("step");
    build_body(b, loop);
    b.graph().select_block(main);
    std::vector<TensorIndex> inputs{loop.step};
    std::vector<TensorIndex> outputs{b.graph().tensor(DType::kI32, {})};
    for (Feature* feature : loop.features()) {
        inputs.push_back(feature->tensor);
        feature->tensor = b.graph().tensor(type_of(b, loop, *feature), feature->shape);
        outputs.push_back(feature->tensor);
    }
    b.graph().add_with_outputs(OpCode::kWhileLoop, WhileLoopAttributes{{condition, {}}, {body, {}}},
                               inputs, outputs);
    b.output(loop.outputs, "hidden");
    return b.finish();
}

}  // namespace okksim::sim::zoo
