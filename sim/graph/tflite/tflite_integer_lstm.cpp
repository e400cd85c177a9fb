// SPDX-License-Identifier: Apache-2.0
// LSTM of integers. Gates have 12 fraction bits before their functions and 15 after them.
#include <algorithm>
#include <array>
#include <cmath>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/windows.h"
#include "sim/graph/tflite/tflite_recurrent.h"

namespace okksim::sim::graph::tflite {

namespace {

constexpr double kGateUnit = 0x1p-12, kUnit = 0x1p-15;
constexpr std::int64_t kLeast = -32768, kMost = 32767;  // of INT16
enum Gate : std::size_t { kInput, kForget, kCell, kOutput, kGates };

class IntegerLstm {
 public:
    IntegerLstm(Tensors& tensors, const Call& call, const LstmOperands& operands,
                const LstmLimits& limits)
        : t_(tensors),
          ops_(tensors.ops()),
          call_(call),
          operands_(operands),
          limits_(limits),
          state_(call.input(operands.state)),
          cell_unit_(call.input(operands.cell).scale()) {}

    TensorIndex run(TensorIndex steps) {
        const Shape shape = ops_.shape(steps);  // [T,B,I]
        const std::int64_t count = shape[0], rows = shape[1];
        read_inputs(ops_.reshape(steps, {count * rows, shape[2]}, "rows"));
        const std::int64_t hidden = call_.input(operands_.weights + kForget).shape[0];
        TensorIndex state = start(operands_.state, state_.device(), state_.zero(), {rows, hidden});
        TensorIndex cell = wide(start(operands_.cell, DType::kI16, 0, {rows, hidden}));
        std::vector<TensorIndex> results(static_cast<std::size_t>(count));
        for (std::int64_t i = 0; i < count; ++i) {
            const std::int64_t step = operands_.is_reverse ? count - 1 - i : i;
            state = advance(step * rows, rows, state, cell);
            results[static_cast<std::size_t>(step)] =
                ops_.reshape(state, {1, rows, hidden}, "step");
        }
        return compose::concat(ops_, results, 0);
    }

 private:
    /// Computes the products of all steps with the input weights.
    void read_inputs(TensorIndex rows) {
        const Value& x = call_.input(0);
        for (std::size_t gate = 0; gate < kGates; ++gate) {
            if (!call_.has(operands_.weights + gate)) continue;
            Value& weights = call_.input(operands_.weights + gate);
            inputs_[gate] =
                integer_rows(t_, rows, x.zero(), weights, call_.optional(operands_.biases + gate),
                             scales(x, weights), DType::kI16);
        }
    }

    static std::vector<double> scales(const Value& x, const Value& weights) {
        std::vector<double> result;
        for (const float scale : weights.quantisation.scales) {
            result.push_back(x.scale() * static_cast<double>(scale) / kGateUnit);
        }
        return result;
    }

    TensorIndex start(std::size_t n, DType type, std::int64_t zero, const Shape& shape) {
        Value* value = initial_state(call_, n);
        if (value != nullptr) return t_.shaped(*value, shape, "start");
        const auto count = static_cast<std::size_t>(shape[0] * shape[1]);
        return ops_.block().constant(type, shape, std::vector<std::int64_t>(count, zero), "start");
    }

    TensorIndex wide(TensorIndex x) { return ops_.cast(x, DType::kI32, "wide"); }
    TensorIndex saturated_sum(TensorIndex x, TensorIndex y) {
        return t_.rescaled(ops_.binary(OpCode::kAdd, wide(x), wide(y), "sum"), 1.0, DType::kI16);
    }
    TensorIndex product(TensorIndex x, TensorIndex y, double scale) {
        return t_.rescaled(ops_.product(x, y, "product"), scale, DType::kI16);
    }

    /// Applies TANH, or SIGMOID, to integers with a unit. The result has 15 fraction bits.
    TensorIndex function(TensorIndex x, double unit, bool is_tanh) {
        const std::size_t rank = ops_.rank(x);
        const auto number = [&](double value) { return ops_.number(DType::kFp32, rank, value); };
        TensorIndex real =
            ops_.product(ops_.cast(x, DType::kFp32, "real"), number(unit), "operand");
        real = is_tanh ? compose::tanh(ops_, real) : compose::sigmoid(ops_, real);
        real = ops_.product(real, number(1 / kUnit), "function");
        real = ops_.clamp(real, static_cast<double>(kLeast), static_cast<double>(kMost), "limited");
        return ops_.cast(real, DType::kI32, "gate");
    }

    /// Returns a gate of the rows from `first` on, with the cell that its peephole sees.
    TensorIndex gate(Gate gate, std::int64_t first, std::int64_t rows, TensorIndex state,
                     TensorIndex cell) {
        Value& recurrent = call_.input(operands_.recurrent + gate);
        const std::int64_t hidden = ops_.shape(inputs_[gate])[1];
        const TensorIndex input = ops_.slice(inputs_[gate], {first, 0}, {rows, hidden}, "input");
        TensorIndex sum =
            saturated_sum(input, integer_rows(t_, state, state_.zero(), recurrent, nullptr,
                                              scales(state_, recurrent), DType::kI16));
        const std::size_t peephole =
            operands_.peepholes + (gate == kOutput ? std::size_t{2} : std::size_t{gate});
        if (gate != kCell && call_.has(peephole)) {
            Value& weights = call_.input(peephole);
            const TensorIndex seen = product(cell, wide(t_.shaped(weights, {1, hidden}, "row")),
                                             weights.scale() * cell_unit_ / kGateUnit);
            sum = saturated_sum(sum, seen);
        }
        return function(sum, kGateUnit, gate == kCell);
    }

