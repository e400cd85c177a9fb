// SPDX-License-Identifier: Apache-2.0
// Operations counted per command, and peak rates of the array, one cost model at a time.
#include "models/bdc/bdc_work.h"

#include <cmath>

#include "models/bdc/bdc_params.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;
using isa::Opcode;
using isa::TimingClass;

template <typename Form>
std::uint64_t operations(Opcode opcode, const Form& form) {
    return models::bdc_operations(isa::Command::make(opcode, form));
}

template <typename Form>
Form of_shape(const isa::Dim4& shape) {
    Form form;
    form.shape = shape;
    return form;
}

/// Windows of 3 x 2 on 9 x 9 without padding: 7 x 8 of them.
template <typename Form>
Form windows() {
    Form form;
    form.input_shape = {2, 5, 9, 9};
    form.kernel_h = 3;
    form.kernel_w = 2;
    form.stride = {1, 1};
    if constexpr (requires { form.dilation; }) form.dilation = {1, 1};
    return form;
}

models::BdcParams params() {
    models::BdcParams params;
    params.clock_mhz = 1000;
    params.execution_units = 16;
    params.mac_cycles = 5;
    params.divide_cycles = 40;
    params.series_cycles_per_term = 4;
    params.series_cycles = 3;
    params.fixed_add_cycles = 2;
    params.fixed_mul_cycles = 8;
    params.fixed_wide_mul_cycles = 32;
    params.matmul_term_cycles = 1.25;
    params.matmul_row_cycles = 10;
    params.convolution_channels_per_cycle = 2;
    params.convolution_group_cycles = 5;
    params.depthwise_factor = 2.5;
    params.depthwise_group_cycles = 5;
    params.int_products = 4;
    params.int_depthwise_factor = 1.6;
    return params;
}

/// 4 lanes x 16 units x 1 GHz complete 64e9 operations per second when each takes a cycle.
double share_of_64e9(TimingClass timing) {
    return models::bdc_peak_operations_per_second(timing, tests::small_machine(4, 1024), params()) /
           64e9;
}

}  // namespace

TEST_CASE("work/element-wise commands count results, multiply-adds twice, series terms twice") {
    const isa::Dim4 shape{2, 3, 5, 7};  // 210
    CHECK(operations(Opcode::bdc_add, of_shape<isa::VectorBinary>(shape)) == 210);
    CHECK(operations(Opcode::bdc_mac, of_shape<isa::VectorAccumulate>(shape)) == 420);
    auto series = of_shape<isa::VectorSeries>(shape);
    series.num_series = 9;
    CHECK(operations(Opcode::bdc_taylor_exp, series) == 2 * 9 * 210);
}

TEST_CASE("work/packed commands count elements, not words") {
    const isa::Dim4 shape{5, 3, 1, 7};  // 105
    auto binary = of_shape<isa::FixedBinary>(shape);
    binary.op_type = isa::OpType::kS8S8ToS8;
    CHECK(operations(Opcode::bdc_fixed_point_packed_add, binary) == 105);
    CHECK(operations(Opcode::bdc_fixed_point_packed_mul, binary) == 105);
    CHECK(operations(Opcode::bdc_fixed_point_packed_mac, of_shape<isa::FixedMac>(shape)) == 210);
}

TEST_CASE("work/windows and matrix products count taps and terms") {
    auto convolution = windows<isa::Convolution>();
    convolution.output_c = 4;
    // 2 x 4 x 7 x 8 results of 5 channels x 6 taps, two operations each.
    CHECK(operations(Opcode::bdc_conv2d, convolution) == 2 * (2 * 4 * 7 * 8) * 5 * 6);
    CHECK(operations(Opcode::bdc_max_pool2d, windows<isa::Pool>()) == (2 * 5 * 7 * 8) * 6);
    CHECK(operations(Opcode::bdc_depthwise2d, windows<isa::Depthwise>()) ==
          2 * (2 * 5 * 7 * 8) * 6);
    isa::MatrixMultiply product;
    product.left_rows = 3;
    product.left_cols = 11;
    product.left_cols_per_channel = 11;
    product.right_cols = 13;
    product.right_cols_per_channel = 13;
    CHECK(operations(Opcode::bdc_matmul, product) == 2 * 3 * 11 * 13);
}

TEST_CASE("work/no command of a class exceeds its peak") {
    CHECK(share_of_64e9(TimingClass::kMac) == Approx(2.0 / 5));
    CHECK(share_of_64e9(TimingClass::kDivide) == Approx(1.0 / 40));
    CHECK(share_of_64e9(TimingClass::kSeries) == Approx(2.0 / 4));  // terms alone
    CHECK(share_of_64e9(TimingClass::kConvolution) == Approx(2.0 * 2));
    CHECK(share_of_64e9(TimingClass::kDepthwise) == Approx(2 / 2.5));
    CHECK(share_of_64e9(TimingClass::kPool) == Approx(1.0));
    CHECK(share_of_64e9(TimingClass::kMatmul) == Approx(2 / 1.25));
    // Four bytes are a word; a narrow product takes the shorter time.
    CHECK(share_of_64e9(TimingClass::kFixedArithmetic) == Approx(4.0 / 2));
    CHECK(share_of_64e9(TimingClass::kFixedMul) == Approx(4.0 / 8));
    // Four pixels at a time, one tap in two cycles; a sum counts its products and additions.
    CHECK(share_of_64e9(TimingClass::kIntPool) == Approx(1 * 4 / 2.0));
    CHECK(share_of_64e9(TimingClass::kIntDepthwise) == Approx(2 * 4 / 2.0 / 1.6));
    // Classes without a cost have no peak; classes of other engines have none here.
    CHECK(std::isinf(share_of_64e9(TimingClass::kSqrt)));
    CHECK(share_of_64e9(TimingClass::kGdmaCopy) == 0);
    CHECK(share_of_64e9(TimingClass::kSequence) == 0);
}
