// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// Order in which the dimensions of a value are stored.
enum class StorageOrder : std::uint8_t {
    kRowMajor,      ///< as the specification lists the dimensions
    kChannelFirst,  ///< the last dimension moved behind the first: NHWC as NCHW, NDHWC as NCDHW
};

/// What an operator wants of the storage of its data.
struct OrderRule {
    /// Inputs [0, feature_inputs) are feature maps that must be channel first, and so is output 0.
    int feature_inputs = 0;
    /// Output 0 is stored like input 0 (and the other inputs of the same rank should be too).
    bool follows_input = false;
    /// All inputs must be row major: kernels that are not ours.
    bool row_major_inputs = false;
};
OrderRule order_rule(tosa::OpCode op);

/// The storage order of every tensor of a block. Block inputs, outputs, constants and what blocks
/// inside this one capture are row major: they meet the host or other blocks.
std::vector<StorageOrder> choose_orders(const graph::Block& block);

}  // namespace okksim::sim::planning
