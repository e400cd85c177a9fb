// SPDX-License-Identifier: Apache-2.0
// Every restriction of the API reference, broken one at a time in an otherwise valid call.
#include <algorithm>
#include <functional>
#include <iostream>
#include <optional>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "isa/base/fault.h"
#include "isa/instructions.h"
#include "tests/support/catch.h"
#include "tests/support/random_calls.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

using firmware::CallValue;

/// A port without effect: refused calls never reach it.
class NullPort final : public isa::CommandPort {
 public:
    explicit NullPort(const isa::MachineShape& machine) : machine_(machine) {}
    const isa::MachineShape& machine() const override { return machine_; }
    void submit(const isa::Command&) override { ++commands; }
    void wait_until_idle() override {}
    void charge(isa::FirmwareCall) override {}
    void compute(const isa::Computation&) override {}
    void access(const isa::ProcessorAccess&) override {}
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

    int commands = 0;

 private:
    isa::MachineShape machine_;
};

/// A valid call with one argument changed so that one rule is broken.
struct BrokenCall {
    RandomCall call;
    std::string argument;  ///< what the fault must name
    std::string value;     ///< what the fault must show; empty: anything
};

/// Breaks the rules of one function.
class RuleBreaker {
 public:
    RuleBreaker(const isa::InstructionInfo& row, const isa::MachineShape& machine)
        : row_(row),
          machine_(machine),
          calls_(machine, row.form == isa::Form::kConvolution ? 5 : 11) {}

    const std::vector<BrokenCall>& run();

 private:
    bool has(const std::string& name) const { return find(name).has_value(); }
    std::optional<std::size_t> find(const std::string& name) const;
    std::string name_of(std::size_t index) const { return row_.operands()[index].name; }
    bool starts(const char* prefix) const { return valid_.function.starts_with(prefix); }
    bool contains(const char* part) const {
        return valid_.function.find(part) != std::string::npos;
    }
    template <typename T>
    const T& value(const std::string& name) const {
        return std::get<T>(valid_.arguments[*find(name)]);
    }

    void set(const std::string& argument, const CallValue& replacement,
             const std::string& reported = "", const std::string& shown = "");
    void set_integer(const std::string& argument, std::int64_t replacement);
    void set_member(const std::string& argument, int member, std::int64_t replacement);

    void choose_valid();
    void shapes();
    void addresses();
    void alignment(std::size_t index, std::int64_t required);
    void strides();
    void series_and_work();
    void fixed_point();
    void fixed_constant();
    void shift_constants();
    void windows();
    void matrices();

    const isa::InstructionInfo& row_;
    const isa::MachineShape& machine_;
    RandomCalls calls_;
    RandomCall valid_;
    std::vector<BrokenCall> broken_;
};

std::optional<std::size_t> RuleBreaker::find(const std::string& name) const {
    const auto operands = row_.operands();
    for (std::size_t i = 0; i < operands.size() && i < valid_.arguments.size(); ++i) {
        if (name == operands[i].name) return i;
    }
    return std::nullopt;
}

void RuleBreaker::set(const std::string& argument, const CallValue& replacement,
                      const std::string& reported, const std::string& shown) {
    BrokenCall broken{valid_, reported.empty() ? argument : reported, shown};
    broken.call.arguments[*find(argument)] = replacement;
    broken_.push_back(std::move(broken));
}

void RuleBreaker::set_integer(const std::string& argument, std::int64_t replacement) {
    set(argument, replacement, argument, std::to_string(replacement));
}

void RuleBreaker::set_member(const std::string& argument, int member, std::int64_t replacement) {
    static constexpr const char* kDim4[] = {"n", "c", "h", "w"};
    static constexpr const char* kDim2[] = {"h", "w"};
    static constexpr const char* kPadding[] = {"top", "bottom", "left", "right"};
    CallValue changed = valid_.arguments[*find(argument)];
    const auto number = static_cast<std::int32_t>(replacement);
    const char* name = nullptr;
    if (auto* dims = std::get_if<isa::Dim4>(&changed)) {
        std::int32_t* members[] = {&dims->n, &dims->c, &dims->h, &dims->w};
        *members[member] = number;
        name = kDim4[member];
    } else if (auto* step = std::get_if<isa::Dim2>(&changed)) {
        (member == 0 ? step->h : step->w) = number;
        name = kDim2[member];
    } else {
        auto& padding = std::get<isa::Padding>(changed);
        std::int32_t* members[] = {&padding.top, &padding.bottom, &padding.left, &padding.right};
        *members[member] = number;
        name = kPadding[member];
    }
    set(argument, changed, argument + "->" + name, std::to_string(replacement));
}

