// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "isa/errors.h"
#include "isa/layout.h"
#include "isa/tensors.h"
#include "models/memory/banks.h"

namespace okksim::models {
namespace {

using isa::TimingClass;

/// Within a lane; channels of different lanes are told apart by the lanes themselves.
bool repeats(const isa::Dim4& stride, const isa::Dim4& shape) {
    return (stride.n == 0 && shape.n > 1) || (stride.h == 0 && shape.h > 1) ||
           (stride.w == 0 && shape.w > 1);
}

/// Whether a source of an element-wise command repeats its elements.
template <typename Operands>
bool broadcasts(const Operands& op) {
    if constexpr (requires {
                      op.src0_stride;
                      op.src1_stride;
                  }) {
        return repeats(op.src0_stride, op.shape) || repeats(op.src1_stride, op.shape);
    } else if constexpr (requires { op.src_stride; }) {
        return repeats(op.src_stride, op.shape);
    } else {
        return false;
    }
}

/// Pricing of one command: steps of `execution_units` elements in every lane.
class Pricer {
 public:
    Pricer(const isa::Command& command, const isa::MachineShape& machine, const BdcParams& params)
        : info_(command.info()), machine_(machine), params_(params) {}

    std::int64_t groups(std::int64_t elements) const {
        return isa::div_up(elements, params_.execution_units);
    }
    std::int64_t slots(isa::LocalAddr addr, std::int32_t channels) const {
        return isa::channels_per_lane(machine_.lane_of(addr), channels, machine_.lanes);
    }
    std::int64_t steps(isa::LocalAddr addr, const isa::Dim4& shape) const {
        return shape.n * slots(addr, shape.c) * groups(std::int64_t{shape.h} * shape.w);
    }

    /// Cycles per step of an element-wise class.
    std::int64_t cycles_per_step() const {
        switch (info_.timing) {
            case TimingClass::kCopy: return params_.copy_cycles;
            case TimingClass::kConvert: return params_.convert_cycles;
            case TimingClass::kLookup: return params_.lookup_cycles;
            case TimingClass::kArithmetic: return params_.tensor_cycles;
            case TimingClass::kArithmeticConstant: return params_.constant_cycles;
            case TimingClass::kMac:
            case TimingClass::kMacConstant: return params_.mac_cycles;
            case TimingClass::kDivide:
            case TimingClass::kDivideConstant:
            case TimingClass::kReciprocal: return params_.divide_cycles;
            case TimingClass::kRsqrt:
            case TimingClass::kSqrt: return params_.square_root_cycles;
            case TimingClass::kLinear: return params_.linear_cycles;
            case TimingClass::kFixedArithmetic: return params_.fixed_add_cycles;
            case TimingClass::kFixedMul: return params_.fixed_mul_cycles;
            case TimingClass::kFixedMac: return params_.fixed_mac_cycles;
            case TimingClass::kFixedMaximum: return params_.fixed_max_cycles;
            case TimingClass::kFixedMinimum: return params_.fixed_min_cycles;
            case TimingClass::kFixedShift: return params_.fixed_shift_cycles;
            case TimingClass::kGdmaCopy:
            case TimingClass::kGdmaMatrix:
            case TimingClass::kGdmaFill:
            case TimingClass::kSeries:
            case TimingClass::kConvolution:
            case TimingClass::kDepthwise:
            case TimingClass::kPool:
            case TimingClass::kMatmul:
            case TimingClass::kSequence: break;
        }
        OKKSIM_CHECK(false);
    }

    std::int64_t windows(isa::LocalAddr output, const isa::Dim4& input, std::int32_t kernel_h,
                         std::int32_t kernel_w, const isa::WindowGeometry& geometry,
                         std::int32_t stride_w) const {
        const std::int64_t taps = std::int64_t{kernel_h} * kernel_w;
        return input.n * slots(output, input.c) *
               groups(std::int64_t{geometry.output.h} * geometry.output.w) *
               (taps * (1 + stride_w) - kernel_h + params_.depthwise_group_cycles);
    }

    /// Cycles that one kernel position takes for a group of pixels: the multipliers need the
    /// channels in passes, and fetching the pixels of a strided row takes stride + 1 cycles per
    /// channel of a pass, shared between the channels. Three channels are a case of their own on
    /// silicon.
    double cycles_per_tap(std::int32_t channels, std::int32_t stride_w) const {
        constexpr std::int32_t kThreeChannels = 3;
        if (channels == kThreeChannels) {
            return params_.three_channel_tap_cycles +
                   params_.three_channel_tap_cycles_per_stride * stride_w;
        }
        const auto passes =
            static_cast<double>(isa::div_up(channels, params_.convolution_channels_per_cycle));
        return std::max(passes, passes * (stride_w + 1) / channels);
    }

