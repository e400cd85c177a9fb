// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/types.h"
#include "models/memory/local_memory.h"

namespace okksim::models {

/// Host addresses of one tensor of a command, seen lane by lane. Channel c belongs to relative lane
/// c % lanes and to channel slot c / lanes there. Strides are bytes over (n, slot, h, w).
struct WalkTensor {
    std::byte* base = nullptr;   ///< element (0, 0, 0, 0)
    std::int64_t lane_step = 0;  ///< from one relative lane to the next
    std::int32_t wrap_lane = 0;  ///< relative lanes from here on take wrap_step in addition
    std::int64_t wrap_step = 0;
    std::array<std::int64_t, 4> stride{};

    std::byte* lane(std::int64_t relative) const {
        return base + relative * lane_step + (relative >= wrap_lane ? wrap_step : 0);
    }
};

/// Describes a tensor in local memory; strides are in elements as in commands.
WalkTensor local_tensor(LocalMemory& memory, isa::LocalAddr addr, const isa::Dim4& stride,
                        std::int32_t element_bytes);
/// Describes a tensor in system memory with its first element at `first`; `lanes` as of the local
/// side.
WalkTensor system_tensor(std::byte* first, const isa::Dim4& stride, std::int32_t element_bytes,
                         std::int32_t lanes);
/// Describes one element that replaces a whole tensor. It must outlive the walk and is only read.
WalkTensor constant_tensor(const void* element);

/// Number of elements of a walk in (n, slot, h, w).
using WalkExtents = std::array<std::int64_t, 4>;

/// Loops over the elements of one lane in ascending (n, slot, h, w) order. Neighbouring dimensions
/// are merged wherever all tensors step evenly. The innermost loop is a row of `count` elements;
/// unused outer loops have extent 1.
template <std::size_t kTensors>
struct WalkNest {
    std::array<std::int64_t, 3> extent{1, 1, 1};                 ///< outermost first
    std::array<std::array<std::int64_t, kTensors>, 3> stride{};  ///< bytes
    std::int64_t count = 1;
    std::array<std::int64_t, kTensors> row_stride{};  ///< bytes
};

template <std::size_t kTensors>
WalkNest<kTensors> make_nest(const WalkExtents& extents,
                             const std::array<WalkTensor, kTensors>& tensors) {
    WalkNest<kTensors> nest;
    int depth = 0;  // dimensions assigned so far, counted from the row outwards
    std::int64_t* extent = &nest.count;
    std::array<std::int64_t, kTensors>* stride = &nest.row_stride;
    for (int dimension = 3; dimension >= 0; --dimension) {
        if (extents[dimension] == 1) continue;
        bool merges = depth > 0;
        for (std::size_t t = 0; merges && t < kTensors; ++t) {
            merges = tensors[t].stride[dimension] == *extent * (*stride)[t];
        }
        if (merges) {
            *extent *= extents[dimension];
            continue;
        }
        if (depth > 0) {
            extent = &nest.extent[3 - depth];
            stride = &nest.stride[3 - depth];
        }
        ++depth;
        *extent = extents[dimension];
        for (std::size_t t = 0; t < kTensors; ++t) (*stride)[t] = tensors[t].stride[dimension];
    }
    return nest;
}

/// All lanes of a command whose tensors have the same channels. Lanes below full_lanes hold one
/// channel slot more than the others.
template <std::size_t kTensors>
struct LaneWalk {
    std::array<WalkTensor, kTensors> tensors;
    std::int32_t lanes = 0;  ///< lanes that hold any channel
    std::int32_t full_lanes = 0;
    WalkExtents extents{};  ///< of a full lane
    WalkNest<kTensors> full;
    WalkNest<kTensors> rest;

    const WalkNest<kTensors>& nest(std::int64_t relative) const {
        return relative < full_lanes ? full : rest;
    }
    /// Calls row(at) for every row of a relative lane; at(t) is the address of the row's first
    /// element in tensor t. at() computes addresses on demand: copying arrays of them from loop to
    /// loop costs more than the products.
    template <typename Row>
    void for_each_row(std::int64_t relative, Row&& row) const {
        const WalkNest<kTensors>& loops = nest(relative);
        for (std::int64_t i0 = 0; i0 < loops.extent[0]; ++i0) {
            for (std::int64_t i1 = 0; i1 < loops.extent[1]; ++i1) {
                for (std::int64_t i2 = 0; i2 < loops.extent[2]; ++i2) {
                    row([&](std::size_t t) {
                        return tensors[t].lane(relative) + i0 * loops.stride[0][t] +
                               i1 * loops.stride[1][t] + i2 * loops.stride[2][t];
                    });
                }
            }
        }
    }
    /// Elements of one full lane.
    std::int64_t lane_elements() const { return extents[0] * extents[1] * extents[2] * extents[3]; }
};

template <std::size_t kTensors>
LaneWalk<kTensors> make_walk(const isa::Dim4& shape, std::int32_t lanes,
                             const std::array<WalkTensor, kTensors>& tensors) {
    LaneWalk<kTensors> walk;
    walk.tensors = tensors;
    const std::int32_t slots = (shape.c - 1) / lanes + 1;
    walk.lanes = slots > 1 ? lanes : shape.c;
    walk.full_lanes = shape.c - (slots - 1) * lanes;
    walk.extents = {shape.n, slots, shape.h, shape.w};
    walk.full = make_nest<kTensors>(walk.extents, tensors);
    if (walk.full_lanes < walk.lanes) {
        walk.rest = make_nest<kTensors>({shape.n, slots - 1, shape.h, shape.w}, tensors);
    }
    return walk;
}

/// True if two orders of work may give different results: row by row, and element by element in
/// ascending order. They can differ if `source` and `destination` overlap, unless they are the same
/// tensor or interleave without contact. Both start in the same lane.
bool order_matters(const WalkTensor& destination, const WalkTensor& source,
                   const WalkExtents& extents, std::int32_t element_bytes);

}  // namespace okksim::models
