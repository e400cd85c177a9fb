// SPDX-License-Identifier: Apache-2.0
// The rules of golden/okk/SEMANTICS.md, section by section, with separate values for each rule.
// Golden vectors cover these rules only by chance or not at all.
#include <cstring>
#include <limits>

#include "tests/firmware/semantics_bench.h"
#include "tests/support/catch.h"

namespace okksim::tests {

TEST_CASE("SEMANTICS 1: query values") {
    Bench bench;
    CHECK(okk_npu_num() == 64);
    CHECK(okk_eu_num() == 32);
    CHECK(okk_local_mem_size_per_npu() == 524288);
    CHECK(okk_local_mem_bank_per_npu() == 8);
    CHECK(okk_local_mem_start_addr() == 0x08000000);
    CHECK(okk_l2_sram_start_addr() == 0x100A2000);
    CHECK(okk_l2_sram_size() == 2482176);
    CHECK(okk_dtcm_start_addr() == 0x02020000);
    CHECK(okk_dtcm_size() == 390144);
    CHECK(okk_lookup_table_start_addr() == 0x323C00);
    CHECK(okk_lookup_table_size() == 902144);
    CHECK(okk_global_mem_start_addr() == 0x100000000);
    CHECK(okk_start_npu_index(524287) == 0);
    CHECK(okk_start_npu_index(32u << 20) == 64);  // not range-checked
    CHECK(okk_channle_num_per_npu(60, 10) == 2);
    CHECK(okk_channle_num_per_npu(64, 1) == 2);
    CHECK_FALSE(okk_is_parallel_state());
    okk_parallel_start();
    CHECK(okk_is_parallel_state());
    okk_parallel_end();
    dim4 stride;
    const dim4 shape{2, 70, 3, 5};
    okk_compact_stride(&stride, 0, &shape);
    CHECK((stride.n == 30 && stride.c == 15 && stride.h == 5 && stride.w == 1));
}

TEST_CASE("SEMANTICS 2: denormals, rounding, products before sums") {
    // Denormal operands count as zero of their sign, and so do denormal results.
    CHECK(results(OKKSIM_BINARY(okk_bdc_add), {kDenormal, kMinusDenormal, 0x00800000},
                  {0, kMinusZero, 0x80800001}) == Words{0, kMinusZero, kMinusZero});
    CHECK(results(OKKSIM_BINARY(okk_bdc_mul), {kDenormal, 0x00800000}, {kOne, bits(0.5f)}) ==
          Words{0, 0});
    // Nearest even: 1 + 2^-24 is a tie and stays 1, 1 + 3 * 2^-24 becomes 1 + 2^-22.
    CHECK(results(OKKSIM_BINARY(okk_bdc_add), {kOne, kOne}, {bits(0x1p-24f), bits(0x3p-24f)}) ==
          Words{kOne, bits(1 + 0x1p-22f)});
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24 when fused; rounded first, the product is the summand.
    const Word x = bits(1 + 0x1p-12f);
    Bench bench;
    bench.store(0, kDst, {bits(-(1 + 0x1p-11f))});
    bench.store(0, kSrc0, {x});
    bench.store(0, kSrc1, {x});
    const dim4 one{1, 1, 1, 1};
    okk_bdc_mac(kDst, kSrc0, kSrc1, &one, nullptr, nullptr, nullptr);
    CHECK(bench.load(0, kDst, 1) == Words{0});
    // Copies, fills and selected constants keep denormals.
    CHECK(results(OKKSIM_UNARY(okk_bdc_32bit_cpy), {kDenormal}) == Words{kDenormal});
    const auto set = [](const dim4& shape) {
        x32 value;
        value.u32 = kMinusDenormal;
        okk_bdc_32bit_set_C(kDst, value, &shape, nullptr);
    };
    CHECK(results(set, {0}) == Words{kMinusDenormal});
    // inf * 0 and inf - inf are NaN.
    CHECK(results(OKKSIM_BINARY(okk_bdc_mul), {kInf}, {0}) == Words{kNan});
    CHECK(results(OKKSIM_BINARY(okk_bdc_sub), {kInf}, {kInf}) == Words{kNan});
}

TEST_CASE("SEMANTICS 3: maximum, minimum, relu, neg, selections") {
    // max: the second operand unless the first is greater; a denormal result is flushed.
    CHECK(results(OKKSIM_BINARY(okk_bdc_max),
                  {kNan, kOne, 0, kMinusZero, kDenormal, kMinusDenormal},
                  {kOne, kNan, kMinusZero, 0, 0, kMinusDenormal}) ==
          Words{kOne, kNan, kMinusZero, 0, 0, kMinusZero});
    // min: the first operand when it is not greater; never flushed.
    CHECK(results(OKKSIM_BINARY(okk_bdc_min), {kNan, kOne, 0, kMinusZero, kDenormal},
                  {kOne, kNan, kMinusZero, 0, 0}) == Words{kOne, kNan, 0, kMinusZero, kDenormal});
    CHECK(results(OKKSIM_UNARY(okk_bdc_relu), {bits(2.f), bits(-2.f), kMinusZero, kNan,
                                               kDenormal}) == Words{bits(2.f), 0, 0, 0, 0});
    CHECK(results(OKKSIM_UNARY(okk_bdc_neg), {0, kMinusZero, kDenormal, kOne}) ==
          Words{0, 0, 0, bits(-1.f)});
    x32 selected;
    selected.u32 = kDenormal;
    const auto greater = [&](const dim4& shape) {
        okk_bdc_greater_select_value(kDst, kSrc0, kSrc1, selected, &shape, nullptr, nullptr,
                                     nullptr);
    };
    CHECK(results(greater, {kOne, kNan, kOne, kDenormal}, {0, kOne, kNan, 0}) ==
          Words{kDenormal, 0, 0, 0});
    // equal compares bits.
    const auto equal = [&](const dim4& shape) {
        okk_bdc_equal_select_value(kDst, kSrc0, kSrc1, selected, &shape, nullptr, nullptr, nullptr);
    };
    CHECK(results(equal, {kNan, 0, kDenormal, kOne}, {kNan, kMinusZero, 0, kOne}) ==
          Words{kDenormal, 0, 0, kDenormal});
}

TEST_CASE("SEMANTICS 3: reciprocal, div, rsqrt, sqrt") {
    CHECK(results(OKKSIM_UNARY(okk_bdc_reciprocal),
                  {kOne, bits(2.f), 0, kMinusZero, kInf, 0xFF800000, kNan}) ==
          Words{0x3F7FFFFE, 0x3F000001, kInf, 0xFF800000, kInf, 0xFF800000, kNan});
    // a * reciprocal(b): 1/2 is not 0.5, 1/0 is inf, 0/0 is NaN.
    CHECK(results(OKKSIM_BINARY(okk_bdc_div), {kOne, kOne, 0}, {bits(2.f), 0, 0}) ==
          Words{0x3F000001, kInf, kNan});
    const auto divide_by_two = [](const dim4& shape) {
        okk_bdc_div_C(kDst, kSrc0, 2.0f, &shape, nullptr, nullptr);
    };
    CHECK(results(divide_by_two, {kOne}) == Words{0x3F000001});
    const auto two_by = [](const dim4& shape) {
        okk_bdc_C_div(kDst, kSrc0, 2.0f, &shape, nullptr, nullptr);
    };
    CHECK(results(two_by, {kOne}) == Words{bits(2 * std::bit_cast<float>(0x3F7FFFFE))});
    CHECK(results(OKKSIM_ALIGNED(okk_bdc_sqrt), {bits(4.f)}) == Words{bits(1.9999999f)});
}

TEST_CASE("SEMANTICS 3: scale adds 0 without strides and not with one") {
    // -1 * 0 is -0; + 0 makes it +0.
    const dim4 shape{1, 1, 1, 1};
    const dim4 stride{1, 1, 1, 1};
    for (const dim4* dst_stride : {static_cast<const dim4*>(nullptr), &stride}) {
        for (const dim4* src_stride : {static_cast<const dim4*>(nullptr), &stride}) {
            Bench bench;
            bench.store(0, kSrc0, {bits(-1.f)});
            bench.store(0, kSrc1, {0});
            okk_bdc_scale(kDst, kSrc0, kSrc1, &shape, dst_stride, src_stride);
            const bool plain = dst_stride != nullptr || src_stride != nullptr;
            CHECK(bench.load(0, kDst, 1) == Words{plain ? kMinusZero : 0});
            CHECK(bench.context.counts().commands[isa::Engine::kBdc] == 1);
        }
    }
}

TEST_CASE("SEMANTICS 3: bias and scale_bias are unfused; strides of any kind") {
    Bench bench;
    const dim4 one{1, 1, 1, 1};
    bench.store(0, kSrc0, {bits(1 + 0x1p-12f)});
    bench.store(0, kSrc1, {bits(1 + 0x1p-12f)});
    bench.store(0, kWork, {bits(-(1 + 0x1p-11f))});
    okk_bdc_scale_bias(kDst, kSrc0, kSrc1, kWork, &one, nullptr, nullptr);
    CHECK(bench.load(0, kDst, 1) == Words{0});
    okk_bdc_bias(kDst, kSrc0, kWork, &one, nullptr, nullptr);
    CHECK(bench.load(0, kDst, 1) == Words{bits(0x1p-12f - 0x1p-11f)});
    // A W stride of 2, sources that repeat, an address that only a word is aligned to, in place.
    bench.store(0, kSrc0 + 4, {bits(1.f), 0, bits(2.f), 0});
    bench.store(0, kSrc1, {bits(10.f)});
    const dim4 row{1, 1, 1, 2};
    const dim4 wide{4, 4, 4, 2};
    const dim4 repeated{0, 0, 0, 0};
    okk_bdc_add(kSrc0 + 4, kSrc0 + 4, kSrc1, &row, &wide, &wide, &repeated);
    CHECK(bench.load(0, kSrc0 + 4, 4) == Words{bits(11.f), 0, bits(12.f), 0});
}

TEST_CASE("SEMANTICS 4: conversions and tables") {
    // Negative NaNs: golden vector okk_bdc_fp32_to_int32-03.
    CHECK(results(OKKSIM_ALIGNED(okk_bdc_fp32_to_int32),
                  {bits(-1.9f), bits(3e9f), kInf, bits(-3e9f), kNan, 0xFFC00000, kDenormal}) ==
          Words{0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF, 0x80000000, 0x7FFFFFFF, 0x80000000, 0});
    CHECK(results(OKKSIM_ALIGNED(okk_bdc_lookup_int32_to_fp32),
                  {127, 128, 150, static_cast<Word>(-200)}) ==
          Words{bits(127.f), bits(-128.f), bits(-106.f), bits(56.f)});
    // e^-103 is a denormal entry; 89 and -104 have none; 256 is 0 again, 2^31 - 1 is -1.
    CHECK(results(OKKSIM_ALIGNED(okk_bdc_lookup_exp),
                  {0, static_cast<Word>(-103), 89, static_cast<Word>(-104), 256, 0x7FFFFFFF}) ==
          Words{kOne, 1, 0, 0, kOne, 0x3EBC5AB2});
}

TEST_CASE("SEMANTICS 4: series, exp and what is built of it") {
    // Horner: 1 + x + x^2/2 at 2 is 5; one term is 1 + x.
    const auto taylor = [](int terms) {
        return [terms](const dim4& shape) { okk_bdc_taylor_exp(kDst, kSrc0, &shape, terms); };
    };
    CHECK(results(taylor(2), {bits(2.f)}) == Words{bits(5.f)});
    CHECK(results(taylor(1), {bits(2.f)}) == Words{bits(3.f)});
    const auto exponential = [](const dim4& shape) { okk_bdc_exp(kDst, kSrc0, kWork, &shape); };
    const auto tunable = [](const dim4& shape) {
        okk_bdc_exp_tunable(kDst, kSrc0, kWork, &shape, 32);
    };
    // exp(200) is inf, exp(89) 0, exp(128) NaN, below -88 0, exp(-1000) inf.
    const Words far{bits(200.f), bits(89.f), bits(128.f), bits(-90.f), bits(-1000.f)};
    CHECK(results(exponential, far) == Words{kInf, 0, kNan, 0, kInf});
    const Words near{bits(0.7f), bits(-3.3f), bits(10.f)};
    CHECK(results(exponential, near) == results(tunable, near));
    // exp leaves P of the series in its work tensor: 0 for whole numbers.
    Bench bench;
    const dim4 two{1, 1, 1, 2};
    bench.store(0, kSrc0, {bits(3.f), bits(0.5f)});
    okk_bdc_exp_tunable(kDst, kSrc0, kWork, &two, 2);
    CHECK(bench.load(0, kWork, 2) == Words{0, bits(0.5f + 0.125f)});
    // In place exp is e^trunc(x): e^2 for 2.9.
    bench.store(0, kSrc0, {bits(2.9f), bits(-0.5f)});
    okk_bdc_exp(kSrc0, kSrc0, kWork, &two);
    CHECK(bench.load(0, kSrc0, 2) == Words{0x40EC7326, kOne});
    const auto sigmoid = [](const dim4& shape) { okk_bdc_sigmoid(kDst, kSrc0, kWork, &shape); };
    CHECK(results(sigmoid, {0, bits(88.f)}) == Words{bits(0.50000006f), bits(0.9999998808f)});
    const auto tanh = [](const dim4& shape) { okk_bdc_tanh(kDst, kSrc0, kWork, &shape); };
    const Words far_tanh = results(tanh, {0, bits(-87.f)});
    CHECK(std::bit_cast<float>(far_tanh[0]) == Approx(1.8e-7f).epsilon(0.1));
    CHECK(far_tanh[1] == 0xFF800000);
}

TEST_CASE("SEMANTICS 4: the work tensors of sigmoid and tanh") {
    // The work tensor holds intermediate results: 1 + e^-x for sigmoid, m / (p + m) for tanh.
    Bench bench;
    const dim4 one{1, 1, 1, 1};
    bench.store(0, kSrc0, {0});
    okk_bdc_sigmoid(kDst, kSrc0, kWork, &one);
    CHECK(bench.load(0, kWork, 1) == Words{bits(2.f)});
    okk_bdc_tanh(kDst, kSrc0, kWork, &one);
    const float m = std::bit_cast<float>(0x3F7FFFFE);  // reciprocal(1)
    bench.store(0, kSrc1, {bits(1 + m)});
    bench.store(0, kSrc0, {bits(m)});
    const Word left = bench.load(0, kWork, 1)[0];
    okk_bdc_div(kDst, kSrc0, kSrc1, &one, nullptr, nullptr, nullptr);
    CHECK(bench.load(0, kDst, 1) == Words{left});
}

TEST_CASE("SEMANTICS 5: 32-bit and 16-bit shifts") {
    const auto shift = [](int amount) {
        return [amount](const dim4& shape) {
            okk_bdc_32bit_arithmetic_shift_C(kDst, kSrc0, amount, &shape, nullptr, nullptr);
        };
    };
    CHECK(results(shift(4), {0xF0000001}) == Words{0x00000010});  // drops bits
    CHECK(results(shift(-1), {static_cast<Word>(-3)}) == Words{static_cast<Word>(-2)});  // floor
    const auto logical = [](const dim4& shape) {
        okk_bdc_32bit_logical_shift_C(kDst, kSrc0, -4, &shape, nullptr, nullptr);
    };
    CHECK(results(logical, {0xF0000001}) == Words{0x0F000000});
}

TEST_CASE("SEMANTICS 5: packed sums round, then saturate; dummy elements stay") {
    Bench bench;
    // Three batch elements of one word; the fourth byte belongs to no element.
    bench.store(0, kSrc0, {0x7F7F05FD});  // -3, 5, 127, (127)
    bench.store(0, kSrc1, {0x01010200});  // 0, 2, 1, (1)
    bench.store(0, kDst, {0xAA000000});
    const dim4 shape{3, 1, 1, 1};
    okk_bdc_fixed_point_packed_add(kDst, kSrc0, kSrc1, &shape, nullptr, nullptr, nullptr,
                                   S8_OP_S8_TO_S8, 1);
    // (-3 + 1) >> 1 = -1; (7 + 1) >> 1 = 4; (128 + 1) >> 1 = 64.
    CHECK(bench.load(0, kDst, 1) == Words{0xAA4004FF});
    okk_bdc_fixed_point_packed_add(kDst, kSrc0, kSrc1, &shape, nullptr, nullptr, nullptr,
                                   S8_OP_S8_TO_S8, 0);
    CHECK(bench.load(0, kDst, 1) == Words{0xAA7F07FD});  // 128 saturates
    // mac: dst << lshift wraps in 32 bits: 1 << 31 is negative and saturates downwards.
    bench.store(0, kDst, {1});
    bench.store(0, kSrc0, {0});
    const dim4 one{1, 1, 1, 1};
    okk_bdc_fixed_point_packed_mac(kDst, kSrc0, kSrc0, &one, nullptr, nullptr, nullptr, true,
                                   S8_OP_S8_TO_S16, 31, 0);
    CHECK((bench.load(0, kDst, 1)[0] & 0xFFFFu) == 0x8000u);
}

TEST_CASE("SEMANTICS 6: matmul, pools and convolution sum in their order") {
    // Four products of a dot product of length 4, with separate sums for even and odd terms of 1e8
    // + 1 - 1e8 + 1. The even sum is 1e8 - 1e8 = 0, the odd one 1 + 1 = 2. A sequential sum would
    // give 1.
    const Words left{bits(1e8f), kOne, bits(-1e8f), kOne};
    Bench bench;
    bench.store(0, kSrc0, left);
    for (int k = 0; k < 4; ++k) bench.store(0, kSrc1 + 128u * k, {kOne});
    okk_bdc_matmul(kDst, kSrc0, kSrc1, 0, 1, 4, 1, 4, 1, false, false);
    CHECK(bench.load(0, kDst, 1) == Words{bits(2.f)});
    // A convolution keeps four sums over (tap, input channel): (a0 + a2) + (a1 + a3) = 0 + 2.
    const dim4 image{1, 1, 1, 4};
    const Padding none{0, 0, 0, 0};
    const dim2 step{1, 1};
    bench.store(0, kSrc1, {kOne, 0, kOne, 0, kOne, 0, kOne, 0});  // pairs with a dummy channel
    okk_bdc_conv2d(kDst, kSrc0, kSrc1, 0, &image, 1, 1, 4, nullptr, nullptr, false, false, &none,
                   &step, &step);
    // One channel counts as two, so the taps are in a0, a2, a0, a2: (1e8 - 1e8) + (1 + 1).
    CHECK(bench.load(0, kDst, 1) == Words{bits(2.f)});
    // Depthwise: even and odd taps.
    bench.store(0, kSrc1, {kOne, kOne, kOne, kOne});
    okk_bdc_depthwise2d(kDst, kSrc0, kSrc1, 0, &image, 1, 4, false, &none, &step, &step);
    CHECK(bench.load(0, kDst, 1) == Words{bits(2.f)});
    // The average multiplies by fl(1/4), padding counts.
    const Padding both{0, 0, 1, 1};
    bench.store(0, kSrc0, {bits(4.f), bits(4.f)});
    const dim4 pair{1, 1, 1, 2};
    okk_bdc_avg_pool2d(kDst, kSrc0, &pair, 1, 4, &both, &step);
    CHECK(bench.load(0, kDst, 1) == Words{bits(2.f)});
    // The maximum begins at -FLT_MAX and ignores NaN.
    bench.store(0, kSrc0, {kNan, 0xFF800000});
    okk_bdc_max_pool2d(kDst, kSrc0, &pair, 1, 2, &none, &step);
    CHECK(bench.load(0, kDst, 1) == Words{0xFF7FFFFF});
    // Padding is multiplied: an infinite weight on it gives NaN.
    bench.store(0, kSrc0, {kOne, kOne});
    bench.store(0, kSrc1, {kInf, 0, kOne, 0});
    const Padding before{0, 0, 1, 0};
    okk_bdc_conv2d(kDst, kSrc0, kSrc1, 0, &pair, 1, 1, 2, nullptr, nullptr, false, false, &before,
                   &step, &step);
    CHECK(bench.load(0, kDst, 1) == Words{kNan});
}

TEST_CASE("SEMANTICS 7: matmul writes all columns of its last channel") {
    // 3 columns at 2 per channel: column 3 in the second channel (lane 1) is beyond the tensor.
    for (const bool add : {false, true}) {
        Bench bench;
        bench.store(0, kSrc0, {bits(2.f), bits(3.f)});
        for (int k = 0; k < 2; ++k) {
            bench.store(0, kSrc1 + 128u * k, {bits(10.f + k), bits(20.f + k)});
            bench.store(1, kSrc1 + 128u * k, {bits(30.f + k), bits(40.f + k)});
        }
        bench.store(0, kWork, {kOne, kOne});
        bench.store(1, kWork, {kOne, bits(7.f)});
        bench.store(0, kDst, {bits(100.f), bits(100.f)});
        bench.store(1, kDst, {bits(100.f), bits(100.f), bits(5.f)});
        okk_bdc_matmul(kDst, kSrc0, kSrc1, kWork, 1, 2, 3, 2, 2, true, add);
        const float old = add ? 100.f : 0.f;
        // Column 3: 2 * 40 + 3 * 41 + 7 of the bias; the following word does not change.
        CHECK(bench.load(1, kDst, 3) == Words{bits(2 * 30.f + 3 * 31.f + 1 + old),
                                              bits(80.f + 123.f + 7.f + old), bits(5.f)});
        CHECK(bench.load(0, kDst, 1) == Words{bits(2 * 10.f + 3 * 11.f + 1 + old)});
    }
}

TEST_CASE("SEMANTICS 7: narrow fills take the layout of their own width, or the kit's") {
    // Two batches of one byte are 128 bytes apart; the kit counts 32 elements.
    for (const bool quirks : {false, true}) {
        firmware::ContextOptions options;
        options.sdk_quirks = quirks;
        Bench bench(options);
        std::memset(bench.local(0, kDst), 0, 256);
        const dim4 shape{2, 1, 1, 1};
        x8 value;
        value.u8 = 9;
        okk_gdma_8bit_set_C_local(kDst, value, &shape, nullptr);
        const auto* bytes = reinterpret_cast<const unsigned char*>(bench.local(0, kDst));
        CHECK(bytes[quirks ? 32 : 128] == 9);
        CHECK(bytes[quirks ? 128 : 32] == 0);
    }
}

TEST_CASE("SEMANTICS 10: sizes beyond the reference work and are told once") {
    Bench bench;
    // left_cols_per_channel above left_cols acts like left_cols.
    bench.store(0, kSrc0, {bits(2.f), bits(3.f)});
    for (int k = 0; k < 2; ++k) bench.store(0, kSrc1 + 128u * k, {bits(10.f + k)});
    for (int i = 0; i < 2; ++i) {
        okk_bdc_matmul(kDst, kSrc0, kSrc1, 0, 1, 2, 1, 16, 1, false, false);
        CHECK(bench.load(0, kDst, 1) == Words{bits(53.f)});
    }
    REQUIRE(bench.findings.size() == 1);
    CHECK(bench.findings[0].kind == FindingKind::kLimit);
    CHECK_FALSE(is_mistake(bench.findings[0]));
    CHECK_THAT(bench.findings[0].message, Catch::Contains("left_cols_per_channel = 16"));
    // 144 columns in a channel of the left operand: a sum of 144 ones.
    bench.store(0, kSrc0, Words(144, kOne));
    for (unsigned k = 0; k < 144; ++k) bench.store(0, 0x10000 + 128 * k, {kOne});
    okk_bdc_matmul(kDst, kSrc0, 0x10000, 0, 1, 144, 1, 144, 1, false, false);
    CHECK(bench.load(0, kDst, 1) == Words{bits(144.f)});
    // Pools over 4096 channels: the last one is in lane 63, slot 63.
    const dim4 channels{1, 4096, 1, 2};
    bench.store(63, 0x10000 + 63 * 128, {bits(6.f), bits(8.f)});
    okk_bdc_avg_pool2d(0x20000, 0x10000, &channels, 1, 2, nullptr, nullptr);
    CHECK(bench.load(63, 0x20000 + 63 * 128, 1) == Words{bits(7.f)});
    okk_bdc_max_pool2d(0x20000, 0x10000, &channels, 1, 2, nullptr, nullptr);
    CHECK(bench.load(63, 0x20000 + 63 * 128, 1) == Words{bits(8.f)});
    CHECK(bench.findings.size() == 3);  // each function and argument once
    // Paddings, steps and dilations above 15.
    const Padding wide{0, 0, 20, 0};
    const dim2 step{1, 20};
    const dim4 row{1, 1, 1, 2};
    bench.store(0, kSrc0, {bits(1.f), bits(2.f)});
    okk_bdc_max_pool2d(kDst, kSrc0, &row, 1, 1, &wide, &step);
    CHECK(bench.load(0, kDst, 2) == Words{0xFF7FFFFF, bits(1.f)});
    CHECK(bench.findings.size() == 4);
}

TEST_CASE("SEMANTICS 10: strict limits, and what stays a fault without them") {
    firmware::ContextOptions options;
    options.strict_limits = true;
    {
        Bench bench(options);
        CHECK_THROWS_AS(okk_bdc_matmul(kDst, kSrc0, kSrc1, 0, 1, 2, 1, 16, 1, false, false),
                        ProgramFault);
        const dim4 channels{1, 4096, 1, 1};
        CHECK_THROWS_AS(okk_bdc_max_pool2d(kDst, 0x20000, &channels, 1, 1, nullptr, nullptr),
                        ProgramFault);
        CHECK(bench.findings.empty());
    }
    Bench bench;
    const dim4 one{1, 1, 1, 1};
    // Alignment, start NPU, op types, zero sizes, and addresses outside the model's memories.
    CHECK_THROWS_AS(okk_bdc_sqrt(kDst, kSrc0 + 4, &one), ProgramFault);
    CHECK_THROWS_AS(okk_bdc_neg(kDst + 524288, kSrc0, &one, nullptr, nullptr), ProgramFault);
    CHECK_THROWS_AS(okk_bdc_fixed_point_packed_sub(kDst, kSrc0, kSrc1, &one, nullptr, nullptr,
                                                   nullptr, U8_OP_U8_TO_U8, 0),
                    ProgramFault);
    const dim4 empty{0, 1, 1, 1};
    CHECK_THROWS_AS(okk_bdc_neg(kDst, kSrc0, &empty, nullptr, nullptr), ProgramFault);
    const dim4 endless{1, 1, 1, 1 << 21};
    const dim4 repeated{0, 0, 0, 0};
    CHECK_THROWS_AS(okk_bdc_neg(kDst, kSrc0, &endless, &repeated, &repeated), ProgramFault);
    CHECK(bench.findings.empty());
}

}  // namespace okksim::tests