/// Draws random valid calls until one has every optional part: explicit strides, paddings, bias,
/// and a start lane before the last one.
void RuleBreaker::choose_valid() {
    for (int attempt = 0; attempt < 5000; ++attempt) {
        valid_ = calls_.valid(row_);
        const bool complete = std::none_of(
            valid_.arguments.begin(), valid_.arguments.end(),
            [](const CallValue& v) { return std::holds_alternative<std::nullptr_t>(v); });
        if (!complete || (has("using_bias") && value<std::int64_t>("using_bias") == 0)) continue;
        bool in_middle = true;
        for (std::size_t i = 0; i < valid_.arguments.size(); ++i) {
            if (row_.operands()[i].kind != isa::OperandKind::kLocal) continue;
            const auto address = std::get<std::int64_t>(valid_.arguments[i]);
            in_middle = in_middle && address / machine_.local_bytes < machine_.lanes - 1;
        }
        if (in_middle) return;
    }
    FAIL("no complete valid call of " << row_.name);
}

// "shape->n, shape->h and shape->w are in [1, 65535], shape->c is in [1, 4095]"; windows: h and w
// in [1, 2047]; GDMA: no upper limits.
void RuleBreaker::shapes() {
    const std::string name = has("input_shape") ? "input_shape" : "shape";
    if (!has(name)) return;
    for (int member = 0; member < 4; ++member) {
        set_member(name, member, 0);
        set_member(name, member, -1);
        if (starts("okk_gdma")) continue;
        const std::int64_t spatial = name == "input_shape" ? 2048 : 65536;
        const std::int64_t over[4] = {65536, 4096, spatial, spatial};
        set_member(name, member, over[member]);
    }
    set(name, nullptr);
}

/// Addresses that are not divisible by `required`, one step too small.
void RuleBreaker::alignment(std::size_t index, std::int64_t required) {
    if (required == 1) return;
    const auto address = std::get<std::int64_t>(valid_.arguments[index]);
    set_integer(name_of(index), address + required / 2);
}

void RuleBreaker::addresses() {
    const auto operands = row_.operands();
    std::optional<std::size_t> first_local;
    for (std::size_t i = 0; i < valid_.arguments.size(); ++i) {
        const std::string name = operands[i].name;
        const bool is_local = operands[i].kind == isa::OperandKind::kLocal;
        if (!is_local && operands[i].kind != isa::OperandKind::kSystem) continue;
        // GDMA: whole elements. BDC: words, the tensors of window functions and matrices 128 bytes.
        std::int64_t required = 4;
        if (contains("16bit_cpy") || contains("gdma_16bit")) required = 2;
        if (contains("gdma_8bit")) required = 1;
        const bool window = contains("2d") && (name == "output_addr" || name == "input_addr");
        if (contains("matmul") || (window && !(contains("conv2d") && name == "input_addr"))) {
            required = 128;
        }
        alignment(i, required);
        if (!is_local) {
            set(name, static_cast<std::int64_t>(machine_.global_start + machine_.global_bytes));
            set(name, std::int64_t{128});  // no memory there
            continue;
        }
        const auto address = std::get<std::int64_t>(valid_.arguments[i]);
        set(name, machine_.lanes * machine_.local_bytes);
        // An operand's offset in the next lane is wrong, except for conv2d's input, matmul's left
        // matrix and GDMA sources.
        const bool anywhere = (contains("conv2d") && name == "input_addr") || name == "left_addr" ||
                              starts("okk_gdma");
        if (first_local && !anywhere) set(name, address + machine_.local_bytes);
        if (!first_local) first_local = i;
    }
}

