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

/// Whether the operator reads all elements of operand `index` when all of its results are wanted.
bool reads_whole(const graph::Block& block, const graph::Operator& op, std::size_t index);

/// What operators take of a machine's compute engines. Equal ones are priced once.
class OperatorNeeds {
 public:
    explicit OperatorNeeds(pricing::MachineHost& host) : host_(host) {}

    /// What an operator, all of whose results are wanted, takes in any plan. Nothing for copies and
    /// views, and for integers other than products: their commands differ from machine to machine.
    ComputeNeed of(const graph::Block& block, const graph::Operator& op);

 private:
    /// Commands on one vector of every lane, and on two.
    struct BodyNeed {
        ComputeNeed one, two;
    };
    /// An element-wise operator of floating point: all kernels use the same commands on words.
    ComputeNeed of_elements(const graph::Block& block, const graph::Operator& op);
    ComputeNeed of_windows(tosa::OpCode op, const WindowSums& sums);

    pricing::MachineHost& host_;
    std::vector<std::pair<const graph::Operator*, BodyNeed>> bodies_;
    std::vector<std::pair<std::pair<tosa::OpCode, WindowSums>, ComputeNeed>> windows_;
};

/// Bytes of an operator's weights, where they are constant: no plan does without them.
std::uint64_t weight_bytes(const graph::Block& block, const graph::Operator& op);

/// Bytes of a value in global memory.
std::uint64_t value_bytes(const graph::Tensor& tensor);

}  // namespace okksim::sim::bound
