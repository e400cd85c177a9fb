// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_timing.h"

#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;

constexpr std::int64_t kLocalBytes = 512 * 1024;

/// Cost parameters that remain distinguishable in a product.
models::BdcParams laws() {
    models::BdcParams params;
    params.clock_mhz = 1000;
    params.execution_units = 16;
    params.startup_cycles = 7;
    params.copy_cycles = 1;
    params.constant_cycles = 1;
    params.tensor_cycles = 2;
    params.mac_cycles = 5;
    params.divide_cycles = 30;
    params.series_cycles_per_term = 4;
    params.series_cycles = 2;
    params.fixed_add_cycles = 3;
    params.fixed_mul_cycles = 2;
    params.fixed_wide_mul_cycles = 3;
    params.fixed_shift_cycles = 3;
    params.matmul_term_cycles = 1.25;
    params.matmul_row_cycles = 10;
    params.convolution_channels_per_cycle = 2;
    params.convolution_group_cycles = 5;
    params.convolution_fetch_channels = 3;
    params.convolution_fetch_cycles = 7.5;
    params.convolution_fetch_cycles_per_stride = 1.25;
    params.depthwise_factor = 2.5;
    params.depthwise_group_cycles = 5;
    params.half_products = 2;
    return params;
}

template <typename Form>
std::int64_t execute(isa::Opcode opcode, const Form& form) {
    const auto cost = models::bdc_cost(isa::Command::make(opcode, form),
                                       tests::small_machine(64, kLocalBytes), laws());
    CHECK(cost.startup.value == 7);
    return cost.execute.value;
}

isa::VectorBinary binary(const isa::Dim4& shape, int start_lane) {
    isa::VectorBinary form;
    form.dst_addr = {static_cast<std::uint32_t>(start_lane * kLocalBytes)};
    form.src0_addr = form.src1_addr = form.dst_addr;
    form.shape = shape;
    form.dst_stride = form.src0_stride = form.src1_stride =
        isa::aligned_stride(start_lane, shape, 32, 64, 128);
    return form;
}

isa::Convolution convolution(std::int32_t channels, std::int32_t stride) {
    isa::Convolution form;
    form.input_shape = {1, channels, 33, 33};
    form.output_c = 65;
    form.kernel_h = form.kernel_w = 3;
    form.stride = {stride, stride};
    form.dilation = {1, 1};
    form.input_stride = isa::aligned_stride(0, form.input_shape, 32, 64, 128);
    return form;
}

}  // namespace

TEST_CASE("element-wise commands: batch x channel slots x groups of 16 elements of a plane") {
    // 2 batches, 65 channels = 2 slots, 49 elements = 4 groups, 2 cycles.
    CHECK(execute(isa::Opcode::bdc_add, binary({2, 65, 7, 7}, 0)) == 2 * 2 * 4 * 2);
    CHECK(execute(isa::Opcode::bdc_mac, binary({1, 1, 1, 16}, 0)) == 5);
    CHECK(execute(isa::Opcode::bdc_div, binary({1, 1, 1, 17}, 0)) == 2 * 30);
    // From lane 63 two channels need two slots.
    CHECK(execute(isa::Opcode::bdc_add, binary({1, 2, 1, 1}, 63)) == 2 * 2);
}

