// SPDX-License-Identifier: Apache-2.0
#include "kernels/rescale/rescale_range.h"

#include <algorithm>
#include <array>

#include "isa/base/errors.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;

constexpr int kWordBits = 16;
/// Range of int48.
constexpr ValueRange kEveryValue{-(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1};

std::int64_t divide_down(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
}

/// Cuts `value` into parts whose sum it is. All but the last are 0 .. 2^16 - 1 of their units.
std::vector<float> cut(std::int64_t value, std::size_t parts) {
    std::vector<float> cuts;
    for (std::size_t i = 0; i < parts; ++i) {
        const int unit = kWordBits * static_cast<int>(i);
        const std::int64_t rest = value >> unit;
        const std::int64_t own = i + 1 < parts ? rest & 0xFFFF : rest;
        cuts.push_back(static_cast<float>(own) * prim::power_of_two(unit));
    }
    return cuts;
}

}  // namespace

ValueRange scale32_values(const prim::ScaleFactor& factor) {
    const std::int64_t limit = std::int64_t{1} << (factor.shift - 1);
    return {std::max(-limit, kEveryValue.low), std::min(limit - 1, kEveryValue.high)};
}

ValueRange scale16_values(const prim::ScaleFactor& factor, std::int32_t output_zero_point) {
    // Values of 48 bits times 15 bits are below 2^62. Shifted by 32 they leave room for zero
    // points.
    if (factor.multiplier == 0 || factor.shift >= 32) return kEveryValue;
    const std::int64_t zero_point = output_zero_point;
    const std::int64_t least = INT32_MIN - std::min<std::int64_t>(zero_point, 0);
    const std::int64_t most = INT32_MAX - std::max<std::int64_t>(zero_point, 0);
    // least <= (value * multiplier + round) >> shift <= most
    const std::int64_t unit = std::int64_t{1} << factor.shift;
    const std::int64_t round = unit / 2;
    const ValueRange range{-divide_down(-(least * unit - round), factor.multiplier),
                           divide_down((most + 1) * unit - round - 1, factor.multiplier)};
    return {std::max(range.low, kEveryValue.low), std::min(range.high, kEveryValue.high)};
}

std::vector<float> suspicion_factors(std::span<const ValueRange> ranges, const ValueRange& inputs) {
    std::vector<float> factors;
    bool any = false;
    for (const ValueRange& range : ranges) {
        const bool open = range.contains(inputs);
        any = any || !open;
        const auto nearest = static_cast<double>(std::min(-range.low, range.high) + 1);
        factors.push_back(open ? 0.0f : static_cast<float>(1.0 / nearest));
    }
    if (!any) factors.clear();
    return factors;
}

RangeCheck::RangeCheck(std::span<const ValueRange> ranges, int parts)
    : parts_(static_cast<std::size_t>(parts)), ranges_(ranges.size()), rows_(2 * parts_) {
    // A single fp32 value of 17 bits cannot exceed this.
    constexpr std::int64_t kFar = std::int64_t{1} << 20;
    for (const ValueRange& range : ranges) {
        std::array<std::int64_t, 2> ends{range.low, range.high};
        for (std::size_t end = 0; end < 2; ++end) {
            if (parts == 1) ends[end] = std::clamp(ends[end], -kFar, kFar);
            // The ends must be within the range of int32.
            if (parts == 2) ends[end] = std::clamp<std::int64_t>(ends[end], INT32_MIN, INT32_MAX);
            const std::vector<float> cuts = cut(ends[end], parts_);
            for (std::size_t i = 0; i < parts_; ++i) {
                rows_[end * parts_ + i].push_back(cuts[i]);
            }
        }
    }
}

std::vector<float> RangeCheck::constants() const {
    std::vector<float> all;
    if (ranges_ == 1) return all;
    for (const std::vector<float>& row : rows_) all.insert(all.end(), row.begin(), row.end());
    return all;
}

void RangeCheck::subtract_row(const LocalTensor& dst, const LocalTensor& a, std::size_t row,
                              std::span<const LocalTensor> rows) const {
    if (ranges_ == 1) {
        prim::raw::subtract(dst, a, rows_[row][0]);
    } else {
        prim::raw::subtract(dst, a, rows[row]);
    }
}

void RangeCheck::run(const LocalTensor& violations, std::span<const LocalTensor> value,
                     std::span<const LocalTensor> rows, prim::Scratch& scratch) const {
    prim::Scratch::Frame frame(scratch);
    std::vector<LocalTensor> parts{value[0]};
    if (parts_ > 1) {
        parts = {frame.plane(violations.shape), frame.plane(violations.shape)};
        prim::unsigned_half_to_float(parts[0], value[0], prim::Half::kLow, 0);
        if (parts_ == 2) prim::signed_high_half_to_float(parts[1], value[0], kWordBits);
    }
    if (parts_ == 3) {
        parts.push_back(frame.plane(violations.shape));
        prim::unsigned_half_to_float(parts[1], value[0], prim::Half::kHigh, kWordBits);
        prim::signed_low_half_to_float(parts[2], value[1], 2 * kWordBits);
    }
    const LocalTensor distance = frame.plane(violations.shape);
    for (std::size_t end = 0; end < 2; ++end) {
        // Highest part first: a rounded sum exceeds all later terms together.
        subtract_row(distance, parts.back(), end * parts_ + parts_ - 1, rows);
        for (std::size_t i = parts_ - 1; i-- > 0;) {
            prim::raw::add(distance, distance, parts[i]);
            subtract_row(distance, distance, end * parts_ + i, rows);
        }
        if (end == 0) {
            prim::raw::select_less(distance, distance, 0.0f, prim::kSignBit);
        } else {
            prim::raw::select_greater(distance, distance, 0.0f, prim::kSignBit);
        }
        prim::raw::bit_or(violations, violations, distance);
    }
}

}  // namespace okksim::kernels
