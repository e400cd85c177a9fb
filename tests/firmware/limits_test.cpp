// SPDX-License-Identifier: Apache-2.0
// Limits of docs/reference/okk-functions.md: each function accepts a limit and refuses one beyond.
#include <functional>
#include <optional>
#include <utility>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "firmware/okk.h"
#include "isa/instructions.h"
#include "isa/type_names.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

using firmware::CallValue;
using firmware::CallValues;
using isa::OperandInfo;
using isa::OperandKind;

constexpr local_addr_t kRoom = 4096;
constexpr system_addr_t kGlobal = 0x100000000;

/// A machine with 64 lanes of 512 KiB. Limits of the API reference are faults.
struct Limits {
    static firmware::ContextOptions options() {
        firmware::ContextOptions options;
        options.strict_limits = true;
        options.call_stacks = false;
        return options;
    }
    /// The fault of a call; nothing if it succeeds.
    std::optional<FaultRecord> fault(const std::function<void()>& call) const {
        try {
            call();
        } catch (const ProgramFault& fault) {
            return fault.record();
        }
        return std::nullopt;
    }

    RecordingPort port{small_machine(64, 524288)};
    firmware::Context context{port, options()};
    firmware::Context::Binding binding{context};
};

op_type_t first_op_type(const isa::InstructionInfo& info) {
    for (const isa::NamedOpType& row : isa::op_types()) {
        if ((isa::allowed_op_types(info.opcode, true) & isa::op_type_bit(row.type)) != 0) {
            return static_cast<op_type_t>(row.type);
        }
    }
    FAIL("no op_type of " << info.name);
    return S8_OP_S8_TO_S8;
}

/// A small valid value of an operand; `tensors` counts the addresses so far.
CallValue small_value(const isa::InstructionInfo& info, const OperandInfo& operand, int& tensors) {
    const std::string name = operand.name;
    switch (operand.kind) {
        case OperandKind::kLocal: return std::int64_t{kRoom} * tensors++;
        case OperandKind::kSystem: return static_cast<std::int64_t>(kGlobal + kRoom * tensors++);
        case OperandKind::kShape: return isa::Dim4{1, 1, 1, 1};
        case OperandKind::kStride:
        case OperandKind::kPadding:
        case OperandKind::kStep: return nullptr;
        case OperandKind::kOpTypes: return std::int64_t{first_op_type(info)};
        case OperandKind::kMulTypes: return std::int64_t{U16_MUL_U8_TO_U16};
        case OperandKind::kInt:
            // The columns of a matrix are as many as the largest number per channel.
            return std::int64_t{name == "left_cols" || name == "right_cols" ? 128 : 1};
        default: return std::int64_t{1};
    }
}

struct Call {
    explicit Call(const isa::InstructionInfo& row) : info(row) {
        int tensors = 0;
        for (const OperandInfo& operand : info.operands()) {
            if (info.kind == isa::InstructionKind::kAlignedLayout &&
                operand.kind == OperandKind::kStride) {
                continue;
            }
            values.push_back(small_value(info, operand, tensors));
        }
    }
    void operator()() const { firmware::call_function(std::string("okk_") + info.name, values); }

    const isa::InstructionInfo& info;
    CallValues values;
};

/// One member of an operand: sets it to a number.
struct Member {
    std::string name;
    std::int64_t low, high;
    std::function<void(CallValue&, std::int32_t)> set;
};

template <typename Struct, typename Field>
Member member(const OperandInfo& operand, const char* name, const Struct& start, Field field,
              std::int64_t low, std::int64_t high) {
    return {std::string(operand.name) + "->" + name, low, high,
            [=](CallValue& value, std::int32_t number) {
                Struct changed = start;
                changed.*field = number;
                value = changed;
            }};
}

