// SPDX-License-Identifier: Apache-2.0
#include "isa/tensors.h"

#include <algorithm>
#include <limits>

#include "isa/layout.h"

namespace okksim::isa {
namespace {

constexpr std::int32_t kWordBytes = 4;
constexpr int kWordBits = 32;

/// Collects the tensors of one command. Overloads of `list` know the operands of each form.
class ViewBuilder {
 public:
    ViewBuilder(const Command& command, const MachineShape& machine, TensorViews& views)
        : opcode_(command.opcode), info_(command.info()), machine_(machine), views_(views) {}

    void list(const GdmaCopyToLocal& form) {
        local("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, element());
        system("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride);
    }
    void list(const GdmaCopyToSystem& form) {
        system("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride);
        local("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride, element());
    }
    void list(const GdmaCopyLocal& form) {
        local("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, element());
        local("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride, element());
    }
    void list(const GdmaCopySystem& form) {
        system("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride);
        system("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride);
    }
    void list(const GdmaMatrixToLocal& form) {
        gdma_matrix("dst_addr", Access::kWrite, form.dst_addr, form.rows, form.cols,
                    form.cols_per_channel);
        system("src_addr", Access::kRead, form.src_addr, {form.rows, 1, 1, form.cols},
               {form.row_stride, form.cols, form.cols, 1});
    }
    void list(const GdmaMatrixToSystem& form) {
        system("dst_addr", Access::kWrite, form.dst_addr, {form.rows, 1, 1, form.cols},
               {form.row_stride, form.cols, form.cols, 1});
        gdma_matrix("src_addr", Access::kRead, form.src_addr, form.rows, form.cols,
                    form.cols_per_channel);
    }
    void list(const GdmaFillSystem& form) {
        system("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride);
    }
    void list(const GdmaFillLocal& form) {
        local("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, element());
    }

    void list(const VectorBinary& form) {
        const Access access = opcode_ == Opcode::bdc_mac ? Access::kUpdate : Access::kWrite;
        local("dst_addr", access, form.dst_addr, form.shape, form.dst_stride);
        local("src0_addr", Access::kRead, form.src0_addr, form.shape, form.src0_stride);
        local("src1_addr", Access::kRead, form.src1_addr, form.shape, form.src1_stride);
    }
    void list(const VectorBinarySelect& form) {
        local("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride);
        local("src0_addr", Access::kRead, form.src0_addr, form.shape, form.src0_stride);
        local("src1_addr", Access::kRead, form.src1_addr, form.shape, form.src1_stride);
    }
    void list(const VectorConstant& form) {
        unary(form, opcode_ == Opcode::bdc_mac_C ? Access::kUpdate : Access::kWrite);
    }
    void list(const VectorConstantBits& form) { unary(form); }
    void list(const VectorShiftConstant& form) { unary(form); }
    void list(const VectorConstantShift& form) { unary(form); }
    void list(const VectorConstantSelect& form) { unary(form); }
    void list(const VectorUnary& form) { unary(form); }
    void list(const VectorSeries& form) { unary(form); }
    void list(const VectorSet& form) {
        local("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride);
    }
    void list(const VectorBias& form) {
        unary(form);
        per_channel("bias_addr", form.bias_addr, form.shape.c);
    }
    void list(const VectorScale& form) {
        unary(form);
        per_channel("scale_addr", form.scale_addr, form.shape.c);
    }
    void list(const VectorScaleBias& form) {
        unary(form);
        per_channel("scale_addr", form.scale_addr, form.shape.c);
        per_channel("bias_addr", form.bias_addr, form.shape.c);
    }

    void list(const SequenceWork& form) { aligned_with_work(form); }
    void list(const SequenceWorkSeries& form) { aligned_with_work(form); }
    void list(const SequenceInt8ToFp32& form) {
        const bool aligned = form.is_aligned_layout != 0;
        local("dst_addr", Access::kWrite, form.dst_addr, form.shape,
              word_stride(form.dst_addr, form.shape, aligned));
        if (opcode_ == Opcode::bdc_4N_int8_to_fp32) {
            const Dim4 words = packed_shape(form.shape, 8);
            local("src_addr", Access::kRead, form.src_addr, words,
                  word_stride(form.src_addr, words, aligned));
            local("work_addr", Access::kWrite, form.work_addr, words,
                  word_stride(form.work_addr, words, aligned));
            return;
        }
        local("src_addr", Access::kRead, form.src_addr, form.shape,
              byte_stride(form.src_addr, form.shape, aligned), 1);
        local("work_addr", Access::kWrite, form.work_addr, form.shape,
              byte_stride(form.work_addr, form.shape, aligned), 1);
    }
    void list(const SequenceSplitLow& form) {
        packed("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, 8);
        packed("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride, 16);
        packed("work_addr", Access::kWrite, form.work_addr, form.shape, form.work_stride, 16);
    }

    void list(const Convolution& form) {
        const Dim4 output = window_geometry(form.input_shape, form.output_c, form.kernel_h,
                                            form.kernel_w, form.padding, form.stride, form.dilation)
                                .output;
        window_output_view(form.output_addr, output, form.result_add != 0);
        local("input_addr", Access::kRead, form.input_addr, form.input_shape, form.input_stride);
        local("weight_addr", Access::kRead, form.weight_addr,
              weight_2ic_shape(form.input_shape.c, form.output_c, form.kernel_h, form.kernel_w),
              form.kernel_stride, 2 * kWordBytes);
        if (form.using_bias != 0) per_channel("bias_addr", form.bias_addr, form.output_c);
    }
    void list(const Depthwise& form) {
        const Dim4 output = window_geometry(form.input_shape, form.input_shape.c, form.kernel_h,
                                            form.kernel_w, form.padding, form.stride, form.dilation)
                                .output;
        window_output_view(form.output_addr, output, false);
        aligned("input_addr", Access::kRead, form.input_addr, form.input_shape);
        const Dim4 weight{1, form.input_shape.c, form.kernel_h, form.kernel_w};
        local("weight_addr", Access::kRead, form.weight_addr, weight,
              word_stride(form.weight_addr, weight, false));
        if (form.using_bias != 0) per_channel("bias_addr", form.bias_addr, form.input_shape.c);
    }
    void list(const Pool& form) { pool(form); }
    void list(const PoolScaled& form) { pool(form); }
    void list(const MatrixMultiply& form) {
        matrix("output_addr", form.result_add != 0 ? Access::kUpdate : Access::kWrite,
               form.output_addr, form.left_rows, form.right_cols, form.right_cols_per_channel);
        matrix("left_addr", Access::kRead, form.left_addr, form.left_rows, form.left_cols,
               form.left_cols_per_channel);
        matrix("right_addr", Access::kRead, form.right_addr, form.left_cols, form.right_cols,
               form.right_cols_per_channel);
        if (form.using_bias != 0) {
            matrix("bias_addr", Access::kRead, form.bias_addr, 1, form.right_cols,
                   form.right_cols_per_channel);
        }
    }

    void list(const FixedBinary& form) { fixed_binary(form); }
    void list(const FixedConstant& form) { fixed_constant(form, Access::kWrite); }
    void list(const FixedMac& form) { fixed_binary(form, Access::kUpdate); }
    void list(const FixedMacConstant& form) { fixed_constant(form, Access::kUpdate); }
    void list(const FixedCompare& form) { fixed_binary(form); }
    void list(const FixedCompareConstant& form) { fixed_constant(form, Access::kWrite); }
    void list(const FixedShift& form) {
        packed("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, 16);
        packed("src0_addr", Access::kRead, form.src0_addr, form.shape, form.src0_stride, 16);
        packed("src1_addr", Access::kRead, form.src1_addr, form.shape, form.src1_stride, 16);
    }
    void list(const FixedShiftConstant& form) { packed_16bit_unary(form); }
    void list(const FixedConstantShift& form) { packed_16bit_unary(form); }
    void list(const FixedMul16By8& form) {
        packed("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, 16);
        packed("src0_high_addr", Access::kRead, form.src0_high_addr, form.shape,
               form.src0_high_stride, 8);
        packed("src0_low_addr", Access::kRead, form.src0_low_addr, form.shape, form.src0_low_stride,
               8);
        packed("src1_addr", Access::kRead, form.src1_addr, form.shape, form.src1_stride, 8);
    }
    void list(const FixedSplitHigh& form) {
        packed("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, 8);
        packed("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride, 16);
    }

 private:
    std::int32_t element() const { return element_bytes(info_.data); }
    std::int32_t start_lane(LocalAddr addr) const { return machine_.lane_of(addr); }

    void local(const char* operand, Access access, LocalAddr addr, const Dim4& shape,
               const Dim4& stride, std::int32_t bytes = kWordBytes) {
        TensorView& view = views_.add();
        view.operand = operand;
        view.access = access;
        view.local_addr = addr;
        view.element_bytes = bytes;
        view.shape = shape;
        view.stride = stride;
    }
    void system(const char* operand, Access access, SystemAddr addr, const Dim4& shape,
                const Dim4& stride) {
        TensorView& view = views_.add();
        view.operand = operand;
        view.access = access;
        view.local = false;
        view.system_addr = addr;
        view.element_bytes = element();
        view.shape = shape;
        view.stride = stride;
    }

    Dim4 word_stride(LocalAddr addr, const Dim4& shape, bool aligned) const {
        return aligned ? aligned_stride(start_lane(addr), shape, kWordBits, machine_.lanes)
                       : compact_stride(start_lane(addr), shape, machine_.lanes);
    }
    /// Seed okk_bdc_int8_to_fp32: the C stride of the "approximate" compact layout is a multiple
    /// of 4.
    Dim4 byte_stride(LocalAddr addr, const Dim4& shape, bool aligned) const {
        if (aligned) return aligned_stride(start_lane(addr), shape, 8, machine_.lanes);
        const auto plane = align_up(std::int64_t{shape.h} * shape.w, kWordBytes);
        const std::int64_t slots = channels_per_lane(start_lane(addr), shape.c, machine_.lanes);
        return {static_cast<std::int32_t>(plane * slots), static_cast<std::int32_t>(plane), shape.w,
                1};
    }
    void aligned(const char* operand, Access access, LocalAddr addr, const Dim4& shape) {
        local(operand, access, addr, shape, word_stride(addr, shape, true));
    }
    void window_output_view(LocalAddr addr, const Dim4& output, bool adds) {
        aligned("output_addr", adds ? Access::kUpdate : Access::kWrite, addr, output);
    }
    void per_channel(const char* operand, LocalAddr addr, std::int32_t channels) {
        const Dim4 shape{1, channels, 1, 1};
        local(operand, Access::kRead, addr, shape, word_stride(addr, shape, false));
    }
    void matrix(const char* operand, Access access, LocalAddr addr, std::int32_t rows,
                std::int32_t cols, std::int32_t cols_per_channel) {
        aligned(operand, access, addr, matrix_shape(rows, cols, cols_per_channel));
        views_.last().last_channel_w = (cols - 1) % cols_per_channel + 1;
    }
    /// The matrix copies keep rows ceil(channels / lanes) channel slots apart whatever the start
    /// lane (golden vectors okk_gdma_32bit_matrix_*-03): when the channels wrap around the last
    /// lane that is one slot less than in the aligned layout.
    void gdma_matrix(const char* operand, Access access, LocalAddr addr, std::int32_t rows,
                     std::int32_t cols, std::int32_t cols_per_channel) {
        matrix(operand, access, addr, rows, cols, cols_per_channel);
        TensorView& view = views_.last();
        // A product beyond 32 bits belongs to a tensor that check() refuses for its channels alone.
        const std::int64_t slots = channels_per_lane(0, view.shape.c, machine_.lanes);
        view.stride.n = static_cast<std::int32_t>(view.stride.c * slots);
    }
    void packed(const char* operand, Access access, LocalAddr addr, const Dim4& shape,
                const Dim4& stride, int bits) {
        local(operand, access, addr, packed_shape(shape, bits), stride);
    }

    template <typename Form>
    void unary(const Form& form, Access access = Access::kWrite) {
        local("dst_addr", access, form.dst_addr, form.shape, form.dst_stride);
        local("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride);
    }
    template <typename Form>
    void aligned_with_work(const Form& form) {
        aligned("dst_addr", Access::kWrite, form.dst_addr, form.shape);
        aligned("src_addr", Access::kRead, form.src_addr, form.shape);
        aligned("work_addr", Access::kWrite, form.work_addr, form.shape);
    }
    template <typename Form>
    void pool(const Form& form) {
        const Dim4 output = window_geometry(form.input_shape, form.input_shape.c, form.kernel_h,
                                            form.kernel_w, form.padding, form.stride, {1, 1})
                                .output;
        window_output_view(form.output_addr, output, false);
        aligned("input_addr", Access::kRead, form.input_addr, form.input_shape);
    }
    template <typename Form>
    void fixed_binary(const Form& form, Access access = Access::kWrite) {
        const FixedTypes types = fixed_types(form.op_type);
        packed("dst_addr", access, form.dst_addr, form.shape, form.dst_stride, types.result.bits);
        packed("src0_addr", Access::kRead, form.src0_addr, form.shape, form.src0_stride,
               types.source0.bits);
        packed("src1_addr", Access::kRead, form.src1_addr, form.shape, form.src1_stride,
               types.source1.bits);
    }
    template <typename Form>
    void fixed_constant(const Form& form, Access access) {
        const FixedTypes types = fixed_types(form.op_type);
        packed("dst_addr", access, form.dst_addr, form.shape, form.dst_stride, types.result.bits);
        packed("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride,
               types.source0.bits);
    }
    template <typename Form>
    void packed_16bit_unary(const Form& form) {
        packed("dst_addr", Access::kWrite, form.dst_addr, form.shape, form.dst_stride, 16);
        packed("src_addr", Access::kRead, form.src_addr, form.shape, form.src_stride, 16);
    }

    Opcode opcode_;
    const InstructionInfo& info_;
    const MachineShape& machine_;
    TensorViews& views_;
};

// No memory is this large, so reaches beyond it need no exact value; the sums below cannot
// overflow.
constexpr std::int64_t kFarAway = std::int64_t{1} << 56;

/// Widens [low, high) by the elements that `count` steps of `stride` reach.
void extend(ByteInterval& interval, std::int64_t count, std::int64_t stride) {
    const std::int64_t reach = std::clamp((count - 1) * stride, -kFarAway, kFarAway);
    (reach < 0 ? interval.low : interval.high) += reach;
}

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    if (!__builtin_add_overflow(a, b, &sum)) return sum;
    return b < 0 ? std::numeric_limits<std::int64_t>::min()
                 : std::numeric_limits<std::int64_t>::max();
}

}  // namespace

TensorViews tensor_views(const Command& command, const MachineShape& machine) {
    TensorViews views;
    ViewBuilder builder(command, machine, views);
    visit_operands(command, [&](const auto& form) { builder.list(form); });
    return views;
}

ByteInterval touched_bytes(const TensorView& view, const MachineShape& machine) {
    std::int64_t channel_steps = view.shape.c;
    ByteInterval interval{0, 1};
    if (view.local) {
        const std::int32_t start = machine.lane_of(view.local_addr) % machine.lanes;
        channel_steps = channels_per_lane(start, view.shape.c, machine.lanes);
    }
    const bool partial = view.last_channel_w != 0 && view.shape.c == 1;
    extend(interval, view.shape.n, view.stride.n);
    extend(interval, channel_steps, view.stride.c);
    extend(interval, view.shape.h, view.stride.h);
    extend(interval, partial ? view.last_channel_w : view.shape.w, view.stride.w);
    const auto base = view.local ? machine.offset_of(view.local_addr)
                                 : static_cast<std::int64_t>(view.system_addr.value());
    return {saturating_add(base, interval.low * view.element_bytes),
            saturating_add(base, interval.high * view.element_bytes)};
}

WindowGeometry window_geometry(const Dim4& input, std::int32_t output_c, std::int32_t kernel_h,
                               std::int32_t kernel_w, const Padding& padding, const Dim2& stride,
                               const Dim2& dilation) {
    const std::int64_t pad_h = std::int64_t{padding.top} + padding.bottom;
    const std::int64_t pad_w = std::int64_t{padding.left} + padding.right;
    WindowGeometry geometry;
    geometry.padded_h = input.h + pad_h;
    geometry.padded_w = input.w + pad_w;
    geometry.output = {
        input.n, output_c,
        static_cast<std::int32_t>(window_output(input.h, pad_h, kernel_h, dilation.h, stride.h)),
        static_cast<std::int32_t>(window_output(input.w, pad_w, kernel_w, dilation.w, stride.w))};
    return geometry;
}

}  // namespace okksim::isa
