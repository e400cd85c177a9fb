// SPDX-License-Identifier: Apache-2.0
// FULLY_CONNECTED and BATCH_MATMUL.
#include "sim/graph/compose/products.h"
#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

void Lowering::fully_connected(const Call& call) {
    const auto& options = call.options<wire::FullyConnectedOptions>();
    if (options.weights_format() != 0) throw UnsupportedPart("shuffled weights");
    Value& x = call.input(0);
    Value& weights = call.input(1);
    call.require_rank(weights, 2);
    const std::int64_t columns = weights.shape[1], results = weights.shape[0];
    const auto count = static_cast<std::int64_t>(*element_count(x.shape));
    if (columns < 1 || count % columns != 0) {
        call.illegal(
            "weights " + weights.name, shape_text(weights.shape),
            "the weights have a column per value of an input row of " + shape_text(x.shape));
    }
    Shape shape{count / columns, results};
    if (options.keep_num_dims()) {
        if (x.shape.empty() || x.shape.back() != columns) {
            call.illegal("input", shape_text(x.shape),
                         "the last dimension is " + std::to_string(columns));
        }
        shape = x.shape;
        shape.back() = results;
    }
    finish_product(
        call, {x, weights, call.optional(2), 0, results, options.activation(), shape},
        [&](TensorIndex w) {
            return filter(ops_.reshape(w, {results, 1, 1, columns}, "filter"), columns, 1);
        },
        [&](TensorIndex rows, TensorIndex w, std::optional<TensorIndex> bias,
            const compose::ConvolutionOptions& with) {
            rows = ops_.reshape(rows, {count / columns, 1, 1, columns}, "rows");
            return compose::convolution(ops_, rows, w, bias, compose::Windows(2), with);
        });
}

void Lowering::batch_matmul(const Call& call) {
    const auto& options = call.options<wire::BatchMatMulOptions>();
    Value& x = call.input(0);
    Value& y = call.input(1);
    compose::MatmulOptions with;
    with.transpose_a = options.adj_x();
    with.transpose_b = options.adj_y();
    const auto inner = [](const Value& value, bool is_last) {
        return value.rank() < 2 ? -1 : value.shape[value.rank() - (is_last ? 1 : 2)];
    };
    if (inner(x, !options.adj_x()) != inner(y, options.adj_y()) || x.rank() < 2 || y.rank() < 2) {
        call.illegal("input " + y.name, shape_text(y.shape),
                     "the columns of the first matrix are the rows of the second one, here " +
                         shape_text(x.shape));
    }
    if (!is_quantised(call)) {
        return in_reals(call, compose::matmul(ops_, t_.real(x), t_.real(y), with));
    }
    with.zero_point_a = x.zero();
    with.zero_point_b = y.zero();
    const Value& output = call.output();
    with.finish = [&](TensorIndex sums) {
        return t_.rescaled(sums, x.scale() * y.scale() / output.scale(), output.device(),
                           {0, output.zero()});
    };
    give(call, compose::wide_matmul(ops_, t_.of(x), t_.of(y), with));
}

}  // namespace okksim::sim::graph::tflite
