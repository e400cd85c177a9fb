// SPDX-License-Identifier: Apache-2.0
// The functions of bm_atomic.h issue the same commands as the functions of okk.h with the same
// operands, and report operands that okk.h cannot express.
#include <functional>
#include <vector>

#include "firmware/bm_atomic.h"
#include "firmware/calls/context.h"
#include "isa/base/errors.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

constexpr unsigned int kLane = 65536;  // bytes of local memory of one NPU
constexpr system_addr_t kGlobal = 0x100000000;

struct Fixture {
    std::vector<isa::Command> commands_of(const std::function<void()>& calls) {
        port.clear();
        calls();
        return port.commands();
    }
    /// Both issue the same operations with the same operands.
    void check_same(const std::function<void()>& atomic, const std::function<void()>& okk) {
        const std::vector<isa::Command> got = commands_of(atomic);
        const std::vector<isa::Command> expected = commands_of(okk);
        REQUIRE_FALSE(got.empty());
        REQUIRE(got.size() == expected.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
            CHECK(got[i].opcode == expected[i].opcode);
            CHECK(got[i].words == expected[i].words);
        }
    }

    RecordingPort port{small_machine(4, kLane)};
    firmware::Context context{port};
    firmware::Context::Binding binding{context};
};

const dim4 kShape{2, 5, 3, 11};
// The tensors do not overlap. The aligned layout of 33 words is 64 words in two slots: (128, 64,
// ..).
const dim4 kDst{128, 64, 11, 1}, kSrc0{256, 64, 16, 1}, kSrc1{0, 0, 0, 0};

ArithParam arithmetic(BmAtomicOp op) {
    return {8192,
            16384,
            0,
            {2, 5, 3, 11},
            {256, 64, 16, 1},
            {0, 0, 0, 0},
            {128, 64, 11, 1},
            op,
            false,
            0,
            false,
            0,
            0,
            0};
}

}  // namespace

TEST_CASE("atomic/arithmetic of tensors is the okk function of its operation") {
    Fixture f;
    using Binary = void (*)(local_addr_t, local_addr_t, local_addr_t, const dim4*, const dim4*,
                            const dim4*, const dim4*);
    const std::pair<BmAtomicOp, Binary> rows[] = {
        {BM_MUL, okk_bdc_mul},       {BM_MAC, okk_bdc_mac},     {BM_ADD, okk_bdc_add},
        {BM_SUB, okk_bdc_sub},       {BM_MAX, okk_bdc_max},     {BM_MIN, okk_bdc_min},
        {BM_AND, okk_bdc_32bit_and}, {BM_OR, okk_bdc_32bit_or}, {BM_XOR, okk_bdc_32bit_xor},
        {BM_DIV, okk_bdc_div}};
    for (const auto& [op, function] : rows) {
        CAPTURE(op);
        ArithParam p = arithmetic(op);
        const Binary binary = function;
        f.check_same([&] { bm_atomic_tensor_arithmetic(&p); },
                     [&] { binary(0, 8192, 16384, &kShape, &kDst, &kSrc0, &kSrc1); });
    }
    ArithParam p = arithmetic(BM_SG);
    p.select_value = 3;
    x32 three;
    three.fp32 = 3;
    f.check_same([&] { bm_atomic_tensor_arithmetic(&p); },
                 [&] {
                     okk_bdc_greater_select_value(0, 8192, 16384, three, &kShape, &kDst, &kSrc0,
                                                  &kSrc1);
                 });
    p.op = BM_CPY;
    f.check_same([&] { bm_atomic_tensor_arithmetic(&p); },
                 [&] { okk_bdc_32bit_cpy(0, 8192, &kShape, &kDst, &kSrc0); });
}

