// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/graph/operator_builder.h"

/// Attention of fp32, fp16 and bf16 values. fp16 and bf16 are computed in fp32, except products.
namespace okksim::sim::graph::compose {

struct AttentionOptions {
    std::optional<double> scale;  ///< of the scores; 1 / sqrt(D) if absent
    double softcap = 0;           ///< softcap tanh(score / softcap) if not 0
    /// Query i sees keys up to i + past. `past` is the number of keys before the first query.
    bool is_causal = false;
    std::int64_t past = 0;
    /// Query i sees at most this many keys up to its own: keys above i + past - left_window, and
    /// with `right_window` keys up to i + past + right_window. Absent: all.
    std::optional<std::int64_t> left_window;
    std::optional<std::int64_t> right_window;
    /// Numbers added to the scores, or kBool with true for keys that are seen. It broadcasts to
    /// [B,heads,S,K]; a lower rank gets leading ones.
    std::optional<TensorIndex> mask;
    /// Keys of each row: kI32 [B] at run time. Later keys are not seen.
    std::optional<TensorIndex> key_lengths;
};

/// The stages of the scores that ONNX's qk_matmul_output_mode can ask for.
struct AttentionResults {
    TensorIndex result = 0;   ///< [B,heads,S,Dv]
    TensorIndex product = 0;  ///< scale q k^T
    TensorIndex masked = 0;   ///< with the masks added
    TensorIndex capped = 0;   ///< after softcap
    TensorIndex weights = 0;  ///< after softmax
};

/// softmax(scale q k^T + mask) v. `q` [B,heads,S,D], `k` [B,key heads,K,D], `v` [B,key heads,K,Dv].
/// The number of heads is a multiple of that of the key heads: consecutive heads share one. The
/// order is ONNX's: product, softcap, mask, softmax. A row that sees no key gives zeros.
AttentionResults attention(OperatorBuilder& ops, TensorIndex q, TensorIndex k, TensorIndex v,
                           const AttentionOptions& options);

/// [B,S,heads D] to [B,heads,S,D] and back.
TensorIndex split_heads(OperatorBuilder& ops, TensorIndex x, std::int64_t heads);
TensorIndex join_heads(OperatorBuilder& ops, TensorIndex x);

struct RotaryOptions {
    /// Pairs are elements 2i and 2i + 1; otherwise i and i + rotated / 2.
    bool interleaved = false;
    std::int64_t rotated = 0;  ///< number of leading elements that turn; 0 for all
};
/// Turns pairs of elements of x [B,heads,S,D] by angles with these cosines and sines:
/// [B or 1,S,rotated / 2]. The other elements stay.
TensorIndex rotary_embedding(OperatorBuilder& ops, TensorIndex x, TensorIndex cosines,
                             TensorIndex sines, const RotaryOptions& options);
/// Rows of a cache [positions,rotated / 2] for kI32 positions [B,S]: [B,S,rotated / 2].
TensorIndex rotary_rows(OperatorBuilder& ops, TensorIndex cache, TensorIndex positions);
/// Rows first ... first + count - 1 of a cache: [1,count,rotated / 2].
TensorIndex rotary_rows(OperatorBuilder& ops, TensorIndex cache, std::int64_t first,
                        std::int64_t count);

}  // namespace okksim::sim::graph::compose
