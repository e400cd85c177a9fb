/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Functions by which a kernel declares its own work: bytes that it loads or stores, and operations
 * that it computes. C99 and C++.
 *
 * A simulator cannot see loads and stores through a pointer, so a kernel declares them. The bytes
 * take the memory's time, line by line, in competition with the GDMA engine. (A pointer of okk.h
 * takes the time to load one line.) The functions refuse ranges that leave their memory.
 *
 *     const int* indices = (const int*)okk_load_addr(args->indices, 4ull * count);
 *     for (int i = 0; i < count; ++i) copy_row(indices[i]);
 *
 * The time passes in the call. The pointer then shows the bytes of memory after the call. On the
 * device, loads and stores take their time without a declaration, and both functions are plain
 * accessors. A kernel that is built with the vendor's kit defines them, e.g. for global memory:
 *
 *     #define okk_load_addr(addr, bytes) okk_global_mem_addr(addr)
 */

#include "okk_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns a pointer to `bytes` bytes (at least 1) of global memory, L2-SRAM or DTCM. The kernel
 * loads them once. */
const unsigned char* okk_load_addr(system_addr_t addr, unsigned long long bytes);
/* Returns a pointer to bytes that the kernel stores once. */
unsigned char* okk_store_addr(system_addr_t addr, unsigned long long bytes);

/* Operations of the control processor. A kernel's own instructions take no simulated time unless
 * the kernel declares them. The call takes the time of the operations on the control processor. The
 * machine file has the time of an operation in section [mcu]. */
typedef enum {
    OKK_INTEGER_OPERATIONS, /* instructions: integer arithmetic, branches, loads from the cache */
    OKK_FLOAT_OPERATIONS    /* operations on floats and doubles, in software: slow */
} okk_operation_t;

/* `what` names the work in reports, e.g. "index list". At most 10^9 operations per call.
 *
 *     okk_compute("index list", OKK_INTEGER_OPERATIONS, 6ull * count);
 *
 * With the vendor's kit, computing takes its time without a declaration:
 *
 *     #define okk_compute(what, kind, operations) ((void)0)
 *     #define okk_compute_per_command(what, kind, operations) ((void)0)
 */
void okk_compute(const char* what, okk_operation_t kind, unsigned long long operations);
/* Declares operations before every later command of the launch, such as the work of a loop between
 * two commands. A later call replaces the declaration, and 0 operations end it. The text `what`
 * must exist until then. */
void okk_compute_per_command(const char* what, okk_operation_t kind, unsigned long long operations);

/* Begin and end of a command list. Its commands do not depend on the contents of memory, so a
 * runtime could encode them before the launch. On a machine with [mcu] issue = "lists", the engines
 * fetch the list, and the kernel's own computing takes no time. Other machines are not affected.
 * With the vendor's kit:
 *
 *     #define okk_list_start() ((void)0)
 *     #define okk_list_end() ((void)0)
 */
void okk_list_start(void);
void okk_list_end(void);

#ifdef __cplusplus
}
#endif