TEST_CASE("a source that repeats elements within a lane costs more before the start") {
    models::BdcParams params = laws();
    params.broadcast_cycles = 40;
    const auto startup = [&](const isa::VectorBinary& form) {
        return models::bdc_cost(isa::Command::make(isa::Opcode::bdc_mul, form),
                                tests::small_machine(64, kLocalBytes), params)
            .startup.value;
    };
    const isa::VectorBinary plain = binary({2, 64, 3, 8}, 0);
    CHECK(startup(plain) == 7);
    isa::VectorBinary repeated = plain;
    repeated.src1_stride.n = 0;
    CHECK(startup(repeated) == 47);
    repeated = plain;
    repeated.src0_stride.w = 0;
    CHECK(startup(repeated) == 47);
    repeated = plain;
    repeated.src0_stride.h = 0;
    CHECK(startup(repeated) == 47);
    repeated = plain;
    repeated.src1_stride.h = 0;
    CHECK(startup(repeated) == 47);
    // If the extent is 1, a stride has no effect; the channels of 64 lanes are not repeated.
    repeated = binary({1, 64, 3, 8}, 0);
    repeated.src0_stride.n = repeated.src0_stride.c = 0;
    CHECK(startup(repeated) == 7);
    // For each axis, an extent of 2 is repeated and an extent of 1 is not.
    for (std::int32_t isa::Dim4::*axis : {&isa::Dim4::n, &isa::Dim4::h, &isa::Dim4::w}) {
        for (const std::int32_t extent : {1, 2}) {
            isa::Dim4 shape{1, 1, 1, 1};
            shape.*axis = extent;
            repeated = binary(shape, 0);
            repeated.src1_stride.*axis = 0;
            CHECK(startup(repeated) == (extent == 1 ? 7 : 47));
        }
    }
}

TEST_CASE("packed fixed point counts words of four or two batch elements") {
    isa::FixedBinary form;
    form.shape = {5, 64, 1, 16};
    form.op_type = isa::OpType::kS8S8ToS8;
    // 5 batch elements are 2 words.
    CHECK(execute(isa::Opcode::bdc_fixed_point_packed_add, form) == 2 * 3);
    CHECK(execute(isa::Opcode::bdc_fixed_point_packed_mul, form) == 2 * 2);
    form.op_type = isa::OpType::kS8S8ToS16;
    CHECK(execute(isa::Opcode::bdc_fixed_point_packed_mul, form) == 2 * 3);
    isa::FixedShift shift;
    shift.shape = {5, 64, 1, 16};
    // 16-bit: 3 words.
    CHECK(execute(isa::Opcode::bdc_fixed_point_packed_16bit_logical_shift, shift) == 3 * 3);
}

TEST_CASE("convolutions take pairs of channels, or as long as their pixels take to fetch") {
    // 31 x 31 outputs = 61 groups, 65 output channels = 2 slots: 122 groups in all.
    // 64 channels: 9 positions x 32 passes + 5.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(64, 1)) == 122 * (9 * 32 + 5));
    // An odd channel costs like the next even number.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(63, 1)) == 122 * (9 * 32 + 5));
    // One channel, stride 4: 8 x 8 outputs = 4 groups. Fetching takes 7.5 + 4 * 1.25 = 12.5 cycles
    // per position, 117.5 with the 5 of the group.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(1, 4)) == 8 * 235 / 2);
    // At stride 1 fetching takes 8.75 cycles for up to three channels; more channels share it. 5
    // channels take 8.75 * 3 / 5 = 5.25 and 9 * 5.25 + 5 = 52.25 per group; 122 groups are 6374.5.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(5, 1)) == 6374);
    // 8 take 3.28125, but 4 passes.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(8, 1)) == 122 * (9 * 4 + 5));
    // Three channels, stride 2: 16 x 16 outputs = 16 groups; 7.5 + 2 * 1.25 = 10 cycles.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(3, 2)) == 32 * (9 * 10 + 5));
    // Three channels, stride 1: 7.5 + 1.25 = 8.75 cycles, 9 * 8.75 + 5 = 83.75 per group. 122
    // groups are 10217.5; a partial cycle does not count.
    CHECK(execute(isa::Opcode::bdc_conv2d, convolution(3, 1)) == 10217);
}

