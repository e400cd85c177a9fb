// SPDX-License-Identifier: Apache-2.0
// Rows of golden/okk/SEMANTICS.md that semantics_test.cpp does not touch; README.md has the list.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "tests/firmware/semantics_bench.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

bool same(const dim4& stride, const dim4& expected) {
    return stride.n == expected.n && stride.c == expected.c && stride.h == expected.h &&
           stride.w == expected.w;
}

/// One packed word after a fixed-point function of one element each.
Word packed(const std::function<void(const dim4& shape)>& call, Word a, Word b = 0, Word old = 0) {
    Bench bench;
    bench.store(0, kDst, {old});
    bench.store(0, kSrc0, {a});
    bench.store(0, kSrc1, {b});
    call(dim4{1, 1, 1, 1});
    return bench.load(0, kDst, 1)[0];
}

}  // namespace

TEST_CASE("SEMANTICS 1: the five stride helpers") {
    Bench bench;
    const dim4 shape{2, 70, 3, 5};  // from NPU 60: 2 channels per NPU
    dim4 stride;
    okk_128_byte_aligned_stride_for_32bit(&stride, 60, &shape);
    CHECK(same(stride, {96, 32, 5, 1}));  // 15 words round up to 32; 4 + 64 + 2: 3 slots
    okk_128_byte_aligned_stride_for_16bit(&stride, 0, &shape);
    CHECK(same(stride, {128, 64, 5, 1}));
    okk_128_byte_aligned_stride_for_8bit(&stride, 0, &shape);
    CHECK(same(stride, {256, 128, 5, 1}));
    okk_compact_stride(&stride, 60, &shape);
    CHECK(same(stride, {45, 15, 5, 1}));
    okk_continuous_stride(&stride, &shape);
    CHECK(same(stride, {1050, 15, 5, 1}));
    CHECK(okk_channle_num_per_npu(0, 0) == 1);
}

TEST_CASE("SEMANTICS 2: denormals count as zero wherever fp32 is computed") {
    Bench bench;
    const dim4 one{1, 1, 1, 1};
    const dim4 pair{1, 1, 1, 2};
    bench.store(0, kSrc0, {kDenormal, kDenormal});
    bench.store(0, kSrc1, {kOne, 0, kOne, 0});
    const auto result = [&] { return bench.load(0, kDst, 1)[0]; };
    okk_bdc_sub(kDst, kSrc0, kSrc0, &one, nullptr, nullptr, nullptr);
    CHECK(result() == 0);
    okk_bdc_div(kDst, kSrc0, kSrc1, &one, nullptr, nullptr, nullptr);
    CHECK(result() == 0);
    bench.store(0, kDst, {kDenormal});
    okk_bdc_mac(kDst, kSrc0, kSrc1, &one, nullptr, nullptr, nullptr);
    CHECK(result() == 0);
    okk_bdc_exp(kDst, kSrc0, kWork, &one);
    CHECK(result() == kOne);
    okk_bdc_conv2d(kDst, kSrc0, kSrc1, 0, &pair, 1, 1, 2, nullptr, nullptr, false, false, nullptr,
                   nullptr, nullptr);
    CHECK(result() == 0);
    okk_bdc_max_pool2d(kDst, kSrc0, &pair, 1, 2, nullptr, nullptr);
    CHECK(result() == 0);
    okk_bdc_avg_pool2d(kDst, kSrc0, &pair, 1, 2, nullptr, nullptr);
    CHECK(result() == 0);
    okk_bdc_matmul(kDst, kSrc0, kSrc1, 0, 1, 1, 1, 1, 1, false, false);
    CHECK(result() == 0);
    // Copies preserve bits.
    CHECK(results(OKKSIM_BINARY(okk_bdc_32bit_or), {kDenormal}, {kMinusZero}) ==
          Words{kMinusDenormal});
}

