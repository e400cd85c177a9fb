// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/instructions.h"
#include "isa/layout.h"
#include "models/bdc/bdc_params.h"

/// Cost formulas of the compute engine; rows of isa/timing_classes.def name them.
/// A formula is a class with three functions:
///   cycles(operands, array, parameters): cycles of one command, without its start-up.
///   operations(operands, each): operations of the command; `each` is the number of the row.
///   peak(array, parameters, each): most operations per cycle of one execution unit.
///     Infinite if the machine gives the class no cost.
/// Formulas of arrays that read inputs and weights several times also have this function:
///   words_read(operands, array): words of both that are read. A word that all lanes share counts
///   once.
/// Parameters are those of the row, in cycles; kParameters is their number. Formulas with their
/// reasons: models/bdc/README.md.
namespace okksim::models::laws {

template <std::size_t kCount>
using Parameters = std::array<std::int64_t, kCount>;

/// Parameters column of a row.
template <typename... Values>
constexpr Parameters<sizeof...(Values)> cycles(Values... values) {
    return {values...};
}

constexpr double rate(std::int64_t operations, std::int64_t cycles) {
    return cycles == 0 ? std::numeric_limits<double>::infinity()
                       : static_cast<double>(operations) / static_cast<double>(cycles);
}

/// The lanes and their execution units.
struct Array {
    const isa::MachineShape& machine;
    const BdcParams& params;

    /// Returns the number of vectors of `execution_units` elements.
    std::int64_t groups(std::int64_t elements) const {
        return isa::div_up(elements, params.execution_units);
    }
    std::int64_t slots(isa::LocalAddr addr, std::int32_t channels) const {
        return isa::channels_per_lane(machine.lane_of(addr), channels, machine.lanes);
    }
    std::int64_t steps(isa::LocalAddr addr, const isa::Dim4& shape) const {
        return shape.n * slots(addr, shape.c) * groups(std::int64_t{shape.h} * shape.w);
    }
};

/// No formula: the firmware issues other commands, and each of them has a cost.
struct none {
    static constexpr std::size_t kParameters = 0;

    static double peak(const Array&, const Parameters<0>&, std::int64_t) { return 0; }
};

/// One cost per vector of 32-bit elements.
struct elementwise {
    static constexpr std::size_t kParameters = 1;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return array.steps(op.dst_addr, op.shape) * p[0];
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * op.shape.count();
    }
    static double peak(const Array&, const Parameters<1>& p, std::int64_t each) {
        return rate(each, p[0]);
    }
};

/// One cost per vector of 32-bit words that hold two or four elements.
struct packed {
    static constexpr std::size_t kParameters = 1;
    /// Elements of a word of 8-bit elements, the narrower width.
    static constexpr std::int64_t kMostElements = isa::packed_elements(8);

    /// Returns the bits of an element of the first source. Words of the 16-bit functions hold two
    /// elements.
    template <typename Operands>
    static constexpr int source_bits(const Operands& op) {
        if constexpr (requires { op.op_type; }) {
            return isa::fixed_types(op.op_type).source0.bits;
        } else {
            return isa::roles::kSigned16.bits;
        }
    }
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return array.steps(op.dst_addr, isa::packed_shape(op.shape, source_bits(op))) * p[0];
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * op.shape.count();
    }
    static double peak(const Array&, const Parameters<1>& p, std::int64_t each) {
        return rate(each * kMostElements, p[0]);
    }
};

/// Packed elements, with another cost when the result is wider than the sources.
struct packed_product {
    static constexpr std::size_t kParameters = 2;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<2>& p) {
        bool wide = false;
        if constexpr (requires { op.op_type; }) {
            const isa::FixedTypes types = isa::fixed_types(op.op_type);
            wide = types.result.bits > types.source0.bits;
        }
        return packed::cycles(op, array, {wide ? p[1] : p[0]});
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return packed::operations(op, each);
    }
    static double peak(const Array& array, const Parameters<2>& p, std::int64_t each) {
        return packed::peak(array, {p[0]}, each);
    }
};

/// One cost per vector and term, and one per vector.
struct series {
    static constexpr std::size_t kParameters = 2;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<2>& p) {
        return array.steps(op.dst_addr, op.shape) * (p[0] * op.num_series + p[1]);
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * op.num_series * op.shape.count();
    }
    static double peak(const Array&, const Parameters<2>& p, std::int64_t each) {
        return rate(each, p[0]);
    }
};

