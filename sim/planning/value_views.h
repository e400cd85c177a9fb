// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "kernels/call/tensor.h"
#include "kernels/tiling/nd_tiles.h"
#include "sim/graph/graph.h"
#include "sim/planning/value_uses.h"

namespace okksim::sim::planning {

/// Values that are other values' bytes, in the same order or in that of other strides. Pure.
class ValueViews {
 public:
    /// `strided`: views may have the strides that their source gives them, where all who read them
    /// take any.
    ValueViews(const graph::Block& block, const ValueUses& uses, bool strided)
        : block_(block), uses_(uses), strided_(strided) {}

    /// The strides of the operator's result as a view of its first input, stored as `from`;
    /// nothing where it needs a copy. `to`: the result as it would be stored.
    std::optional<kernels::NdStrides> view(const graph::Operator& op,
                                           const kernels::DeviceTensor& from,
                                           const kernels::DeviceTensor& to) const;

    /// Whether the operator's result is its first input, element by element.
    bool keeps_values(const graph::Operator& op) const;

    /// Whether all who read a value of these strides are operators on feature maps that find them
    /// channel first, or views on the way there.
    bool leads_to_maps(graph::TensorIndex value, const kernels::NdStrides& strides) const;

 private:
    /// Who may read a value: operators on feature maps, or also those that take any strides.
    enum class Readers { kMaps, kMapsAndProducts };

    bool suits(graph::TensorIndex value, const kernels::NdStrides& strides, Readers readers) const;
    bool reads(const graph::Operator& op, graph::TensorIndex value,
               const kernels::NdStrides& strides, Readers readers) const;
    const graph::Block& block_;
    const ValueUses& uses_;
    bool strided_;
};

/// RESHAPE and TRANSPOSE.
bool moves_elements(tosa::OpCode op);

/// Strides of the same elements under other dimensions in row-major order of the indices; nothing
/// where no strides reach them.
std::optional<kernels::NdStrides> reshaped_strides(std::span<const std::int32_t> dims,
                                                   const kernels::NdStrides& strides,
                                                   std::span<const std::int32_t> to);

/// Whether the elements lie at the same places; dimensions of extent 1 do not matter.
bool same_places(std::span<const std::int32_t> dims, const kernels::NdStrides& a,
                 const kernels::NdStrides& b);

}  // namespace okksim::sim::planning