TEST_CASE("SEMANTICS 3: roots have their limits where the kit has artefacts of its host") {
    CHECK(results(OKKSIM_ALIGNED(okk_bdc_rsqrt), {0, kMinusZero, kInf, bits(-1.f)}) ==
          Words{kInf, 0xFF800000, 0, kNan});
    CHECK(results(OKKSIM_ALIGNED(okk_bdc_sqrt), {0, kInf}) == Words{0, kInf});
    // Three Newton steps from the constant: 1/sqrt(4) is not exactly one half.
    const Words half = results(OKKSIM_ALIGNED(okk_bdc_rsqrt), {bits(4.f)});
    CHECK(std::bit_cast<float>(half[0]) == Approx(0.5).epsilon(3e-7));
    // _C functions give the same with the constant as second operand.
    const auto greatest = [](const dim4& shape) {
        okk_bdc_max_C(kDst, kSrc0, 1.0f, &shape, nullptr, nullptr);
    };
    CHECK(results(greatest, {kNan, 0, bits(2.f)}) == Words{kOne, kOne, bits(2.f)});
}

TEST_CASE("SEMANTICS 3: the kit exchanges the strides of 32bit_cpy") {
    const dim4 row{1, 1, 1, 2};
    const dim4 wide{4, 4, 4, 2};
    const dim4 close{4, 4, 4, 1};
    for (const bool quirks : {false, true}) {
        firmware::ContextOptions options;
        options.sdk_quirks = quirks;
        Bench bench(options);
        bench.store(0, kSrc0, {1, 2, 3});
        bench.store(0, kDst, {0, 0, 0});
        okk_bdc_32bit_cpy(kDst, kSrc0, &row, &wide, &close);
        CHECK(bench.load(0, kDst, 3) == (quirks ? Words{1, 3, 0} : Words{1, 0, 2}));
    }
}

TEST_CASE("SEMANTICS 4: packed and plain bytes become floats, work is overwritten") {
    Bench bench;
    const dim4 batches{4, 1, 1, 1};
    bench.store(0, kSrc0, {0x80FF7F01});  // 1, 127, -1, -128
    bench.store(0, kWork, {0});
    okk_bdc_4N_int8_to_fp32(kDst, kSrc0, kWork, &batches, true, true);
    for (unsigned n = 0; n < 4; ++n) {
        const float expected[] = {1, 127, -1, -128};
        CHECK(bench.load(0, kDst + 128 * n, 1) == Words{bits(expected[n])});
    }
    CHECK(bench.load(0, kWork, 1) != Words{0});
    const dim4 row{1, 1, 1, 4};
    okk_bdc_int8_to_fp32(kDst, kSrc0, kWork, &row, false, true);
    CHECK(bench.load(0, kDst, 4) == Words{bits(1.f), bits(127.f), bits(255.f), bits(128.f)});
}

TEST_CASE("SEMANTICS 4: coefficients of a series are a chain of rounded quotients") {
    // Horner in single precision with c[j] = fl(c[j-1] / j), computed step by step apart from
    // okksim. With the floats next to 1/j! the results are 0x453A4AD8, 0xC2AFA0C5 and 0x39AC0000.
    const auto series = [](float x, int terms) {
        const auto call = [=](const dim4& shape) {
            okk_bdc_taylor_exp(kDst, kSrc0, &shape, terms);
        };
        return results(call, {bits(x)})[0];
    };
    CHECK(series(8, 20) == 0x453A4AD9);
    CHECK(series(-8, 11) == 0xC2AFA0C9);
    CHECK(series(-8, 32) == 0x39B40000);
}

TEST_CASE("domains of exp and its relatives, and one beyond") {
    const auto value = [](const auto& function, float x) {
        const auto call = [&](const dim4& shape) { function(kDst, kSrc0, kWork, &shape); };
        return std::bit_cast<float>(results(call, {bits(x)})[0]);
    };
    CHECK(value(okk_bdc_exp, 88) == Approx(std::exp(88.0)).epsilon(1e-6));
    CHECK(value(okk_bdc_exp, -87) == Approx(std::exp(-87.0)).epsilon(0.36));
    CHECK(value(okk_bdc_exp, -88) == 0);  // its table entry is denormal
    CHECK(value(okk_bdc_exp, 89) == 0);   // beyond the table
    CHECK(value(okk_bdc_sigmoid, -88) < 2.8e-7F);
    CHECK(value(okk_bdc_sigmoid, -89) > 0.9999F);
    CHECK(value(okk_bdc_sigmoid, 103) > 0.9999F);
    CHECK(value(okk_bdc_tanh, -86) == Approx(-1).margin(7.2e-7));
    CHECK(value(okk_bdc_tanh, -88) == -std::numeric_limits<float>::infinity());
    CHECK(value(okk_bdc_tanh, 88) == Approx(1).margin(7.2e-7));
}