/// Returns the geometry of a command with windows. Pools have no dilation, and their outputs have
/// the channels of the input.
template <typename Operands>
isa::WindowGeometry geometry_of(const Operands& op) {
    std::int32_t channels = op.input_shape.c;
    if constexpr (requires { op.output_c; }) channels = op.output_c;
    isa::Dim2 dilation = isa::roles::kNoDilation;
    if constexpr (requires { op.dilation; }) dilation = op.dilation;
    return isa::window_geometry(op.input_shape, channels, op.kernel_h, op.kernel_w, op.padding,
                                op.stride, dilation);
}
template <typename Operands>
std::int64_t taps(const Operands& op) {
    return std::int64_t{op.kernel_h} * op.kernel_w;
}

/// Sums over windows and input channels.
struct convolution {
    static constexpr std::size_t kParameters = 1;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return cycles(op, array, p, array.params.convolution_channels_per_cycle);
    }
    /// Cycles of a convolution whose multipliers take `channels_per_cycle` channels.
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p,
                               std::int64_t channels_per_cycle) {
        const isa::WindowGeometry geometry = geometry_of(op);
        const std::int64_t groups_of_pixels =
            op.input_shape.n * array.slots(op.output_addr, op.output_c) *
            array.groups(std::int64_t{geometry.output.h} * geometry.output.w);
        const double cycles_per_group =
            static_cast<double>(op.kernel_h) * op.kernel_w *
                cycles_per_tap(op.input_shape.c, op.stride.w, array.params, channels_per_cycle) +
            static_cast<double>(p[0]);
        return static_cast<std::int64_t>(
            std::floor(static_cast<double>(groups_of_pixels) * cycles_per_group));
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * geometry_of(op).output.count() * op.input_shape.c * taps(op);
    }
    static double peak(const Array& array, const Parameters<1>&, std::int64_t each) {
        return rate(each * array.params.convolution_channels_per_cycle, 1);
    }

    /// Reads: one pixel per tap and channel for all lanes, once per slot of output channels. One
    /// weight per output channel, once per group of pixels.
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        const isa::Dim4 output = geometry_of(op).output;
        const std::int64_t plane = std::int64_t{output.h} * output.w;
        return op.input_shape.n * op.input_shape.c * taps(op) *
               (array.slots(op.output_addr, op.output_c) * plane +
                op.output_c * array.groups(plane));
    }

    /// Cycles of one kernel position for a group of pixels. The multipliers take the channels in
    /// passes. The pixel fetch takes longer for larger strides, and several channels share it. With
    /// few channels the fetch dominates.
    static double cycles_per_tap(std::int32_t channels, std::int32_t stride_w,
                                 const BdcParams& params, std::int64_t channels_per_cycle) {
        const double fetch =
            params.convolution_fetch_cycles + params.convolution_fetch_cycles_per_stride * stride_w;
        const auto passes = static_cast<double>(isa::div_up(channels, channels_per_cycle));
        const double shared =
            std::min(1.0, params.convolution_fetch_channels / static_cast<double>(channels));
        return std::max(passes, fetch * shared);
    }
};

/// A convolution of 16-bit elements: `half_products` products replace one of 32 bits.
struct half_convolution : convolution {
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return convolution::cycles(
            op, array, p, array.params.convolution_channels_per_cycle * array.params.half_products);
    }
    static double peak(const Array& array, const Parameters<1>& p, std::int64_t each) {
        return convolution::peak(array, p, each * array.params.half_products);
    }
    /// A word holds two values.
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        return isa::div_up(convolution::words_read(op, array), kHalves);
    }
    static constexpr std::int64_t kHalves = isa::packed_elements(16);
};

