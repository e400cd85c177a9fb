// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernels/call/tensor.h"
#include "kernels/prim/local_tensor.h"
#include "kernels/prim/rescale.h"

/// Values that RESCALE accepts (TOSA 1.0.1, 4.5.5). apply_scale_32 has a range for the value.
/// apply_scale_16 has one for the result, to which the zero point is added without overflow. Both
/// are ranges of the value for each factor.
namespace okksim::kernels {

/// Integers low .. high.
struct ValueRange {
    std::int64_t low = 0, high = 0;

    bool operator==(const ValueRange&) const = default;
    bool contains(const ValueRange& other) const { return low <= other.low && other.high <= high; }
};

/// Values minus their zero point that a factor accepts.
ValueRange scale32_values(const prim::ScaleFactor& factor);
ValueRange scale16_values(const prim::ScaleFactor& factor, std::int32_t output_zero_point);

/// Returns a multiplier for each factor that gives values outside its range a magnitude of at least
/// kSuspectMagnitude, also in fp32. It is 0 if the range contains `inputs`. Empty if all ranges do.
std::vector<float> suspicion_factors(std::span<const ValueRange> ranges, const ValueRange& inputs);
inline constexpr float kSuspectMagnitude = 1.0f - 1.0f / 1024;

/// Compares values exactly with the ends of ranges. A value is a sum of fp32 parts of 16 bits,
/// lowest first.
class RangeCheck {
 public:
    /// `parts`: 1 for fp32 values of at most 17 bits, 2 for int32, 3 for int48.
    RangeCheck(std::span<const ValueRange> ranges, int parts);

    /// Rows of constants that several ranges need in local memory; 0 for one range.
    int constant_rows() const { return ranges_ > 1 ? static_cast<int>(rows_.size()) : 0; }
    /// The rows, one after the other.
    std::vector<float> constants() const;
    /// Scratch planes that run() needs.
    static constexpr int kPlanes = 4;
    /// Sets the sign bit of `violations` if the value is out of its range. `value`: one fp32 plane,
    /// or the words.
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
