// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "models/chip/machine_params.h"
#include "sim/bound/engine_need.h"
#include "sim/bound/window_need.h"
#include "sim/graph/graph.h"
#include "sim/pricing/machine_host.h"

namespace okksim::sim::bound {

/// What of a value is needed: all of it, or all images and channels of some rows and columns of a
/// map [N, H, W, C], whichever those are.
struct NeededPart {
    bool all = false;
    std::int64_t rows = 0, columns = 0;
    std::int64_t reach = 0;  ///< rows from the first to the last of these

    bool any() const { return all || (rows > 0 && columns > 0); }
    void widen(const NeededPart& other);
    std::int64_t elements_of(const graph::Tensor& tensor) const;
    bool operator==(const NeededPart&) const = default;
};

/// What the operator reads of operand `index` where `wanted` of its result is wanted.
NeededPart read_part(const graph::Block& block, const graph::Operator& op, std::size_t index,
                     const NeededPart& wanted);

/// Maps of fp32 whose channels and pixels lie in another order in lanes than row major.
bool is_ordered(const graph::Tensor& tensor);
/// Takes maps channel by channel and gives such.
bool is_by_channel(const graph::Block& block, const graph::Operator& op);
/// Takes and gives maps of one shape in any one order.
bool is_by_element(const graph::Block& block, const graph::Operator& op);

/// What operators take of a machine's compute engines. Equal ones are priced once.
class OperatorNeeds {
 public:
    explicit OperatorNeeds(pricing::MachineHost& host) : host_(host) {}

    /// What an operator takes in any plan where `wanted` of its result is wanted. Nothing for
    /// copies and views, and for integers other than products: their commands differ from machine
    /// to machine.
    ComputeNeed of(const graph::Block& block, const graph::Operator& op, const NeededPart& wanted);

 private:
    /// Cycles that each further vector of a lane takes, and commands.
    struct BodyNeed {
        bool takes_number = false;
        ComputeNeed of_vector;
    };
    /// An element-wise operator of floating point: kernels use the same commands on words, or,
    /// where they know more of an operand, fewer.
    ComputeNeed of_elements(const graph::Block& block, const graph::Operator& op,
                            const NeededPart& wanted);
    ComputeNeed of_windows(tosa::OpCode op, const WindowSums& sums);

    pricing::MachineHost& host_;
    std::vector<std::pair<const graph::Operator*, BodyNeed>> bodies_;
    std::vector<std::pair<std::pair<tosa::OpCode, WindowSums>, ComputeNeed>> windows_;
};

/// Bytes of an operator's weights, where they are constant: no plan does without them.
std::uint64_t weight_bytes(const graph::Block& block, const graph::Operator& op);

/// Bytes of a value, or of a part of it, in global memory.
std::uint64_t value_bytes(const graph::Tensor& tensor);
std::uint64_t part_bytes(const graph::Tensor& tensor, const NeededPart& part);

}  // namespace okksim::sim::bound
