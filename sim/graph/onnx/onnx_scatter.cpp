// SPDX-License-Identifier: Apache-2.0
// Operators that write elements at indices.
#include "sim/graph/compose/indexing.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_extents.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

using compose::ScatterReduction;

/// Calls compute(data, indices, updates, reduction).
template <typename Compute>
void scatter_with(const Call& call, Compute&& compute) {
    check_scatter(call);
    const ScatterReduction reduction = scatter_reduction(call);
    Value& x = call.input(0);
    const Value& indices = call.input(1);
    if (elements_of(indices.shape) == 0 || elements_of(x.shape) == 0) return call.set_same(0, x);
    const bool is_plain = reduction == ScatterReduction::kNone;
    if (!indices.known && reduction == ScatterReduction::kMultiply && !is_real(x.type)) {
        throw UnsupportedPart("products of integers at indices that are known only at run time");
    }
    OperatorBuilder& ops = call.ops();
    const auto operand = [&](std::size_t n) {
        return is_plain ? call.tensor(n) : widened(ops, x.type, call.tensor(n));
    };
    const TensorIndex data = operand(0), updates = operand(2);
    TensorIndex result = indices.known
                             ? compute(ops, data, known_positions(call), updates, reduction)
                             : compute(ops, data, call.tensor(1), updates, reduction);
    if (!is_plain) result = narrowed(ops, x.type, result);
    call.set_tensor(0, x.type, x.shape, result);
}

}  // namespace

void scatter_nd(const Call& call) {
    scatter_with(call, [](OperatorBuilder& ops, TensorIndex x, const auto& at, TensorIndex updates,
                          ScatterReduction reduction) {
        return compose::scatter_nd(ops, x, at, updates, reduction);
    });
}

void scatter_elements(const Call& call) {
    const std::size_t axis = call.axis(call.integer("axis", 0), call.input(0).rank());
    scatter_with(call, [axis](OperatorBuilder& ops, TensorIndex x, const auto& at,
                              TensorIndex updates, ScatterReduction reduction) {
        return compose::scatter_elements(ops, x, at, updates, axis, reduction);
    });
}

}  // namespace okksim::sim::graph::onnx::lower
