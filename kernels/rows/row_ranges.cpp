// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_ranges.h"

#include <algorithm>
#include <bit>

#include "isa/base/errors.h"
#include "kernels/call/constant_values.h"
#include "kernels/rescale/rescale_operands.h"

namespace okksim::kernels::rows {
namespace {

using tosa::DType;

std::int64_t rounded_shift(std::int64_t value, int amount) {
    return amount == 0 ? value : ((value >> (amount - 1)) + 1) >> 1;
}

bool all_in(const std::vector<std::int64_t>& values, const ValueRange& range) {
    return std::all_of(values.begin(), values.end(), [&](std::int64_t value) {
        return range.low <= value && value <= range.high;
    });
}

/// Range over all factors together. Nothing if the input is out of range for one factor.
std::optional<ValueRange> scaled(const ValueRange& range,
                                 const std::vector<std::int64_t>& multipliers,
                                 const std::vector<std::int64_t>& shifts,
                                 const prim::ScaleOutput& output, bool rounds_twice) {
    // Double rounding changes a result by at most one.
    const std::int64_t slack = rounds_twice ? 1 : 0;
    ValueRange result{INT64_MAX, INT64_MIN};
    for (std::size_t i = 0; i < multipliers.size(); ++i) {
        const prim::ScaleFactor factor{static_cast<std::int32_t>(multipliers[i]),
                                       static_cast<int>(shifts[i])};
        if (!scale32_values(factor).contains(range)) return std::nullopt;
        const ValueRange own =
            shifted(product(range, {multipliers[i], multipliers[i]}), factor.shift);
        result = {std::min(result.low, own.low - slack), std::max(result.high, own.high + slack)};
    }
    const auto limited = [&](std::int64_t value) {
        return std::clamp<std::int64_t>(value + output.zero_point, output.low, output.high);
    };
    return ValueRange{limited(result.low), limited(result.high)};
}

}  // namespace

ValueRange cut_to_word(const ValueRange& range) {
    const ValueRange cut{std::max(range.low, kEveryWord.low),
                         std::min(range.high, kEveryWord.high)};
    return cut.low <= cut.high ? cut : kEveryWord;
}

ValueRange type_range(DType type) {
    switch (type) {
        case DType::kBool: return {0, 1};
        case DType::kI8: return {INT8_MIN, INT8_MAX};
        case DType::kI16: return {INT16_MIN, INT16_MAX};
        default: return kEveryWord;
    }
}

ValueRange sum(const ValueRange& a, const ValueRange& b) {
    return {a.low + b.low, a.high + b.high};
}

ValueRange difference(const ValueRange& a, const ValueRange& b) {
    return {a.low - b.high, a.high - b.low};
}

ValueRange product(const ValueRange& a, const ValueRange& b) {
    const auto [low, high] =
        std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
    return {low, high};
}

ValueRange shifted(const ValueRange& range, int amount) {
    return {rounded_shift(range.low, amount), rounded_shift(range.high, amount)};
}

ValueRange largest(const ValueRange& a, const ValueRange& b) {
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
}

ValueRange least(const ValueRange& a, const ValueRange& b) {
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
}

ValueRange leading_zeros(const ValueRange& range) {
    const auto zeros = [](std::int64_t value) {
        return std::int64_t{std::countl_zero(static_cast<std::uint32_t>(value))};
    };
    constexpr std::int64_t kWordBits = 32;
    if (range.low >= 0) return {zeros(range.high), zeros(range.low)};
    return {0, range.high < 0 ? 0 : kWordBits};
}

ValueRange magnitude(const ValueRange& range) {
    const std::int64_t most = std::max(-range.low, range.high);
    if (range.low >= 0) return range;
    return {range.high < 0 ? -range.high : 0, most};
}

int clamp_limit(const tosa::ElementBytes& element, DType type) {
    return integer_value(element, type);
}

std::optional<KnownRescale> known_rescale(
    const Follower& member, const ValueRange& input,
    const std::function<std::optional<std::vector<std::int64_t>>(std::size_t input)>& read) {
    const auto& attributes = std::get<tosa::RescaleAttributes>(*member.attributes);
    for (std::size_t i = 1; i < member.inputs.size(); ++i) {
        if (!read(i)) return std::nullopt;
    }
    const auto multipliers = *read(1);
    const auto shifts = *read(2);
    constexpr std::int64_t kLeastShift = 2, kMostShift = 62;
    if (!attributes.scale32 || !all_in(multipliers, {0, INT32_MAX}) ||
        !all_in(shifts, {kLeastShift, kMostShift})) {
        return std::nullopt;
    }
    // Operands are identified by position: the descriptions of two operands may be equal.
    const OperatorCall call{.op = member.op,
                            .attributes = member.attributes,
                            .inputs = member.inputs,
                            .outputs = {&member.output, 1}};
    const ReadValues values = [&](const DeviceTensor& tensor) {
        return *read(static_cast<std::size_t>(&tensor - member.inputs.data()));
    };
    const DType type = member.output.type;
    const prim::ScaleOutput output = scale_output(call, type, values);
    const std::int64_t zero = input_zero_point(call, values);
    const DType input_type = member.inputs[0].type;
    ValueRange range = input;
    if (attributes.input_unsigned) {
        if (input_type == DType::kI32) return std::nullopt;
        range = {0, input_type == DType::kI8 ? UINT8_MAX : UINT16_MAX};
    }
    if (attributes.output_unsigned && type == DType::kI32) return std::nullopt;
    range = difference(range, {zero, zero});
    const bool rounds_twice = scale_rounding(call) == prim::ScaleRounding::kDouble;
    const std::optional<ValueRange> result =
        scaled(range, multipliers, shifts, output, rounds_twice);
    if (!result) return std::nullopt;
    KnownRescale known{
        {}, multipliers.size() == 1, attributes.output_unsigned ? type_range(type) : *result};
    known.scale = {static_cast<int>(multipliers[0]),
                   static_cast<int>(shifts[0]),
                   static_cast<int>(zero),
                   output.zero_point,
                   output.low,
                   output.high,
                   rounds_twice,
                   attributes.input_unsigned,
                   attributes.output_unsigned};
    return known;
}

}  // namespace okksim::kernels::rows