    /// Returns the state after a step, and changes the cell.
    TensorIndex advance(std::int64_t first, std::int64_t rows, TensorIndex state,
                        TensorIndex& cell) {
        const TensorIndex forget = gate(kForget, first, rows, state, cell);
        const TensorIndex fresh = gate(kCell, first, rows, state, cell);
        const TensorIndex input =
            call_.has(operands_.weights + kInput)
                ? gate(kInput, first, rows, state, cell)
                : ops_.binary(OpCode::kSub, ops_.number(DType::kI32, 2, kMost), forget, "coupled");
        cell = saturated_sum(product(forget, cell, kUnit),
                             product(input, fresh, kUnit * kUnit / cell_unit_));
        if (limits_.cell > 0) {
            const double limit = std::min(limits_.cell / cell_unit_, double(kMost));
            cell = ops_.clamp(cell, -std::trunc(limit), std::trunc(limit), "clipped");
        }
        cell = wide(cell);
        const TensorIndex output = gate(kOutput, first, rows, state, cell);
        const TensorIndex hidden = ops_.product(output, function(cell, cell_unit_, true), "hidden");
        return t_.rescaled(hidden, kUnit * kUnit / state_.scale(), state_.device(),
                           {0, state_.zero()});
    }

    Tensors& t_;
    OperatorBuilder& ops_;
    const Call& call_;
    const LstmOperands& operands_;
    const LstmLimits& limits_;
    const Value& state_;
    double cell_unit_;
    std::array<TensorIndex, kGates> inputs_{};
};

void check_gates(const Call& call, const LstmOperands& operands) {
    const std::int64_t hidden = call.input(operands.weights + kForget).shape.at(0);
    const std::int64_t columns = call.input(0).shape.back();
    for (std::size_t gate = 0; gate < kGates; ++gate) {
        if (gate == kInput && !call.has(operands.weights)) continue;
        const Value& w = call.input(operands.weights + gate);
        const Value& r = call.input(operands.recurrent + gate);
        if (w.shape != Shape{hidden, columns} || r.shape != Shape{hidden, hidden}) {
            call.illegal("weights", shape_text(w.shape) + " and " + shape_text(r.shape),
                         "each gate has the weights " + shape_text({hidden, columns}) + " and " +
                             shape_text({hidden, hidden}));
        }
        for (const Value* value : {&w, &r}) {
            if (value->device() != DType::kI8 || !value->quantisation.exists()) {
                throw UnsupportedPart("weights of " + type_name(value->type), true);
            }
        }
        const std::size_t peephole = operands.peepholes + (gate == kOutput ? 2 : gate);
        const Value* seen = gate == kCell ? nullptr : call.optional(peephole);
        if (seen != nullptr && (!seen->is_quantised() || seen->shape != Shape{hidden})) {
            call.illegal("peepholes", shape_text(seen->shape),
                         "there is a number with a scale per cell, " + std::to_string(hidden));
        }
        const Value* bias = call.optional(operands.biases + gate);
        if (bias != nullptr && bias->shape != Shape{hidden}) {
            call.illegal("bias", shape_text(bias->shape), "a gate has " + std::to_string(hidden));
        }
    }
}

}  // namespace

bool is_integer_lstm(const Call& call, const LstmOperands& operands) {
    const Value* cell = call.optional(operands.cell);
    const Value* state = call.optional(operands.state);
    return call.input(0).is_quantised() && cell != nullptr && state != nullptr &&
           cell->type == TensorType::INT16 && cell->is_quantised() && state->is_quantised() &&
           state->type == call.input(0).type;
}

TensorIndex integer_lstm(Tensors& tensors, const Call& call, const LstmOperands& operands,
                         const LstmLimits& limits, TensorIndex steps) {
    if (call.has(operands.projection)) throw UnsupportedPart("the projection of an integer state");
    if (limits.activation != Activation::TANH) {
        throw UnsupportedPart("an activation of integers other than TANH");
    }
    check_gates(call, operands);
    return IntegerLstm(tensors, call, operands, limits).run(steps);
}

Value* initial_state(const Call& call, std::size_t n) {
    Value* value = call.optional(n);
    return value != nullptr && (value->is_known || value->tensor) ? value : nullptr;
}

TensorIndex integer_rows(Tensors& tensors, TensorIndex x, std::int64_t zero, Value& weights,
                         Value* bias, const std::vector<double>& scales, DType type,
                         std::int64_t result_zero) {
    OperatorBuilder& ops = tensors.ops();
    const std::int64_t count = ops.shape(x)[0], columns = ops.shape(x)[1];
    const std::int64_t results = weights.shape[0];
    const Shape filter = compose::is_depthwise(columns, 1) ? Shape{1, 1, columns, results}
                                                           : Shape{results, 1, 1, columns};
    std::optional<TensorIndex> added;
    if (bias != nullptr) {
        if (!bias->is_known) throw UnsupportedPart("a bias that depends on data");
        const DType sums = ops.type(x) == DType::kI16 ? DType::kI48 : DType::kI32;
        added = ops.block().constant(sums, {results}, known_integers(*bias), "bias");
    }
    compose::ConvolutionOptions options;
    options.input_zero_point = zero;
    options.weight_zero_point = weights.zero();
    const TensorIndex sums = compose::convolution(
        ops, ops.reshape(x, {count, 1, 1, columns}, "rows"),
        tensors.shaped(weights, filter, "filter"), added, compose::Windows(2), options);
    const TensorIndex result = tensors.rescaled(sums, scales, type, {0, result_zero});
    return ops.reshape(result, {count, results}, "sums");
}

}  // namespace okksim::sim::graph::tflite
