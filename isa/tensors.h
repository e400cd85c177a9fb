// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "isa/command.h"

namespace okksim::isa {

/// One tensor operand of a command, in storage elements: packed tensors count 32-bit words, 2IC
/// weights 64-bit pairs. `operand` is the address operand's API name.
struct TensorView {
    const char* operand = nullptr;
    Access access = Access::kNone;
    bool local = true;
    LocalAddr local_addr;    ///< when local
    SystemAddr system_addr;  ///< when not local
    std::int32_t element_bytes = 4;
    Dim4 shape;
    Dim4 stride;  ///< in elements; system tensors: c stride steps channel by channel
    /// Matrix layout: columns held by the last channel, at most shape.w; 0: not a matrix layout.
    std::int32_t last_channel_w = 0;
    /// True if the command computes all columns of the last channel, even from memory beyond the
    /// operands.
    bool computes_last_channel = false;
    /// Packed tensor: bytes of the last n's words that hold elements, the others are dummies; 0:
    /// not packed.
    std::int32_t last_n_bytes = 0;

    std::uint64_t element_count() const { return static_cast<std::uint64_t>(shape.count()); }
};

/// Tensors of one command; at most five (FixedMac: destination as read and written is one entry;
/// IntConvolution: result, input, weights, bias, factors).
class TensorViews {
 public:
    static constexpr std::size_t kMost = 5;

    TensorViews() noexcept {}

    TensorView& add() { return *std::construct_at(&views_[static_cast<std::size_t>(size_++)]); }
    TensorView& last() { return views_[static_cast<std::size_t>(size_ - 1)]; }
    const TensorView* begin() const { return views_.data(); }
    const TensorView* end() const { return views_.data() + size_; }
    int size() const { return size_; }
    const TensorView& operator[](int index) const {
        return views_[static_cast<std::size_t>(index)];
    }

 private:
    union {  // constructed one by one, because clearing all of them would cost more
        std::array<TensorView, kMost> views_;
    };
    int size_ = 0;
};

/// All tensors that a command reads or writes, destination first, with the layout each has on
/// `machine`. Unused operands (bias without using_bias) are absent; result_add makes the output an
/// update. Shapes must have been checked to be positive.
TensorViews tensor_views(const Command& command, const MachineShape& machine);

/// Byte interval [low, high) that a tensor touches: inside each lane for local tensors (the largest
/// over the lanes), from its address for system tensors. Negative strides extend it downwards.
struct ByteInterval {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
ByteInterval touched_bytes(const TensorView& view, const MachineShape& machine);

}  // namespace okksim::isa
