// SPDX-License-Identifier: Apache-2.0
// Attention of ai.onnx, and rotary embeddings.
#include "sim/graph/onnx/onnx_heads.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

using compose::AttentionOptions;

void attention(const Call& call) {
    const Heads heads(call);
    const ElementType type = call.input(0).type;
    const bool is_flat = call.input(0).rank() == 3;
    const std::int64_t q_heads = is_flat ? call.required_integer("q_num_heads") : 0;
    const std::int64_t kv_heads = is_flat ? call.required_integer("kv_num_heads") : 0;
    const TensorIndex q = heads.of(0, q_heads);
    const TensorIndex k = heads.with_past(4, heads.of(1, kv_heads));
    const TensorIndex v = heads.with_past(5, heads.of(2, kv_heads));
    AttentionOptions options = score_options(call);
    options.is_causal = call.integer("is_causal", 0) != 0;
    options.past = heads.past_length(4);
    if (call.has_input(3)) options.mask = call.tensor(3);
    using Stage = compose::AttentionStage;
    constexpr Stage kStages[] = {Stage::kProduct, Stage::kMasked, Stage::kCapped, Stage::kWeights};
    const std::int64_t mode = call.integer("qk_matmul_output_mode", 0);
    call.require(mode >= 0 && mode <= 3, "qk_matmul_output_mode", std::to_string(mode),
                 "the mode is 0 to 3");
    if (call.has_output(3)) options.stage = kStages[mode];
    options.is_mask_before_softcap = true;
    const compose::AttentionResults results = compose::attention(call.ops(), q, k, v, options);
    heads.set(0, type, is_flat ? compose::join_heads(call.ops(), results.result) : results.result);
    heads.set(1, type, k);
    heads.set(2, type, v);
    if (results.stage) heads.set(3, type, *results.stage);
}

void rotary_embedding(const Call& call) {
    // ai.onnx has the caches first, com.microsoft the positions.
    const bool is_contrib = !call.node().domain.empty();
    const std::size_t cosine = is_contrib ? 2 : 1, sine = is_contrib ? 3 : 2,
                      positions = is_contrib ? 1 : 3;
    const Value& x = call.input(0);
    const Heads heads(call);
    OperatorBuilder& ops = call.ops();
    compose::RotaryOptions options;
    options.interleaved = call.integer("interleaved", 0) != 0;
    options.rotated = call.integer("rotary_embedding_dim", 0);
    std::int64_t count = call.integer("num_heads", 0);
    const bool is_flat = x.rank() == 3;
    if (is_flat && count == 0) {
        // Without the number of heads, the caches have the whole size of a head.
        call.require(is_contrib && options.rotated == 0, "num_heads", "missing",
                     "an input of three dimensions needs the number of heads");
        count = x.shape[2] / (2 * call.input(cosine).shape.back());
    }
    const TensorIndex all = heads.of(0, count);
    TensorIndex cosines = call.tensor(cosine), sines = call.tensor(sine);
    const std::int64_t batch = ops.shape(all)[0], steps = ops.shape(all)[2];
    if (Value* rows = call.optional_input(positions)) {
        if (element_count(rows->shape) == std::uint64_t{1} && steps * batch != 1) {
            const std::int64_t first = call.known_integer(positions, "positions");
            cosines = compose::rotary_rows(ops, cosines, first, steps);
            sines = compose::rotary_rows(ops, sines, first, steps);
        } else {
            const TensorIndex at = ops.reshape(call.tensor(positions), {batch, steps}, "rows");
            cosines = compose::rotary_rows(ops, cosines, at);
            sines = compose::rotary_rows(ops, sines, at);
        }
    }
    const TensorIndex turned = compose::rotary_embedding(ops, all, cosines, sines, options);
    heads.set(0, x.type, is_flat ? compose::join_heads(ops, turned) : turned);
}

}  // namespace okksim::sim::graph::onnx::lower
