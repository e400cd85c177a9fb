// SPDX-License-Identifier: Apache-2.0
#include "tests/models/bdc/typed/typed_cases.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "isa/layout.h"
#include "isa/rules.h"
#include "tests/support/random_values.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::ElementType;
using isa::OperandInfo;
using isa::OperandKind;

/// A number of up to 64 bits at or near the limit of a type.
std::uint64_t edge_number(RandomSource& random) {
    const int bits = static_cast<int>(random.pick({7, 8, 15, 16, 31, 32, 46, 47, 48, 62, 63}));
    const std::uint64_t power = std::uint64_t{1} << bits;
    const auto beside = static_cast<std::uint64_t>(random.between(-2, 2));
    return random.one_in(2) ? power + beside : beside - power;
}

std::string without_suffix(const std::string& name, const std::string& suffix) {
    return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : std::string();
}

}  // namespace

void TypedCases::fill(LaneImage& image) {
    for (auto& lane : image.lanes()) {
        fill_random(random_, lane);
        // About every third 64-bit number is a limit of some type.
        for (std::size_t at = 0; at + 8 <= lane.size(); at += 8) {
            if (!random_.one_in(3)) continue;
            const std::uint64_t number = edge_number(random_);
            std::memcpy(&lane[at], &number, sizeof number);
        }
    }
}

isa::Command TypedCases::make(const isa::InstructionInfo& row) {
    while (true) {
        const isa::Command command = attempt(row);
        if (!isa::check(command, machine_, true)) return command;
    }
}

isa::Command TypedCases::attempt(const isa::InstructionInfo& row) {
    command_ = {};
    command_.opcode = row.opcode;
    lane_ = random_.below(machine_.lanes);
    for (const OperandInfo& operand : row.operands()) set(operand);
    if (has("output_zp")) set_limits();
    if (has("rescales") && word("rescales") == 0) {
        const bool is_wide = type_of("input") == ElementType::kInt16;
        put("output_type",
            static_cast<std::int64_t>(is_wide ? ElementType::kInt48 : ElementType::kInt32));
    } else if (has("rescales") && has("result_add")) {
        put("result_add", 0);
    }
    // Strides and addresses depend on the types.
    for (const OperandInfo& operand : row.operands()) {
        if (operand.kind == OperandKind::kStride) set_stride(operand);
    }
    for (const OperandInfo& operand : row.operands()) {
        if (operand.kind == OperandKind::kLocal) set_address(operand);
    }
    return command_;
}

void TypedCases::set(const OperandInfo& operand) {
    const std::string name = operand.name;
    switch (operand.kind) {
        case OperandKind::kShape: {
            const bool is_window = name == "input_shape";
            const bool is_long = !is_window && random_.one_in(6);  // more than a part of a row
            put(name, random_.between(1, is_long ? 1 : 2), 0);
            put(name, random_.between(1, is_long ? 3 : 6), 1);
            put(name, random_.between(1, is_window ? 7 : 3), 2);
            put(name, random_.between(1, is_window ? 9 : is_long ? 200 : 12), 3);
            return;
        }
        case OperandKind::kElement: {
            std::int64_t type = 0;
            do {
                type = random_.below(isa::kElementTypes);
            } while ((operand.rules.elements >> type & 1) == 0);
            return put(name, type);
        }
        case OperandKind::kBool: return put(name, random_.below(2));
        case OperandKind::kFloat: {
            // A value of a 16-bit element, or any word.
            const std::uint32_t bits = random_word(random_);
            return put(name, random_.one_in(2) ? bits & 0xFFFF0000 : bits);
        }
        case OperandKind::kBits: return put(name, random_word(random_));
        case OperandKind::kPadding:
            for (std::size_t i = 0; i < 4; ++i) put(name, random_.below(4), i);
            return;
        case OperandKind::kStep:
            for (std::size_t i = 0; i < 2; ++i) put(name, random_.between(1, 3), i);
            return;
        case OperandKind::kInt: return set_integer(name);
        default: return;
    }
}

void TypedCases::set_integer(const std::string& name) {
    if (name == "kernel_h" || name == "kernel_w") return put(name, random_.between(1, 4));
    if (name == "output_c") return put(name, random_.between(1, 9));
    if (name == "rshift") return put(name, random_.below(64));
    if (name == "weight_zp") {
        return put(name, random_.one_in(2) ? 0 : random_.between(-128, 127));
    }
    if (name == "multiplier") {
        const auto bits = random_.bits() & 0x7FFFFFFF;
        return put(name, static_cast<std::int64_t>(random_.one_in(4) ? bits >> 24 : bits));
    }
    if (name == "input_zp" && has("weight_zp")) {
        // A zero point within a byte, which has a separate code path, or any.
        return put(name,
                   random_.one_in(2) ? random_.between(-128, 255) : random_.between(-32768, 65535));
    }
    const bool is_small = random_.one_in(2);
    put(name,
        is_small ? random_.between(-200, 200) : static_cast<std::int32_t>(edge_number(random_)));
}

