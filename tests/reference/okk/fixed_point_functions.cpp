// SPDX-License-Identifier: Apache-2.0
// Packed fixed-point functions: exact integers, rounding shift, saturation.
#include "tests/reference/okk/functions.h"

namespace okksim::tests::reference {

namespace {

struct Type {
    bool is_signed;
    int bits;
};

struct Types {
    Type first, second, result;
};

constexpr Type kS8{true, 8}, kU8{false, 8}, kS16{true, 16}, kU16{false, 16};

/// The enumerators of op_type_t, spelled out from the API reference.
Types operation_types(std::int64_t op_type) {
    static const std::map<std::int64_t, Types> table = {
        {31, {kS8, kS8, kS8}},    {23, {kS8, kS8, kS16}},   {27, {kS8, kU8, kS8}},
        {19, {kS8, kU8, kS16}},   {29, {kU8, kS8, kS8}},    {21, {kU8, kS8, kS16}},
        {25, {kU8, kU8, kS8}},    {17, {kU8, kU8, kS16}},   {9, {kU8, kU8, kU8}},
        {1, {kU8, kU8, kU16}},    {30, {kS16, kS16, kS8}},  {22, {kS16, kS16, kS16}},
        {26, {kS16, kU16, kS8}},  {18, {kS16, kU16, kS16}}, {28, {kU16, kS16, kS8}},
        {20, {kU16, kS16, kS16}}, {24, {kU16, kU16, kS8}},  {16, {kU16, kU16, kS16}},
        {8, {kU16, kU16, kU8}},   {0, {kU16, kU16, kU16}},
    };
    return table.at(op_type);
}

/// The enumerators of mul_type_t.
Types multiplication_types(std::int64_t mul_type) {
    static const std::map<std::int64_t, Types> table = {
        {7, {kS16, kS8, kS16}},
        {6, {kU16, kS8, kS16}},
        {0, {kU16, kU8, kU16}},
    };
    return table.at(mul_type);
}

using Rule = std::int64_t (*)(std::int64_t, std::int64_t);

std::int64_t sum(std::int64_t a, std::int64_t b) { return a + b; }
std::int64_t difference(std::int64_t a, std::int64_t b) { return a - b; }
std::int64_t product(std::int64_t a, std::int64_t b) { return a * b; }
std::int64_t larger(std::int64_t a, std::int64_t b) { return a > b ? a : b; }
std::int64_t smaller(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// Arguments that follow the strides in the argument list.
enum class Tail { kTypeAndShift, kTypeOnly, kMac };

struct TailValues {
    Types types{kS8, kS8, kS8};
    bool old_signed = false;
    std::int64_t lshift = 0;
    std::int64_t rshift = 0;
};

TailValues read_tail(Call& call, Tail tail) {
    TailValues values;
    if (tail == Tail::kMac) values.old_signed = call.flag();
    values.types = operation_types(call.integer());
    if (tail == Tail::kMac) values.lshift = call.integer();
    if (tail != Tail::kTypeOnly) values.rshift = call.integer();
    // The SDK reads the old destination with the signedness of the result instead.
    if (call.options.sdk_quirks) values.old_signed = values.types.result.is_signed;
    return values;
}

void finish(const PackedTensor& dst, const Extents& at, std::int64_t exact,
            const TailValues& tail) {
    std::int64_t value = exact;
    value = rounding_shift(value, tail.rshift);
    dst.store(at.n, at.c, at.h, at.w,
              saturate(value, tail.types.result.is_signed, tail.types.result.bits));
}

/// The accumulator of mac is 32 bits wide and wraps.
std::int64_t accumulate(const PackedTensor& dst, const Extents& at, std::int64_t exact,
                        const TailValues& tail) {
    const std::int64_t old = dst.load(at.n, at.c, at.h, at.w, tail.old_signed);
    const std::int64_t total = shift(old, tail.lshift) + exact;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(total & 0xFFFFFFFF));
}

void binary(Call& call, Rule rule, Tail tail_kind) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src0_address = call.integer();
    const std::int64_t src1_address = call.integer();
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src0_stride = call.stride();
    const auto src1_stride = call.stride();
    const TailValues tail = read_tail(call, tail_kind);
    const Types& types = tail.types;
    const PackedTensor dst = call.packed(dst_address, shape, dst_stride, types.result.bits);
    const PackedTensor src0 = call.packed(src0_address, shape, src0_stride, types.first.bits);
    const PackedTensor src1 = call.packed(src1_address, shape, src1_stride, types.second.bits);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        std::int64_t value = rule(src0.load(n, c, h, w, types.first.is_signed),
                                  src1.load(n, c, h, w, types.second.is_signed));
        if (tail_kind == Tail::kMac) value = accumulate(dst, {n, c, h, w}, value, tail);
        finish(dst, {n, c, h, w}, value, tail);
    });
}

/// Operations with a constant. `constant_first`: C is operand 0 and the tensor has the type of
/// operand 1.
void with_constant(Call& call, Rule rule, Tail tail_kind, bool constant_first = false) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const std::int64_t constant = call.integer();
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const TailValues tail = read_tail(call, tail_kind);
    const Type type = constant_first ? tail.types.second : tail.types.first;
    const PackedTensor dst = call.packed(dst_address, shape, dst_stride, tail.types.result.bits);
    const PackedTensor src = call.packed(src_address, shape, src_stride, type.bits);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        const std::int64_t x = src.load(n, c, h, w, type.is_signed);
        std::int64_t value = constant_first ? rule(constant, x) : rule(x, constant);
        if (tail_kind == Tail::kMac) value = accumulate(dst, {n, c, h, w}, value, tail);
        finish(dst, {n, c, h, w}, value, tail);
    });
}