TEST_CASE("atomic/a constant may be either operand") {
    Fixture f;
    ArithParam behind = arithmetic(BM_SUB), before = arithmetic(BM_SUB);
    behind.input1_is_const = before.input0_is_const = true;
    behind.input1_const = before.input0_const = 2.5f;
    f.check_same([&] { bm_atomic_tensor_arithmetic(&behind); },
                 [&] { okk_bdc_sub_C(0, 8192, 2.5f, &kShape, &kDst, &kSrc0); });
    f.check_same([&] { bm_atomic_tensor_arithmetic(&before); },
                 [&] { okk_bdc_C_sub(0, 16384, 2.5f, &kShape, &kDst, &kSrc1); });
    behind.op = before.op = BM_MAC;
    f.check_same([&] { bm_atomic_tensor_arithmetic(&behind); },
                 [&] { okk_bdc_mac_C(0, 8192, 2.5f, &kShape, &kDst, &kSrc0); });
    behind.op = BM_AND;
    x32 bits;
    bits.fp32 = 2.5f;
    f.check_same([&] { bm_atomic_tensor_arithmetic(&behind); },
                 [&] { okk_bdc_32bit_and_C(0, 8192, bits, &kShape, &kDst, &kSrc0); });
    before.op = BM_CPY;
    f.check_same([&] { bm_atomic_tensor_arithmetic(&before); },
                 [&] { okk_bdc_32bit_set_C(0, bits, &kShape, &kDst); });
    before.op = BM_MAX;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic(&before), Catch::Contains("swap the operands"));
    before.op = BM_SHIFT;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic(&before), Catch::Contains("op = 6"));
}

TEST_CASE("atomic/fixed-point arithmetic has the types that the reference has for its operands") {
    Fixture f;
    struct Row {
        bool first_signed, second_signed, bytes, byte_result;
        op_type_t type, type_of_sub;
    };
    // API reference: the op types of packed_add and of packed_sub, by operands and result.
    const Row rows[] = {{true, true, true, true, S8_OP_S8_TO_S8, S8_OP_S8_TO_S8},
                        {true, true, true, false, S8_OP_S8_TO_S16, S8_OP_S8_TO_S16},
                        {true, false, true, true, S8_OP_U8_TO_S8, S8_OP_U8_TO_S8},
                        {false, true, true, false, U8_OP_S8_TO_S16, U8_OP_S8_TO_S16},
                        {false, false, true, true, U8_OP_U8_TO_U8, U8_OP_U8_TO_S8},
                        {false, false, true, false, U8_OP_U8_TO_U16, U8_OP_U8_TO_S16},
                        {true, true, false, false, S16_OP_S16_TO_S16, S16_OP_S16_TO_S16},
                        {false, true, false, true, U16_OP_S16_TO_S8, U16_OP_S16_TO_S8},
                        {false, false, false, true, U16_OP_U16_TO_U8, U16_OP_U16_TO_S8}};
    ArithQuantParam p{8192,
                      16384,
                      0,
                      {2, 5, 3, 11},
                      {256, 64, 16, 1},
                      {0, 0, 0, 0},
                      {128, 64, 11, 1},
                      BM_ADD,
                      false,
                      false,
                      3,
                      0,
                      0,
                      true,
                      true,
                      true,
                      true,
                      true,
                      false,
                      false,
                      false};
    for (const Row& row : rows) {
        CAPTURE(row.type);
        p.input0_sign = row.first_signed;
        p.input1_sign = row.second_signed;
        p.input0_8bit = p.input1_8bit = row.bytes;
        p.output_8bit = row.byte_result;
        p.op = BM_ADD;
        f.check_same([&] { bm_atomic_tensor_arithmetic_quantized(&p); },
                     [&] {
                         okk_bdc_fixed_point_packed_add(0, 8192, 16384, &kShape, &kDst, &kSrc0,
                                                        &kSrc1, row.type, 3);
                     });
        p.op = BM_SUB;
        f.check_same([&] { bm_atomic_tensor_arithmetic_quantized(&p); },
                     [&] {
                         okk_bdc_fixed_point_packed_sub(0, 8192, 16384, &kShape, &kDst, &kSrc0,
                                                        &kSrc1, row.type_of_sub, 3);
                     });
    }
    p.input0_sign = p.input1_sign = p.input0_8bit = p.input1_8bit = true;
    p.output_8bit = false;
    p.op = BM_MUL;
    f.check_same([&] { bm_atomic_tensor_arithmetic_quantized(&p); },
                 [&] {
                     okk_bdc_fixed_point_packed_mul(0, 8192, 16384, &kShape, &kDst, &kSrc0, &kSrc1,
                                                    S8_OP_S8_TO_S16, 3);
                 });
    p.op = BM_MAC;
    p.lshift_bit = 2;
    f.check_same([&] { bm_atomic_tensor_arithmetic_quantized(&p); },
                 [&] {
                     okk_bdc_fixed_point_packed_mac(0, 8192, 16384, &kShape, &kDst, &kSrc0, &kSrc1,
                                                    true, S8_OP_S8_TO_S16, 2, 3);
                 });
    p.op = BM_MAX;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic_quantized(&p), Catch::Contains("lshift_bit = 2"));
    p.lshift_bit = 0;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic_quantized(&p), Catch::Contains("rshift_bit = 3"));
    p.rshift_bit = 0;
    p.output_8bit = true;
    // The second operand has one column and one row; its other strides do not matter.
    const dim4 again{2, 1, 0, 0};
    p.input1_stride[0] = 2;
    p.input1_stride[1] = 1;
    p.input1_stride[2] = p.input1_stride[3] = 7;
    p.input1_h_is1 = p.input1_w_is1 = true;
    f.check_same([&] { bm_atomic_tensor_arithmetic_quantized(&p); },
                 [&] {
                     okk_bdc_fixed_point_packed_max(0, 8192, 16384, &kShape, &kDst, &kSrc0, &again,
                                                    S8_OP_S8_TO_S8);
                 });
    p.op = BM_MIN;
    f.check_same([&] { bm_atomic_tensor_arithmetic_quantized(&p); },
                 [&] {
                     okk_bdc_fixed_point_packed_min(0, 8192, 16384, &kShape, &kDst, &kSrc0, &again,
                                                    S8_OP_S8_TO_S8);
                 });
    p.input1_n_is1 = true;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic_quantized(&p), Catch::Contains("input1_n_is1"));
    p.input1_n_is1 = false;
    p.input1_8bit = false;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic_quantized(&p), Catch::Contains("16bit_mul_8bit"));
    p.input1_8bit = true;
    p.input1_is_const = true;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic_quantized(&p), Catch::Contains("_C"));
    p.input1_is_const = false;
    p.op = BM_SHIFT;
    CHECK_THROWS_WITH(bm_atomic_tensor_arithmetic_quantized(&p), Catch::Contains("op = 6"));
}

