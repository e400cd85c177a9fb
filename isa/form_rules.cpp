// SPDX-License-Identifier: Apache-2.0
#include "isa/form_rules.h"

#include <algorithm>
#include <type_traits>

#include "isa/layout.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

std::string allowed_names(OpTypeSet allowed) {
    std::string names;
    for (const NamedOpType& row : op_types()) {
        if ((allowed & op_type_bit(row.type)) == 0) continue;
        if (!names.empty()) names += ", ";
        names += row.name;
    }
    return names;
}

}  // namespace

bool FormChecker::run() {
    visit_operands(command_, [this](const auto& form) { form_rules(form); });
    return !violation_;
}

/// Applies the rules that follow from the members of the form and from the roles of its operands.
template <typename FormStruct>
void FormChecker::form_rules(const FormStruct& form) {
    const auto role_rules = [this]<typename Role>(OperandKind, const char* name,
                                                  const OperandRules&, const auto&,
                                                  const Role& role) {
        if (violation_) return;
        if constexpr (std::is_base_of_v<roles::Windows, Role>) window_rules(role);
        if constexpr (std::is_base_of_v<roles::FixedConstant, Role>) constant_rule(name, role);
    };
    if constexpr (requires { form.op_type; }) operation(form);
    form.visit(role_rules);
    if constexpr (requires { form.left_cols_per_channel; }) matrix(form);
    if constexpr (requires { form.work_addr; }) work(form);
    if constexpr (requires { form.index_stride; }) listed_rows(form);
    if constexpr (requires { form.rescales; }) {
        integer_sums(form);
    } else if constexpr (requires { form.rounds_twice; }) {
        scaled_result(form, form.dst_type);
    }
}

// The output is smaller than the padded input. It is therefore in [1, kMostWindowExtent] when these
// rules hold for both axes. Sums of a few sizes fit 32 bits (kMostModelled).
void FormChecker::window_rules(const roles::Windows& windows) {
    const Padding& pad = windows.padding;
    window_axis("h", windows.input.h, pad.top + pad.bottom, windows.kernel_h, windows.dilation.h) &&
        window_axis("w", windows.input.w, pad.left + pad.right, windows.kernel_w,
                    windows.dilation.w);
}

bool FormChecker::window_axis(const char* axis, std::int32_t input, std::int32_t pad,
                              std::int32_t kernel, std::int32_t dilation) {
    const std::int32_t padded = input + pad;
    const std::int64_t span = std::int64_t{kernel - 1} * dilation + 1;
    const std::string name(axis);
    if (padded > kMostWindowExtent &&
        !beyond("input_shape->" + name, std::to_string(input),
                "with its paddings (" + std::to_string(pad) + ") at most " +
                    std::to_string(kMostWindowExtent))) {
        return false;
    }
    if (span <= padded) return true;
    return fail("kernel_" + name, std::to_string(kernel),
                "the kernel (dilated: " + std::to_string(span) + ") fits into the padded input (" +
                    std::to_string(padded) + "), so that the output is not empty");
}

/// Requires equal batches and row shapes of the two tensors whose rows the list connects.
template <typename Listed>
void FormChecker::listed_rows(const Listed& form) {
    if (violation_) return;
    const auto check = [&](const char* name, const Dim4& table) {
        const auto same = [&](const char* axis, std::int32_t own, std::int32_t wanted) {
            return own == wanted || fail(std::string(name) + "->" + axis, std::to_string(own),
                                         "equal to shape->" + std::string(axis) + " (" +
                                             std::to_string(wanted) + ")");
        };
        same("n", table.n, form.shape.n) && same("h", table.h, form.shape.h) &&
            same("w", table.w, form.shape.w);
    };
    if constexpr (requires { form.src_shape; }) {
        check("src_shape", form.src_shape);
    } else {
        check("dst_shape", form.dst_shape);
    }
}

template <typename Product>
void FormChecker::matrix(const Product& form) {
    if (violation_) return;
    matrix_columns("left_cols", form.left_cols, form.left_cols_per_channel) &&
        matrix_columns("right_cols", form.right_cols, form.right_cols_per_channel);
}

