// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention. The machine runs MATMUL, scale, mask, softmax and MATMUL as one
// kernel (kernels/rows).
#include "sim/graph/compose/attention.h"

#include <algorithm>
#include <cmath>

#include "sim/graph/compose/axes.h"
#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/normalisation.h"
#include "sim/graph/compose/real.h"

namespace okksim::sim::graph::compose {

namespace {

/// Half of the least fp32 number, so that the sum of two masks is finite.
constexpr double kHidden = -0x1.fffffep126;

class Scores {
 public:
    Scores(OperatorBuilder& ops, TensorIndex q, TensorIndex k, const AttentionOptions& options)
        : ops_(ops), options_(options), type_(ops.type(q)) {
        const Shape of_q = ops.shape(q);
        const Shape of_k = ops.shape(k);
        images_ = of_q[0], heads_ = of_q[1], queries_ = of_q[2], depth_ = of_q[3];
        key_heads_ = of_k[1], keys_ = of_k[2];
        is_per_head_ = options.mask || options.key_lengths;
    }

    /// Heads that share keys are rows of one matrix: [B key heads, heads / key heads S, K].
    Real product(TensorIndex q, TensorIndex k) const {
        const std::int64_t matrices = images_ * key_heads_;
        const TensorIndex rows =
            ops_.reshape(q, {matrices, heads_ / key_heads_ * queries_, depth_}, "queries");
        const TensorIndex columns =
            transposed(ops_, reshaped(ops_, k, {matrices, keys_, depth_}), {0, 2, 1});
        const double scale = options_.scale.value_or(1 / std::sqrt(static_cast<double>(depth_)));
        const Real scores(ops_, matrix_product(ops_, rows, columns, "scores"));
        return in_heads(scores * scale);
    }

    Real masked(Real scores) const {
        if (const auto mask = run_time_mask()) scores = scores + *mask;
        return scores;
    }

    Real capped(const Real& scores) const {
        if (options_.softcap == 0) return scores;
        return tanh_of(scores * (1 / options_.softcap)) * options_.softcap;
    }

    Real weights(const Real& scores) const {
        return {ops_, softmax(ops_, scores.tensor(), {scores.rank() - 1})};
    }

    TensorIndex stage(const Real& scores) const {
        const TensorIndex all =
            ops_.reshape(scores.tensor(), {images_, heads_, queries_, keys_}, "stage");
        return ops_.cast(all, type_, "stage_narrowed");
    }

    TensorIndex values(const Real& weights, TensorIndex v) const {
        const std::int64_t matrices = images_ * key_heads_;
        const std::int64_t columns = ops_.shape(v)[3];
        const TensorIndex rows =
            ops_.cast(ops_.reshape(weights.tensor(),
                                   {matrices, heads_ / key_heads_ * queries_, keys_}, "matrices"),
                      ops_.type(v), "weights");
        const TensorIndex all = reshaped(ops_, v, {matrices, keys_, columns});
        const TensorIndex sums = matrix_product(ops_, rows, all, "weighted");
        const TensorIndex result =
            ops_.reshape(sums, {images_, heads_, queries_, columns}, "in_heads");
        return ops_.cast(result, type_, "attention");
    }

 private:
    /// Masks of run time may differ for images and heads.
    Real in_heads(const Real& scores) const {
        if (!is_per_head_) return scores;
        return {ops_, ops_.reshape(scores.tensor(), {images_, heads_, queries_, keys_}, "heads")};
    }

    bool is_seen(std::int64_t query, std::int64_t key) const {
        const std::int64_t own = query + options_.past;
        if (options_.is_causal && key > own) return false;
        if (options_.right_window && key > own + *options_.right_window) return false;
        return !options_.left_window || key > own - *options_.left_window;
    }

