// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
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

inline float without_denormals(float value) {
    const bool is_denormal = std::abs(value) < std::numeric_limits<float>::min();
    return is_denormal ? std::copysign(0.0f, value) : value;
}

/// The element nearest to a value of fp32, whose denormals are zeros.
inline std::int64_t half_of(isa::ElementType to, float value) {
    return half_bits(to, without_denormals(value));
}

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
        return half_of(to, value);
    }

    isa::ElementType to, first, second;
};

/// Selects the first of two elements if it is chosen over the second. `keeps_nan` selects the
/// treatment of NaN.
template <typename Chooses>
struct HalfExtreme {
    explicit HalfExtreme(const isa::HalfExtremum& form)
        : to(form.dst_type),
          first(form.src0_type),
          second(form.src1_type),
          keeps_nan(form.keeps_nan != 0) {}
    static constexpr int kSources = 2;

    std::int64_t operator()(std::int64_t a, std::int64_t b) const {
        const float x = half_value(first, static_cast<std::uint16_t>(a));
        const float y = half_value(second, static_cast<std::uint16_t>(b));
        if (std::isnan(x)) return half_of(to, keeps_nan ? x : y);
        if (std::isnan(y)) return half_of(to, keeps_nan ? y : x);
        return half_of(to, Chooses{}(x, y) ? x : y);
    }

    isa::ElementType to, first, second;
    bool keeps_nan;
};
using HalfMaximum = HalfExtreme<std::greater<>>;
using HalfMinimum = HalfExtreme<std::less<>>;

/// An element between two limits.
struct HalfClamp {
    explicit HalfClamp(const isa::HalfClamp& form)
        : to(form.dst_type),
          from(form.src_type),
          low(without_denormals(form.low.as_float())),
          high(without_denormals(form.high.as_float())),
          keeps_nan(form.keeps_nan != 0) {}
    static constexpr int kSources = 1;

    std::int64_t operator()(std::int64_t a) const {
        const float value = half_value(from, static_cast<std::uint16_t>(a));
        if (keeps_nan && std::isnan(value)) return half_of(to, value);
        const float least = value > low ? value : low;
        return half_of(to, least < high ? least : high);
    }

    isa::ElementType to, from;
    float low, high;
    bool keeps_nan;
};

}  // namespace okksim::models::typed_ops
