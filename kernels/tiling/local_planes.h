// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/call/tensor.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels {

/// Planes of one size in local memory, one after the other: part of a plan.
struct LocalPlanes {
    local_addr_t address = 0;
    std::uint32_t bytes = 0;  ///< of one

    local_addr_t at(std::size_t index) const {
        return address + static_cast<std::uint32_t>(index) * bytes;
    }
};

/// Planner: allocates planes from the bottom of local memory up. Computes in 64 bits, because
/// candidates may be far too large.
class LocalPlacement {
 public:
    explicit LocalPlacement(const Lanes& lanes) : lanes_(lanes) {}

    /// Bytes of a plane of words and of a packed tile.
    std::int64_t plane(const dim4& shape) const {
        return lanes_.slots(shape.c) * isa::kWordBytes *
               lanes_.whole_lines(std::int64_t{shape.h} * shape.w);
    }
    std::int64_t packed(tosa::DType type, const dim4& shape) const {
        return lanes_.slots(shape.c) *
               lanes_.whole_line_bytes(std::int64_t{shape.h} * shape.w * stored_bytes(type));
    }
    LocalPlanes take(std::int64_t bytes, std::int64_t count) {
        const LocalPlanes planes{static_cast<local_addr_t>(next_),
                                 static_cast<std::uint32_t>(bytes)};
        next_ += bytes * count;
        return planes;
    }
    /// Address of the next planes, which is the size of all previous ones.
    std::int64_t next() const { return next_; }

 private:
    Lanes lanes_;
    std::int64_t next_ = 0;
};

}  // namespace okksim::kernels
