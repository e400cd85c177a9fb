/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of tensors in local memory, shared by the example kernels. */
#pragma once

#include "okk.h"

static inline int min_int(int a, int b) { return a < b ? a : b; }

static inline unsigned int align_up(unsigned int value, unsigned int unit) {
    return (value + unit - 1) / unit * unit;
}

/* Bytes per NPU of a 32-bit tensor in the 128-Byte Aligned Layout that starts in NPU 0. */
static inline unsigned int aligned_bytes(int n, int c, int h, int w) {
    const unsigned int plane = align_up((unsigned int)(h * w) * 4U, 128U);
    return (unsigned int)n * (unsigned int)okk_channle_num_per_npu(0, c) * plane;
}