// "dst_stride->w and src_stride->w are only allowed to be one."
void RuleBreaker::strides() {
    if (!starts("okk_gdma") || !contains("_cpy_")) return;
    for (const char* name : {"dst_stride", "src_stride"}) {
        for (const std::int64_t w : {0, 2, -1}) set_member(name, 3, w);
    }
}

// "num_series is in [1, 64]"; "dst_addr = work_addr or src_addr = work_addr is not allowed"
void RuleBreaker::series_and_work() {
    if (has("num_series")) {
        for (const std::int64_t count : {0, -1, 65}) set_integer("num_series", count);
    }
    if (!has("work_addr") || contains("split_low")) return;
    set_integer("work_addr", value<std::int64_t>("dst_addr"));
    if (!contains("int8_to_fp32")) set_integer("work_addr", value<std::int64_t>("src_addr"));
}

// "The valid choices of op_type are ..."; "rshift is in [0, 31]"; S16_MUL_U8_TO_S16 is unsupported.
void RuleBreaker::fixed_point() {
    for (const char* name : {"rshift", "lshift"}) {
        if (!has(name)) continue;
        set_integer(name, -1);
        set_integer(name, 32);
    }
    if (has("mul_type")) {
        for (const std::int64_t type : {5, 1, 8, -1}) set("mul_type", type);
    }
    if (!has("op_type")) return;
    const bool origin_signed =
        has("is_origin_dst_signed") && value<std::int64_t>("is_origin_dst_signed") != 0;
    const auto allowed = documented_op_types(valid_.function, origin_signed);
    for (std::int64_t type = -1; type < 34; ++type) {
        if (std::find(allowed.begin(), allowed.end(), type) == allowed.end()) set("op_type", type);
    }
    fixed_constant();
}

// "C is in [-128, 127] if the data type of it is int8, [0, 255] if uint8, ..."
void RuleBreaker::fixed_constant() {
    if (!has("C")) return;
    const auto types = isa::fixed_types(static_cast<isa::OpType>(value<std::int64_t>("op_type")));
    const isa::FixedType type = contains("C_sub") ? types.source0 : types.source1;
    const std::int64_t low = type.is_signed ? -(std::int64_t{1} << (type.bits - 1)) : 0;
    set_integer("C", low - 1);
    set_integer("C", low + (std::int64_t{1} << type.bits));
}

// "The constant value C is in [-32, 32]", 16-bit: [-16, 16].
void RuleBreaker::shift_constants() {
    if (!contains("_shift_C")) return;
    const std::int64_t limit = contains("16bit") ? 16 : 32;
    set_integer("C", limit + 1);
    set_integer("C", -limit - 1);
}

void RuleBreaker::windows() {
    if (!has("input_shape")) return;
    for (int side = 0; side < 4; ++side) {
        set_member("padding", side, -1);
        set_member("padding", side, 16);
    }
    for (const char* name : {"stride", "dilation"}) {
        if (!has(name)) continue;
        for (int member = 0; member < 2; ++member) {
            set_member(name, member, 0);
            set_member(name, member, 16);
        }
    }
    for (const char* name : {"kernel_h", "kernel_w"}) {
        set_integer(name, 0);
        set_integer(name, 3000);  // larger than any padded input: no output
    }
    if (has("output_c")) {
        set_integer("output_c", 0);
        set_integer("output_c", 4096);
    }
    // h + padding->top + padding->bottom <= 2047
    const auto& padding = value<isa::Padding>("padding");
    if (padding.top + padding.bottom > 0) set_member("input_shape", 2, 2047);
    if (padding.left + padding.right > 0) set_member("input_shape", 3, 2047);
}

// "left_cols_per_channel is in [1, min(128, left_cols)], left_rows is in [1, 65535], ..."
void RuleBreaker::matrices() {
    if (contains("_matrix_")) {
        for (const char* name : {"rows", "cols", "cols_per_channel"}) set_integer(name, 0);
        return;
    }
    if (!contains("matmul")) return;
    for (const char* name : {"left_rows", "left_cols", "right_cols"}) {
        set_integer(name, 0);
        set_integer(name, -5);
    }
    set_integer("left_rows", 65536);
    for (const std::string side : {"left_cols", "right_cols"}) {
        const std::string width = side + "_per_channel";
        set_integer(width, 0);
        set_integer(width, 129);
        set_integer(width, std::min<std::int64_t>(value<std::int64_t>(side), 128) + 1);
        // More than 4095 channels.
        set_integer(side, 4095 * value<std::int64_t>(width) + 1);
    }
}