/// Limits over all values of the type, or over some.
void TypedCases::set_limits() {
    const isa::ElementRange range =
        isa::element_range(has("dst_type") ? type_of("dst") : type_of("output"));
    const auto words = std::numeric_limits<std::int32_t>();
    const std::int64_t low = std::max<std::int64_t>(range.low, words.min());
    const std::int64_t high = std::min<std::int64_t>(range.high, words.max());
    std::int64_t first = low;
    std::int64_t last = high;
    if (random_.one_in(3)) {
        first = random_.between(low, high);
        last = random_.between(first, high);
    }
    put("low", first);
    put("high", last);
}

void TypedCases::set_stride(const OperandInfo& operand) {
    const std::string tensor = without_suffix(operand.name, "_stride");
    const auto number = [this](const char* name, std::size_t index = 0) {
        return static_cast<std::int32_t>(word(name, index));
    };
    Dim4 shape{number("shape", 0), number("shape", 1), number("shape", 2), number("shape", 3)};
    int bytes = 8;
    if (tensor == "kernel") {  // units of four input channels of 16 bits
        shape = isa::weight_4ic_shape(number("input_shape", 1), number("output_c"),
                                      number("kernel_h"), number("kernel_w"));
    } else {
        bytes = tensor == "factor" ? 4 : isa::element_bytes(type_of(tensor));
    }
    const auto lane = static_cast<std::int32_t>(lane_);
    Dim4 stride;
    if (tensor != "kernel" && random_.one_in(4)) {
        stride = isa::aligned_stride(lane, shape, 8 * bytes, machine_.lanes, machine_.line_bytes());
    } else {
        const auto gap = [&] {
            return random_.one_in(3) ? static_cast<std::int32_t>(random_.below(4)) : 0;
        };
        stride.w = 1 + gap();
        stride.h = stride.w * shape.w + gap();
        stride.c = stride.h * shape.h + gap();
        stride.n = stride.c * isa::channels_per_lane(lane, shape.c, machine_.lanes) + gap();
    }
    std::int32_t* members[] = {&stride.n, &stride.c, &stride.h, &stride.w};
    for (std::int32_t* member : members) {
        if (random_.one_in(tensor == "dst" ? 40 : 8)) *member = 0;
        if (random_.one_in(10)) *member = -*member;
    }
    for (std::size_t i = 0; i < 4; ++i) put(operand.name, *members[i], i);
}

void TypedCases::set_address(const OperandInfo& operand) {
    const std::string tensor = without_suffix(operand.name, "_addr");
    // In-place at the address of the other tensor, sometimes with the same strides.
    const bool is_source = tensor.starts_with("src");
    if (is_source && random_.one_in(4)) {
        put(operand.name, word("dst_addr"));
        if (random_.one_in(2)) return;
        for (std::size_t i = 0; i < 4; ++i) {
            put(tensor + "_stride", static_cast<std::int32_t>(word("dst_stride", i)), i);
        }
        return;
    }
    constexpr std::int64_t kAlignment = 8;
    std::int64_t offset = random_.below(machine_.local_bytes / kAlignment) * kAlignment;
    if (operand.rules.alignment == isa::kLine) offset -= offset % machine_.line_bytes();
    put(operand.name, lane_ * machine_.local_bytes + offset);
}

void TypedCases::put(const std::string& name, std::int64_t value, std::size_t index) {
    for (const OperandInfo& each : command_.info().operands()) {
        if (name == each.name) {
            command_.words.at(each.first_word + index) = static_cast<std::uint32_t>(value);
        }
    }
}

std::uint32_t TypedCases::word(const std::string& name, std::size_t index) const {
    for (const OperandInfo& each : command_.info().operands()) {
        if (name == each.name) return command_.words.at(each.first_word + index);
    }
    return 0;
}

bool TypedCases::has(const std::string& name) const {
    return std::ranges::any_of(command_.info().operands(),
                               [&](const OperandInfo& each) { return name == each.name; });
}

isa::ElementType TypedCases::type_of(const std::string& tensor) const {
    return static_cast<ElementType>(word(tensor + "_type"));
}

}  // namespace okksim::tests