std::vector<Member> members_of(const OperandInfo& operand) {
    const isa::OperandRules& rules = operand.rules;
    const isa::Dim4 one{1, 1, 1, 1};
    if (operand.kind == OperandKind::kShape) {
        const std::int64_t any = INT32_MAX;
        const std::int64_t hw = rules.n_max == 0 ? any : rules.hw_max;
        return {member(operand, "n", one, &isa::Dim4::n, 1, rules.n_max == 0 ? any : rules.n_max),
                member(operand, "c", one, &isa::Dim4::c, 1, rules.n_max == 0 ? any : rules.c_max),
                member(operand, "h", one, &isa::Dim4::h, 1, hw),
                member(operand, "w", one, &isa::Dim4::w, 1, hw)};
    }
    if (operand.kind == OperandKind::kStride && rules.w_stride_is_one) {
        return {member(operand, "w", one, &isa::Dim4::w, 1, 1)};
    }
    if (!rules.ranged) return {};
    if (operand.kind == OperandKind::kPadding) {
        const isa::Padding none{};
        return {member(operand, "top", none, &isa::Padding::top, rules.low, rules.high),
                member(operand, "bottom", none, &isa::Padding::bottom, rules.low, rules.high),
                member(operand, "left", none, &isa::Padding::left, rules.low, rules.high),
                member(operand, "right", none, &isa::Padding::right, rules.low, rules.high)};
    }
    if (operand.kind == OperandKind::kStep) {
        const isa::Dim2 step{1, 1};
        return {member(operand, "h", step, &isa::Dim2::h, rules.low, rules.high),
                member(operand, "w", step, &isa::Dim2::w, rules.low, rules.high)};
    }
    return {{operand.name, rules.low, rules.high,
             [](CallValue& value, std::int32_t number) { value = std::int64_t{number}; }}};
}

/// Requires that a number is no broken limit. Local memory may be too small for it.
void require_accepted(const Limits& limits, const Call& call) {
    const auto fault = limits.fault(call);
    if (fault) CHECK(fault->code == FaultCode::kBadAddress);
}

void require_refused(const Limits& limits, const Call& call, const Member& member) {
    const auto fault = limits.fault(call);
    REQUIRE(fault);
    CHECK(fault->code == FaultCode::kBadArgument);
    CHECK(fault->function == std::string("okk_") + call.info.name);
    CHECK(fault->argument == member.name);
    CHECK_FALSE(fault->rule.empty());
    CHECK_FALSE(fault->advice.empty());
}

}  // namespace

TEST_CASE("limits/every function accepts the limits of its arguments and refuses one beyond") {
    const Limits limits;
    int tested = 0;
    for (const isa::InstructionInfo& info : isa::instructions()) {
        if (!info.is_function() || info.feature != isa::Feature::kBase) continue;
        const Call good(info);
        INFO(info.name);
        CHECK_FALSE(limits.fault(good));
        for (std::size_t i = 0; i < good.values.size(); ++i) {
            for (const Member& each : members_of(info.operands()[i])) {
                for (const bool is_low : {true, false}) {
                    const std::int64_t limit = is_low ? each.low : each.high;
                    if (limit == INT32_MAX) continue;  // other rules apply
                    INFO(each.name << " " << limit);
                    Call call = good;
                    each.set(call.values[i], static_cast<std::int32_t>(limit));
                    require_accepted(limits, call);
                    each.set(call.values[i], static_cast<std::int32_t>(limit + (is_low ? -1 : 1)));
                    require_refused(limits, call, each);
                    ++tested;
                }
            }
        }
    }
    CHECK(tested > 900);
}

TEST_CASE("limits/a shape is required, and addresses have alignments and lanes") {
    const Limits limits;
    for (const isa::InstructionInfo& info : isa::instructions()) {
        if (!info.is_function() || info.feature != isa::Feature::kBase) continue;
        INFO(info.name);
        const Call good(info);
        bool has_local = false;
        for (std::size_t i = 0; i < good.values.size(); ++i) {
            const OperandInfo& operand = info.operands()[i];
            INFO(operand.name);
            Call call = good;
            if (operand.kind == OperandKind::kShape) {
                call.values[i] = nullptr;
                require_refused(limits, call, {operand.name, 0, 0, {}});
            }
            if (operand.kind != OperandKind::kLocal) continue;
            const std::int64_t address = std::get<std::int64_t>(good.values[i]);
            const bool whole_line = info.kind == isa::InstructionKind::kAlignedLayout ||
                                    operand.rules.alignment == isa::kLine;
            const std::int64_t unit = whole_line ? 128
                                      : operand.rules.alignment != 0
                                          ? operand.rules.alignment
                                          : isa::element_bytes(info.data);
            call.values[i] = address + unit;
            require_accepted(limits, call);
            if (unit > 1) {
                call.values[i] = address + unit / 2;
                require_refused(limits, call, {operand.name, 0, 0, {}});
            }
            if (!std::exchange(has_local, true) || !operand.rules.same_lane) continue;
            call.values[i] = address + 524288;  // the next lane
            require_refused(limits, call, {operand.name, 0, 0, {}});
        }
    }
}

