// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/pointwise.h"
#include "kernels/tiling/nd_tiles.h"

namespace okksim::kernels {

/// Tile size and local memory of a pointwise operator. From the bottom up: buffers of the inputs
/// and the output (two each unless one tile holds all), words of those that need them besides, the
/// violations, scratch planes. A buffer is packed, or holds words where the operand is spread.
class PointwiseMemory {
 public:
    explicit PointwiseMemory(const PointwiseOperator& op);

    std::span<const std::int32_t> dims() const { return dims_; }
    /// Of the inputs and the output over dims().
    std::span<const NdStrides> strides() const { return strides_; }
    const NdLimits& limits() const { return limits_; }

    int other_buffer(int buffer) const { return buffers_ == 2 ? 1 - buffer : 0; }
    /// Whether the data mover spreads the operand over words (spread_io.h).
    bool spreads_input(std::size_t input) const { return inputs_[input].spread; }
    bool spreads_output() const { return output_.spread; }
    local_addr_t input_buffer(std::size_t input, int buffer, int copy) const;
    /// Bytes from one copy to the next.
    std::uint32_t input_buffer_step(std::size_t input) const { return inputs_[input].buffer_bytes; }
    local_addr_t input_words(std::size_t input, int copy) const;
    local_addr_t output_buffer(int buffer) const;
    local_addr_t output_words() const { return output_.words; }
    local_addr_t violations() const { return violations_; }
    /// Words per lane of the violations' plane.
    int violation_words() const { return static_cast<int>(plane_bytes_ / 4); }
    prim::Scratch scratch() const;

 private:
    struct Region {
        bool spread = false;
        local_addr_t buffer = 0;
        std::uint32_t buffer_bytes = 0;  ///< of one copy
        std::uint32_t copies = 1;
        local_addr_t words = 0;
        std::uint32_t words_bytes = 0;  ///< of one copy; 0 when words lie in the buffer
    };

    void choose_limits(const PointwiseOperator& op);
    std::uint64_t place(const PointwiseOperator& op, const NdLimits& limits, int buffers);
    Region input_region(const PointwiseInput& input, const dim4& loaded) const;
    Region output_region(const PointwiseOperator& op, const dim4& shape) const;

    int lanes_;
    std::uint32_t local_bytes_;
    std::vector<std::int32_t> dims_;
    std::vector<NdStrides> strides_;
    NdLimits limits_;
    int buffers_ = 2;
    std::vector<Region> inputs_;
    Region output_;
    local_addr_t violations_ = 0;
    std::uint32_t plane_bytes_ = 0;
    local_addr_t scratch_begin_ = 0;
    std::uint32_t scratch_bytes_ = 0;
};

}  // namespace okksim::kernels
