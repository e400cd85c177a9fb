// SPDX-License-Identifier: Apache-2.0
// Fractions of TOSA's RESIZE.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/graph/compose/resampling.h"

namespace okksim::sim::graph::compose {

namespace {

/// A ratio of small terms.
struct Fraction {
    std::int64_t numerator = 0;
    std::int64_t denominator = 1;
};

/// Returns the fraction that equals `value` in single precision, by continued fractions.
std::optional<Fraction> fraction_of(double value) {
    constexpr std::int64_t kMostTerm = 1 << 12;  // RESIZE has numerators up to 2^11
    constexpr double kPrecision = 0x1p-23;       // of single precision
    Fraction before{0, 1}, now{1, 0};
    double rest = value;
    for (int step = 0; step < 20; ++step) {
        const double whole = std::floor(rest);
        if (whole > kMostTerm) return std::nullopt;
        const auto factor = static_cast<std::int64_t>(whole);
        const Fraction next{factor * now.numerator + before.numerator,
                            factor * now.denominator + before.denominator};
        if (next.numerator > kMostTerm || next.denominator > kMostTerm) return std::nullopt;
        before = now;
        now = next;
        const double found =
            static_cast<double>(now.numerator) / static_cast<double>(now.denominator);
        if (std::fabs(found - value) <= kPrecision * value) return now;
        rest = 1 / (rest - whole);
    }
    return std::nullopt;
}

/// Returns the terms without the border; position i is (i * denominator + offset) / numerator.
std::optional<ResizeTerms> position_terms(const ResizeAxis& axis, Coordinates coordinates) {
    ResizeTerms terms;
    terms.output = axis.output;
    if (coordinates == Coordinates::kAlignCorners) {
        if (axis.output == 1) return terms;
        terms.numerator = axis.output - 1;
        terms.denominator = axis.input - 1;
        return terms;
    }
    const auto scale = fraction_of(axis.scale);
    if (!scale) return std::nullopt;
    const auto [p, q] = *scale;
    terms.numerator = 2 * p;
    terms.denominator = 2 * q;
    switch (coordinates) {
        case Coordinates::kAsymmetric: return terms;
        case Coordinates::kTfHalfPixelForNn: terms.offset = q; return terms;
        case Coordinates::kPytorchHalfPixel:
            if (axis.output == 1) return ResizeTerms{};
            [[fallthrough]];
        case Coordinates::kHalfPixel: terms.offset = q - p; return terms;
        default: return std::nullopt;
    }
}

/// Moves positions so that rounding half up, as RESIZE does, gives the wanted rounding.
void shift_rounding(ResizeTerms& terms, NearestRounding rounding) {
    terms.numerator *= 2;
    terms.denominator *= 2;
    terms.offset *= 2;
    const std::int64_t half = terms.numerator / 2;
    if (rounding == NearestRounding::kFloor) terms.offset -= half;
    if (rounding == NearestRounding::kPreferFloor) terms.offset -= 1;
    if (rounding == NearestRounding::kCeil) terms.offset += half - 1;
}

/// Divides by common factors and sets the border; false if RESIZE does not accept the terms.
bool completed(ResizeTerms& terms, const ResizeAxis& axis) {
    constexpr std::int64_t kMostNumerator = 1 << 11, kMostScale = 256, kMostSize = 16384;
    if (terms.denominator == 0) terms.denominator = 1;  // one input element
    const std::int64_t common =
        std::gcd(std::gcd(terms.numerator, terms.denominator), terms.offset);
    terms.numerator /= common;
    terms.denominator /= common;
    terms.offset /= common;
    terms.border =
        (axis.output - 1) * terms.denominator - (axis.input - 1) * terms.numerator + terms.offset;
    const std::int64_t n = terms.numerator, d = terms.denominator;
    return n <= kMostNumerator && n <= kMostScale * d && d < 16 * n && terms.offset >= -n &&
           terms.offset < 16 * n && terms.border >= -16 * n && terms.border < n &&
           axis.input < kMostSize && axis.output < kMostSize;
}

/// Returns the elements that RESIZE takes in nearest mode.
std::vector<std::int64_t> taken_elements(const ResizeTerms& terms, std::int64_t input) {
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < terms.output; ++i) {
        const std::int64_t at = i * terms.denominator + terms.offset;
        const std::int64_t n = terms.numerator;
        const std::int64_t low = at >= 0 ? at / n : -((-at + n - 1) / n);
        const std::int64_t element = 2 * (at - low * n) >= n ? low + 1 : low;
        result.push_back(std::clamp<std::int64_t>(element, 0, input - 1));
    }
    return result;
}

}  // namespace

std::optional<ResizeTerms> resize_terms(const ResizeAxis& axis, const ResizeOptions& options) {
    if (options.method == ResizeMethod::kCubic || options.antialias) return std::nullopt;
    auto terms = position_terms(axis, options.coordinates);
    if (!terms) return std::nullopt;
    if (options.method == ResizeMethod::kLinear) {
        // exclude_outside concerns cubic mode and antialiasing alone.
        return completed(*terms, axis) ? terms : std::nullopt;
    }
    shift_rounding(*terms, options.rounding);
    if (!completed(*terms, axis)) return std::nullopt;
    const bool agrees = taken_elements(*terms, axis.input) == nearest_table(axis, options);
    return agrees ? terms : std::nullopt;
}

}  // namespace okksim::sim::graph::compose
