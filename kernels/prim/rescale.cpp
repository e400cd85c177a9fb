// SPDX-License-Identifier: Apache-2.0
// Plan of a rescale: digits, order of products and constants, computed from the factors.
#include "kernels/prim/rescale.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/base/errors.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/rescale_cut.h"

namespace okksim::kernels::prim {
namespace {

constexpr int kNativePlanes = 4;
/// A watched value is computed from its parts, which are balanced.
constexpr int kWatchedInt48Planes = 5;

/// Digits of `multiplier` in -2^(bits-1) .. 2^(bits-1), lowest first.
std::vector<std::int32_t> balanced_digits(std::int64_t multiplier, int bits) {
    std::vector<std::int32_t> digits;
    const std::int64_t radix = std::int64_t{1} << bits;
    while (multiplier != 0) {
        std::int64_t digit = multiplier % radix;
        if (digit > radix / 2) digit -= radix;
        digits.push_back(static_cast<std::int32_t>(digit));
        multiplier = (multiplier - digit) / radix;
    }
    return digits;
}

/// value * 2^exponent without rounding: both ends of the range are normal fp32 numbers.
float scaled(double value, int exponent) { return static_cast<float>(std::ldexp(value, exponent)); }

}  // namespace

Rescale::Rescale(ValueForm form, std::span<const ScaleFactor> factors, ScaleRounding rounding,
                 const ScaleOutput& output, const Lanes& lanes)
    : form_(form),
      rounding_(rounding),
      output_(output),
      per_channel_(factors.size() > 1),
      is_native_(lanes.has(isa::Feature::kRequantise)) {
    OKKSIM_CHECK(!factors.empty());
    OKKSIM_CHECK(output.is_int32() || std::int64_t{output.high} - output.low < (1 << 17));
    std::vector<float>& whole = rows_.emplace_back();
    for (const ScaleFactor& factor : factors) {
        OKKSIM_CHECK(factor.multiplier >= 0 && factor.shift >= 2 && factor.shift <= 62);
        whole.push_back(
            static_cast<float>(std::ldexp(double{0} + factor.multiplier, -factor.shift)));
    }
    if (is_native_) {
        plan_native(factors);
        return;
    }
    if (rounding == ScaleRounding::kInexact) return;
    plan_digits(factors);
    plan_tie_positions(factors);
    if (rounding == ScaleRounding::kDouble) plan_double_rounding(factors);
}

void Rescale::plan_native(std::span<const ScaleFactor> factors) {
    if (!per_channel_) {
        factors_ = {factors.front()};
        return;
    }
    std::vector<float>& multipliers = rows_.emplace_back();
    for (const ScaleFactor& factor : factors) {
        multipliers.push_back(std::bit_cast<float>(factor.multiplier));
    }
    std::vector<float>& shifts = rows_.emplace_back();
    for (const ScaleFactor& factor : factors) {
        shifts.push_back(std::bit_cast<float>(factor.shift));
    }
}

void Rescale::plan_double_rounding(std::span<const ScaleFactor> factors) {
    const auto is_double = [](const ScaleFactor& factor) { return factor.shift > 31; };
    if (!std::any_of(factors.begin(), factors.end(), is_double)) return;
    double_row_ = static_cast<int>(rows_.size());
    std::vector<float>& row = rows_.emplace_back();
    for (const ScaleFactor& factor : factors) {
        row.push_back(is_double(factor) ? power_of_two(30 - factor.shift) : 0.0f);
    }
}

void Rescale::plan_tie_positions(std::span<const ScaleFactor> factors) {
    // Narrow outputs: if large terms follow, the result is clamped and only its sign matters.
    if (!output_.is_int32()) {
        tie_positions_.push_back({1, std::nullopt});
        return;
    }
    // Products that are multiples of one or more come first.
    std::vector<std::size_t> positions;
    for (const ScaleFactor& factor : factors) {
        const auto is_whole = [&](const Term& term) { return term.weight >= factor.shift; };
        const auto count = std::count_if(terms_.begin(), terms_.end(), is_whole);
        positions.push_back(std::max<std::size_t>(1, static_cast<std::size_t>(count)));
    }
    std::vector<std::size_t> distinct = positions;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    for (const std::size_t position : distinct) {
        if (distinct.size() == 1) {
            tie_positions_.push_back({position, std::nullopt});
            continue;
        }
        tie_positions_.push_back({position, static_cast<int>(rows_.size())});
        std::vector<float>& row = rows_.emplace_back();
        for (const std::size_t own : positions) row.push_back(own == position ? -1.0f : 0.0f);
    }
}

void Rescale::plan_digits(std::span<const ScaleFactor> factors) {
    const Cut cut = cut_of(form_);
    std::vector<std::vector<std::int32_t>> digits;
    std::size_t count = 0;
    for (const ScaleFactor& factor : factors) {
        digits.push_back(balanced_digits(factor.multiplier, cut.digit_bits));
        count = std::max(count, digits.back().size());
    }
    for (std::size_t j = 0; j < count; ++j) {
        std::vector<float> row;
        bool is_zero = true;
        for (std::size_t c = 0; c < factors.size(); ++c) {
            const std::int32_t digit = j < digits[c].size() ? digits[c][j] : 0;
            is_zero = is_zero && digit == 0;
            row.push_back(scaled(digit, cut.digit_bits * static_cast<int>(j) - factors[c].shift));
        }
        if (is_zero) continue;
        for (int part = 0; part < cut.parts; ++part) {
            terms_.push_back({part, static_cast<int>(rows_.size()),
                              cut.part_bits * part + cut.digit_bits * static_cast<int>(j)});
        }
        rows_.push_back(std::move(row));
    }
    std::stable_sort(terms_.begin(), terms_.end(),
                     [](const Term& a, const Term& b) { return a.weight > b.weight; });
}

std::vector<float> Rescale::constants() const {
    std::vector<float> all;
    if (!per_channel_) return all;
    for (const std::vector<float>& row : rows_) all.insert(all.end(), row.begin(), row.end());
    return all;
}

int Rescale::planes() const {
    // A word and a watched value, or planes for joining a sum in parts.
    if (is_native_) return kNativePlanes + (form_ == ValueForm::kInt48 ? kWatchedInt48Planes : 0);
    const bool inexact = rounding_ == ScaleRounding::kInexact;
    // Planes for the value in fp32, its parts, and balancing them.
    const auto cutting = [&] {
        switch (form_) {
            case ValueForm::kFloat8:
            case ValueForm::kFloat16: return 0;
            case ValueForm::kFloat24: return inexact ? 0 : 2;
            case ValueForm::kInt32: return inexact ? 3 : 4;
            case ValueForm::kInt48: return inexact ? 5 : 7;
        }
        OKKSIM_CHECK(false);
    };
    const int deciding = inexact ? (output_.is_int32() ? 1 + kRoundToInt32Planes : 1)
                                 : (output_.is_int32() ? 3 : 2) + (double_row_ ? 1 : 0);
    return cutting() + deciding;
}

ScaleFactor reciprocal_scale(std::uint32_t value) {
    OKKSIM_CHECK(value > 0);
    const int k = value == 1 ? 0 : 32 - std::countl_zero(value - 1);
    const std::int64_t numerator = ((std::int64_t{1} << 30) + 1) << k;
    return {static_cast<std::int32_t>(numerator / value), 30 + k};
}

}  // namespace okksim::kernels::prim
