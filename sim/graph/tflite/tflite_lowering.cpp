// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_lowering.h"

#include <algorithm>
#include <cmath>

#include "sim/graph/compose/moves.h"

namespace okksim::sim::graph::tflite {

void Lowering::give(const Call& call, TensorIndex tensor, std::size_t n) {
    Value& output = call.output(n);
    if (ops_.type(tensor) != output.device()) {
        call.illegal("output " + output.name, type_name(output.type),
                     "the type of the result is that of the operands");
    }
    output.tensor = tensor;
    output.shape = ops_.shape(tensor);
}

void Lowering::give_known(const Call& call, const Shape& shape, std::vector<std::byte> data,
                          std::size_t n) {
    Value& output = call.output(n);
    output.shape = shape;
    output.data = ops_.block().graph().own_bytes(std::move(data));
    output.is_known = true;
}

void Lowering::give_shaped(const Call& call, Value& value, const Shape& shape) {
    Value& output = call.output();
    if (value.is_known && value.type == output.type) {
        output.shape = shape;
        output.data = value.data;
        output.is_known = true;
        return;
    }
    give_moved(call, ops_.reshape(t_.of(value), shape, "shaped"), value);
}

TensorIndex Lowering::requantised(TensorIndex x, const Value& from, const Value& to) {
    if (!from.is_quantised() || !to.is_quantised() || from.type != to.type) return x;
    if (from.quantisation.is_per_channel() || to.quantisation.is_per_channel()) return x;
    if (from.scale() == to.scale() && from.zero() == to.zero()) return x;
    return t_.rescaled(x, from.scale() / to.scale(), to.device(), {from.zero(), to.zero()});
}

void Lowering::give_moved(const Call& call, TensorIndex tensor, const Value& from, std::size_t n) {
    give(call, requantised(tensor, from, call.output(n)), n);
}

void Lowering::in_reals(const Call& call, TensorIndex result, Activation activation) {
    const Value& output = call.output();
    if (!output.is_quantised()) return give(call, t_.activated(result, output, activation));
    give(call, t_.activated(t_.quantised(result, output), output, activation));
}

void Lowering::in_table(const Call& call,
                        const std::function<std::int64_t(std::int64_t)>& function) {
    const Value& output = call.output();
    std::vector<std::int64_t> table;
    for (std::int64_t q = -128; q <= 127; ++q) {
        table.push_back(std::clamp(function(q), output.least(), output.most()));
    }
    const TensorIndex x = t_.of(call.input(0));
    const TensorIndex entries = ops_.block().constant(DType::kI8, {256}, table, "table");
    give(call, ops_.block().add(OpCode::kTable, NoAttributes{}, {x, entries}, DType::kI8,
                                ops_.shape(x), "looked_up"));
}

bool Lowering::is_quantised(const Call& call) {
    if (!call.output().is_quantised() || call.output().quantisation.is_per_channel()) return false;
    return std::all_of(call.inputs.begin(), call.inputs.end(), [&](const Value* value) {
        return value != nullptr && value->is_quantised() && value->type == call.output().type &&
               !value->quantisation.is_per_channel();
    });
}

void Lowering::check_broadcast(const Call& call) {
    const bool chooses = call.name.starts_with("SELECT");
    const Shape& x = call.input(0).shape;
    for (std::size_t n = 1; n < call.inputs.size(); ++n) {
        const TensorType type = call.input(chooses ? 1 : 0).type;
        if (call.input(n).type != type) {
            call.illegal("input " + call.input(n).name, type_name(call.input(n).type),
                         "the operands have one type, here " + type_name(type));
        }
        const Shape& y = call.input(n).shape;
        for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
            const std::int64_t a = x[x.size() - 1 - i], b = y[y.size() - 1 - i];
            if (a != b && a != 1 && b != 1) {
                call.illegal(
                    "input " + call.input(n).name, shape_text(y),
                    "the operands broadcast to each other; the other one has " + shape_text(x));
            }
        }
    }
}

std::optional<compose::KnownIndices> Lowering::known_indices(const Value& value) const {
    if (!value.is_known) return std::nullopt;
    return compose::KnownIndices{value.shape, known_integers(value)};
}

TensorIndex Lowering::movable(TensorIndex x) {
    return ops_.type(x) == DType::kBool ? ops_.cast(x, DType::kI8, "movable") : x;
}

TensorIndex Lowering::moved_back(TensorIndex x, DType type) {
    return ops_.cast(x, type, "moved_back");
}

}  // namespace okksim::sim::graph::tflite
