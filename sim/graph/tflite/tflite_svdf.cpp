// SPDX-License-Identifier: Apache-2.0
// SVDF: features of the steps, and sums over time. The state starts at 0, unless the file or an
// input gives another one.
#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

namespace {

/// Operands of SVDF as numbers of one type: fp32 or INT32.
class Svdf {
 public:
    Svdf(Tensors& tensors, const Call& call, bool is_integer)
        : t_(tensors),
          ops_(tensors.ops()),
          call_(call),
          is_integer_(is_integer),
          batch_(call.input(0).shape[0]),
          filters_(call.input(1).shape[0]),
          memory_(call.input(2).shape[1]) {}

    /// Returns the sums over time of each filter: [B,filters].
    TensorIndex sums() {
        TensorIndex result =
            ops_.product(features(), times(memory_ - 1, 1, {1, filters_}), "weighted");
        Value* state = initial_state(call_, 4);
        if (state == nullptr || memory_ == 1) return result;
        if (element_count(state->shape) !=
            static_cast<std::uint64_t>(batch_ * filters_ * memory_)) {
            call_.illegal("state " + state->name, shape_text(state->shape),
                          "the state has the results of " + std::to_string(memory_) +
                              " steps for each filter");
        }
        // The oldest result leaves the state, and the others move by one step.
        const TensorIndex old =
            ops_.slice(ops_.reshape(numbers(*state), {batch_, filters_, memory_}, "state"),
                       {0, 0, 1}, {batch_, filters_, memory_ - 1}, "kept");
        const TensorIndex weights = times(0, memory_ - 1, {1, filters_, memory_ - 1});
        const TensorIndex past =
            ops_.reduce_sum(ops_.product(old, weights, "past"), 2, "past_sums");
        return ops_.binary(OpCode::kAdd, result,
                           ops_.reshape(past, {batch_, filters_}, "past_filters"), "all_steps");
    }

 private:
    TensorIndex numbers(Value& value) { return is_integer_ ? t_.centred(value) : t_.real(value); }

    /// Returns `count` columns of the weights of time as a constant.
    TensorIndex times(std::int64_t first, std::int64_t count, const Shape& shape) {
        const Value& value = call_.input(2);
        if (!value.is_known) throw UnsupportedPart("weights that depend on data");
        const auto columns = [&](const auto& all) {
            auto result = all;
            result.clear();
            for (std::int64_t row = 0; row < filters_; ++row) {
                const auto at = all.begin() + row * memory_ + first;
                result.insert(result.end(), at, at + count);
            }
            return result;
        };
        if (!is_integer_) return t_.reals(shape, columns(known_reals(value)), "times");
        std::vector<std::int64_t> integers = columns(known_integers(value));
        const std::int64_t shift = value.type == TensorType::UINT8 ? 128 : 0;
        for (std::int64_t& each : integers) each -= value.zero() + shift;
        return ops_.block().constant(DType::kI32, shape, integers, "times");
    }

    /// Returns the result of each filter for the newest step, as the state represents it.
    TensorIndex features() {
        Value& x = call_.input(0);
        Value& weights = call_.input(1);
        if (is_integer_) {
            Value& state = call_.input(4);
            const TensorIndex rows = integer_rows(t_, t_.of(x), x.zero(), weights, nullptr,
                                                  {x.scale() * weights.scale() / state.scale()},
                                                  state.device(), state.zero());
            return t_.rescaled(rows, 1.0, DType::kI32, {state.zero(), 0});
        }
        const std::int64_t columns = x.shape[1];
        const Shape filter = compose::is_depthwise(columns, 1) ? Shape{1, 1, columns, filters_}
                                                               : Shape{filters_, 1, 1, columns};
        const TensorIndex products = compose::convolution(
            ops_, ops_.reshape(t_.real(x), {batch_, 1, 1, columns}, "rows"),
            weights.is_known ? t_.reals(filter, known_reals(weights), "features")
                             : ops_.reshape(t_.real(weights), filter, "features"),
            std::nullopt, compose::Windows(2), {});
        return ops_.reshape(products, {batch_, filters_}, "filters");
    }

    Tensors& t_;
    OperatorBuilder& ops_;
    const Call& call_;
    bool is_integer_;
    std::int64_t batch_, filters_, memory_;
};

bool has_integers(const Call& call) {
    const Value* state = call.optional(4);
    const auto is_small = [](const Value& value) {
        return value.is_quantised() && !value.quantisation.is_per_channel();
    };
    return is_small(call.input(0)) && is_small(call.input(1)) && is_small(call.input(2)) &&
           call.input(1).device() == DType::kI8 && state != nullptr && is_small(*state) &&
           call.output().is_quantised();
}

}  // namespace

void Lowering::svdf(const Call& call) {
    const auto& options = call.needed_options<wire::SVDFOptions>();
    const Value& x = call.input(0);
    const Value& times = call.input(2);
    call.require_rank(x, 2);
    call.require_rank(call.input(1), 2);
    call.require_rank(times, 2);
    const std::int64_t filters = call.input(1).shape[0], rank = options.rank();
    if (rank < 1 || filters % rank != 0 || times.shape[0] != filters || times.shape[1] < 1) {
        call.illegal("rank", std::to_string(rank),
                     "the filters, " + std::to_string(filters) + ", are a multiple of the rank");
    }
    if (call.input(1).shape[1] != x.shape[1]) {
        call.illegal("weights", shape_text(call.input(1).shape),
                     "a filter has a weight per value of the input " + shape_text(x.shape));
    }
    const bool is_integer = has_integers(call);
    const std::int64_t batch = x.shape[0], units = filters / rank;
    TensorIndex sums =
        ops_.reshape(Svdf(t_, call, is_integer).sums(), {batch, units, rank}, "ranks");
    sums = ops_.reshape(ops_.reduce_sum(sums, 2, "sum"), {batch, units}, "units");
    if (call.has(3)) {
        Value& bias = call.input(3);
        if (bias.shape != Shape{units} || (is_integer && bias.device() != DType::kI32)) {
            call.illegal("bias", type_name(bias.type) + " " + shape_text(bias.shape),
                         "there is a bias per unit, " + std::to_string(units) +
                             ", and that of integers is INT32");
        }
        sums = ops_.binary(OpCode::kAdd, sums, is_integer ? t_.of(bias) : t_.real(bias), "biased");
    }
    if (!is_integer) return in_reals(call, sums, options.activation());
    const Value& output = call.output();
    const double scale = call.input(4).scale() * times.scale() / output.scale();
    give(call, t_.activated(t_.rescaled(sums, scale, output.device(), {0, output.zero()}), output,
                            options.activation()));
}

}  // namespace okksim::sim::graph::tflite