TEST_CASE("limits/sizes that depend on each other") {
    const Limits limits;
    const Padding pad{7, 8, 0, 0};
    const dim2 far{1, 15};
    const auto pool = [&](int h, int kernel_h) {
        const dim4 input{1, 1, h, 1};
        return [=] { okk_bdc_max_pool2d(0, 262144, &input, kernel_h, 1, &pad, nullptr); };
    };
    const auto conv = [&](int w, int kernel_w) {
        const dim4 input{1, 1, 1, w};
        return [=] {
            okk_bdc_conv2d(0, 262144, 131072, 0, &input, 1, 1, kernel_w, nullptr, nullptr, false,
                           false, nullptr, nullptr, &far);
        };
    };
    const auto product = [](int left_cols, int left_each, int right_cols, int right_each) {
        return [=] {
            okk_bdc_matmul(0, 4096, 8192, 0, 1, left_cols, right_cols, left_each, right_each, false,
                           false);
        };
    };
    const auto exponential = [](local_addr_t dst, local_addr_t src, local_addr_t work) {
        const dim4 one{1, 1, 1, 1};
        return [=] { okk_bdc_exp(dst, src, work, &one); };
    };
    const auto split = [](local_addr_t dst, local_addr_t src, local_addr_t work) {
        const dim4 two{2, 1, 1, 1};
        return [=] {
            okk_bdc_fixed_point_packed_16bit_split_low_8bit(dst, src, work, &two, nullptr, nullptr,
                                                            nullptr);
        };
    };
    struct Row {
        std::function<void()> limit, beyond;
        const char* argument;
        const char* rule;
    };
    const Row rows[] = {
        // 2032 + 7 + 8 = 2047 rows with paddings.
        {pool(2032, 1), pool(2033, 1), "input_shape->h", "at most 2047"},
        // A kernel of 16 rows fits 1 + 15 padded ones.
        {pool(1, 16), pool(1, 17), "kernel_h", "fits into the padded input"},
        // 3 taps at a distance of 15 span 31 columns.
        {conv(31, 3), conv(30, 3), "kernel_w", "dilated: 31"},
        {product(3, 3, 1, 1), product(3, 4, 1, 1), "left_cols_per_channel", "min(128, left_cols)"},
        {product(1, 1, 3, 3), product(1, 1, 3, 4), "right_cols_per_channel",
         "min(128, right_cols)"},
        {product(4095, 1, 1, 1), product(4096, 1, 1, 1), "left_cols", "at most 4095 channels"},
        {product(1, 1, 8190, 2), product(1, 1, 8191, 2), "right_cols", "at most 4095 channels"},
        {exponential(0, 0, 128), exponential(0, 128, 0), "work_addr", "dst_addr = work_addr"},
        {exponential(0, 128, 256), exponential(0, 128, 128), "work_addr", "src_addr = work_addr"},
        {split(0, 128, 128), split(0, 128, 0), "work_addr", "dst_addr = work_addr"},
    };
    for (const Row& row : rows) {
        INFO(row.argument << ": " << row.rule);
        const auto accepted = limits.fault(row.limit);
        CHECK((!accepted || accepted->code == FaultCode::kBadAddress));
        const auto fault = limits.fault(row.beyond);
        REQUIRE(fault);
        CHECK(fault->argument == row.argument);
        CHECK_THAT(fault->rule, Catch::Contains(row.rule));
    }
}

}  // namespace okksim::tests