/// Windows of one channel each.
struct pool {
    static constexpr std::size_t kParameters = 1;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return cycles(op, array, p, 1);
    }
    /// Cycles of a pool whose units work on several pixels at a time.
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p,
                               std::int64_t pixels) {
        const isa::WindowGeometry geometry = geometry_of(op);
        return op.input_shape.n * array.slots(op.output_addr, op.input_shape.c) *
               isa::div_up(std::int64_t{geometry.output.h} * geometry.output.w,
                           array.params.execution_units * pixels) *
               (taps(op) * (1 + op.stride.w) - op.kernel_h + p[0]);
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * geometry_of(op).output.count() * taps(op);
    }
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array&) {
        return geometry_of(op).output.count() * taps(op);
    }
    /// A kernel of width 1 takes one cycle per tap; wider ones take more.
    static double peak(const Array&, const Parameters<1>&, std::int64_t each) {
        return rate(each, 1);
    }
};

/// Sums over windows, channel by channel: slower than pools by one factor.
struct depthwise : pool {
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return std::llround(static_cast<double>(pool::cycles(op, array, p)) *
                            array.params.depthwise_factor);
    }
    /// Pixels as for a pool; one weight per channel and tap, once per group of pixels.
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        const isa::Dim4 output = geometry_of(op).output;
        return pool::words_read(op, array) +
               output.n * output.c * array.groups(std::int64_t{output.h} * output.w) * taps(op);
    }
    static double peak(const Array& array, const Parameters<1>&, std::int64_t each) {
        return static_cast<double>(each) / array.params.depthwise_factor;
    }
};

/// A depthwise convolution of 16-bit elements.
struct half_depthwise : depthwise {
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return std::llround(
            static_cast<double>(pool::cycles(op, array, p, array.params.half_products)) *
            array.params.depthwise_factor);
    }
    static double peak(const Array& array, const Parameters<1>& p, std::int64_t each) {
        return depthwise::peak(array, p, each * array.params.half_products);
    }
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        return isa::div_up(depthwise::words_read(op, array), half_convolution::kHalves);
    }
};

/// One cost per vector of elements of 16 bits.
struct half_elementwise : elementwise {
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return op.shape.n * array.slots(op.dst_addr, op.shape.c) *
               isa::div_up(std::int64_t{op.shape.h} * op.shape.w,
                           array.params.execution_units * array.params.half_products) *
               p[0];
    }
    static double peak(const Array& array, const Parameters<1>& p, std::int64_t each) {
        return elementwise::peak(array, p, each * array.params.half_products);
    }
};

/// Scaling of integers. A lane has fewer multipliers for it than execution units.
struct rescaling {
    static constexpr std::size_t kParameters = 2;  ///< least cycles of a step, multipliers

    static std::int64_t step(const Array& array, const Parameters<2>& p) {
        return std::max(p[0], isa::div_up(array.params.execution_units, p[1]));
    }
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<2>& p) {
        return array.steps(op.dst_addr, op.shape) * step(array, p);
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * op.shape.count();
    }
    static double peak(const Array& array, const Parameters<2>& p, std::int64_t each) {
        return rate(each, step(array, p));
    }
};

/// Sums of integer products over windows and input channels
/// (shared/timing/estimator/int8_laws.json).
struct int_convolution {
    static constexpr std::size_t kParameters = 2;  ///< group cycles, multipliers of the rescale

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<2>& p) {
        const auto packed = [&](IntPacking packing) { return cycles(op, array, p, packing); };
        const auto packing = static_cast<IntPacking>(array.params.mac_packing);
        if (packing != IntPacking::kEither) return packed(packing);
        return std::min(packed(IntPacking::kBatch), packed(IntPacking::kPixels));
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * geometry_of(op).output.count() * op.input_shape.c * taps(op);
    }
    static double peak(const Array& array, const Parameters<2>&, std::int64_t each) {
        return rate(each * array.params.int_products * kChannels, 1);
    }
    /// Counts as for the floating-point convolution; a word holds four values.
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        return isa::div_up(convolution::words_read(op, array), isa::kWordBytes);
    }

 private:
    /// Input channels of a pass: one word of weights.
    static constexpr std::int64_t kChannels = 4;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<2>& p,
                               IntPacking packing) {
        const isa::Dim4 output = geometry_of(op).output;
        const BdcParams& params = array.params;
        const bool is_batch = packing == IntPacking::kBatch;
        const std::int64_t images =
            is_batch ? isa::div_up(op.input_shape.n, params.int_products) : op.input_shape.n;
        const std::int64_t pixels = params.execution_units * (is_batch ? 1 : params.int_products);
        const std::int64_t groups = images * array.slots(op.output_addr, op.output_c) *
                                    isa::div_up(std::int64_t{output.h} * output.w, pixels);
        const std::int32_t stride = std::min(op.stride.h, op.stride.w);
        double group =
            static_cast<double>(taps(op)) * cycles_per_tap(op.input_shape.c, stride, params) +
            static_cast<double>(p[0]);
        // A 16-bit product takes two 8-bit products.
        if (isa::element_bytes(op.input_type) == 2) group *= 2;
        if (op.rescales != 0) {
            const std::int64_t results =
                isa::div_up(pixels * op.input_shape.n, is_batch ? images : op.input_shape.n);
            group = std::max(group, static_cast<double>(isa::div_up(results, p[1])));
        }
        return static_cast<std::int64_t>(std::floor(static_cast<double>(groups) * group));
    }

    static double cycles_per_tap(std::int32_t channels, std::int32_t least_stride,
                                 const BdcParams& params) {
        // The formula for few channels is fitted to the estimator's table. With up to 32 channels
        // the multipliers wait for pixels, in two regimes.
        constexpr std::int32_t kFewChannels = 32;
        constexpr double kLatency = 3, kPerPass = 0.5, kPerPassAndStride = 0.05;
        const auto passes = static_cast<double>(isa::div_up(channels, kChannels));
        const auto stride = static_cast<double>(least_stride);
        if (passes <= stride + 1) return passes + params.int_fetch_cycles + stride;
        if (channels > kFewChannels) return passes;
        return std::max(passes, kLatency + kPerPass * passes + kPerPassAndStride * passes * stride);
    }
};

