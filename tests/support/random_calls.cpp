// SPDX-License-Identifier: Apache-2.0
#include "tests/support/random_calls.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "firmware/calls/call_by_name.h"
#include "tests/support/random_call_builder.h"
#include "tests/support/random_values.h"

namespace okksim::tests {

namespace {

struct ValueText {
    std::string operator()(std::nullptr_t) const { return "NULL"; }
    std::string operator()(std::int64_t value) const { return std::to_string(value); }
    std::string operator()(const isa::Dim4& d) const { return list({d.n, d.c, d.h, d.w}); }
    std::string operator()(const isa::Padding& p) const {
        return list({p.top, p.bottom, p.left, p.right});
    }
    std::string operator()(const isa::Dim2& d) const { return list({d.h, d.w}); }

    static std::string list(std::initializer_list<std::int32_t> values) {
        std::string text = "{";
        for (const std::int32_t value : values) {
            if (text.size() > 1) text += ", ";
            text += std::to_string(value);
        }
        return text + "}";
    }
};

std::string without(std::string text, const std::string& suffix) {
    if (text.ends_with(suffix)) text.resize(text.size() - suffix.size());
    return text;
}

}  // namespace

std::string RandomCall::text() const {
    std::string result = function + "(";
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (i > 0) result += ", ";
        result += std::visit(ValueText{}, arguments[i]);
    }
    return result + ")";
}

std::vector<std::int64_t> documented_op_types(const std::string& function,
                                              bool is_origin_dst_signed) {
    const std::string prefix = "okk_bdc_fixed_point_packed_";
    if (!function.starts_with(prefix)) return {};
    const std::string name = without(function.substr(prefix.size()), "_C");
    // Mixed and signed 8-bit types to signed results come first in all lists.
    if (name == "add") {
        return {31, 23, 27, 19, 29, 21, 9, 1, 30, 22, 26, 18, 28, 20, 8, 0};
    }
    if (name == "sub" || name == "C_sub") {
        return {31, 23, 27, 19, 29, 21, 25, 17, 30, 22, 26, 18, 28, 20, 24, 16};
    }
    if (name == "mul") return {31, 23, 27, 19, 29, 21, 9, 1};
    if (name == "mac") {
        if (is_origin_dst_signed) return {23, 19, 21};
        return {23, 19, 21, 1};
    }
    if (name == "max" || name == "min") return {31, 9, 22, 0};
    return {};
}

RandomCall RandomCalls::valid(const isa::InstructionInfo& row) {
    std::int64_t scale = random_.one_in(4) ? machine_.local_bytes / 16 : machine_.local_bytes / 64;
    for (int attempt = 0; attempt < 200; ++attempt) {
        try {
            return RandomCallBuilder(machine_, random_, std::max<std::int64_t>(scale, 1))
                .build(row);
        } catch (const RandomCallBuilder::DoesNotFit&) {
            if (attempt % 4 == 3) scale = std::max<std::int64_t>(scale / 2, 1);
        }
    }
    throw std::runtime_error(std::string("no valid call of ") + row.name + " fits the machine");
}

std::int64_t RandomCalls::nasty_integer(std::int64_t value) {
    const auto moved = [value](std::int64_t by) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) +
                                         static_cast<std::uint64_t>(by));
    };
    switch (random_.below(6)) {
        case 0: return moved(random_.between(-3, 3));
        case 1:
            return random_.pick(
                {0,    1,    -1,    2,     4,         15,        16,         31,        32,
                 33,   64,   127,   128,   129,       255,       256,        2047,      2048,
                 4095, 4096, 65535, 65536, INT32_MAX, INT32_MIN, UINT32_MAX, INT64_MAX, INT64_MIN});
        case 2:
            return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) ^
                                             (std::uint64_t{1} << random_.below(64)));
        case 3: return static_cast<std::int64_t>(random_.bits());
        case 4: return static_cast<std::int32_t>(random_.bits());
        default: return moved(random_.pick({4, 128, machine_.local_bytes, -machine_.local_bytes}));
    }
}

firmware::CallValue RandomCalls::spoil(const firmware::CallValue& value) {
    const auto nasty = [&](std::int32_t x) { return static_cast<std::int32_t>(nasty_integer(x)); };
    if (const auto* number = std::get_if<std::int64_t>(&value)) return nasty_integer(*number);
    if (const auto* dims = std::get_if<isa::Dim4>(&value)) {
        if (random_.one_in(8)) return nullptr;
        isa::Dim4 changed = *dims;
        std::int32_t* members[] = {&changed.n, &changed.c, &changed.h, &changed.w};
        for (std::int64_t i = random_.between(1, 2); i > 0; --i) {
            std::int32_t& member = *members[random_.below(4)];
            member = nasty(member);
        }
        return changed;
    }
    if (const auto* padding = std::get_if<isa::Padding>(&value)) {
        if (random_.one_in(8)) return nullptr;
        isa::Padding changed = *padding;
        std::int32_t* members[] = {&changed.top, &changed.bottom, &changed.left, &changed.right};
        std::int32_t& member = *members[random_.below(4)];
        member = nasty(member);
        return changed;
    }
    if (const auto* dims = std::get_if<isa::Dim2>(&value)) {
        if (random_.one_in(8)) return nullptr;
        return random_.one_in(2) ? isa::Dim2{nasty(dims->h), dims->w}
                                 : isa::Dim2{dims->h, nasty(dims->w)};
    }
    return nullptr;  // the parameter's type is unknown: leave NULL
}

RandomCall RandomCalls::anything() {
    static const std::vector<std::string> names = firmware::documented_functions();
    const std::string& name = random_.element(names);
    const isa::InstructionInfo* row = isa::find_instruction(std::string_view(name));
    RandomCall call;
    if (row != nullptr) {
        call = valid(*row);
        if (random_.one_in(5)) return call;
        for (std::int64_t i = random_.one_in(2) ? 1 : random_.between(1, 4); i > 0; --i) {
            firmware::CallValue& value = call.arguments[static_cast<std::size_t>(
                random_.below(static_cast<std::int64_t>(call.arguments.size())))];
            value = spoil(value);
        }
        return call;
    }
    call.function = name;
    const isa::Dim4 shape{3, 5, 7, 9};
    if (name == "okk_start_npu_index") {
        call.arguments = {nasty_integer(1000)};
    } else if (name == "okk_channle_num_per_npu") {
        call.arguments = {nasty_integer(1), nasty_integer(70)};
    } else if (name == "okk_continuous_stride") {
        call.arguments = {nullptr, spoil(shape)};
    } else if (name.find("stride") != std::string::npos) {
        call.arguments = {nullptr, nasty_integer(1), spoil(shape)};
    }
    return call;
}

}  // namespace okksim::tests
