// SPDX-License-Identifier: Apache-2.0
// Reductions and positions of extrema.
#include <algorithm>
#include <map>
#include <numeric>

#include "sim/graph/compose/reductions.h"
#include "sim/graph/onnx/onnx_axes.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx {

namespace {

void set_result_shape(const Shape& from, ReducedAxes& reduced) {
    for (std::size_t i = 0; i < from.size(); ++i) {
        const bool is_reduced = std::ranges::find(reduced.axes, i) != reduced.axes.end();
        if (!is_reduced) reduced.result.push_back(from[i]);
        if (is_reduced && reduced.keeps_dimensions) reduced.result.push_back(1);
    }
}

/// Sets a result whose tensor has dimensions of 1 at the reduced axes.
void set_reduced(const Call& call, ElementType type, const ReducedAxes& reduced,
                 const Aligned& order, TensorIndex tensor) {
    if (reduced.keeps_dimensions) {
        return call.set_aligned(0, type, reduced.result, order, tensor);
    }
    // Dropped dimensions may leave the order of the others; otherwise they are rearranged.
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < order.rank; ++i) {
        if (std::ranges::find(reduced.axes, i) == reduced.axes.end()) {
            places.push_back(order.place(i));
        }
    }
    OperatorBuilder& ops = call.ops();
    if (!std::is_sorted(places.begin(), places.end())) {
        tensor = ops.transpose(tensor, from_channels_last(order.rank), "channels_first");
    }
    call.set_tensor(0, type, reduced.result, ops.reshape(tensor, reduced.result, "dropped"));
}

const std::map<std::string_view, compose::Reduction>& reductions() {
    using compose::Reduction;
    static const std::map<std::string_view, Reduction> table{
        {"ReduceL1", Reduction::kL1},         {"ReduceL2", Reduction::kL2},
        {"ReduceLogSum", Reduction::kLogSum}, {"ReduceLogSumExp", Reduction::kLogSumExp},
        {"ReduceMax", Reduction::kMax},       {"ReduceMean", Reduction::kMean},
        {"ReduceMin", Reduction::kMin},       {"ReduceProd", Reduction::kProduct},
        {"ReduceSum", Reduction::kSum},       {"ReduceSumSquare", Reduction::kSumSquare},
    };
    return table;
}

}  // namespace

ReducedAxes reduced_axes(const Call& call) {
    const Value& x = call.input(0);
    const bool is_extremum = call.op_type() == "ReduceMax" || call.op_type() == "ReduceMin";
    const bool is_test = x.type == ElementType::kBool && is_extremum && call.opset() >= 20;
    if (!is_test) require_numbers(call);
    const std::int64_t first_with_operand = call.op_type() == "ReduceSum" ? 13 : 18;
    call.require_inputs(1, call.opset() >= first_with_operand ? 2 : 1);
    ReducedAxes result;
    result.keeps_dimensions = call.integer("keepdims", 1) != 0;
    const auto list = list_operand(call, "axes", 1);
    if (list && !list->empty()) {
        result.axes = call.axes(*list, x.rank());
        std::sort(result.axes.begin(), result.axes.end());
    } else if (call.integer("noop_with_empty_axes", 0) == 0) {
        result.axes.resize(x.rank());
        std::iota(result.axes.begin(), result.axes.end(), std::size_t{0});
    }
    set_result_shape(x.shape, result);
    return result;
}

ReducedAxes extremum_axis(const Call& call) {
    call.require_inputs(1, 1);
    require_numbers(call);
    const Value& x = call.input(0);
    ReducedAxes result;
    result.keeps_dimensions = call.integer("keepdims", 1) != 0;
    result.axes = {call.axis(call.integer("axis", 0), x.rank())};
    call.require(x.shape[result.axes[0]] > 0, "input 0", shape_text(x.shape),
                 "the reduced dimension is not empty");
    set_result_shape(x.shape, result);
    return result;
}

void lower::reduce(const Call& call) {
    const ReducedAxes reduced = reduced_axes(call);
    Value& x = call.input(0);
    if (elements_of(reduced.result) == 0) return set_empty(call, 0, x.type, reduced.result);
    const compose::Reduction kind = reductions().at(call.op_type());
    const bool needs_reals = kind == compose::Reduction::kL2 ||
                             kind == compose::Reduction::kLogSum ||
                             kind == compose::Reduction::kLogSumExp;
    if (needs_reals && !is_real(x.type)) throw UnsupportedPart("roots and logarithms of integers");
    const Aligned order = call.aligned(0);
    std::vector<std::size_t> places;
    for (const std::size_t axis : reduced.axes) places.push_back(order.place(axis));
    std::sort(places.begin(), places.end());
    OperatorBuilder& ops = call.ops();
    const bool is_bool = x.type == ElementType::kBool;
    const TensorIndex in = is_bool ? order.tensors[0] : widened(ops, x.type, order.tensors[0]);
    TensorIndex result = compose::reduce(ops, kind, in, places, true);
    if (!is_bool) result = narrowed(ops, x.type, result);
    set_reduced(call, x.type, reduced, order, result);
}

void lower::arg_extremum(const Call& call) {
    const ReducedAxes reduced = extremum_axis(call);
    if (elements_of(reduced.result) == 0) {
        return set_empty(call, 0, ElementType::kInt64, reduced.result);
    }
    const Aligned order = call.aligned(0);
    const bool takes_last = call.integer("select_last_index", 0) != 0;
    const auto find = call.op_type() == "ArgMax" ? &compose::arg_max : &compose::arg_min;
    set_reduced(call, ElementType::kInt64, reduced, order,
                find(call.ops(), order.tensors[0], order.place(reduced.axes[0]), true, takes_last));
}

}  // namespace okksim::sim::graph::onnx