TEST_CASE("SEMANTICS 5: operand types with a constant, types of old results") {
    const auto c_sub = [](const dim4& shape) {
        okk_bdc_fixed_point_packed_C_sub(kDst, kSrc0, -100, &shape, nullptr, nullptr,
                                         S8_OP_U8_TO_S16, 0);
    };
    // The constant is operand 0 (int8), the tensor operand 1 (uint8): -100 - 200.
    CHECK((packed(c_sub, 200) & 0xFFFF) == 0x10000 - 300);
    const auto mul_c = [](const dim4& shape) {
        okk_bdc_fixed_point_packed_mul_C(kDst, kSrc0, 200, &shape, nullptr, nullptr,
                                         S8_OP_U8_TO_S16, 1);
    };
    // The tensor is operand 0: -3 * 200 = -600, rounded and shifted -300.
    CHECK((packed(mul_c, 0xFD) & 0xFFFF) == 0x10000 - 300);
    // The argument determines the signedness of a mac's old result; in the vendor's kit the type
    // does.
    for (const bool quirks : {false, true}) {
        firmware::ContextOptions options;
        options.sdk_quirks = quirks;
        Bench bench(options);
        const dim4 one{1, 1, 1, 1};
        bench.store(0, kDst, {0xFFFF});
        bench.store(0, kSrc0, {0});
        okk_bdc_fixed_point_packed_mac(kDst, kSrc0, kSrc0, &one, nullptr, nullptr, nullptr, false,
                                       S8_OP_S8_TO_S16, 0, 0);
        CHECK((bench.load(0, kDst, 1)[0] & 0xFFFF) == (quirks ? 0xFFFFu : 0x7FFFu));
    }
    const auto least = [](const dim4& shape) {
        okk_bdc_fixed_point_packed_min(kDst, kSrc0, kSrc1, &shape, nullptr, nullptr, nullptr,
                                       S8_OP_S8_TO_S8);
    };
    CHECK((packed(least, 0xFF, 0x01) & 0xFF) == 0xFF);  // -1 < 1
}

TEST_CASE("SEMANTICS 5: shifts of 16-bit elements, products of 16 and 8 bits") {
    const auto shift = [](short amount, bool arithmetic) {
        return [=](const dim4& shape) {
            (arithmetic ? okk_bdc_fixed_point_packed_16bit_arithmetic_shift_C
                        : okk_bdc_fixed_point_packed_16bit_logical_shift_C)(
                kDst, kSrc0, amount, &shape, nullptr, nullptr);
        };
    };
    CHECK((packed(shift(4, true), 0x8001) & 0xFFFF) == 0x0010);   // bits drop off
    CHECK((packed(shift(-1, true), 0xFFFD) & 0xFFFF) == 0xFFFE);  // floor
    CHECK((packed(shift(-4, false), 0x8000) & 0xFFFF) == 0x0800);
    CHECK((packed(shift(-16, true), 0x8000) & 0xFFFF) == 0xFFFF);  // sign fill
    CHECK((packed(shift(-16, false), 0x8000) & 0xFFFF) == 0);
    CHECK((packed(shift(16, true), 0x8001) & 0xFFFF) == 0);
    const auto constant_first = [](const dim4& shape) {
        okk_bdc_fixed_point_packed_16bit_C_arithmetic_shift(kDst, kSrc0, -3, &shape, nullptr,
                                                            nullptr);
    };
    CHECK((packed(constant_first, 0xFFFF) & 0xFFFF) == 0xFFFE);  // -3 >> 1
    // High and low bytes of 0x0102 = 258, times -2.
    Bench bench;
    const dim4 one{1, 1, 1, 1};
    bench.store(0, kSrc0, {0x01});
    bench.store(0, kWork, {0x02});
    bench.store(0, kSrc1, {0xFE});
    okk_bdc_fixed_point_packed_16bit_mul_8bit(kDst, kSrc0, kWork, kSrc1, &one, nullptr, nullptr,
                                              nullptr, nullptr, S16_MUL_S8_TO_S16, 0);
    CHECK((bench.load(0, kDst, 1)[0] & 0xFFFF) == 0x10000 - 516);
    // Any other start lane, such as NPU 5.
    constexpr local_addr_t kFifth = 5u << 19;
    bench.store(5, kSrc0, {7});
    okk_bdc_fixed_point_packed_add_C(kFifth + kDst, kFifth + kSrc0, 3, &one, nullptr, nullptr,
                                     S8_OP_S8_TO_S8, 0);
    CHECK((bench.load(5, kDst, 1)[0] & 0xFF) == 10);
}

