/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Custom operators. A CUSTOM operator of a TOSA graph whose domain_name is "okk" runs the kernel
 * that is registered under its operator_name (OKKERNEL_FUNC_REGISTER in a kernel library). The
 * kernel's argument block is an okk_custom_args_t, followed by the tensors, inputs first, and by
 * the bytes of implementation_attrs. The functions below return their addresses. C99 and C++.
 *
 *     void scale(const void* args) {
 *         const okk_custom_tensor_t* input = okk_custom_input(args, 0);
 *         const okk_custom_tensor_t* output = okk_custom_output(args, 0);
 *         ...
 *
 * Commands of earlier operators may still run when the kernel starts. The kernel's commands wait
 * for them. The control processor's own loads (okk_access.h) need an okk_poll() first. The kernel
 * has all of local memory while it runs, and L2-SRAM and DTCM are free. Output tensors are
 * uninitialised. */

#include "okk_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define OKK_CUSTOM_DOMAIN "okk"
#define OKK_CUSTOM_MAX_RANK 6

/* Element types. The numbers are those of .tosa files. Elements are little-endian whole bytes. */
typedef enum {
    OKK_CUSTOM_BOOL = 1,     /* 1 byte: 0 or 1 */
    OKK_CUSTOM_INT4 = 2,     /* 1 byte, sign-extended */
    OKK_CUSTOM_INT8 = 3,     /* 1 byte */
    OKK_CUSTOM_INT16 = 4,    /* 2 bytes */
    OKK_CUSTOM_INT32 = 5,    /* 4 bytes */
    OKK_CUSTOM_INT48 = 6,    /* 8 bytes, sign-extended */
    OKK_CUSTOM_FP32 = 7,     /* 4 bytes */
    OKK_CUSTOM_FP16 = 8,     /* 2 bytes */
    OKK_CUSTOM_BF16 = 9,     /* 2 bytes */
    OKK_CUSTOM_SHAPE = 10,   /* 8 bytes */
    OKK_CUSTOM_FP8E4M3 = 11, /* 1 byte */
    OKK_CUSTOM_FP8E5M2 = 12  /* 1 byte */
} okk_custom_type_t;

/* A tensor in global memory, dense, in row-major order. */
typedef struct {
    system_addr_t addr;            /* address of element 0, a multiple of 128 */
    int type;                      /* okk_custom_type_t */
    int rank;                      /* 0 to OKK_CUSTOM_MAX_RANK */
    int dims[OKK_CUSTOM_MAX_RANK]; /* outermost first; 1 beyond the rank */
} okk_custom_tensor_t;

typedef struct {
    int num_inputs;
    int num_outputs;
    unsigned int attribute_bytes; /* length of implementation_attrs */
    unsigned int reserved;        /* 0 */
} okk_custom_args_t;

static inline int okk_custom_num_inputs(const void* args) {
    return ((const okk_custom_args_t*)args)->num_inputs;
}
static inline int okk_custom_num_outputs(const void* args) {
    return ((const okk_custom_args_t*)args)->num_outputs;
}
static inline const okk_custom_tensor_t* okk_custom_input(const void* args, int index) {
    return (const okk_custom_tensor_t*)((const okk_custom_args_t*)args + 1) + index;
}
static inline const okk_custom_tensor_t* okk_custom_output(const void* args, int index) {
    return okk_custom_input(args, okk_custom_num_inputs(args) + index);
}
static inline unsigned int okk_custom_attribute_bytes(const void* args) {
    return ((const okk_custom_args_t*)args)->attribute_bytes;
}
/* Returns the bytes of implementation_attrs in the graph file, aligned to 8 bytes. */
static inline const void* okk_custom_attributes(const void* args) {
    return okk_custom_output(args, okk_custom_num_outputs(args));
}
/* Returns the number of elements of a tensor. */
static inline long long okk_custom_count(const okk_custom_tensor_t* tensor) {
    long long count = 1;
    for (int i = 0; i < tensor->rank; ++i) count *= tensor->dims[i];
    return count;
}

#ifdef __cplusplus
}
#endif
