// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/prim/rescale.h"

/// The values that RESCALE takes (TOSA 1.0.1, 4.5.5): apply_scale_32 has a range for the value,
/// apply_scale_16 one for the result, to which the zero point is added without overflow. Both are
/// ranges of the value for each factor.
namespace okksim::kernels {

/// Integers low .. high.
struct ValueRange {
    std::int64_t low = 0, high = 0;

    bool operator==(const ValueRange&) const = default;
    bool contains(const ValueRange& other) const { return low <= other.low && other.high <= high; }
};

/// Values, less their zero point, that a factor takes.
ValueRange scale32_values(const prim::ScaleFactor& factor);
ValueRange scale16_values(const prim::ScaleFactor& factor, std::int32_t output_zero_point);

/// For each factor a number that takes values outside its range to a magnitude of at least
/// kSuspectMagnitude, also in fp32: 0 where the range contains `inputs`. Empty when all do.
std::vector<float> suspicion_factors(std::span<const ValueRange> ranges, const ValueRange& inputs);
inline constexpr float kSuspectMagnitude = 1.0f - 1.0f / 1024;

/// A value's sum of fp32 parts of 16 bits, lowest first, and what it takes to compare it with the
/// ends of ranges exactly.
class RangeCheck {
 public:
    /// `parts`: 1 for fp32 values of at most 17 bits, 2 for int32, 3 for int48.
    RangeCheck(std::span<const ValueRange> ranges, int parts);

    /// Rows of constants that several ranges need in local memory; 0 for one range.
    int constant_rows() const { return ranges_ > 1 ? static_cast<int>(rows_.size()) : 0; }
    /// The rows, one after the other.
    std::vector<float> constants() const;
    /// Planes of scratch that run() takes.
    static constexpr int kPlanes = 4;
    /// Sets the sign bit of `violations` where the value is out of its range. `value`: one fp32
    /// plane, or the words.
    void run(const prim::LocalTensor& violations, std::span<const prim::LocalTensor> value,
             std::span<const prim::LocalTensor> rows, prim::Scratch& scratch) const;

 private:
    void subtract_row(const prim::LocalTensor& dst, const prim::LocalTensor& a, std::size_t row,
                      std::span<const prim::LocalTensor> rows) const;

    std::size_t parts_;
    std::size_t ranges_;
    std::vector<std::vector<float>> rows_;  ///< [end * parts + part][range]
};

}  // namespace okksim::kernels
