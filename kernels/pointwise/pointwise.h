// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/container/static_vector.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/transfer/tile_io.h"

/// Operators whose output elements depend on the input elements of the same (broadcast) position
/// alone. The engine cuts the iteration space into tiles, moves them, converts between storage and
/// words, and overlaps all that; an operator is a function on words in local memory.
namespace okksim::kernels {

/// Most copies of an operand.
inline constexpr std::size_t kMostCopies = 20;

struct PointwiseInput {
    DeviceTensor tensor;  ///< every dimension is that of the output or 1
    WordForm form = WordForm::kValue;
    /// Tensors of these dimensions that lie one behind the other from `tensor.address` on.
    int copies = 1;
};

/// One tile as an operator's body sees it.
struct PointwiseTile {
    prim::LocalTensor output;  ///< plane to write; may be used as scratch before
    /// Words of the inputs in their order, all of the output's shape (operators on
    /// WordForm::kPacked use it for all operands); the body does not write them. An i48 input gives
    /// two tensors, low and high words, and `copies` many as many as it has.
    std::span<const prim::LocalTensor> inputs;
    /// Where the operator checks a condition: a plane in which the body sets the sign bit of
    /// elements that break it (other bits do not matter) and clears no sign bit.
    const prim::LocalTensor* violations = nullptr;
    prim::Scratch& scratch;
    local_addr_t table = 0;  ///< where the operator's table lies in every lane
};

struct PointwisePlan;

struct PointwiseOperator {
    boost::container::static_vector<PointwiseInput, kMaxOperands> inputs;
    DeviceTensor output;
    WordForm output_form = WordForm::kValue;  ///< form of the words that the body leaves
    int planes = 0;                           ///< scratch planes that the body takes
    bool checks = false;                      ///< the body reports violations
    /// Side by side in system memory; a copy goes to every lane. Groups of instructions with
    /// tables.
    std::optional<DeviceTensor> table = std::nullopt;
    /// Firmware makes it for every call: what it captures should fit into it (two pointers).
    std::function<void(const PointwiseTile&)> body;
};

/// Carries the operator out by a plan that was made for it, or for one with the same operands that
/// takes no less memory. True when the body reported a violation; waits for the machine only when
/// the operator checks.
bool run_pointwise(const PointwiseOperator& op, const PointwisePlan& plan);
/// Takes the plan as decision "tiles". For operators that depend on no value of an operand.
bool run_pointwise(const OperatorCall& call, const PointwiseOperator& op);

/// Issues the commands of the first `most` tiles; one tile is not overlapped with anything.
void run_tiles(const PointwiseOperator& op, const PointwisePlan& plan, std::int64_t most);

}  // namespace okksim::kernels