/// Integer windows, channel by channel; a unit works on several pixels.
struct int_pool {
    static constexpr std::size_t kParameters = 1;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        const isa::Dim4 output = geometry_of(op).output;
        return op.input_shape.n * array.slots(op.output_addr, op.input_shape.c) *
               isa::div_up(std::int64_t{output.h} * output.w,
                           array.params.execution_units * array.params.int_products) *
               (taps(op) * (1 + op.stride.w) + p[0]);
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return pool::operations(op, each);
    }
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        return isa::div_up(pool::words_read(op, array), isa::kWordBytes);
    }
    static double peak(const Array& array, const Parameters<1>&, std::int64_t each) {
        return rate(each * array.params.int_products, 2);
    }
};

/// Sums over windows of integers, channel by channel.
struct int_depthwise : int_pool {
    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        return std::llround(static_cast<double>(int_pool::cycles(op, array, p)) *
                            array.params.int_depthwise_factor);
    }
    static double peak(const Array& array, const Parameters<1>& p, std::int64_t each) {
        return int_pool::peak(array, p, each) / array.params.int_depthwise_factor;
    }
};

/// Rows of the left operand times columns of the right one.
struct matrix_product {
    static constexpr std::size_t kParameters = 1;

    template <typename Operands>
    static std::int64_t cycles(const Operands& op, const Array& array, const Parameters<1>& p) {
        const std::int32_t channels =
            isa::narrow(isa::div_up(op.right_cols, op.right_cols_per_channel));
        const std::int64_t sums = op.left_rows * array.slots(op.output_addr, channels) *
                                  array.groups(op.right_cols_per_channel);
        const double cycles_per_sum =
            op.left_cols * array.params.matmul_term_cycles + static_cast<double>(p[0]);
        return static_cast<std::int64_t>(std::floor(static_cast<double>(sums) * cycles_per_sum));
    }
    template <typename Operands>
    static std::int64_t operations(const Operands& op, std::int64_t each) {
        return each * op.left_rows * op.left_cols * op.right_cols;
    }
    static double peak(const Array& array, const Parameters<1>&, std::int64_t each) {
        return static_cast<double>(each) / array.params.matmul_term_cycles;
    }
    /// Each row of the left operand needs each word of the right operand. A word of the left
    /// operand serves a group of columns in all lanes.
    template <typename Operands>
    static std::int64_t words_read(const Operands& op, const Array& array) {
        const std::int32_t channels =
            isa::narrow(isa::div_up(op.right_cols, op.right_cols_per_channel));
        return std::int64_t{op.left_rows} * op.left_cols *
               (op.right_cols +
                array.slots(op.output_addr, channels) * array.groups(op.right_cols_per_channel));
    }
};

}  // namespace okksim::models::laws
