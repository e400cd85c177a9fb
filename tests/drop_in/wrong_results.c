/* SPDX-License-Identifier: Apache-2.0
 * Kernels with one wrong line each, which ends in a comment with the kernel's name. With `right`
 * set, the line is correct. wrong_results.sh asks `okksim why` for the wrong line. */
#include "okk.h"
#include "okk_access.h"

/* clang-format off */

typedef struct {
    int right;
    int unused;
    unsigned long long out;  /* 4 channels of 16 floats */
    unsigned long long in;   /* the same */
} Arguments;

static const dim4 kBlock = {1, 4, 1, 16};
static const dim4 kImage = {1, 4, 4, 4};

enum { kX = 0, kY = 4096, kOnes = 8192, kWork = 12288, kResult = 16384 };

static x32 word(float value) {
    x32 result;
    result.fp32 = value;
    return result;
}

/* Input of the tests: -2, -1.75, ... */
void make_input(const void* args) {
    const Arguments* a = args;
    float* values;
    int i;
    okk_initialize();
    values = (float*)okk_store_addr(a->out, 256);
    for (i = 0; i < 64; ++i) values[i] = -2.0f + 0.25f * (float)i;
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(make_input);

#define BEGIN \
    okk_initialize(); \
    okk_gdma_32bit_cpy_S2L(kX, a->in, &kBlock, 0, 0); \
    okk_bdc_32bit_set_C(kOnes, word(1), &kBlock, 0); \
    okk_bdc_add_C(kY, kX, 10, &kBlock, 0, 0);
#define END \
    okk_gdma_32bit_cpy_L2S(a->out, kResult, &kBlock, 0, 0); \
    okk_poll();
#define KERNEL(name) \
    static void name##_body(const Arguments* a); \
    void name(const void* args) { name##_body(args); } \
    OKKERNEL_FUNC_REGISTER(name); \
    static void name##_body(const Arguments* a)

KERNEL(scales_by_the_wrong_constant) {
    BEGIN
    okk_bdc_mul_C(kResult, kX, a->right ? 2 : 3, &kBlock, 0, 0);  /* scales_by_the_wrong_constant */
    END
}
KERNEL(adds_the_wrong_operand) {
    BEGIN
    okk_bdc_add(kResult, kX, a->right ? kY : kX, &kBlock, 0, 0, 0);  /* adds_the_wrong_operand */
    END
}
KERNEL(subtracts_the_wrong_way) {
    BEGIN
    okk_bdc_sub(kResult, a->right ? kX : kOnes, a->right ? kOnes : kX, &kBlock, 0, 0, 0);  /* subtracts_the_wrong_way */
    END
}
KERNEL(divides_by_the_wrong_tensor) {
    BEGIN
    okk_bdc_div(kResult, kX, a->right ? kOnes : kY, &kBlock, 0, 0, 0);  /* divides_by_the_wrong_tensor */
    END
}
KERNEL(accumulates_too_much) {
    BEGIN
    okk_bdc_32bit_set_C(kResult, word(0), &kBlock, 0);
    okk_bdc_mac_C(kResult, kX, a->right ? 0.5f : 0.75f, &kBlock, 0, 0);  /* accumulates_too_much */
    END
}
KERNEL(clips_too_low) {
    BEGIN
    okk_bdc_min_C(kResult, kX, a->right ? 6 : 5, &kBlock, 0, 0);  /* clips_too_low */
    END
}
KERNEL(clips_too_high) {
    BEGIN
    okk_bdc_max_C(kResult, kX, a->right ? 0 : 1, &kBlock, 0, 0);  /* clips_too_high */
    END
}
KERNEL(compares_with_the_wrong_limit) {
    BEGIN
    okk_bdc_greater_C_select_value(kResult, kX, a->right ? 1 : 2, word(7), &kBlock, 0, 0);  /* compares_with_the_wrong_limit */
    END
}
KERNEL(shifts_too_far) {
    BEGIN
    okk_bdc_32bit_logical_shift_C(kResult, kX, a->right ? -1 : -2, &kBlock, 0, 0);  /* shifts_too_far */
    END
}
KERNEL(takes_the_wrong_bias) {
    BEGIN
    okk_bdc_bias(kResult, kX, a->right ? kOnes : kY, &kBlock, 0, 0);  /* takes_the_wrong_bias */
    END
}
KERNEL(takes_the_wrong_scale) {
    BEGIN
    okk_bdc_scale(kResult, kY, a->right ? kOnes : kX, &kBlock, 0, 0);  /* takes_the_wrong_scale */
    END
}
KERNEL(takes_too_few_terms) {
    BEGIN
    okk_bdc_taylor_exp(kResult, kX, &kBlock, a->right ? 20 : 2);  /* takes_too_few_terms */
    END
}
KERNEL(pools_too_little) {
    const dim2 step = {1, 1};
    const Padding around = {0, 1, 0, 1};
    const Padding none = {0, 0, 0, 0};
    BEGIN
    okk_bdc_max_pool2d(kResult, kX, &kImage, a->right ? 2 : 1, a->right ? 2 : 1, a->right ? &around : &none, &step);  /* pools_too_little */
    END
}
KERNEL(averages_too_little) {
    const dim2 step = {1, 1};
    const Padding around = {0, 1, 0, 1};
    BEGIN
    okk_bdc_avg_pool2d_v2(kResult, kX, &kImage, a->right ? 0.25f : 0.5f, 2, 2, &around, &step);  /* averages_too_little */
    END
}
KERNEL(filters_with_the_wrong_weights) {
    const Padding around = {0, 1, 0, 1};
    BEGIN
    okk_bdc_depthwise2d(kResult, kX, a->right ? kOnes : kY, 0, &kImage, 2, 2, false, &around, 0, 0);  /* filters_with_the_wrong_weights */
    END
}
KERNEL(convolves_with_the_wrong_weights) {
    BEGIN
    okk_bdc_conv2d(kResult, kX, a->right ? kOnes : kY, 0, &kImage, 4, 1, 1, 0, 0, false, false, 0, 0, 0);  /* convolves_with_the_wrong_weights */
    END
}
KERNEL(multiplies_by_the_wrong_matrix) {
    const dim4 right = {16, 4, 1, 4};
    BEGIN
    okk_bdc_32bit_set_C(kWork, word(1), &right, 0);
    okk_bdc_32bit_set_C(kResult, word(0), &kBlock, 0);
    okk_bdc_32bit_set_C(kWork + 8192, word(0.5f), &right, 0);
    okk_bdc_matmul(kResult, kX, a->right ? kWork : kWork + 8192, 0, 1, 16, 16, 16, 4, false, false);  /* multiplies_by_the_wrong_matrix */
    END
}
/* Right: of 16 columns in the last channel 15 are asked for, and all are computed. */
KERNEL(multiplies_by_fewer_columns) {
    const dim4 right = {16, 4, 1, 16};
    BEGIN
    okk_bdc_32bit_set_C(kWork, word(1), &right, 0);
    okk_bdc_matmul(kResult, kX, kWork, 0, 1, 16, 63, 16, 16, false, false);
    END
}
KERNEL(loads_the_wrong_rows) {
    const dim4 two = {1, 2, 1, 16};
    BEGIN
    okk_gdma_32bit_cpy_S2L(kResult, a->in + (a->right ? 0 : 128), &two, 0, 0);  /* loads_the_wrong_rows */
    okk_gdma_32bit_cpy_L2S(a->out, kResult, &two, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out + 128, kX, &two, 0, 0);
    okk_poll();
}
KERNEL(stores_to_the_wrong_rows) {
    const dim4 two = {1, 2, 1, 16};
    BEGIN
    okk_gdma_32bit_cpy_L2S(a->out, kY, &kBlock, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->out + (a->right ? 128 : 0), kX, &two, 0, 0);  /* stores_to_the_wrong_rows */
    okk_poll();
}
KERNEL(overwrites_a_result) {
    const dim4 one = {1, 1, 1, 4};
    BEGIN
    okk_bdc_neg(kResult, kX, &kBlock, 0, 0);
    okk_bdc_32bit_set_C(a->right ? kWork : kResult, word(5), &one, 0);  /* overwrites_a_result */
    END
}

/* Mistakes that come out several lines later. */
KERNEL(scales_early_by_the_wrong_constant) {
    BEGIN
    okk_bdc_mul_C(kWork, kX, a->right ? 0.3f : 0.4f, &kBlock, 0, 0);  /* scales_early_by_the_wrong_constant */
    okk_bdc_add(kWork, kWork, kY, &kBlock, 0, 0, 0);
    okk_bdc_mul_C(kWork, kWork, 1.5f, &kBlock, 0, 0);
    okk_bdc_add_C(kResult, kWork, -3, &kBlock, 0, 0);
    END
}
KERNEL(loads_another_channel_early) {
    const dim4 one = {1, 1, 1, 16};
    BEGIN
    okk_gdma_32bit_cpy_S2L(kWork, a->in + (a->right ? 64 : 128), &one, 0, 0);  /* loads_another_channel_early */
    okk_bdc_32bit_set_C(kResult, word(0), &kBlock, 0);
    okk_bdc_mul(kWork, kWork, kOnes, &one, 0, 0, 0);
    okk_bdc_add(kResult, kWork, kX, &one, 0, 0, 0);
    okk_bdc_mul_C(kResult, kResult, 3, &kBlock, 0, 0);
    END
}
KERNEL(subtracts_early_the_wrong_way) {
    BEGIN
    okk_bdc_sub(kWork, a->right ? kX : kOnes, a->right ? kOnes : kX, &kBlock, 0, 0, 0);  /* subtracts_early_the_wrong_way */
    okk_bdc_mul(kWork, kWork, kY, &kBlock, 0, 0, 0);
    okk_bdc_add_C(kResult, kWork, 2, &kBlock, 0, 0);
    END
}
KERNEL(takes_the_least_early) {
    BEGIN
    if (a->right)
        okk_bdc_max(kWork, kX, kOnes, &kBlock, 0, 0, 0);
    else
        okk_bdc_min(kWork, kX, kOnes, &kBlock, 0, 0, 0);  /* takes_the_least_early */
    okk_bdc_mul_C(kWork, kWork, 2, &kBlock, 0, 0);
    okk_bdc_sub(kResult, kWork, kY, &kBlock, 0, 0, 0);
    END
}
KERNEL(adds_early_from_the_wrong_place) {
    BEGIN
    okk_bdc_add(kWork, kX, a->right ? kOnes : kY, &kBlock, 0, 0, 0);  /* adds_early_from_the_wrong_place */
    okk_bdc_mul(kWork, kWork, kWork, &kBlock, 0, 0, 0);
    okk_bdc_relu(kWork, kWork, &kBlock, 0, 0);
    okk_bdc_mul_C(kResult, kWork, 0.25f, &kBlock, 0, 0);
    END
}
KERNEL(spoils_an_operand) {
    const dim4 one = {1, 1, 1, 4};
    BEGIN
    okk_bdc_32bit_set_C(a->right ? kWork : kY, word(5), &one, 0);  /* spoils_an_operand */
    okk_bdc_mul(kResult, kX, kY, &kBlock, 0, 0, 0);
    okk_bdc_add_C(kResult, kResult, 1, &kBlock, 0, 0);
    END
}
KERNEL(sums_up_with_a_wrong_weight) {
    const float weights[3] = {0.5f, a->right ? 0.125f : 0.375f, 0.25f};
    BEGIN
    okk_bdc_32bit_set_C(kResult, word(0), &kBlock, 0);
    okk_bdc_mac_C(kResult, kX, weights[0], &kBlock, 0, 0);
    okk_bdc_mac_C(kResult, kY, weights[1], &kBlock, 0, 0);  /* sums_up_with_a_wrong_weight */
    okk_bdc_mac_C(kResult, kOnes, weights[2], &kBlock, 0, 0);
    okk_bdc_relu(kResult, kResult, &kBlock, 0, 0);
    END
}

/* ---- Lines far from the result: one of 30 commands is wrong. Its result passes a convolution, a
 * filter, a sigmoid, a mean and a quotient. --------------------------------------- */

enum { kWeights = 20480, kBias = 24576, kMap = 28672, kFilter = 32768, kSmooth = 36864, kGate = 40960, kMean = 45056 };

static void deep(const Arguments* a, int wrong) {
    const dim4 one = {1, 4, 1, 1}, line = {32, 32, 32, 1}, again = {32, 32, 0, 0}, single = {1, 1, 1, 1};
    const dim4 pairs = {2, 4, 1, 2}, placed = {2, 2, 2, 1}, stored = {2, 4, 2, 1}, turned = {4, 2, 2, 1};
    const dim4 window = {1, 4, 3, 3}, compact = {9, 9, 3, 1}, rows = {16, 16, 4, 1}, some = {1, 4, 1, 4};
    const dim4 map_stride = {32, 32, 4, 1};
    const Padding even = {1, 1, 1, 1}, uneven = {1, 1, 2, 0};
    const dim2 step = {1, 1};
#define IS(number) (wrong == (number))
    okk_initialize();
    okk_gdma_32bit_cpy_S2L(kX, a->in + (IS(1) ? 0 : 4), &(dim4){1, 4, 4, 3}, &map_stride, &rows);  /* deep_loads_from_elsewhere */
    okk_bdc_32bit_set_C(kX + 12, word(0.5f), &(dim4){1, 4, 4, 1}, &map_stride);
    okk_gdma_32bit_cpy_S2L(kWeights, a->in, &pairs, &placed, IS(2) ? &turned : &stored);  /* deep_turns_its_weights */
    okk_gdma_32bit_cpy_S2L(kBias, a->in + (IS(3) ? 16 : 32), &one, &single, NULL);  /* deep_takes_another_bias */
    okk_bdc_conv2d(kMap, kX, kWeights, kBias, &kImage, 4, 1, 1, NULL, NULL, !IS(4), false, NULL, NULL, NULL);  /* deep_forgets_its_bias */
    okk_bdc_mul_C(kMap, kMap, 0.05f, &kImage, NULL, NULL);
    okk_bdc_max_C(kMap, kMap, IS(5) ? -0.4f : -0.8f, &kImage, NULL, NULL);  /* deep_clips_too_high */
    if (IS(6)) okk_bdc_mul_C(kMap, kMap, 1.01f, &some, &line, &line);  /* deep_scales_a_row */
    okk_bdc_32bit_set_C(kFilter, word(IS(7) ? 0.1f : 1.0f / 9), &window, &compact);  /* deep_filters_by_another_weight */
    okk_bdc_depthwise2d(kSmooth, kMap, kFilter, 0, &kImage, 3, 3, false, IS(8) ? &uneven : &even, &step, NULL);  /* deep_pads_one_side */
    okk_bdc_sigmoid_tunable(kGate, IS(9) ? kMap : kSmooth, kWork, &kImage, 16);  /* deep_gates_by_another */
    okk_bdc_mul(kSmooth, kSmooth, IS(10) ? kSmooth : kGate, &kImage, NULL, NULL, NULL);  /* deep_squares */
    okk_bdc_avg_pool2d(kMean, IS(11) ? kGate : kSmooth, &kImage, 4, 4, NULL, NULL);  /* deep_averages_another */
    okk_bdc_add_C(kMean, kMean, IS(12) ? 0.1f : 0.001f, &one, NULL, NULL);  /* deep_adds_too_much */
    if (IS(13)) okk_bdc_sqrt(kMean, kMean, &one);  /* deep_takes_a_root */
    okk_bdc_div(kResult, kSmooth, kMean, &kImage, &map_stride, &map_stride, &again);
    if (IS(14)) okk_bdc_min_C(kResult, kResult, 1.05f, &kImage, NULL, NULL);  /* deep_clips_at_the_end */
    okk_bdc_neg(kResult, kResult, &kImage, NULL, NULL);
    okk_bdc_add_C(kResult, kResult, IS(15) ? 2 : 1, &kImage, NULL, NULL);  /* deep_adds_another_number */
    okk_gdma_32bit_cpy_L2S(a->out, IS(16) ? kSmooth : kResult, &kImage, NULL, NULL);  /* deep_stores_another */
    okk_poll();
#undef IS
}
#define DEEP(name, number) \
    void name(const void* args) { deep(args, ((const Arguments*)args)->right ? 0 : (number)); } \
    OKKERNEL_FUNC_REGISTER(name);
DEEP(deep_loads_from_elsewhere, 1)
DEEP(deep_turns_its_weights, 2)
DEEP(deep_takes_another_bias, 3)
DEEP(deep_forgets_its_bias, 4)
DEEP(deep_clips_too_high, 5)
DEEP(deep_scales_a_row, 6)
DEEP(deep_filters_by_another_weight, 7)
DEEP(deep_pads_one_side, 8)
DEEP(deep_gates_by_another, 9)
DEEP(deep_squares, 10)
DEEP(deep_averages_another, 11)
DEEP(deep_adds_too_much, 12)
DEEP(deep_takes_a_root, 13)
DEEP(deep_clips_at_the_end, 14)
DEEP(deep_adds_another_number, 15)
DEEP(deep_stores_another, 16)
