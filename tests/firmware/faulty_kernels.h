/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Kernels in C, built without unwind tables, that each make one mistake. */

#ifdef __cplusplus
extern "C" {
#endif

void dereferences_null(const void* args);
void reads_device_address(const void* args);
void divides_by_zero(const void* args);
void asserts_falsely(const void* args);
void exits(const void* args);
void aborts(const void* args);
void recurses_without_end(const void* args);
void loops_without_commands(const void* args);
void loops_with_queries(const void* args);
void loops_with_commands(const void* args);
void passes_bad_pointer(const void* args);
void passes_null_shape(const void* args);
void passes_bad_address(const void* args);
void polls_in_parallel(const void* args);
void reads_too_many_arguments(const void* args);
void runs_well(const void* args);

#ifdef __cplusplus
}
#endif
