// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/graph/graph.h"

namespace okksim::sim::planning {

/// The order in which the dimensions of a value are stored.
enum class StorageOrder : std::uint8_t {
    kRowMajor,      ///< the specification's order of dimensions
    kChannelFirst,  ///< the last dimension moved after the first: NHWC as NCHW, NDHWC as NCDHW
};

/// The storage orders that an operator requires.
struct OrderRule {
    /// Inputs [0, feature_inputs) are feature maps that must be channel first, and so is output 0.
    int feature_inputs = 0;
    /// Output 0 is stored like input 0. Other inputs of the same rank should have that order too.
    bool follows_input = false;
    /// All inputs must be row major, for kernels of user libraries.
    bool row_major_inputs = false;
};
OrderRule order_rule(tosa::OpCode op);

/// Returns the storage order of every tensor of a block. Block inputs, outputs, constants and
/// captures of inner blocks are row major, because the host or other blocks access them.
std::vector<StorageOrder> choose_orders(const graph::Block& block);

}  // namespace okksim::sim::planning
