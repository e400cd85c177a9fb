// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/planning/value_uses.h"

/// Operators on integers as layers: what an int8 graph says in several operators (RESCALE, RESCALE,
/// ADD, RESCALE, CLAMP) is one function of bytes or sums.
namespace okksim::sim::planning {

/// A layer: an operator, with those before it that it stands for.
struct FoldedOperator {
    std::vector<std::uint32_t> members;  ///< positions in Block::operators; the last one's result
    std::vector<graph::TensorIndex> inputs;  ///< operands; maps where it is a function
    graph::TensorIndex output = 0;
    bool is_function = false;  ///< of bytes or sums: a ByteProgram
    bool scales_sums = false;  ///< a convolution whose sums are scaled
    /// Of a convolution: the first member is a RESHAPE that makes one pixel of a map.
    bool takes_whole_map = false;

    /// The member whose attributes and constants count: the convolution, or the last one.
    std::uint32_t operation() const {
        return scales_sums ? members[takes_whole_map ? 1 : 0] : members.back();
    }
};

/// Some operators of a block, in their order, as layers; `native`: a convolution with the RESCALE
/// of its sums, and CLAMPs, is one. Pure.
std::vector<FoldedOperator> fold_operators(const graph::Block& block, const ValueUses& uses,
                                           std::span<const std::uint32_t> operators, bool native);

/// What maps of a block's int8 values have taken away (LayerValue::offset), by tensor: the zero
/// point of the convolutions that read them, directly or through operators that move them.
std::vector<std::int32_t> map_offsets(const graph::Block& block);

/// CONV2D and DEPTHWISE_CONV2D, which groups take.
bool is_layer_convolution(tosa::OpCode op);
/// The first integer of an operand; nothing where that is not constant.
std::optional<std::int64_t> constant_of(const graph::Block& block, const graph::Operator& op,
                                        std::size_t operand);

}  // namespace okksim::sim::planning