    std::int64_t price(const isa::Convolution& op) const {
        const auto geometry = isa::window_geometry(op.input_shape, op.output_c, op.kernel_h,
                                                   op.kernel_w, op.padding, op.stride, op.dilation);
        const std::int64_t groups_of_pixels =
            op.input_shape.n * slots(op.output_addr, op.output_c) *
            groups(std::int64_t{geometry.output.h} * geometry.output.w);
        const double taps = static_cast<double>(op.kernel_h) * op.kernel_w;
        const double cycles_per_group = taps * cycles_per_tap(op.input_shape.c, op.stride.w) +
                                        static_cast<double>(params_.convolution_group_cycles);
        return static_cast<std::int64_t>(
            std::floor(static_cast<double>(groups_of_pixels) * cycles_per_group));
    }
    std::int64_t price(const isa::Depthwise& op) const {
        const auto geometry = isa::window_geometry(op.input_shape, op.input_shape.c, op.kernel_h,
                                                   op.kernel_w, op.padding, op.stride, op.dilation);
        return windows(op.output_addr, op.input_shape, op.kernel_h, op.kernel_w, geometry,
                       op.stride.w);
    }
    template <typename Pool>
    std::int64_t price_pool(const Pool& op) const {
        const auto geometry = isa::window_geometry(op.input_shape, op.input_shape.c, op.kernel_h,
                                                   op.kernel_w, op.padding, op.stride, {1, 1});
        return windows(op.output_addr, op.input_shape, op.kernel_h, op.kernel_w, geometry,
                       op.stride.w);
    }
    std::int64_t price(const isa::Pool& op) const { return price_pool(op); }
    std::int64_t price(const isa::PoolScaled& op) const { return price_pool(op); }
    std::int64_t price(const isa::MatrixMultiply& op) const {
        const auto channels =
            static_cast<std::int32_t>(isa::div_up(op.right_cols, op.right_cols_per_channel));
        return op.left_rows * slots(op.output_addr, channels) * groups(op.right_cols_per_channel) *
               (op.left_cols + params_.matmul_row_cycles);
    }
    std::int64_t price(const isa::VectorSeries& op) const {
        return steps(op.dst_addr, op.shape) *
               (params_.series_cycles_per_term * op.num_series + params_.series_cycles);
    }
    template <typename Elementwise>
    std::int64_t price(const Elementwise& op) const {
        if constexpr (requires { op.op_type; }) {
            const isa::FixedTypes types = isa::fixed_types(op.op_type);
            const bool wide =
                info_.timing == TimingClass::kFixedMul && types.result.bits > types.source0.bits;
            return steps(op.dst_addr, isa::packed_shape(op.shape, types.source0.bits)) *
                   (wide ? params_.fixed_wide_mul_cycles : cycles_per_step());
        } else if constexpr (std::is_same_v<decltype(op.dst_addr), isa::LocalAddr>) {
            // Words of the 16-bit packed functions hold two batch elements.
            constexpr int kPackedBits = 16;
            const isa::Dim4 words = info_.data == isa::DataType::kFixed16
                                        ? isa::packed_shape(op.shape, kPackedBits)
                                        : op.shape;
            return steps(op.dst_addr, words) * cycles_per_step();
        } else {
            OKKSIM_CHECK(false);
        }
    }

 private:
    const isa::InstructionInfo& info_;
    const isa::MachineShape& machine_;
    const BdcParams& params_;
};

/// Vectors of a tensor in one lane.
double vectors(const isa::TensorView& view, const isa::MachineShape& machine,
               const BdcParams& params) {
    const std::int64_t slots =
        isa::channels_per_lane(machine.lane_of(view.local_addr), view.shape.c, machine.lanes);
    return static_cast<double>(
        view.shape.n * slots *
        isa::div_up(std::int64_t{view.shape.h} * view.shape.w, params.execution_units));
}

/// The part of the larger operand's banks that the other one uses too.
double common_share(BankSet a, BankSet b) {
    return static_cast<double>(std::popcount(a & b)) /
           static_cast<double>(std::max(std::popcount(a), std::popcount(b)));
}

}  // namespace

double conflicting_vectors(const isa::Command& command, const isa::MachineShape& machine,
                           const BdcParams& params) {
    const isa::TensorViews views = isa::tensor_views(command, machine);
    double sum = 0;
    for (int i = 0; i < views.size(); ++i) {
        for (int j = i + 1; j < views.size(); ++j) {
            const double share =
                common_share(touched_banks(views[i], machine), touched_banks(views[j], machine));
            if (share == 0) continue;
            sum += share *
                   std::min(vectors(views[i], machine, params), vectors(views[j], machine, params));
        }
    }
    return sum;
}

CommandCost bdc_time(const BdcCost& cost, const Clock& clock) {
    return {.work = clock.duration(cost.work()),
            .bank_conflict = clock.duration(cost.bank_conflict)};
}

BdcCost bdc_cost(const isa::Command& command, const isa::MachineShape& machine,
                 const BdcParams& params) {
    const Pricer pricer(command, machine, params);
    return isa::visit_operands(command, [&](const auto& op) -> BdcCost {
        using Operands = std::remove_cvref_t<decltype(op)>;
        if constexpr (
            requires(const Operands& o) { o.shape; } ||
            requires(const Operands& o) { o.output_addr; }) {
            BdcCost cost{{params.startup_cycles}, {pricer.price(op)}, {}};
            if (broadcasts(op)) cost.startup += {params.broadcast_cycles};
            if (params.bank_conflict_cycles > 0) {
                cost.bank_conflict = {static_cast<std::int64_t>(std::ceil(
                    conflicting_vectors(command, machine, params) * params.bank_conflict_cycles))};
            }
            return cost;
        } else {
            OKKSIM_CHECK(false);
        }
    });
}

}  // namespace okksim::models