TEST_CASE("atomic/linear functions scale and add per channel") {
    Fixture f;
    MDLinearParam p{8192, 16384, 20480, 0, {2, 5, 3, 11}, BM_MAC, false, false, 0, false, 0};
    f.check_same([&] { bm_atomic_md_linear(&p); },
                 [&] { okk_bdc_scale_bias(0, 8192, 16384, 20480, &kShape, nullptr, nullptr); });
    p.tensorS_is_const = true;
    f.check_same([&] { bm_atomic_md_linear(&p); },
                 [&] { okk_bdc_scale(0, 8192, 16384, &kShape, nullptr, nullptr); });
    p.tensorS_const = 2;
    CHECK_THROWS_WITH(bm_atomic_md_linear(&p), Catch::Contains("tensorS_is_const = 1"));
    p.tensorS_is_const = false;
    p.tensorB_is_const = true;
    CHECK_THROWS_WITH(bm_atomic_md_linear(&p), Catch::Contains("tensorB_is_const = 1"));
    p.tensorB_const = 1;
    f.check_same([&] { bm_atomic_md_linear(&p); },
                 [&] { okk_bdc_bias(0, 8192, 20480, &kShape, nullptr, nullptr); });
    p.tensorS_is_const = true;
    CHECK_THROWS_WITH(bm_atomic_md_linear(&p), Catch::Contains("okk_bdc_mul_C()"));
    p.tensorS_is_const = p.tensorB_is_const = false;
    p.result_add = true;
    CHECK_THROWS_WITH(bm_atomic_md_linear(&p), Catch::Contains("result_add = 1"));
    p.result_add = false;
    p.op = BM_SQR_SUM;
    CHECK_THROWS_WITH(bm_atomic_md_linear(&p), Catch::Contains("op = 20"));
}