enum class ShiftOperands { kTensors, kAmountConstant, kValueConstant };

void shift_16bit(Call& call, bool arithmetic, ShiftOperands operands) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    const bool tensors = operands == ShiftOperands::kTensors;
    const std::int64_t second = call.integer();  // address of source 1 or the constant
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const auto src1_stride = tensors ? call.stride() : std::nullopt;
    const PackedTensor dst = call.packed(dst_address, shape, dst_stride, 16);
    const PackedTensor src = call.packed(src_address, shape, src_stride, 16);
    const PackedTensor src1 = call.packed(tensors ? second : src_address, shape, src1_stride, 16);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        std::int64_t value = 0;
        std::int64_t amount = 0;
        switch (operands) {
            case ShiftOperands::kTensors:
                value = src.load(n, c, h, w, arithmetic);
                amount = src1.load(n, c, h, w, true);
                break;
            case ShiftOperands::kAmountConstant:
                value = src.load(n, c, h, w, arithmetic);
                amount = second;
                break;
            case ShiftOperands::kValueConstant:
                value = arithmetic ? static_cast<std::int16_t>(second & 0xFFFF) : second & 0xFFFF;
                amount = src.load(n, c, h, w, true);
                break;
        }
        dst.store(n, c, h, w, shift(value, amount));
    });
}

void multiply_16bit_by_8bit(Call& call) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t high_address = call.integer();
    const std::int64_t low_address = call.integer();
    const std::int64_t src1_address = call.integer();
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto high_stride = call.stride();
    const auto low_stride = call.stride();
    const auto src1_stride = call.stride();
    TailValues tail;
    tail.types = multiplication_types(call.integer());
    tail.rshift = call.integer();
    const PackedTensor dst = call.packed(dst_address, shape, dst_stride, 16);
    const PackedTensor high = call.packed(high_address, shape, high_stride, 8);
    const PackedTensor low = call.packed(low_address, shape, low_stride, 8);
    const PackedTensor src1 = call.packed(src1_address, shape, src1_stride, 8);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        const std::int64_t value =
            high.load(n, c, h, w, tail.types.first.is_signed) * 256 + low.load(n, c, h, w, false);
        finish(dst, {n, c, h, w}, value * src1.load(n, c, h, w, tail.types.second.is_signed), tail);
    });
}

void split(Call& call, bool high) {
    const std::int64_t dst_address = call.integer();
    const std::int64_t src_address = call.integer();
    if (!high) call.integer();  // work
    const Extents shape = call.shape();
    const auto dst_stride = call.stride();
    const auto src_stride = call.stride();
    const PackedTensor dst = call.packed(dst_address, shape, dst_stride, 8);
    const PackedTensor src = call.packed(src_address, shape, src_stride, 16);
    for_each_element(shape, [&](auto n, auto c, auto h, auto w) {
        const std::int64_t value = src.load(n, c, h, w, false);
        dst.store(n, c, h, w, high ? value / 256 : value % 256);
    });
}

void add_both(FunctionTable& table, const std::string& name, Rule rule, Tail tail) {
    table[name] = [=](Call& c) { binary(c, rule, tail); };
    table[name + "_C"] = [=](Call& c) { with_constant(c, rule, tail); };
}

void add_shifts(FunctionTable& table, const std::string& kind, bool arithmetic) {
    const std::string prefix = "okk_bdc_fixed_point_packed_16bit_";
    table[prefix + kind + "_shift"] = [=](Call& c) {
        shift_16bit(c, arithmetic, ShiftOperands::kTensors);
    };
    table[prefix + kind + "_shift_C"] = [=](Call& c) {
        shift_16bit(c, arithmetic, ShiftOperands::kAmountConstant);
    };
    table[prefix + "C_" + kind + "_shift"] = [=](Call& c) {
        shift_16bit(c, arithmetic, ShiftOperands::kValueConstant);
    };
}

}  // namespace

void add_fixed_point_functions(FunctionTable& table) {
    const std::string prefix = "okk_bdc_fixed_point_packed_";
    add_both(table, prefix + "add", sum, Tail::kTypeAndShift);
    add_both(table, prefix + "sub", difference, Tail::kTypeAndShift);
    table[prefix + "C_sub"] = [](Call& c) {
        with_constant(c, difference, Tail::kTypeAndShift, true);
    };
    add_both(table, prefix + "mul", product, Tail::kTypeAndShift);
    add_both(table, prefix + "mac", product, Tail::kMac);
    add_both(table, prefix + "max", larger, Tail::kTypeOnly);
    add_both(table, prefix + "min", smaller, Tail::kTypeOnly);
    add_shifts(table, "arithmetic", true);
    add_shifts(table, "logical", false);
    table[prefix + "16bit_mul_8bit"] = multiply_16bit_by_8bit;
    table[prefix + "16bit_split_high_8bit"] = [](Call& c) { split(c, true); };
    table[prefix + "16bit_split_low_8bit"] = [](Call& c) { split(c, false); };
}

}  // namespace okksim::tests::reference
