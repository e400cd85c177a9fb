// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "firmware/okk.h"
#include "kernels/prim/lanes.h"

namespace okksim::kernels::prim {

/// A tensor of 32-bit words in local memory: int32 (two's complement), fp32, or bool (0 or 1). The
/// strides count words; without them the tensor is in the aligned layout.
struct LocalTensor {
    local_addr_t address = 0;
    dim4 shape{1, 1, 1, 1};
    std::optional<dim4> stride;

    /// Argument of okk calls: the strides, or NULL for the aligned layout.
    const dim4* strides() const { return stride ? &*stride : nullptr; }
};

/// One value per channel, broadcast over every position of `shape`: a compact [1, C, 1, 1] vector.
LocalTensor channel_vector(local_addr_t address, const dim4& shape);

/// Bytes per lane of one plane: a tensor of words in the aligned layout that starts in lane 0.
constexpr std::uint32_t plane_bytes(const dim4& shape, const Lanes& lanes) {
    const std::int64_t words = std::int64_t{shape.h} * shape.w;
    return static_cast<std::uint32_t>(shape.n * lanes.slots(shape.c) * isa::kWordBytes *
                                      lanes.whole_lines(words));
}

/// Memory for intermediate planes: a range of local memory that starts in lane 0. Its size comes
/// from the k...Planes constant of the called primitive. Taking more than that is a bug of the
/// caller (internal check).
class Scratch {
 public:
    /// `begin` is the address of a line; `bytes` is per lane.
    Scratch(local_addr_t begin, std::uint32_t bytes, const Lanes& lanes)
        : next_(begin), end_(begin + bytes), lanes_(lanes) {}

    const Lanes& lanes() const { return lanes_; }
    std::uint32_t bytes_left() const { return end_ - next_; }

    /// Allocates planes and frees them when it goes out of scope.
    class Frame {
     public:
        explicit Frame(Scratch& scratch) : scratch_(scratch), start_(scratch.next_) {}
        ~Frame() { scratch_.next_ = start_; }
        Frame(const Frame&) = delete;
        Frame& operator=(const Frame&) = delete;

        /// A plane with undefined content.
        LocalTensor plane(const dim4& shape) { return scratch_.take(shape); }

     private:
        Scratch& scratch_;
        local_addr_t start_;
    };

 private:
    LocalTensor take(const dim4& shape);

    local_addr_t next_;
    local_addr_t end_;
    Lanes lanes_;
};

}  // namespace okksim::kernels::prim
