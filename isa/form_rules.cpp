// SPDX-License-Identifier: Apache-2.0
#include "isa/form_rules.h"

#include <algorithm>

#include "isa/layout.h"
#include "isa/type_names.h"

namespace okksim::isa {
namespace {

constexpr std::int32_t kMaxExtent = 2047;  ///< seed okk_bdc_conv2d: padded and output extents
constexpr std::int32_t kMaxColsPerChannel = 128;  ///< seed okk_bdc_matmul
constexpr std::int64_t kMaxChannels = 4095;

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
    switch (info_.form) {
        case Form::kConvolution: return window(command_.as<Convolution>());
        case Form::kDepthwise: return window(command_.as<Depthwise>());
        case Form::kPool: return window(command_.as<Pool>());
        case Form::kPoolScaled: return window(command_.as<PoolScaled>());
        case Form::kMatrixMultiply: return matrix(command_.as<MatrixMultiply>());
        case Form::kSequenceWork: return work(command_.as<SequenceWork>(), true);
        case Form::kSequenceWorkSeries: return work(command_.as<SequenceWorkSeries>(), true);
        case Form::kSequenceInt8ToFp32: return work(command_.as<SequenceInt8ToFp32>(), false);
        case Form::kSequenceSplitLow: return work(command_.as<SequenceSplitLow>(), false);
        case Form::kFixedBinary: return operation(command_.as<FixedBinary>().op_type);
        case Form::kFixedCompare: return operation(command_.as<FixedCompare>().op_type);
        case Form::kFixedConstant: return operation_and_constant(command_.as<FixedConstant>());
        case Form::kFixedCompareConstant:
            return operation_and_constant(command_.as<FixedCompareConstant>());
        case Form::kFixedMac: {
            const auto form = command_.as<FixedMac>();
            return operation(form.op_type, form.is_origin_dst_signed != 0);
        }
        case Form::kFixedMacConstant: {
            const auto form = command_.as<FixedMacConstant>();
            return operation(form.op_type, form.is_origin_dst_signed != 0) &&
                   constant(form.C, fixed_types(form.op_type).source1);
        }
        case Form::kFixedConstantShift: {
            const bool is_signed =
                command_.opcode == Opcode::bdc_fixed_point_packed_16bit_C_arithmetic_shift;
            return constant(command_.as<FixedConstantShift>().C, {is_signed, 16});
        }
        // The operands of these forms have no restrictions beyond their own.
        case Form::kGdmaCopyToLocal:
        case Form::kGdmaCopyToSystem:
        case Form::kGdmaCopyLocal:
        case Form::kGdmaCopySystem:
        case Form::kGdmaMatrixToLocal:
        case Form::kGdmaMatrixToSystem:
        case Form::kGdmaFillSystem:
        case Form::kGdmaFillLocal:
        case Form::kVectorBinary:
        case Form::kVectorBinarySelect:
        case Form::kVectorConstant:
        case Form::kVectorConstantBits:
        case Form::kVectorShiftConstant:
        case Form::kVectorConstantShift:
        case Form::kVectorConstantSelect:
        case Form::kVectorUnary:
        case Form::kVectorSeries:
        case Form::kVectorSet:
        case Form::kVectorBias:
        case Form::kVectorScale:
        case Form::kVectorScaleBias:
        case Form::kFixedShift:
        case Form::kFixedShiftConstant:
        case Form::kFixedMul16By8:
        case Form::kFixedSplitHigh: return true;
    }
    return true;
}

template <typename Window>
bool FormChecker::window(const Window& form) {
    const Padding& pad = form.padding;
    Dim2 dilation{1, 1};
    if constexpr (requires { form.dilation; }) dilation = form.dilation;
    return window_axis("h", form.input_shape.h, pad.top + pad.bottom, form.kernel_h, dilation.h) &&
           window_axis("w", form.input_shape.w, pad.left + pad.right, form.kernel_w, dilation.w);
}

// The output is smaller than the padded input, so it is in [1, 2047] when these two rules hold.
bool FormChecker::window_axis(const char* axis, std::int32_t input, std::int32_t pad,
                              std::int32_t kernel, std::int32_t dilation) {
    const std::int32_t padded = input + pad;
    const std::int64_t span = std::int64_t{kernel - 1} * dilation + 1;
    if (padded <= kMaxExtent && span <= padded) return true;
    const std::string name(axis);
    if (padded > kMaxExtent) {
        return fail("input_shape->" + name, std::to_string(input),
                    "with its paddings (" + std::to_string(pad) + ") at most " +
                        std::to_string(kMaxExtent));
    }
    return fail("kernel_" + name, std::to_string(kernel),
                "the kernel (dilated: " + std::to_string(span) + ") fits into the padded input (" +
                    std::to_string(padded) + "), so that the output is not empty");
}

bool FormChecker::matrix(const MatrixMultiply& form) {
    return matrix_columns("left_cols", form.left_cols, form.left_cols_per_channel) &&
           matrix_columns("right_cols", form.right_cols, form.right_cols_per_channel);
}

bool FormChecker::matrix_columns(const char* name, std::int32_t cols,
                                 std::int32_t cols_per_channel) {
    const std::int32_t most = std::min(kMaxColsPerChannel, cols);
    const std::int64_t channels = div_up(cols, cols_per_channel);
    if (cols_per_channel <= most && channels <= kMaxChannels) return true;
    if (cols_per_channel > most) {
        return fail(
            std::string(name) + "_per_channel", std::to_string(cols_per_channel),
            "in [1, min(128, " + std::string(name) + ")] = [1, " + std::to_string(most) + "]");
    }
    return fail(name, std::to_string(cols),
                "the columns take at most " + std::to_string(kMaxChannels) + " channels (at " +
                    std::to_string(cols_per_channel) + " per channel they take " +
                    std::to_string(channels) + ")");
}

template <typename Sequence>
bool FormChecker::work(const Sequence& form, bool source_too) {
    if (form.work_addr != form.dst_addr && !(source_too && form.work_addr == form.src_addr)) {
        return true;
    }
    const char* other = form.work_addr == form.dst_addr ? "dst_addr" : "src_addr";
    return fail("work_addr", std::to_string(form.work_addr.value),
                std::string(other) + " = work_addr is not allowed");
}

bool FormChecker::operation(OpType type, bool is_origin_dst_signed) {
    const OpTypeSet allowed = allowed_op_types(command_.opcode, is_origin_dst_signed);
    if ((allowed & op_type_bit(type)) != 0) return true;
    const bool is_mac = info_.timing == TimingClass::kFixedMac;
    return fail("op_type", op_type_name(type),
                (is_mac && is_origin_dst_signed ? "with is_origin_dst_signed one of " : "one of ") +
                    allowed_names(allowed));
}

template <typename Fixed>
bool FormChecker::operation_and_constant(const Fixed& form) {
    if (!operation(form.op_type)) return false;
    const FixedTypes types = fixed_types(form.op_type);
    const bool constant_first = command_.opcode == Opcode::bdc_fixed_point_packed_C_sub;
    return constant(form.C, constant_first ? types.source0 : types.source1);
}

bool FormChecker::constant(std::int32_t value, FixedType type) {
    const std::int32_t low = type.is_signed ? -(1 << (type.bits - 1)) : 0;
    const std::int32_t high = low + (1 << type.bits) - 1;
    if (value >= low && value <= high) return true;
    return fail("C", std::to_string(value),
                "in [" + std::to_string(low) + ", " + std::to_string(high) + "] (" +
                    (type.is_signed ? "int" : "uint") + std::to_string(type.bits) + ")");
}

[[gnu::cold, gnu::noinline]] bool FormChecker::fail(std::string argument, std::string value,
                                                    std::string rule) {
    violation_ = Violation{std::move(argument), std::move(value), std::move(rule)};
    return false;
}

}  // namespace okksim::isa
