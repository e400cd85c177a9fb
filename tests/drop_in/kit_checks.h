/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Shared by the sources of kit_functions.sh. */
#include <stdio.h>
#include <stdlib.h>

#include "bmlib_runtime.h"

#define CHECK(condition)                                           \
    do {                                                           \
        if (!(condition)) {                                        \
            printf("line %d: not so: %s\n", __LINE__, #condition); \
            exit(1);                                               \
        }                                                          \
    } while (0)

enum { kWords = 64, kBytes = 4 * kWords };

typedef struct {
    unsigned long long input, output;
    int mode;
} Arguments;

extern bm_handle_t handle;

bm_status_t launch(const char* name, bm_device_mem_t input, bm_device_mem_t output, int mode);
/** True if the call before has logged one line that contains `text`. */
int says(const char* text);
void test_select(void);
void test_product(void);
