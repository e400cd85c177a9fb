// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/planning/value_uses.h"

/// Folds operators on integers into layers. Several operators of an int8 graph (RESCALE, RESCALE,
/// ADD, RESCALE, CLAMP) become one function of bytes or sums.
namespace okksim::sim::planning {

/// A layer: an operator, and the earlier ones that are folded into it.
struct FoldedOperator {
    std::vector<std::uint32_t> members;      ///< positions in Block::operators; the last: `output`
    std::vector<graph::TensorIndex> inputs;  ///< operands; only feature maps for a function
    graph::TensorIndex output = 0;
    bool is_function = false;  ///< on bytes or sums: a ByteProgram
    bool scales_sums = false;  ///< a convolution that scales its sums
    /// A convolution whose first member is a RESHAPE of the feature map to one pixel.
    bool takes_whole_map = false;

    /// The member whose attributes and constants are used: the convolution, or the last one.
    std::uint32_t operation() const {
        return scales_sums ? members[takes_whole_map ? 1 : 0] : members.back();
    }
};

/// Folds operators of a block, in order. With `native`, a convolution includes the RESCALE of its
/// sums and CLAMPs. Pure.
std::vector<FoldedOperator> fold_operators(const graph::Block& block, const ValueUses& uses,
                                           std::span<const std::uint32_t> operators, bool native);

/// Returns by tensor the offset that is subtracted from int8 feature maps (LayerValue::offset). It
/// is the zero point of the convolutions that read them, directly or through data movement.
std::vector<std::int32_t> map_offsets(const graph::Block& block);

/// True for CONV2D and DEPTHWISE_CONV2D, which layer groups support.
bool is_layer_convolution(tosa::OpCode op);
/// Returns the first integer of an operand, or no value if the operand is not constant.
std::optional<std::int64_t> constant_of(const graph::Block& block, const graph::Operator& op,
                                        std::size_t operand);

}  // namespace okksim::sim::planning
