// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_work.h"

#include <limits>
#include <type_traits>

#include "isa/tensors.h"

namespace okksim::models {
namespace {

using isa::TimingClass;

constexpr std::int64_t kMultiplyAdd = 2;
/// Elements of a 32-bit word of the packed commands, at the narrower of their two widths.
constexpr std::int64_t kPackedElements = 4;

std::int64_t per_result(TimingClass timing) {
    const bool multiply_add = timing == TimingClass::kMac || timing == TimingClass::kMacConstant ||
                              timing == TimingClass::kFixedMac;
    return multiply_add ? kMultiplyAdd : 1;
}

std::int64_t taps(std::int32_t kernel_h, std::int32_t kernel_w) {
    return std::int64_t{kernel_h} * kernel_w;
}

std::int64_t operations(const isa::Convolution& op, TimingClass) {
    const auto geometry = isa::window_geometry(op.input_shape, op.output_c, op.kernel_h,
                                               op.kernel_w, op.padding, op.stride, op.dilation);
    return kMultiplyAdd * geometry.output.count() * op.input_shape.c *
           taps(op.kernel_h, op.kernel_w);
}

std::int64_t operations(const isa::Depthwise& op, TimingClass) {
    const auto geometry = isa::window_geometry(op.input_shape, op.input_shape.c, op.kernel_h,
                                               op.kernel_w, op.padding, op.stride, op.dilation);
    return kMultiplyAdd * geometry.output.count() * taps(op.kernel_h, op.kernel_w);
}

std::int64_t operations(const isa::MatrixMultiply& op, TimingClass) {
    return kMultiplyAdd * op.left_rows * op.left_cols * op.right_cols;
}

std::int64_t operations(const isa::VectorSeries& op, TimingClass) {
    return kMultiplyAdd * op.num_series * op.shape.count();
}

template <typename Operands>
std::int64_t operations(const Operands& op, TimingClass timing) {
    if constexpr (requires { op.kernel_h; }) {  // pools
        const auto geometry = isa::window_geometry(op.input_shape, op.input_shape.c, op.kernel_h,
                                                   op.kernel_w, op.padding, op.stride, {1, 1});
        return geometry.output.count() * taps(op.kernel_h, op.kernel_w);
    } else if constexpr (requires { op.shape; }) {
        return per_result(timing) * op.shape.count();
    } else {
        return 0;
    }
}

/// Operations that one execution unit completes in one cycle at best.
double per_unit_and_cycle(TimingClass timing, const BdcParams& params) {
    const auto each = [](std::int64_t operations, std::int64_t cycles) {
        return cycles == 0 ? std::numeric_limits<double>::infinity()
                           : static_cast<double>(operations) / static_cast<double>(cycles);
    };
    switch (timing) {
        case TimingClass::kGdmaCopy:
        case TimingClass::kGdmaMatrix:
        case TimingClass::kGdmaFill:
        case TimingClass::kSequence: return 0;
        case TimingClass::kCopy: return each(1, params.copy_cycles);
        case TimingClass::kConvert: return each(1, params.convert_cycles);
        case TimingClass::kLookup: return each(1, params.lookup_cycles);
        case TimingClass::kArithmetic: return each(1, params.tensor_cycles);
        case TimingClass::kArithmeticConstant: return each(1, params.constant_cycles);
        case TimingClass::kMac:
        case TimingClass::kMacConstant: return each(kMultiplyAdd, params.mac_cycles);
        case TimingClass::kDivide:
        case TimingClass::kDivideConstant:
        case TimingClass::kReciprocal: return each(1, params.divide_cycles);
        case TimingClass::kRsqrt:
        case TimingClass::kSqrt: return each(1, params.square_root_cycles);
        case TimingClass::kSeries: return each(kMultiplyAdd, params.series_cycles_per_term);
        case TimingClass::kLinear: return each(1, params.linear_cycles);
        case TimingClass::kConvolution:
            return each(kMultiplyAdd * params.convolution_channels_per_cycle, 1);
        // A kernel of width 1 takes one cycle per tap; wider ones take more.
        case TimingClass::kDepthwise:
        case TimingClass::kMatmul: return each(kMultiplyAdd, 1);
        case TimingClass::kPool: return each(1, 1);
        case TimingClass::kFixedArithmetic: return each(kPackedElements, params.fixed_add_cycles);
        case TimingClass::kFixedMul: return each(kPackedElements, params.fixed_mul_cycles);
        case TimingClass::kFixedMac:
            return each(kMultiplyAdd * kPackedElements, params.fixed_mac_cycles);
        case TimingClass::kFixedMaximum: return each(kPackedElements, params.fixed_max_cycles);
        case TimingClass::kFixedMinimum: return each(kPackedElements, params.fixed_min_cycles);
        case TimingClass::kFixedShift: return each(kPackedElements, params.fixed_shift_cycles);
    }
    __builtin_unreachable();
}

}  // namespace

std::uint64_t bdc_operations(const isa::Command& command) {
    const TimingClass timing = command.info().timing;
    return static_cast<std::uint64_t>(
        isa::visit_operands(command, [timing](const auto& op) { return operations(op, timing); }));
}

double bdc_peak_operations_per_second(TimingClass timing, const isa::MachineShape& machine,
                                      const BdcParams& params) {
    constexpr double kHertz = 1e6;
    return per_unit_and_cycle(timing, params) * static_cast<double>(machine.lanes) *
           static_cast<double>(params.execution_units) * params.clock_mhz * kHertz;
}

}  // namespace okksim::models
