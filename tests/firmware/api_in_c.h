/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/** Argument block of api_in_c_kernel. */
typedef struct {
    unsigned long long output_addr;
    float scale;
} __attribute__((packed)) api_in_c_arguments;

/** Returns the number of documented functions that have the documented C type. */
int documented_functions_in_c(void);
/** output[0 .. lanes * 6) = scale. */
void api_in_c_kernel(const void* args);

#ifdef __cplusplus
}
#endif