TEST_CASE("SEMANTICS 6: avg_pool2d_v2, sizes, missing kernel strides") {
    Bench bench;
    const dim4 row{1, 1, 1, 5};
    const dim2 step{1, 2};
    bench.store(0, kSrc0, {bits(1.f), bits(2.f), bits(3.f), bits(4.f), bits(100.f)});
    bench.store(0, kDst, {0, 0, 0});
    // Windows of 2 every 2 of 5: floor((5 - 2) / 2) + 1 = 2.
    okk_bdc_avg_pool2d_v2(kDst, kSrc0, &row, 0.25f, 1, 2, nullptr, &step);
    CHECK(bench.load(0, kDst, 3) == Words{bits(0.75f), bits(1.75f), 0});
    // Padding as wide as the kernel.
    const Padding wide{0, 0, 2, 0};
    okk_bdc_avg_pool2d(kDst, kSrc0, &row, 1, 2, &wide, &step);
    CHECK(bench.load(0, kDst, 3) == Words{0, bits(1.5f), bits(3.5f)});
    // Two input channels, weights without a stride: pairs, as in the 2IC mode.
    const dim4 image{1, 2, 1, 1};
    bench.store(1, kSrc0, {bits(10.f)});
    bench.store(0, kSrc1, {bits(2.f), bits(3.f)});
    okk_bdc_conv2d(kDst, kSrc0, kSrc1, 0, &image, 1, 1, 1, nullptr, nullptr, false, false, nullptr,
                   nullptr, nullptr);
    CHECK(bench.load(0, kDst, 1) == Words{bits(32.f)});
}

TEST_CASE("SEMANTICS 7: bytes outside of tensors stay; strides of the data mover") {
    Bench bench;
    const dim4 row{1, 1, 1, 3};
    bench.store(0, kDst, Words(32, 0x55555555));
    bench.store(0, kSrc0, {kOne, kOne, kOne});
    okk_bdc_neg(kDst, kSrc0, &row, nullptr, nullptr);
    okk_gdma_32bit_cpy_L2L(kDst + 64, kSrc0, &row, nullptr, nullptr);
    const Words line = bench.load(0, kDst, 32);
    CHECK(std::count(line.begin(), line.end(), 0x55555555) == 32 - 6);
    // The source repeats in n, c and h; W strides must be one.
    const system_addr_t global = okk_global_mem_start_addr();
    bench.store(0, kSrc0, {1, 2});
    const dim4 pair{1, 1, 1, 2};
    okk_gdma_32bit_cpy_L2S(global, kSrc0, &pair, nullptr, nullptr);
    const dim4 repeated{2, 2, 2, 2};
    const dim4 again{0, 0, 0, 1};
    okk_gdma_32bit_cpy_S2L(kDst, global, &repeated, nullptr, &again);
    CHECK(bench.load(1, kDst, 4) == Words{1, 2, 1, 2});
    // 3 channels of a matrix in NPUs 62, 63 and 0 count as 1 slot: rows are 128 bytes apart. The
    // third channel is in the second slot.
    okk_gdma_32bit_matrix_S2L((62u << 19) + kDst, global, 1, 2, 1, 2);
    CHECK(bench.load(63, kDst, 1) == Words{2});
    okk_gdma_32bit_matrix_S2L((62u << 19) + kDst, global, 2, 1, 1, 1);
    CHECK(bench.load(62, kDst + 128, 1) == Words{2});
    const Words six{1, 2, 3, 4, 5, 6};
    std::memcpy(okk_global_mem_addr(global), six.data(), six.size() * sizeof(Word));
    okk_gdma_32bit_matrix_S2L((62u << 19) + kDst, global, 2, 3, 1, 3);
    CHECK(bench.load(62, kDst + 128, 1) == Words{4});
    CHECK(bench.load(0, kDst + 128, 1) == Words{3});
    const dim4 apart{4, 4, 4, 2};
    CHECK_THROWS_AS(okk_gdma_32bit_cpy_S2L(kDst, global, &pair, nullptr, &apart), ProgramFault);
}

}  // namespace okksim::tests
