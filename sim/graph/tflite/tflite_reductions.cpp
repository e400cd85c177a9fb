// SPDX-License-Identifier: Apache-2.0
// Reductions and normalisations.
#include <cmath>

#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/reductions.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

std::size_t last_axis(const Call& call, const Value& x) {
    if (x.rank() == 0) call.illegal("input " + x.name, "[]", "the operand has dimensions");
    return x.rank() - 1;
}

}  // namespace

void Lowering::mean_or_sum(const Call& call) {
    Value& x = call.input(0);
    const Value& output = call.output();
    const bool keeps = call.options<wire::ReducerOptions>().keep_dims();
    const std::vector<std::size_t> axes = call.axes(call.known(1, "an axis"), x.rank());
    const bool is_mean = call.number == kMean;
    const auto kind = is_mean ? compose::Reduction::kMean : compose::Reduction::kSum;
    if (!x.is_quantised() || !output.is_quantised()) {
        const bool is_integer = !x.is_real() && !x.is_quantised();
        const TensorIndex operand = is_integer ? t_.of(x) : t_.real(x);
        const TensorIndex result = compose::reduce(ops_, kind, operand, axes, keeps);
        return is_integer ? give(call, result) : in_reals(call, result);
    }
    std::int64_t count = 1;
    for (const std::size_t axis : axes) count *= is_mean ? x.shape[axis] : 1;
    const TensorIndex sums =
        compose::reduce(ops_, compose::Reduction::kSum, t_.centred(x), axes, keeps);
    const double scale = x.scale() / (output.scale() * static_cast<double>(count));
    // Kernels that round convolutions once still round these twice.
    give(call,
         t_.rescaled(sums, scale, output.device(), {0, output.zero()}, RoundingMode::kDoubleRound));
}

void Lowering::reduce(const Call& call) {
    using compose::Reduction;
    Value& x = call.input(0);
    const bool keeps = call.options<wire::ReducerOptions>().keep_dims();
    const std::vector<std::size_t> axes = call.axes(call.known(1, "an axis"), x.rank());
    const Reduction kind = call.number == kReduceMax    ? Reduction::kMax
                           : call.number == kReduceMin  ? Reduction::kMin
                           : call.number == kReduceProd ? Reduction::kProduct
                           : call.number == kReduceAny  ? Reduction::kAny
                                                        : Reduction::kAll;
    if (x.is_real() || (x.is_quantised() && kind == Reduction::kProduct)) {
        return in_reals(call, compose::reduce(ops_, kind, t_.real(x), axes, keeps));
    }
    give_moved(call, compose::reduce(ops_, kind, t_.of(x), axes, keeps), x);
}

void Lowering::arg_extremum(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> axis = call.known(1, "an axis");
    if (axis.size() != 1) call.illegal("axis", shape_text(axis), "the axis is one number");
    const std::size_t at = call.axis(axis[0], x.rank());
    const TensorIndex operand = movable(t_.of(x));
    give(call, call.number == kArgMax ? compose::arg_max(ops_, operand, at, false)
                                      : compose::arg_min(ops_, operand, at, false));
}

void Lowering::cumsum(const Call& call) {
    const auto& options = call.options<wire::CumsumOptions>();
    Value& x = call.input(0);
    const std::vector<std::int64_t> axis = call.known(1, "an axis");
    if (axis.size() != 1) call.illegal("axis", shape_text(axis), "the axis is one number");
    const bool is_integer = !x.is_real() && !x.is_quantised();
    const TensorIndex sums = compose::cumulative_sum(ops_, is_integer ? t_.of(x) : t_.real(x),
                                                     call.axis(axis[0], x.rank()),
                                                     options.exclusive(), options.reverse());
    is_integer ? give(call, sums) : in_reals(call, sums);
}

void Lowering::softmax(const Call& call) {
    Value& x = call.input(0);
    const auto beta = static_cast<double>(call.needed_options<wire::SoftmaxOptions>().beta());
    const std::size_t axis = last_axis(call, x);
    TensorIndex powers = t_.real(x);
    if (beta != 1) {
        powers = ops_.product(powers, ops_.number(DType::kFp32, x.rank(), beta), "scaled");
    }
    in_reals(call, compose::softmax(ops_, powers, {axis}));
}

void Lowering::log_softmax(const Call& call) {
    Value& x = call.input(0);
    const std::size_t axis = last_axis(call, x);
    in_reals(call, compose::log_softmax(ops_, t_.real(x), {axis}));
}

void Lowering::l2_normalization(const Call& call) {
    Value& x = call.input(0);
    const std::size_t axis = last_axis(call, x);
    in_reals(call, compose::lp_normalisation(ops_, t_.real(x), 2, axis),
             call.options<wire::L2NormOptions>().activation());
}

void Lowering::local_response_normalization(const Call& call) {
    const auto& options = call.needed_options<wire::LocalResponseNormalizationOptions>();
    Value& x = call.input(0);
    const std::size_t axis = last_axis(call, x);
    if (options.radius() < 0) {
        call.illegal("radius", std::to_string(options.radius()), "the radius is at least 0");
    }
    in_reals(call, compose::local_response_normalisation(
                       ops_, t_.real(x), 2 * std::int64_t{options.radius()} + 1,
                       static_cast<double>(options.alpha()), static_cast<double>(options.beta()),
                       static_cast<double>(options.bias()), axis));
}

}  // namespace okksim::sim::graph::tflite
