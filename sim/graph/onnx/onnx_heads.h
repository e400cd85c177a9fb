// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/graph/compose/attention.h"
#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

/// An attention node under way. Heads are [B,heads,S,D].
class Heads {
 public:
    explicit Heads(const Call& call) : call_(call), ops_(call.ops()) {}

    /// Returns an operand [B,S,heads D] or [B,heads,S,D] as heads.
    TensorIndex of(std::size_t n, std::int64_t heads) const {
        const Value& value = call_.input(n);
        if (value.rank() == 4) return call_.tensor(n);
        call_.require(value.rank() == 3, "input " + std::to_string(n), shape_text(value.shape),
                      "the operand has three or four dimensions");
        return split(call_.tensor(n), heads, n);
    }

    TensorIndex split(TensorIndex x, std::int64_t heads, std::size_t n) const {
        const Shape& shape = ops_.shape(x);
        call_.require(heads > 0 && shape.back() % heads == 0, "input " + std::to_string(n),
                      shape_text(shape),
                      "the last dimension divides into " + std::to_string(heads) + " heads");
        return compose::split_heads(ops_, x, heads);
    }

    /// Puts the keys or values of earlier calls (operand n) before the new ones.
    TensorIndex with_past(std::size_t n, TensorIndex x) const {
        const Value* past = call_.optional_input(n);
        if (past == nullptr || element_count(past->shape) == std::uint64_t{0}) return x;
        Shape expected = ops_.shape(x);
        call_.require(past->rank() == 4, "input " + std::to_string(n), shape_text(past->shape),
                      "earlier keys have four dimensions");
        expected[2] = past->shape[2];
        call_.require(past->shape == expected, "input " + std::to_string(n),
                      shape_text(past->shape), "earlier keys have the shape of the new ones");
        return ops_.concat({call_.tensor(n), x}, 2, "present");
    }

    std::int64_t past_length(std::size_t n) const {
        const Value* past = call_.optional_input(n);
        return past == nullptr || past->rank() != 4 ? 0 : past->shape[2];
    }

    void set(std::size_t n, ElementType type, TensorIndex x) const {
        call_.set_tensor(n, type, ops_.shape(x), x);
    }

    /// Adds a mask to the options: sums of both if there are two.
    void add_mask(compose::AttentionOptions& options, TensorIndex mask) const {
        if (!options.mask) {
            options.mask = mask;
            return;
        }
        options.mask = ops_.binary(OpCode::kAdd, *options.mask, mask, "masks");
    }

    /// Returns numbers to add to scores from a mask of 1 (seen) and 0, in the given shape.
    TensorIndex added_numbers(std::size_t n, const Shape& shape, double hidden, DType type) const {
        const TensorIndex mask = ops_.reshape(call_.tensor(n), shape, "mask");
        TensorIndex is_seen = mask;
        if (ops_.type(mask) != DType::kBool) {
            const TensorIndex zero = ops_.number(ops_.type(mask), shape.size(), 0);
            is_seen = ops_.test(OpCode::kGreater, mask, zero, "seen");
        }
        return ops_.select(is_seen, ops_.number(type, shape.size(), 0),
                           ops_.number(type, shape.size(), hidden), "mask_numbers");
    }

 private:
    const Call& call_;
    OperatorBuilder& ops_;
};

/// Returns the options that all attention nodes have: scale and softcap.
inline compose::AttentionOptions score_options(const Call& call) {
    compose::AttentionOptions options;
    const double scale = call.real("scale", 0);
    if (scale != 0) options.scale = scale;
    options.softcap = call.real("softcap", 0);
    return options;
}

}  // namespace okksim::sim::graph::onnx
