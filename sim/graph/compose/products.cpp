// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/products.h"

namespace okksim::sim::graph::compose {

TensorIndex matmul(OperatorBuilder& ops, TensorIndex a, TensorIndex b,
                   const MatmulOptions& options) {
    const DType type = ops.type(a);
    const TensorIndex product = wide_matmul(ops, a, b, options);
    return is_floating_point(type) && !options.finish ? ops.cast(product, type, "rounded")
                                                      : product;
}

TensorIndex gemm(OperatorBuilder& ops, TensorIndex a, TensorIndex b, std::optional<TensorIndex> c,
                 const GemmOptions& options) {
    const DType type = ops.type(a);
    MatmulOptions transposes;
    transposes.transpose_a = options.transpose_a;
    transposes.transpose_b = options.transpose_b;
    TensorIndex sum = wide_matmul(ops, a, b, transposes);
    const DType wide = ops.type(sum);
    const auto scaled = [&](TensorIndex x, double factor) {
        return factor == 1 ? x : ops.product(x, ops.number(wide, ops.rank(x), factor), "scaled");
    };
    sum = scaled(sum, options.alpha);
    if (c && options.beta != 0) {
        const TensorIndex added = scaled(ops.cast(*c, wide, "wide_c"), options.beta);
        sum = ops.binary(OpCode::kAdd, sum, added, "with_c");
    }
    return ops.cast(sum, type, "rounded");
}

}  // namespace okksim::sim::graph::compose
