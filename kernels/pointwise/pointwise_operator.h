// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/transfer/tile_io.h"

namespace okksim::kernels {

/// Most copies of an operand.
inline constexpr std::size_t kMostCopies = 20;

struct PointwiseInput {
    DeviceTensor tensor;  ///< every dimension is that of the output or 1
    WordForm form = WordForm::kValue;
    /// Number of tensors of these dimensions, one after the other from `tensor.address` on.
    int copies = 1;
};

/// One tile, as input of an operator's body.
struct PointwiseTile {
    prim::LocalTensor output;  ///< plane to write; may be used as scratch before
    /// Words of the inputs in order, which the body must not write. All have the output's shape
    /// (operators on WordForm::kPacked use it for all operands). An i48 input gives two tensors,
    /// low and high words. An input with `copies` gives one tensor per copy.
    std::span<const prim::LocalTensor> inputs;
    /// Plane for violations, if the operator checks a condition. The body sets the sign bit of
    /// elements that violate it (other bits do not matter) and clears no sign bit.
    const prim::LocalTensor* violations = nullptr;
    prim::Scratch& scratch;
    local_addr_t table = 0;  ///< address of the operator's table in every lane
};

struct PointwiseOperator {
    boost::container::static_vector<PointwiseInput, kMaxOperands> inputs;
    DeviceTensor output;
    WordForm output_form = WordForm::kValue;  ///< form of the words that the body writes
    int planes = 0;                           ///< scratch planes that the body needs
    bool checks = false;                      ///< the body reports violations
    /// Contiguous in system memory; every lane gets a copy. For ISA extensions with tables.
    std::optional<DeviceTensor> table = std::nullopt;
    /// Firmware creates it for every call. Captures should fit into its small buffer (two
    /// pointers).
    std::function<void(const PointwiseTile&)> body;
};

}  // namespace okksim::kernels
