// SPDX-License-Identifier: Apache-2.0
#include "kernels/resize/resize_axis.h"

#include <algorithm>
#include <numeric>

#include "isa/layout.h"

namespace okksim::kernels {
namespace {

std::int64_t floor_divide(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -isa::div_up(-a, b);
}

}  // namespace

std::int64_t ResizeAxis::lower(std::int64_t position) const {
    return floor_divide(position * denominator + offset, numerator);
}

std::int64_t ResizeAxis::fraction(std::int64_t position) const {
    return position * denominator + offset - lower(position) * numerator;
}

std::int64_t ResizeAxis::in_extent(std::int64_t begin, std::int64_t end) const {
    return lower(end - 1) + 2 - lower(begin);
}

std::int64_t ResizeAxis::out_step() const { return numerator / std::gcd(numerator, denominator); }

std::int64_t ResizeAxis::in_step() const { return denominator / std::gcd(numerator, denominator); }

std::vector<ResizeTap> ResizeAxis::taps(std::int64_t begin, std::int64_t end) const {
    std::vector<ResizeTap> taps;
    const std::int64_t step = out_step();
    for (std::int64_t position = begin; position < std::min(begin + step, end); ++position) {
        taps.push_back({static_cast<std::int32_t>(position - begin),
                        static_cast<std::int32_t>(isa::div_up(end - position, step)),
                        static_cast<std::int32_t>(lower(position) - lower(begin)),
                        static_cast<std::int32_t>(fraction(position))});
    }
    return taps;
}

}  // namespace okksim::kernels
