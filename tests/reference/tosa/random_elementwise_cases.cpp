// SPDX-License-Identifier: Apache-2.0
// Operators with one result per position: sections 2.4 to 2.8 and 2.13.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "tests/reference/tosa/case_maker.h"

namespace okksim::tests {

namespace check = sim::check;
using reference::float_format;

Domain CaseMaker::unary_domain() {
    Domain domain;
    switch (op_) {
        case OpCode::kLog: domain = {0.0625, 200.0, 0, 0, false, false}; break;
        case OpCode::kRsqrt: domain = {0.0625, 300.0, 0, 0, false, false}; break;
        case OpCode::kReciprocal: domain = {0.0625, 100.0, 0, 0, false, false}; break;
        case OpCode::kExp: domain = {-8.0, 8.0, 0, 0, false, false}; break;
        case OpCode::kSin:
        case OpCode::kCos: domain = {-30.0, 30.0, 0, 0, false, false}; break;
        case OpCode::kAbs:
        case OpCode::kCeil:
        case OpCode::kFloor:
        case OpCode::kNegate:
        case OpCode::kIdentity: domain.specials = true; break;
        default: break;
    }
    if (op_ == OpCode::kAbs) domain.lowest = -(1 << 30), domain.highest = 1 << 30;
    if (op_ == OpCode::kNegate && in_type() != DType::kI8) {
        domain.lowest = -32767, domain.highest = 32767;
    }
    return domain;
}

void CaseMaker::choose_function_rule() {
    const DType type = out_type();
    if (!tosa::is_floating_point(type)) return;
    const double base = type == DType::kFp32 ? 3.0 : 1.0;
    const double smallest = std::ldexp(1.0, float_format(type).lowest_exponent);
    check::AbsErrorRule error;
    switch (op_) {
        case OpCode::kAdd:
        case OpCode::kSub:
        case OpCode::kMul:
        case OpCode::kCeil:
        case OpCode::kFloor: rule_ = check::UlpRule{0.5, std::nullopt}; return;
        case OpCode::kReciprocal: rule_ = check::UlpRule{1.0, std::nullopt}; return;
        case OpCode::kRsqrt: rule_ = check::UlpRule{2.0, std::nullopt}; return;
        case OpCode::kErf: rule_ = check::UlpRule{5.0, std::nullopt}; return;
        case OpCode::kExp:
        case OpCode::kPow: error.base_bound = base; break;
        case OpCode::kTanh:
            error.base_bound = 4.0 * base;
            error.lower_bound = 0.5;
            break;
        case OpCode::kLog: error.lower_bound = 0.5; break;
        case OpCode::kSigmoid: break;
        case OpCode::kSin:
        case OpCode::kCos:
            error.base_bound = op_ == OpCode::kSin ? 2.0 : 1.0;
            error.normal_divisor = 2.0;
            error.bound_as_magnitude = true;
            if (op_ == OpCode::kSin) error.max_compare = std::numbers::pi * smallest;
            break;
        default: return;
    }
    rule_ = error;
}

void CaseMaker::make_unary() {
    const Shape whole = shape(rank(0));
    std::vector<TensorIndex> operands{input(in_type(), whole, unary_domain())};
    if (op_ == OpCode::kNegate) {
        operands.push_back(one(in_type(), zero_point(in_type())));
        operands.push_back(one(in_type(), zero_point(in_type())));
    }
    choose_function_rule();
    finish(tosa::NoAttributes{}, std::move(operands), out_type(), whole);
}

Domain CaseMaker::binary_domain(bool second) {
    Domain domain;
    const bool wide = in_type() == DType::kI32;
    switch (op_) {
        case OpCode::kAdd:
        case OpCode::kSub: domain.lowest = -(1 << 30), domain.highest = (1 << 30) - 1; break;
        case OpCode::kMul:
            if (wide) domain.lowest = -46000, domain.highest = 46000;
            break;
        case OpCode::kIntdiv:
            domain.lowest = second ? 1 : INT32_MIN;
            domain.highest = second && random_.one_in(2) ? 300 : INT32_MAX;
            break;
        case OpCode::kArithmeticRightShift:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift:
            domain.highest = !second ? 0 : wide ? 31 : in_type() == DType::kI16 ? 15 : 7;
            break;
        case OpCode::kPow:
            domain.low = second ? -3.0 : 0.25;
            domain.high = 3.0;
            break;
        case OpCode::kMaximum:
        case OpCode::kMinimum:
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual: domain.specials = true; break;
        default: break;
    }
    return domain;
}

void CaseMaker::make_binary() {
    const Shape whole = shape(rank(0));
    Shape first = whole, second = whole;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (random_.one_in(4)) (random_.one_in(2) ? first : second)[i] = 1;
    }
    std::vector<TensorIndex> operands{input(in_type(), first, binary_domain(false)),
                                      input(in_type(), second, binary_domain(true))};
    tosa::Attributes attributes = tosa::NoAttributes{};
    if (op_ == OpCode::kMaximum) attributes = tosa::MaximumAttributes{nan_mode()};
    if (op_ == OpCode::kMinimum) attributes = tosa::MinimumAttributes{nan_mode()};
    if (op_ == OpCode::kArithmeticRightShift) {
        attributes = tosa::ArithmeticRightShiftAttributes{random_.one_in(2)};
    }
    if (op_ == OpCode::kMul) {
        const std::int64_t shift = in_type() == DType::kI32 ? random_.below(40) : 0;
        say("shift " + std::to_string(shift));
        operands.push_back(one(DType::kI8, shift));
    }
    choose_function_rule();
    finish(attributes, std::move(operands), out_type(), whole);
}

