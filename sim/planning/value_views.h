// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/tiling/nd_tiles.h"
#include "sim/graph/graph.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {

/// Values that are views of other values, in the same order or with other strides. Pure.
class ValueViews {
 public:
    /// `strided`: views may have their source's strides if all readers accept any strides.
    ValueViews(const graph::Block& block, const ValueUses& uses, bool strided)
        : block_(block), uses_(uses), strided_(strided) {}

    /// Returns the strides of the operator's result as a view of its first input, stored as `from`.
    /// Returns no value if a copy is needed. `to` is the result as it would be stored.
    std::optional<kernels::NdStrides> view(const graph::Operator& op,
                                           const kernels::DeviceTensor& from,
                                           const kernels::DeviceTensor& to) const;

    /// True if the operator's result equals its first input, element by element.
    bool keeps_values(const graph::Operator& op) const;

    /// True if all readers of a value with these strides use it as a channel-first feature map,
    /// directly or through views.
    bool leads_to_maps(graph::TensorIndex value, const kernels::NdStrides& strides) const;

 private:
    /// The readers that are accepted: operators on feature maps, or also those that take any
    /// strides.
    enum class Readers { kMaps, kMapsAndProducts };

    bool suits(graph::TensorIndex value, const kernels::NdStrides& strides, Readers readers) const;
    bool reads(const graph::Operator& op, graph::TensorIndex value,
               const kernels::NdStrides& strides, Readers readers) const;
    const graph::Block& block_;
    const ValueUses& uses_;
    bool strided_;
};

/// True for RESHAPE and TRANSPOSE.
bool moves_elements(tosa::OpCode op);

/// Returns strides of the same elements under other dimensions, in row-major order of the indices.
/// Returns no value if no strides exist.
std::optional<kernels::NdStrides> reshaped_strides(std::span<const std::int32_t> dims,
                                                   const kernels::NdStrides& strides,
                                                   std::span<const std::int32_t> to);

/// True if the elements have the same offsets. Dimensions of extent 1 do not matter.
bool same_places(std::span<const std::int32_t> dims, const kernels::NdStrides& a,
                 const kernels::NdStrides& b);

}  // namespace okksim::sim::planning