TEST_CASE("atomic/md functions and activations have the aligned layout") {
    Fixture f;
    MDScalarParam p{8192, 16384, 0, {2, 5, 3, 11}, BM_ADD, false, false, 0, false, 0};
    f.check_same([&] { bm_atomic_md_scalar(&p); },
                 [&] { okk_bdc_add(0, 8192, 16384, &kShape, nullptr, nullptr, nullptr); });
    p.op = BM_MUL;
    p.result_add = p.input1_is_const = true;
    p.input1_const = 4;
    f.check_same([&] { bm_atomic_md_scalar(&p); },
                 [&] { okk_bdc_mac_C(0, 8192, 4, &kShape, nullptr, nullptr); });
    p.op = BM_ADD;
    CHECK_THROWS_WITH(bm_atomic_md_scalar(&p), Catch::Contains("result_add = 1"));
    MDSFUParam root{8192, 0, {2, 5, 3, 11}, BM_RSQRT, 0, 0};
    f.check_same([&] { bm_atomic_md_sfu(&root); }, [&] { okk_bdc_rsqrt(0, 8192, &kShape); });
    root.op = BM_TAYLOR;
    CHECK_THROWS_WITH(bm_atomic_md_sfu(&root), Catch::Contains("okk_bdc_taylor_exp()"));
    ActParam act{8192, 0, 16384, {2, 5, 3, 11}, BM_RELU};
    f.check_same([&] { bm_local_act(&act); },
                 [&] { okk_bdc_relu(0, 8192, &kShape, nullptr, nullptr); });
    act.act_type = BM_TANH;
    f.check_same([&] { bm_local_act(&act); }, [&] { okk_bdc_tanh(0, 8192, 16384, &kShape); });
    act.act_type = BM_SIGMOID;
    f.check_same([&] { bm_local_act(&act); }, [&] { okk_bdc_sigmoid(0, 8192, 16384, &kShape); });
    act.act_type = BM_ELU;
    CHECK_THROWS_WITH(bm_local_act(&act), Catch::Contains("act_type = 1"));
}

TEST_CASE("atomic/layers have the operands of the okk functions") {
    Fixture f;
    const dim4 input{1, 6, 9, 10};
    const Padding pad{1, 2, 0, 1};
    const dim2 step{2, 1}, dilation{1, 2};
    // 6 channels on 4 NPUs, planes of 90 words padded to 96; weights of 3 x 2 pairs.
    const dim4 placed{192, 96, 10, 1}, weights{18, 6, 2, 1};
    ConvParam conv{8192,
                   16384,
                   20480,
                   0,
                   {1, 6, 9, 10},
                   7,
                   3,
                   2,
                   2,
                   1,
                   {192, 96, 10, 1},
                   {18, 6, 2, 1},
                   0,
                   0,
                   1,
                   2,
                   false,
                   0,
                   {1, 2, 0, 1},
                   true,
                   false,
                   true};
    f.check_same([&] { bm_atomic_conv(&conv); },
                 [&] {
                     okk_bdc_conv2d(0, 8192, 16384, 20480, &input, 7, 3, 2, &placed, &weights, true,
                                    true, &pad, &step, &dilation);
                 });
    conv.ins_w = 1;
    CHECK_THROWS_WITH(bm_atomic_conv(&conv), Catch::Contains("ins_w = 1"));
    conv.ins_w = 0;
    conv.kernel_flip = true;
    CHECK_THROWS_WITH(bm_atomic_conv(&conv), Catch::Contains("kernel_flip"));
    DepthwiseParam depthwise{8192, 16384, 20480, 0, {1, 6, 9, 10}, 3,   2, 2, 1,
                             0,    0,     1,     2, {1, 2, 0, 1},  true};
    f.check_same([&] { bm_atomic_depthwise(&depthwise); },
                 [&] {
                     okk_bdc_depthwise2d(0, 8192, 16384, 20480, &input, 3, 2, true, &pad, &step,
                                         &dilation);
                 });
    PoolParam pool{8192, 0, {1, 6, 9, 10}, 3, 2, 2, 1, 0, 0, {1, 2, 0, 1}};
    f.check_same([&] { bm_atomic_max_pool(&pool); },
                 [&] { okk_bdc_max_pool2d(0, 8192, &input, 3, 2, &pad, &step); });
    f.check_same([&] { bm_atomic_avg_pool(&pool); },
                 [&] { okk_bdc_avg_pool2d(0, 8192, &input, 3, 2, &pad, &step); });
    SumPoolParam sum{8192, 0, {1, 6, 9, 10}, 3, 2, 2, 1, 0, 0, {1, 2, 0, 1}, 0.25f};
    f.check_same([&] { bm_atomic_sum_pool(&sum); },
                 [&] { okk_bdc_avg_pool2d_v2(0, 8192, &input, 0.25f, 3, 2, &pad, &step); });
    // 20 columns, 8 a channel: 3 channels; 2 channels of 12 columns.
    MatmulParam product{8192, 16384, 0, 0, 5, 20, 8, 3, 12, 2, false, false, true};
    f.check_same([&] { bm_atomic_matmul(&product); },
                 [&] { okk_bdc_matmul(0, 8192, 16384, 0, 5, 20, 24, 8, 12, false, true); });
    product.l_tensor_c = 2;
    CHECK_THROWS_WITH(bm_atomic_matmul(&product), Catch::Contains("l_tensor_c = 2"));
}

