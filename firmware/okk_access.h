/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* What kernels tell of the work that they do by themselves: bytes that they touch, operations that
 * they compute.
 *
 * Pointers for kernels that touch many bytes. A simulator cannot see loads and stores
 * through a pointer, so the functions below say what they will be: the bytes take the memory's
 * time, line by line, in competition with the data mover. (A pointer of okk.h takes the time to
 * load one line.) They refuse ranges that leave their memory. C99 and C++.
 *
 *     const int* indices = (const int*)okk_load_addr(args->indices, 4ull * count);
 *     for (int i = 0; i < count; ++i) copy_row(indices[i]);
 *
 * The time passes in the call, so what the pointer shows is what memory holds behind it. On the
 * device, where loads and stores take their time by themselves, both are plain accessors; a kernel
 * that is built with the vendor's kit defines them, e.g. for global memory:
 *
 *     #define okk_load_addr(addr, bytes) okk_global_mem_addr(addr)
 */

#include "okk_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Pointer to `bytes` bytes (at least 1) of global memory, L2-SRAM or DTCM that the kernel is about
 * to load once. */
const unsigned char* okk_load_addr(system_addr_t addr, unsigned long long bytes);
/* The same for bytes that it is about to store. */
unsigned char* okk_store_addr(system_addr_t addr, unsigned long long bytes);

/* What a kernel computes by itself. A simulator runs the kernel's own instructions in no time
 * unless the kernel says what they are: here the time passes that they take on the control
 * processor. How long an operation takes is the machine's to say ([mcu] of a machine file). */
typedef enum {
    OKK_INTEGER_OPERATIONS, /* instructions: integer arithmetic, branches, loads from the cache */
    OKK_FLOAT_OPERATIONS    /* operations on floats and doubles, in software: dear */
} okk_operation_t;

/* `what` names the work in reports, e.g. "index list". At most 10^9 operations per call.
 *
 *     okk_compute("index list", OKK_INTEGER_OPERATIONS, 6ull * count);
 *
 * With the vendor's kit, where computing takes its time by itself:
 *
 *     #define okk_compute(what, kind, operations) ((void)0)
 *     #define okk_compute_per_command(what, kind, operations) ((void)0)
 */
void okk_compute(const char* what, okk_operation_t kind, unsigned long long operations);
/* The same before every command that follows, until the kernel says otherwise or the launch ends:
 * what its loops do from one command to the next. `what` must stay where it is. 0 operations: no
 * more. */
void okk_compute_per_command(const char* what, okk_operation_t kind, unsigned long long operations);

/* The commands between these two do not depend on what memory holds: a runtime could have encoded
 * them before the launch, with all that the kernel computes for them. On a machine whose engines
 * fetch such lists by themselves ([mcu] issue = "lists") they take what fetching takes, and the
 * kernel's own computing takes nothing; elsewhere nothing changes. With the vendor's kit:
 *
 *     #define okk_list_start() ((void)0)
 *     #define okk_list_end() ((void)0)
 */
void okk_list_start(void);
void okk_list_end(void);

#ifdef __cplusplus
}
#endif
