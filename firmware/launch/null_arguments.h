// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace okksim::firmware {

/// The arguments of a call that were NULL: bit i stands for operand i of the form.
class NullArguments {
 public:
    void next(bool is_null) { bits_ |= static_cast<std::uint32_t>(is_null) << count_++; }
    bool is_null(std::size_t operand) const { return ((bits_ >> operand) & 1u) != 0; }
    bool any() const { return bits_ != 0; }
    void set_null(std::size_t operand, bool is_null) {
        bits_ = (bits_ & ~(1u << operand)) | (static_cast<std::uint32_t>(is_null) << operand);
    }

 private:
    std::uint32_t bits_ = 0;
    unsigned count_ = 0;
};

}  // namespace okksim::firmware
