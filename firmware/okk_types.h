/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Types, enumerators and macros of the okk API. C99 and C++; include okk.h, not this file. */

#include <stdbool.h>
#include <stddef.h> /* NULL selects default strides */
#ifdef USING_CMODEL
/* Kernels built for a functional model may use printf and assert without including them. */
#include <assert.h>
#include <stdio.h>
#endif

/** Address in local memory: NPU index * okk_local_mem_size_per_npu() + byte offset. */
typedef unsigned int local_addr_t;
/** Address in system memory: global memory, L2-SRAM or DTCM. */
typedef unsigned long long system_addr_t;
/** Address in global memory. */
typedef unsigned long long global_addr_t;

/** Shape, or strides in elements. */
typedef struct {
    int n, c, h, w;
} dim4;

/** Step or spacing of a window. */
typedef struct {
    int h, w;
} dim2;

/** Rows and columns added around a feature map. */
typedef struct {
    int top, bottom, left, right;
} Padding;

/* Elements of one 32-bit word of a 4N- or 2N-mode tensor. */
typedef char s8x4[4];
typedef unsigned char u8x4[4];
typedef short s16x2[2];
typedef unsigned short u16x2[2];

/** A 32-bit constant. */
typedef union {
    float fp32;
    int s32;
    unsigned int u32;
    s8x4 _4N_s8;
    u8x4 _4N_u8;
    s16x2 _2N_s16;
    u16x2 _2N_u16;
} x32;

/** A 16-bit constant. */
typedef union {
    short s16;
    unsigned short u16;
} x16;

/** A number, or a tensor in the 128-Byte Aligned Layout if is_addr is true. */
typedef struct {
    bool is_addr;
    union {
        float val;
        local_addr_t addr;
    } context;
} fp32_or_addr_t;
typedef struct {
    bool is_addr;
    union {
        x32 val;
        local_addr_t addr;
    } context;
} x32_or_addr_t;

/** An 8-bit constant. */
typedef union {
    char s8;
    unsigned char u8;
} x8;

/* Kernels in C may pass any number as an enumerator. In C++ a fixed type can represent that number,
 * so that the call can refuse it. */
#ifdef __cplusplus
#define okksim_enum enum : unsigned int
#else
#define okksim_enum enum
#endif

/** Value of an op_type_t: each argument is 1 for 8 bits, or for signed numbers. */
#define OP_TYPE(src_bit, src0_sign, src1_sign, dst_bit, dst_sign) \
    ((src_bit) | ((src0_sign) << 1) | ((src1_sign) << 2) | ((dst_bit) << 3) | ((dst_sign) << 4))
/** Value of a mul_type_t: each argument is 1 for signed numbers. */
#define MUL_TYPE(src0_sign, src1_sign, dst_sign) \
    ((src0_sign) | ((src1_sign) << 1) | ((dst_sign) << 2))

/** Operand and result types of a fixed-point operation. */
typedef okksim_enum{U16_OP_U16_TO_U16 = 0,  U8_OP_U8_TO_U16 = 1,    U16_OP_U16_TO_U8 = 8,
                    U8_OP_U8_TO_U8 = 9,     U16_OP_U16_TO_S16 = 16, U8_OP_U8_TO_S16 = 17,
                    S16_OP_U16_TO_S16 = 18, S8_OP_U8_TO_S16 = 19,   U16_OP_S16_TO_S16 = 20,
                    U8_OP_S8_TO_S16 = 21,   S16_OP_S16_TO_S16 = 22, S8_OP_S8_TO_S16 = 23,
                    U16_OP_U16_TO_S8 = 24,  U8_OP_U8_TO_S8 = 25,    S16_OP_U16_TO_S8 = 26,
                    S8_OP_U8_TO_S8 = 27,    U16_OP_S16_TO_S8 = 28,  U8_OP_S8_TO_S8 = 29,
                    S16_OP_S16_TO_S8 = 30,  S8_OP_S8_TO_S8 = 31} op_type_t;

/** Types of the 16-bit by 8-bit multiplication. */
typedef okksim_enum{U16_MUL_U8_TO_U16 = 0, S16_MUL_U8_TO_S16 = 5, U16_MUL_S8_TO_S16 = 6,
                    S16_MUL_S8_TO_S16 = 7} mul_type_t;
#undef okksim_enum

/* DIV_UP has the white space of the API reference. A kernel may repeat the definition, which must
 * then be equal in every token. */
/* clang-format off */
#ifdef USING_CMODEL
/* Kernels for this mode are written for the vendor's header, which has no DIV_UP. They define it
 * in any form. A function instead of a macro leaves them the name. */
#ifndef DIV_UP
#ifdef __cplusplus
extern "C++" {
template <typename A, typename B>
constexpr auto DIV_UP(A a, B b) -> decltype((a - 1) / b + 1) {
    return (a - 1) / b + 1;
}
}
#else
/** Quotient rounded up, for a > 0 and b > 0. */
static inline long long DIV_UP(long long a, long long b) { return (a - 1) / b + 1; }
#endif
#endif
#else
/** Quotient rounded up, for a > 0 and b > 0. */
#define DIV_UP(a, b) (((a) - 1) / (b) + 1)
#endif
/* clang-format on */

/** A kernel. okkernel_launch_sync() starts it with a copy of the host's arguments. */
typedef void (*okk_kernel_func_t)(const void* args);

/* Most kernels write a semicolon after their registration, which strict C99 does not allow. */
#ifdef __cplusplus
#define okksim_any_semicolon
#else
#define okksim_any_semicolon _Pragma("GCC diagnostic ignored \"-Wpedantic\"")
#endif

/** Makes a kernel known under its own name before main() runs or when its library is loaded. */
#define OKKERNEL_FUNC_REGISTER(func)                                                \
    okksim_any_semicolon                                                            \
        __attribute__((constructor)) static void okk_kernel_register_##func(void) { \
        okk_register_kernel_func(#func, func);                                      \
    }

/** printf to the simulator's output. */
#define OKKERNEL_LOG(...) okksim_log(__VA_ARGS__)

/** Ends the launch with a fault when `condition` is false. Never compiled out. */
#define OKKERNEL_ASSERT(condition) \
    ((condition) ? (void)0 : okksim_assertion_failed(#condition, __FILE__, __LINE__, __func__))
