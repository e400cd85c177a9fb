// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/common/lane_pool.h"
#include "models/common/lane_walk.h"

namespace okksim::models {

/// Element-wise operations on 32-bit elements. `a`, `b`, `c` are the sources in order; "canonical"
/// means that a NaN result is 0x7FC00000. Arithmetic flushes denormals on input and output; the
/// operations marked "bits" do not look at values.
enum class VectorKernel : std::uint8_t {
    kCopy,             ///< a, bits
    kFill,             ///< the parameter `constant`, bits
    kAdd,              ///< a + b, canonical
    kSubtract,         ///< a - b, canonical
    kMultiply,         ///< a * b, canonical
    kDivide,           ///< a * reciprocal(b), canonical
    kMultiplyAdd,      ///< a + b * c, product rounded, canonical
    kMaximum,          ///< a > b ? a : b, denormal results become signed zero
    kMinimum,          ///< a <= b ? a : b
    kGreaterSelect,    ///< a > b ? constant : 0
    kEqualSelect,      ///< a and b the same bits ? constant : 0
    kAnd,              ///< bits
    kOr,               ///< bits
    kXor,              ///< bits
    kArithmeticShift,  ///< a shifted by b: left when positive, right with sign fill when negative
    kLogicalShift,     ///< a shifted by b: left when positive, right with zero fill when negative
    kToInt32,          ///< truncated toward zero, saturated; a NaN saturates by its sign
    kInt8ToFloat,      ///< low 8 bits as int8
    kExpTable,         ///< e^(low 8 bits as int8) for -103..88, otherwise 0
    kReciprocalRoot,   ///< rsqrt
    kRoot,             ///< sqrt
    kReciprocal,
    kSeries,      ///< Horner over the first terms + 1 coefficients
    kSeriesTail,  ///< a * Horner over coefficients 1..terms
    kNegate,      ///< 0 - a, canonical
    kRelu,        ///< a > 0 ? a : +0
    kScale,       ///< a * b + 0, canonical
    kScaleBias,   ///< a * b + c, product rounded, canonical
};

struct VectorParams {
    std::uint32_t constant = 0;  ///< kFill, kGreaterSelect, kEqualSelect
    std::int32_t terms = 0;      ///< kSeries, kSeriesTail
};

/// Carries out `kernel` on every element of `shape`. Tensor 0 is the destination, the others are
/// the sources in order. All tensors have 32-bit elements and start in the same lane.
void run_vector(VectorKernel kernel, const VectorParams& params, const isa::Dim4& shape,
                std::int32_t lanes, std::span<const WalkTensor> tensors, LanePool& pool);

}  // namespace okksim::models
