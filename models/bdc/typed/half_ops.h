// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/operands.h"
#include "models/bdc/typed/float_elements.h"

namespace okksim::models::typed_ops {

struct FloatAdd {
    static float of(float a, float b) { return a + b; }
};
struct FloatSubtract {
    static float of(float a, float b) { return a - b; }
};
struct FloatMultiply {
    static float of(float a, float b) { return a * b; }
};

/// An operation on elements of 16 bits, given and taken by their bits: in fp32, whose denormals are
/// zeros, then rounded.
template <typename Operation>
struct HalfOperation {
    explicit HalfOperation(const isa::HalfBinary& form)
        : to(form.dst_type), first(form.src0_type), second(form.src1_type) {}
    static constexpr int kSources = 2;

    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        const float value = Operation::of(half_value(first, static_cast<std::uint16_t>(a)),
                                          half_value(second, static_cast<std::uint16_t>(b)));
        const bool is_denormal = std::abs(value) < std::numeric_limits<float>::min();
        return half_bits(to, is_denormal ? std::copysign(0.0f, value) : value);
    }

    isa::ElementType to, first, second;
};

}  // namespace okksim::models::typed_ops
