// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/graph/operator_builder.h"

/// Attention of fp32, fp16 and bf16 values. Operands of products have the type of the operands, and
/// all else is fp32.
namespace okksim::sim::graph::compose {

/// Stages of the scores, as ONNX's qk_matmul_output_mode asks for them.
enum class AttentionStage : std::uint8_t { kNone, kProduct, kMasked, kCapped, kWeights };

struct AttentionOptions {
    std::optional<double> scale;  ///< of the scores; 1 / sqrt(D) if absent
    double softcap = 0;           ///< softcap tanh(score / softcap) if not 0
    /// ONNX's Attention adds masks before the softcap, others after it.
    bool is_mask_before_softcap = false;
    /// Query i sees keys up to i + past. `past` is the number of keys before the first query.
    bool is_causal = false;
    std::int64_t past = 0;
    /// Query i sees this many keys up to its own, and this many after it. Absent: all.
    std::optional<std::int64_t> left_window;
    std::optional<std::int64_t> right_window;
    /// Numbers added to the scores, or kBool with true for keys that are seen. It broadcasts to
    /// [B,heads,S,K]; a lower rank gets leading ones.
    std::optional<TensorIndex> mask;
    /// Keys of each image at run time: kI32 [B]. Later keys are not seen.
    std::optional<TensorIndex> key_lengths;
    AttentionStage stage = AttentionStage::kNone;  ///< an additional result
};

struct AttentionResults {
    TensorIndex result = 0;            ///< [B,heads,S,Dv]
    std::optional<TensorIndex> stage;  ///< [B,heads,S,K]
};

/// softmax(scale q k^T + mask) v. `q` [B,heads,S,D], `k` [B,key heads,K,D], `v` [B,key heads,K,Dv].
/// The number of heads is a multiple of that of the key heads: consecutive heads share one. A query
/// that sees no key gets the mean of all values. Results have the type of `q`.
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