TEST_CASE("convolutions of 16 bits take the law of those of 32 with twice the channels a cycle") {
    const auto cycles = [](std::int32_t channels, std::int32_t stride) {
        const isa::Convolution words = convolution(channels, stride);
        isa::HalfConvolution form;
        form.input_shape = words.input_shape;
        form.output_c = words.output_c;
        form.kernel_h = form.kernel_w = 3;
        form.stride = words.stride;
        form.dilation = words.dilation;
        form.input_type = form.output_type = isa::ElementType::kFp16;
        return execute(isa::Opcode::bdc_half_conv2d, form);
    };
    // 122 groups as above; 64 channels are 16 passes, 65 are 17.
    CHECK(cycles(64, 1) == 122 * (9 * 16 + 5));
    CHECK(cycles(65, 1) == 122 * (9 * 17 + 5));
    // 11 channels: 3 passes, but 8.75 * 3 / 11 = 2.39 cycles to fetch; 5 channels: 2 passes and
    // 5.25 to fetch, as with 32 bits.
    CHECK(cycles(11, 1) == 122 * (9 * 3 + 5));
    CHECK(cycles(5, 1) == 6374);
    CHECK(cycles(1, 4) == 8 * 235 / 2);
}

TEST_CASE("windows and arithmetic of 16 bits work on twice the elements at a time") {
    isa::HalfDepthwise depthwise;
    depthwise.input_shape = {1, 64, 16, 16};
    depthwise.kernel_h = depthwise.kernel_w = 3;
    depthwise.stride = depthwise.dilation = {1, 1};
    depthwise.input_type = depthwise.output_type = isa::ElementType::kBf16;
    // 14 x 14 outputs = 7 groups of 32: 9 * 2 - 3 + 5 = 20 cycles each, times 2.5.
    CHECK(execute(isa::Opcode::bdc_half_depthwise2d, depthwise) == 7 * 20 * 5 / 2);
    isa::HalfBinary sum;
    sum.dst_type = sum.src0_type = sum.src1_type = isa::ElementType::kFp16;
    sum.shape = {2, 65, 4, 8};
    // 2 batches, 2 slots; 32 elements are a group, 33 two; 2 cycles.
    CHECK(execute(isa::Opcode::bdc_half_add, sum) == 2 * 2 * 2);
    sum.shape = {2, 65, 1, 33};
    CHECK(execute(isa::Opcode::bdc_half_mul, sum) == 2 * 2 * 2 * 2);
    isa::HalfExtremum larger;
    larger.dst_type = larger.src0_type = larger.src1_type = isa::ElementType::kBf16;
    larger.shape = sum.shape;
    CHECK(execute(isa::Opcode::bdc_half_max, larger) == 2 * 2 * 2 * 2);
    // With constants a group takes one cycle.
    isa::HalfClamp clamp;
    clamp.dst_type = clamp.src_type = isa::ElementType::kFp16;
    clamp.shape = {2, 65, 4, 8};
    CHECK(execute(isa::Opcode::bdc_half_clamp, clamp) == 2 * 2);
    clamp.shape = {2, 65, 1, 33};
    CHECK(execute(isa::Opcode::bdc_half_clamp, clamp) == 2 * 2 * 2);
}

TEST_CASE("depthwise convolutions take the law of pools, times a factor") {
    isa::Depthwise depthwise;
    depthwise.input_shape = {1, 64, 16, 16};
    depthwise.kernel_h = depthwise.kernel_w = 3;
    depthwise.padding = {1, 1, 1, 1};
    depthwise.stride = depthwise.dilation = {1, 1};
    // 256 outputs = 16 groups; 9 * 2 - 3 + 5 = 20 cycles, times 2.5.
    CHECK(execute(isa::Opcode::bdc_depthwise2d, depthwise) == 16 * 50);
    isa::Pool pool;
    pool.input_shape = depthwise.input_shape;
    pool.kernel_h = pool.kernel_w = 2;
    pool.stride = {2, 2};
    // 64 outputs = 4 groups; 4 * 3 - 2 + 5 = 15 cycles.
    CHECK(execute(isa::Opcode::bdc_max_pool2d, pool) == 4 * 15);
}

TEST_CASE("matrix products: rows x slots x groups of columns x (1.25 left columns + 10)") {
    isa::MatrixMultiply form;
    form.left_rows = 3;
    form.left_cols = 100;
    form.left_cols_per_channel = 50;
    form.right_cols = 70 * 17;
    form.right_cols_per_channel = 17;
    // 70 channels = 2 slots, 17 columns = 2 groups.
    CHECK(execute(isa::Opcode::bdc_matmul, form) == 3 * 2 * 2 * 135);
}