void CaseMaker::make_select() {
    const Shape whole = shape(rank(1));
    std::array<Shape, 3> shapes{whole, whole, whole};
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (random_.one_in(4)) shapes[static_cast<std::size_t>(random_.below(3))][i] = 1;
    }
    Domain domain;
    domain.specials = true;
    const auto condition = input(DType::kBool, shapes[0], {});
    const auto yes = input(in_type(), shapes[1], domain);
    const auto no = input(in_type(), shapes[2], domain);
    finish(tosa::NoAttributes{}, {condition, yes, no}, in_type(), whole);
}

void CaseMaker::make_clamp() {
    const Shape whole = shape(rank(1));
    Domain domain;
    domain.specials = true;
    const auto operand = input(in_type(), whole, domain);
    Value limits = random_value(in_type(), {2}, {}, random_);
    std::sort(limits.real.begin(), limits.real.end());
    std::sort(limits.integer.begin(), limits.integer.end());
    const auto host = reference::to_host(limits);
    const std::size_t bytes = host.data.size() / 2;
    tosa::ClampAttributes attributes;
    std::memcpy(attributes.min_val.bytes.data(), host.data.data(), bytes);
    std::memcpy(attributes.max_val.bytes.data(), host.data.data() + bytes, bytes);
    attributes.min_val.size = attributes.max_val.size = static_cast<std::uint32_t>(bytes);
    attributes.nan_mode = nan_mode();
    finish(attributes, {operand}, in_type(), whole);
}

void CaseMaker::make_table() {
    const Shape whole = shape(rank(1));
    Domain domain;
    // Slopes between neighbours must fit int16.
    if (in_type() == DType::kI16) domain.lowest = -16000, domain.highest = 16000;
    const auto operand = input(in_type(), whole, {});
    const std::int64_t entries = in_type() == DType::kI8 ? 256 : 513;
    const auto table =
        constant(random_value(type(ArgumentType::kTable), {entries}, domain, random_));
    finish(tosa::NoAttributes{}, {operand, table}, out_type(), whole);
}