    /// The mask by position, repeated for heads that share a matrix; nothing if all keys are seen.
    std::optional<Real> position_mask() const {
        std::vector<double> values;
        bool is_needed = false;
        for (std::int64_t query = 0; query < queries_; ++query) {
            for (std::int64_t key = 0; key < keys_; ++key) {
                values.push_back(is_seen(query, key) ? 0 : kHidden);
                is_needed = is_needed || values.back() != 0;
            }
        }
        if (!is_needed) return std::nullopt;
        if (is_per_head_) {
            return Real(ops_, real_values(ops_, DType::kFp32, {1, 1, queries_, keys_}, values,
                                          "position_mask"));
        }
        const std::int64_t shared = heads_ / key_heads_;
        const std::vector<double> once = values;
        for (std::int64_t i = 1; i < shared; ++i) {
            values.insert(values.end(), once.begin(), once.end());
        }
        return Real(ops_, real_values(ops_, DType::kFp32, {1, shared * queries_, keys_}, values,
                                      "position_mask"));
    }

    Real hidden_where_not(TensorIndex seen) const {
        const std::size_t rank = ops_.rank(seen);
        return {ops_, choose(ops_, seen, ops_.number(DType::kFp32, rank, 0),
                             ops_.number(DType::kFp32, rank, kHidden))};
    }

    /// The sum of all masks, which is smaller than the scores if they broadcast.
    std::optional<Real> run_time_mask() const {
        std::optional<Real> sum = position_mask();
        const auto add = [&](const Real& mask) { sum = sum ? mask + *sum : mask; };
        if (options_.mask) {
            const TensorIndex mask = with_rank(ops_, *options_.mask, 4);
            add(ops_.type(mask) == DType::kBool
                    ? hidden_where_not(mask)
                    : Real(ops_, ops_.cast(mask, DType::kFp32, "mask")));
        }
        if (options_.key_lengths) {
            const TensorIndex lengths =
                ops_.reshape(*options_.key_lengths, {images_, 1, 1, 1}, "key_lengths");
            add(hidden_where_not(
                ops_.test(OpCode::kGreater, lengths, positions(ops_, 4, 3, keys_), "is_key")));
        }
        return sum;
    }

    OperatorBuilder& ops_;
    const AttentionOptions& options_;
    DType type_;
    std::int64_t images_, heads_, queries_, depth_, key_heads_, keys_;
    bool is_per_head_;
};

}  // namespace

AttentionResults attention(OperatorBuilder& ops, TensorIndex q, TensorIndex k, TensorIndex v,
                           const AttentionOptions& options) {
    using Stage = AttentionStage;
    const Scores scores(ops, q, k, options);
    AttentionResults results;
    const auto keep = [&](Stage stage, const Real& value) {
        if (options.stage == stage) results.stage = scores.stage(value);
    };
    Real value = scores.product(q, k);
    keep(Stage::kProduct, value);
    if (options.is_mask_before_softcap) {
        value = scores.masked(value);
        keep(Stage::kMasked, value);
        value = scores.capped(value);
        keep(Stage::kCapped, value);
    } else {
        value = scores.capped(value);
        keep(Stage::kCapped, value);
        value = scores.masked(value);
        keep(Stage::kMasked, value);
    }
    const Real weights = scores.weights(value);
    keep(Stage::kWeights, weights);
    results.result = scores.values(weights, v);
    return results;
}

TensorIndex split_heads(OperatorBuilder& ops, TensorIndex x, std::int64_t heads) {
    const Shape shape = ops.shape(x);
    const TensorIndex apart =
        ops.reshape(x, {shape[0], shape[1], heads, shape[2] / heads}, "heads_apart");
    return ops.transpose(apart, {0, 2, 1, 3}, "heads_first");
}

TensorIndex join_heads(OperatorBuilder& ops, TensorIndex x) {
    const Shape shape = ops.shape(x);
    const TensorIndex last = ops.transpose(x, {0, 2, 1, 3}, "heads_last");
    return ops.reshape(last, {shape[0], shape[2], shape[1] * shape[3]}, "heads_joined");
}

}  // namespace okksim::sim::graph::compose