bool FormChecker::matrix_columns(const char* name, std::int32_t cols,
                                 std::int32_t cols_per_channel) {
    const std::int32_t most = std::min(kMostColsPerChannel, cols);
    const std::int64_t channels = div_up(cols, cols_per_channel);
    if (cols_per_channel > most &&
        !beyond(std::string(name) + "_per_channel", std::to_string(cols_per_channel),
                "in [1, min(" + std::to_string(kMostColsPerChannel) + ", " + std::string(name) +
                    ")] = [1, " + std::to_string(most) + "]")) {
        return false;
    }
    return channels <= kMostChannels ||
           beyond(name, std::to_string(cols),
                  "the columns take at most " + std::to_string(kMostChannels) + " channels (at " +
                      std::to_string(cols_per_channel) + " per channel they take " +
                      std::to_string(channels) + ")");
}

/// Requires result limits that are values of the result's type.
template <typename Scaled>
void FormChecker::scaled_result(const Scaled& form, ElementType type) {
    if (violation_) return;
    const ElementRange range = element_range(type);
    const std::string text =
        "in [" + std::to_string(range.low) + ", " + std::to_string(range.high) + "]";
    if (form.low < range.low || form.low > range.high) {
        fail("low", std::to_string(form.low), text);
    } else if (form.high < form.low || form.high > range.high) {
        fail("high", std::to_string(form.high),
             text + " and not below low = " + std::to_string(form.low));
    }
}

/// Checks sums that are stored unscaled, or scaled once they are complete.
template <typename Sums>
void FormChecker::integer_sums(const Sums& form) {
    if (violation_) return;
    const bool is_wide = form.input_type == ElementType::kInt16;
    const ElementType sums = is_wide ? ElementType::kInt48 : ElementType::kInt32;
    if (form.rescales == 0) {
        if (form.output_type == sums) return;
        fail("output_type", element_type_name(form.output_type),
             std::string(element_type_name(sums)) + " without rescales: sums of this input_type");
        return;
    }
    if constexpr (requires { form.result_add; }) {
        if (form.result_add != 0) {
            fail("result_add", "1", "0 with rescales: add up first, then scale");
            return;
        }
    }
    if (form.output_type == ElementType::kInt48) {
        fail("output_type", "OKK_INT48", "a type of at most 32 bits with rescales");
        return;
    }
    scaled_result(form, form.output_type);
}

/// Requires a work tensor that is apart from the tensors that its row names.
template <typename Sequence>
void FormChecker::work(const Sequence& form) {
    if (violation_) return;
    Apart apart = Apart::kNone;
    for (const OperandInfo& operand : info_.operands()) {
        if (operand.rules.apart != Apart::kNone) apart = operand.rules.apart;
    }
    const bool on_result = apart != Apart::kNone && form.work_addr == form.dst_addr;
    const bool on_source = apart == Apart::kResultAndSource && form.work_addr == form.src_addr;
    if (!on_result && !on_source) return;
    fail("work_addr", std::to_string(form.work_addr.value),
         std::string(on_result ? "dst_addr" : "src_addr") + " = work_addr is not allowed");
}

template <typename Fixed>
void FormChecker::operation(const Fixed& form) {
    bool is_origin_dst_signed = false;
    if constexpr (requires { form.is_origin_dst_signed; }) {
        is_origin_dst_signed = form.is_origin_dst_signed != 0;
    }
    const OpTypeSet allowed = allowed_op_types(command_.opcode, is_origin_dst_signed);
    if ((allowed & op_type_bit(form.op_type)) != 0) return;
    fail("op_type", op_type_name(form.op_type),
         (is_origin_dst_signed ? "with is_origin_dst_signed one of " : "one of ") +
             allowed_names(allowed));
}

void FormChecker::constant_rule(const char* name, const roles::FixedConstant& constant) {
    const FixedType type = constant.type;
    const std::int32_t low = type.is_signed ? -(1 << (type.bits - 1)) : 0;
    const std::int32_t high = low + (1 << type.bits) - 1;
    if (constant.value >= low && constant.value <= high) return;
    fail(name, std::to_string(constant.value),
         "in [" + std::to_string(low) + ", " + std::to_string(high) + "] (" +
             (type.is_signed ? "int" : "uint") + std::to_string(type.bits) + ")");
}

bool FormChecker::beyond(std::string argument, std::string value, std::string rule) {
    if (limits_.are_rules) return fail(std::move(argument), std::move(value), std::move(rule));
    if (!limits_.exceeded) {
        limits_.exceeded = Violation{std::move(argument), std::move(value), std::move(rule)};
    }
    return true;
}

[[gnu::cold, gnu::noinline]] bool FormChecker::fail(std::string argument, std::string value,
                                                    std::string rule) {
    violation_ = Violation{std::move(argument), std::move(value), std::move(rule)};
    return false;
}

}  // namespace okksim::isa