const std::vector<BrokenCall>& RuleBreaker::run() {
    choose_valid();
    shapes();
    addresses();
    strides();
    series_and_work();
    fixed_point();
    shift_constants();
    windows();
    matrices();
    return broken_;
}

std::optional<FaultRecord> fault_of(const RandomCall& call) {
    try {
        firmware::call_function(call.function, call.arguments);
    } catch (const ProgramFault& fault) {
        return fault.record();
    }
    return std::nullopt;
}

firmware::ContextOptions strict_options() {
    firmware::ContextOptions options;
    options.call_stacks = false;
    options.strict_limits = true;
    return options;
}

void check_fault(const FaultRecord& record, const BrokenCall& broken) {
    CHECK((record.code == FaultCode::kBadArgument || record.code == FaultCode::kBadAddress));
    CHECK(record.function == broken.call.function);
    CHECK(record.argument == broken.argument);
    CHECK_FALSE(record.value.empty());
    if (!broken.value.empty()) CHECK(record.value.find(broken.value) != std::string::npos);
    CHECK_FALSE(record.rule.empty());
    const std::string message = record.message();
    for (const std::string& part : {record.function, record.argument, record.value, record.rule}) {
        CHECK(message.find(part) != std::string::npos);
    }
}

}  // namespace

TEST_CASE("a call that breaks one documented restriction is refused by name") {
    const isa::MachineShape machine = small_machine(16, 32 * 1024);
    NullPort port(machine);
    firmware::Context context(port, strict_options());
    firmware::Context::Binding binding(context);
    context.begin_launch();
    std::size_t count = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_documented()) continue;
        RuleBreaker breaker(row, machine);
        for (const BrokenCall& broken : breaker.run()) {
            INFO(broken.call.text() << ": " << broken.argument << " is wrong");
            const int before = port.commands;
            const auto record = fault_of(broken.call);
            CHECK(record.has_value());
            CHECK(port.commands == before);
            if (record) check_fault(*record, broken);
            ++count;
        }
    }
    std::cout << count << " broken calls refused\n";
    // 103 functions with four to forty rules each.
    CHECK(count > 2000);
}

TEST_CASE("valid calls are accepted") {
    const isa::MachineShape machine = small_machine(16, 32 * 1024);
    NullPort port(machine);
    firmware::Context context(port, strict_options());
    firmware::Context::Binding binding(context);
    context.begin_launch();
    RandomCalls calls(machine, 3);
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_documented()) continue;
        for (int i = 0; i < 30; ++i) {
            const RandomCall call = calls.valid(row);
            INFO(call.text());
            const int before = port.commands;
            const auto record = fault_of(call);
            CHECK_FALSE(record.has_value());
            if (record) UNSCOPED_INFO(record->message());
            CHECK(port.commands > before);
        }
    }
}

TEST_CASE("parallel mode is started, ended and left before polling") {
    const isa::MachineShape machine = small_machine(4, 8 * 1024);
    NullPort port(machine);
    firmware::Context context(port, strict_options());
    firmware::Context::Binding binding(context);
    context.begin_launch();
    const auto refused = [](const std::string& function) {
        try {
            firmware::call_function(function, {});
        } catch (const ProgramFault& fault) {
            CHECK(fault.record().code == FaultCode::kBadState);
            CHECK(fault.record().function == function);
            CHECK_FALSE(fault.record().rule.empty());
            return true;
        }
        return false;
    };
    CHECK(refused("okk_parallel_end"));
    CHECK_FALSE(refused("okk_parallel_start"));
    CHECK(refused("okk_parallel_start"));
    CHECK(refused("okk_poll"));
    CHECK_FALSE(refused("okk_parallel_end"));
    CHECK_FALSE(refused("okk_poll"));
}

}  // namespace okksim::tests
