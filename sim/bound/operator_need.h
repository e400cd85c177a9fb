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

/// The needed part of a value: all of it, or some rows and columns of a feature map [N, H, W, C]. A
/// part has all images and channels, and the positions of its rows and columns are unknown.
struct NeededPart {
    bool all = false;
    std::int64_t rows = 0, columns = 0;
    std::int64_t reach = 0;  ///< number of rows from the first to the last needed one

    bool any() const { return all || (rows > 0 && columns > 0); }
    void widen(const NeededPart& other);
    std::int64_t elements_of(const graph::Tensor& tensor) const;
    bool operator==(const NeededPart&) const = default;
};

/// Returns the part of operand `index` that the operator reads for the part `wanted` of its result.
NeededPart read_part(const graph::Block& block, const graph::Operator& op, std::size_t index,
                     const NeededPart& wanted);

/// True for fp32 feature maps whose channel-first order differs from row major.
bool is_ordered(const graph::Tensor& tensor);
/// True if the operator takes and produces channel-first feature maps.
bool is_by_channel(const graph::Block& block, const graph::Operator& op);
/// True if the operator takes and produces feature maps of one shape, all in the same order.
bool is_by_element(const graph::Block& block, const graph::Operator& op);

/// Lower bounds of the compute engines' work for operators. Equal operators are priced once.
class OperatorNeeds {
 public:
    explicit OperatorNeeds(pricing::MachineHost& host) : host_(host) {}

    /// Returns the work that any plan needs for the part `wanted` of the operator's result. Returns
    /// zero for copies and views. It also returns zero for integer operators other than products,
    /// because their commands differ between machines.
    ComputeNeed of(const graph::Block& block, const graph::Operator& op, const NeededPart& wanted);

 private:
    /// Cycles per additional vector of a lane, and commands.
    struct BodyNeed {
        bool takes_number = false;
        ComputeNeed of_vector;
    };
    /// Returns the work of a floating-point element-wise operator. Kernels use the commands of its
    /// body, or fewer if they know more about an operand.
    ComputeNeed of_elements(const graph::Block& block, const graph::Operator& op,
                            const NeededPart& wanted);
    ComputeNeed of_windows(tosa::OpCode op, const WindowSums& sums);

    pricing::MachineHost& host_;
    std::vector<std::pair<const graph::Operator*, BodyNeed>> bodies_;
    std::vector<std::pair<std::pair<tosa::OpCode, WindowSums>, ComputeNeed>> windows_;
};

/// Returns the bytes of the operator's constant weights, which every plan loads. Zero if there are
/// none.
std::uint64_t weight_bytes(const graph::Block& block, const graph::Operator& op);

/// Return the bytes of a value, or of a part of it, in global memory.
std::uint64_t value_bytes(const graph::Tensor& tensor);
std::uint64_t part_bytes(const graph::Tensor& tensor, const NeededPart& part);

}  // namespace okksim::sim::bound