void CaseMaker::make_cast() {
    const Shape whole = shape(rank(1));
    const bool from_float = tosa::is_floating_point(in_type());
    Domain domain;
    domain.specials = true;
    domain.no_nan = !tosa::is_floating_point(out_type());
    if (from_float && random_.one_in(2)) domain.low = -300.0, domain.high = 300.0;
    const auto operand = input(in_type(), whole, domain);
    if (tosa::is_floating_point(out_type())) {
        rule_ = check::UlpRule{0.5, from_float ? std::optional(1.0) : std::nullopt};
    }
    finish(tosa::NoAttributes{}, {operand}, out_type(), whole);
}

void CaseMaker::make_rescale() {
    const Shape whole = shape(rank(1));
    tosa::RescaleAttributes attributes;
    const DType in = in_type(), out = out_type();
    attributes.scale32 = in != DType::kI48 && random_.one_in(2);
    attributes.per_channel = random_.one_in(2);
    attributes.rounding_mode = attributes.scale32 && random_.one_in(2)
                                   ? tosa::RoundingMode::kDoubleRound
                                   : tosa::RoundingMode::kSingleRound;
    if (random_.one_in(4)) attributes.rounding_mode = tosa::RoundingMode::kInexactRound;
    const auto may_be_unsigned = [](DType type) {
        return type == DType::kI8 || type == DType::kI16;
    };
    if (may_be_unsigned(in) && may_be_unsigned(out) && random_.one_in(3)) {
        (random_.one_in(2) ? attributes.input_unsigned : attributes.output_unsigned) = true;
    }
    const auto zero = [&](DType type, bool is_unsigned) -> std::int64_t {
        if (type == DType::kI8) return random_.between(-128, 127);
        return type == DType::kI16 && is_unsigned && random_.one_in(2) ? -32768 : 0;
    };
    const std::int64_t channels = attributes.per_channel ? whole.back() : 1;
    Value multiplier =
        reference::make_value(attributes.scale32 ? DType::kI32 : DType::kI16, {channels});
    Value shift = reference::make_value(DType::kI8, {channels});
    for (std::size_t i = 0; i < shift.integer.size(); ++i) {
        const int bits = attributes.scale32 ? 30 : 14;
        multiplier.integer[i] =
            random_.between(std::int64_t{1} << bits, (std::int64_t{1} << (bits + 1)) - 1);
        // The value must be below 2^(shift - 1) and the result fit int32.
        const int input_bits = in == DType::kI8    ? 9
                               : in == DType::kI16 ? 17
                               : in == DType::kI32 ? 32
                                                   : 48;
        shift.integer[i] = random_.between(std::max({2, input_bits + 1, bits + input_bits - 30}),
                                           std::min(62, bits + 20));
        if (in == DType::kI48) shift.integer[i] = random_.between(33, 50);
    }
    Domain domain;
    if (random_.one_in(2) && (in == DType::kI32 || in == DType::kI48)) {
        domain.lowest = -100000, domain.highest = 100000;
    }
    const auto operand = input(in, whole, domain);
    say(attributes.scale32 ? "scale32" : "scale16");
    if (attributes.rounding_mode == tosa::RoundingMode::kInexactRound) {
        say("inexact");
        rule_ = check::RescaleInexactRule{attributes.output_unsigned};
    }
    if (attributes.per_channel) say("per channel");
    if (attributes.input_unsigned) say("unsigned input");
    if (attributes.output_unsigned) say("unsigned output");
    if (attributes.rounding_mode == tosa::RoundingMode::kDoubleRound) say("double round");
    say("multiplier " + std::to_string(multiplier.integer[0]) + " shift " +
        std::to_string(shift.integer[0]));
    const auto in_zero = one(in, zero(in, attributes.input_unsigned));
    const auto out_zero = one(out, zero(out, attributes.output_unsigned));
    finish(attributes, {operand, constant(multiplier), constant(shift), in_zero, out_zero}, out,
           whole);
}

}  // namespace okksim::tests