TEST_CASE("atomic/copies and fills have an address in a lane") {
    Fixture f;
    const dim4 contiguous{165, 33, 11, 1};
    MemCpy4DParam copy{kGlobal,
                       0,
                       {2, 5, 3, 11},
                       {165, 33, 11, 1},
                       BM_GDMA_FORMAT_FLOAT32,
                       4096,
                       1,
                       {2, 5, 3, 11},
                       {128, 64, 11, 1},
                       BM_GDMA_FORMAT_FLOAT32,
                       BM_GDMA_DIR_S2L,
                       false};
    f.check_same(
        [&] { bm_atomic_memcpy_4D(&copy); },
        [&] { okk_gdma_32bit_cpy_S2L(kLane + 4096, kGlobal, &kShape, &kDst, &contiguous); });
    copy.src_format = copy.dst_format = BM_GDMA_FORMAT_FLOAT16;
    f.check_same(
        [&] { bm_atomic_memcpy_4D(&copy); },
        [&] { okk_gdma_16bit_cpy_S2L(kLane + 4096, kGlobal, &kShape, &kDst, &contiguous); });
    copy.dst_format = BM_GDMA_FORMAT_INT16;
    CHECK_THROWS_WITH(bm_atomic_memcpy_4D(&copy), Catch::Contains("dst_format = 1"));
    copy.dst_format = BM_GDMA_FORMAT_FLOAT16;
    copy.transpose = true;
    CHECK_THROWS_WITH(bm_atomic_memcpy_4D(&copy), Catch::Contains("transpose"));
    copy.transpose = false;
    copy.dst_shape[1] = 4;
    CHECK_THROWS_WITH(bm_atomic_memcpy_4D(&copy), Catch::Contains("dst_shape"));
    MemCpy1DParam row{kGlobal, kGlobal + 4096, 100, BM_GDMA_FORMAT_INT8, BM_GDMA_DIR_S2S};
    const dim4 hundred{1, 1, 1, 100}, strides{100, 100, 100, 1};
    f.check_same(
        [&] { bm_atomic_memcpy_1D(&row); },
        [&] { okk_gdma_8bit_cpy_S2S(kGlobal + 4096, kGlobal, &hundred, &strides, &strides); });
    MemCpy2DParam matrix{kGlobal,         4096,  2,    5, 20, 30, 8, BM_GDMA_FORMAT_FLOAT32,
                         BM_GDMA_DIR_L2S, false, false};
    f.check_same([&] { bm_atomic_memcpy_2D(&matrix); },
                 [&] { okk_gdma_32bit_matrix_L2S(kGlobal, 2 * kLane + 4096, 5, 20, 8, 30); });
    matrix.direction = BM_GDMA_DIR_S2L;
    f.check_same([&] { bm_atomic_memcpy_2D(&matrix); },
                 [&] { okk_gdma_32bit_matrix_S2L(2 * kLane + 4096, kGlobal, 5, 20, 8, 30); });
    matrix.result_add = true;
    CHECK_THROWS_WITH(bm_atomic_memcpy_2D(&matrix), Catch::Contains("result_add"));
    const unsigned char value[4] = {0x11, 0x22, 0x33, 0x44};
    MemSet4DParam fill{4096, {2, 5, 3, 11}, {128, 64, 11, 1}, value, BM_GDMA_FORMAT_INT16, true, 3};
    x16 low;
    low.u16 = 0x2211;
    f.check_same([&] { bm_atomic_memset_4D(&fill); },
                 [&] { okk_gdma_16bit_set_C_local(3 * kLane + 4096, low, &kShape, &kDst); });
}

TEST_CASE("atomic/what nothing public tells of is a fault that says what to call") {
    Fixture f;
    CHECK_THROWS_WITH(bm_local_exp(nullptr), Catch::Contains("okk_bdc_exp()"));
    CHECK_THROWS_WITH(bm_atomic_sort(nullptr), Catch::Contains("bm_atomic_sort"));
    CHECK_THROWS_WITH(bm_get_mask_memcpy_res_num(), Catch::Contains("bm_get_mask_memcpy_res_num"));
    CHECK(f.port.commands().empty());
}

}  // namespace okksim::tests
