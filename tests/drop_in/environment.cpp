// SPDX-License-Identifier: Apache-2.0
// A host program for host_environment.sh: launches the kernels named on its command line and
// asserts that every call succeeds, which is a common style.
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "bmlib_runtime.h"
#include "okk.h"

namespace {

void right(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    x32 one;
    one.fp32 = 1.0f;
    okk_bdc_32bit_set_C(0, one, &shape, NULL);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(right)

void careless(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    okk_bdc_neg(0, 8192, &shape, NULL, NULL);  // reads uninitialised memory
    okk_gdma_32bit_cpy_L2S(okk_l2_sram_start_addr(), 0, &shape, NULL, NULL);
    okk_poll();
    (void)okk_l2_sram_addr(okk_l2_sram_start_addr());  // reads the uninitialised result
}
OKKERNEL_FUNC_REGISTER(careless)

void faulty(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    okk_bdc_sqrt(0, 4, &shape);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(faulty)

/// Prints that it runs, then issues commands without end.
void goes_on_and_on(const void*) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 32};
    x32 one;
    one.fp32 = 1.0f;
    printf("there\n");
    fflush(stdout);
    for (;;) okk_bdc_32bit_set_C(0, one, &shape, NULL);
}
OKKERNEL_FUNC_REGISTER(goes_on_and_on)

/// Fills a block like memset(); volatile keeps stores to blocks that are freed right afterwards.
void fill(volatile char* bytes, int count) {
    for (int i = 0; i < count; ++i) bytes[i] = 0x55;
}

void overruns(const void*) {
    okk_initialize();
    char* volatile blocks[9];
    for (int i = 0; i < 9; ++i) blocks[i] = static_cast<char*>(malloc(5000));
    free(blocks[3]);
    fill(blocks[2], 5032);
    for (int i = 4; i < 8; ++i) free(blocks[i]);
    for (int i = 0; i < 9; ++i) blocks[i] = static_cast<char*>(malloc(6000));
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(overruns)

char* volatile damaged;
/// Leaves the host a block that it cannot free.
void damages(const void*) {
    okk_initialize();
    // Two adjacent blocks of the heap.
    char* volatile place = static_cast<char*>(malloc(1016));
    damaged = static_cast<char*>(malloc(1016));
    for (int i = 0; i < 1000 && damaged != place + 1024; ++i) {
        place = damaged;
        damaged = static_cast<char*>(malloc(1016));
    }
    fill(place, 1024);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(damages)

/// Forks a child of the host program, which calls exit().
void fork_child() {
    const pid_t child = fork();
    if (child == 0) exit(5);
    int status = 0;
    waitpid(child, &status, 0);
    printf("the child ended with %d\n", WEXITSTATUS(status));
}

/// The host program's own mistakes.
__attribute__((noinline)) void fails_by_itself(const char* way) {
    assert(strcmp(way, "asserts") != 0);
    if (strcmp(way, "throws") == 0) throw std::runtime_error("nobody catches it");
    *static_cast<volatile int*>(NULL) = 1;
}

/// Waits for a signal, in the host's own code.
void waits() {
    printf("there\n");
    fflush(stdout);
    for (;;) pause();
}

void exits_with_9(int) { exit(9); }

bool goes_on = false;  ///< continue after a failure

void check(bm_status_t status) {
    if (status == BM_SUCCESS || goes_on) return;
    printf("a call failed\n");
    exit(1);
}

}  // namespace

/// Copies like realloc(): writes half a buffer, copies all of it to another one, and reads `bytes`.
void grow(bm_handle_t handle, unsigned bytes) {
    const unsigned half = 8192;
    bm_device_mem_t before, after;
    check(bm_malloc_device_byte(handle, &before, 2 * half));
    check(bm_malloc_device_byte(handle, &after, 2 * half));
    char* host = static_cast<char*>(calloc(2, half));
    check(bm_memcpy_s2d_partial(handle, before, host, half));
    check(bm_memcpy_d2d_byte(handle, after, 0, before, 0, 2 * half));
    check(bm_memcpy_d2s_partial(handle, host, after, bytes));
    free(host);
}

/// Frees a buffer that it has written, and reads another one of the same size.
void reuse(bm_handle_t handle) {
    bm_device_mem_t before, after;
    float ones[1024], read[1024];
    for (float& one : ones) one = 1.0f;
    check(bm_malloc_device_byte(handle, &before, sizeof ones));
    check(bm_memcpy_s2d(handle, before, ones));
    bm_free_device(handle, before);
    check(bm_malloc_device_byte(handle, &after, sizeof ones));
    check(bm_memcpy_d2s(handle, read, after));
    printf("%s memory at %llx\n", read[7] == 1.0f ? "used" : "fresh",
           bm_mem_get_device_addr(after));
}

/// Reads 4096 bytes into a block of the host's heap.
void read_into(bm_handle_t handle, unsigned room) {
    bm_device_mem_t memory;
    check(bm_malloc_device_byte(handle, &memory, 4096));
    char* const host = static_cast<char*>(malloc(room));
    char* const behind = static_cast<char*>(malloc(room));
    for (unsigned i = 0; i < room; ++i) host[i] = behind[i] = 1;
    char zeros[4096] = {};
    check(bm_memcpy_s2d(handle, memory, zeros));
    check(bm_memcpy_d2s(handle, host, memory));  // overflows_its_buffer
    free(host);
    free(behind);
}

/// Reads to an address where no memory is mapped.
void read_to_nowhere(bm_handle_t handle) {
    bm_device_mem_t memory;
    check(bm_malloc_device_byte(handle, &memory, 4096));
    char zeros[4096] = {};
    check(bm_memcpy_s2d(handle, memory, zeros));
    bm_memcpy_d2s(handle, reinterpret_cast<void*>(4096), memory);  // reads_to_nowhere
}

int main(int count, char** kernels) {
    bm_handle_t handle = NULL;
    goes_on = count > 1 && strcmp(kernels[1], "anyway") == 0;
    // Shells start background programs with SIGINT ignored.
    if (count > 1 && strcmp(kernels[1], "interruptible") == 0) signal(SIGINT, SIG_DFL);
    check(bm_dev_request(&handle, 0));
    for (int i = 1; i < count; ++i) {
        if (strcmp(kernels[i], "anyway") == 0 || strcmp(kernels[i], "interruptible") == 0) continue;
        if (strcmp(kernels[i], "fork") == 0) {
            fork_child();
        } else if (strcmp(kernels[i], "asserts") == 0 || strcmp(kernels[i], "throws") == 0 ||
                   strcmp(kernels[i], "crashes") == 0) {
            fails_by_itself(kernels[i]);
        } else if (strcmp(kernels[i], "waits") == 0) {
            waits();
        } else if (strcmp(kernels[i], "handles") == 0) {
            signal(SIGTERM, exits_with_9);
        } else if (strcmp(kernels[i], "alarm") == 0) {
            alarm(1);
        } else if (strcmp(kernels[i], "outside") == 0) {
            okk_initialize();  // outside of all kernels
        } else if (strcmp(kernels[i], "reuse") == 0) {
            reuse(handle);
        } else if (strcmp(kernels[i], "grow") == 0) {
            grow(handle, 8192);
        } else if (strcmp(kernels[i], "grow_too_far") == 0) {
            grow(handle, 8193);
        } else if (strcmp(kernels[i], "overflows_its_buffer") == 0) {
            read_into(handle, 1000);
        } else if (strcmp(kernels[i], "fills_its_buffer") == 0) {
            read_into(handle, 4096);
        } else if (strcmp(kernels[i], "fills_a_large_buffer") == 0) {
            read_into(handle, 1 << 20);
        } else if (strcmp(kernels[i], "reads_to_nowhere") == 0) {
            read_to_nowhere(handle);
        } else if (strcmp(kernels[i], "close") == 0) {
            bm_dev_free(handle);
        } else if (strcmp(kernels[i], "leave") == 0) {
            okkernel_launch_async(handle, "right", NULL, 0);
            okkernel_launch_async(handle, "faulty", NULL, 0);
            return 0;
        } else {
            check(okkernel_launch_sync(handle, kernels[i], NULL, 0));
        }
    }
    bm_dev_free(handle);
    free(damaged);
    printf("done\n");
    return 0;
}
