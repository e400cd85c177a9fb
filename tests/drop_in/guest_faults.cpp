// SPDX-License-Identifier: Apache-2.0
// Kernels that break the process they run in; guest_faults.sh states how each run must end.
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "okk.h"

#define KERNEL(name)               \
    static void name(const void*); \
    OKKERNEL_FUNC_REGISTER(name)   \
    static void name(const void*)

KERNEL(endless_poll) {
    okk_initialize();
    for (;;) okk_poll();
}
KERNEL(endless_queries) {
    okk_initialize();
    for (;;) okk_npu_num();
}
KERNEL(endless_sections) {
    okk_initialize();
    for (;;) {
        okk_parallel_start();
        okk_parallel_end();
    }
}
KERNEL(endless_commands) {
    okk_initialize();
    const dim4 shape = {1, 1, 1, 1};
    for (;;) okk_bdc_neg(0, 0, &shape, NULL, NULL);
}
/// Reads uninitialised memory, whose propagation costs the simulator time.
KERNEL(endless_commands_with_nothing) {
    okk_initialize();
    const dim4 shape = {1, 64, 1, 1024};
    for (;;) okk_bdc_neg(0, 0, &shape, NULL, NULL);
}
KERNEL(endless_loop) {
    okk_initialize();
    volatile int turns = 0;
    for (;;) turns = turns + 1;
}
KERNEL(calls_exit) {
    okk_initialize();
    exit(0);
}
KERNEL(calls_underscore_exit) {
    okk_initialize();
    _exit(0);
}
KERNEL(calls_c99_exit) {
    okk_initialize();
    _Exit(0);
}
KERNEL(calls_quick_exit) {
    okk_initialize();
    quick_exit(0);
}
KERNEL(calls_exit_group) {
    okk_initialize();
    syscall(SYS_exit_group, 0);
}
KERNEL(becomes_another) {
    okk_initialize();
    execl("/bin/true", "true", NULL);
}
KERNEL(becomes_another_by_name) {
    okk_initialize();
    char name[] = "true";
    char* const arguments[] = {name, NULL};
    execvp(name, arguments);
}
KERNEL(leaves_aborts_alone) {
    okk_initialize();
    signal(SIGABRT, SIG_DFL);
    abort();
}
KERNEL(leaves_faults_alone) {
    okk_initialize();
    struct sigaction action = {};
    action.sa_handler = SIG_DFL;
    sigaction(SIGSEGV, &action, NULL);
}
KERNEL(kills_itself) {
    okk_initialize();
    kill(getpid(), SIGKILL);
}
KERNEL(sets_an_alarm) {
    okk_initialize();
    alarm(1);
    for (;;) okk_poll();
}
KERNEL(sets_a_timer) {
    okk_initialize();
    const itimerval soon = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;) okk_poll();
}
// Names that a demangler could read as types.
extern "C" {
__attribute__((noinline)) void f(volatile int* p) { *p = 1; }
}
KERNEL(fails_in_f) {
    okk_initialize();
    f(NULL);
    okk_poll();
}
KERNEL(throws_and_catches) {
    okk_initialize();
    try {
        throw 4;
    } catch (int) {
    }
    okk_poll();
}
KERNEL(throws) {
    okk_initialize();
    throw std::runtime_error("no catch on a device");
}
KERNEL(throws_a_number) {
    okk_initialize();
    throw 3;
}
static void* poll_elsewhere(void*) {
    okk_poll();
    return NULL;
}
KERNEL(has_a_thread) {
    okk_initialize();
    pthread_t thread;
    pthread_create(&thread, NULL, poll_elsewhere, NULL);
    pthread_join(thread, NULL);
    okk_poll();
}
KERNEL(has_a_cpp_thread) {
    okk_initialize();
    std::thread thread([] { okk_npu_num(); });
    thread.join();
}
// These are static: on the stack they would be overwritten and the remaining stores would go
// astray.
static volatile int written, to_write;
static volatile char* volatile place;
/// Writes upward over the frames of its callers.
static inline void write_over(char* array, int bytes) {
    to_write = bytes;
    place = array;
    for (written = 0; written < to_write; written = written + 1) place[written] = 0x41;
}
__attribute__((noinline)) static void overwrite(int bytes) {
    char array[16];
    write_over(array, bytes);
}
KERNEL(smashes_its_stack) {
    okk_initialize();
    overwrite(400);
}
KERNEL(smashes_all_of_its_stack) {
    okk_initialize();
    overwrite(40000);
}
KERNEL(stops_itself) {
    okk_initialize();
    raise(SIGTRAP);
}
KERNEL(jumps_wildly) {
    okk_initialize();
    jmp_buf nowhere;
    memset(&nowhere, 0x5A, sizeof nowhere);
    longjmp(nowhere, 1);
}
KERNEL(calls_wildly) {
    okk_initialize();
    void (*volatile nowhere)(void) = reinterpret_cast<void (*)(void)>(0x1234567);
    nowhere();
}
KERNEL(frees_twice) {
    okk_initialize();
    char* volatile place = static_cast<char*>(malloc(24));
    free(place);
    free(place);
}
/// Fills a block like memset(); volatile keeps stores to blocks that are freed right afterwards.
static void fill(volatile char* bytes, int count) {
    for (int i = 0; i < count; ++i) bytes[i] = 0x55;
}
KERNEL(overruns_its_heap) {
    okk_initialize();
    char* volatile place = static_cast<char*>(malloc(16));
    fill(place, 400);
    free(place);
    char* volatile other = static_cast<char*>(malloc(100));
    free(other);
    okk_poll();
}
KERNEL(overruns_its_heap_by_far) {
    okk_initialize();
    char* volatile place = static_cast<char*>(malloc(16));
    fill(place, 60000);
    const dim4 shape = {1, 1, 1, 1};
    okk_bdc_neg(0, 0, &shape, NULL, NULL);
    okk_poll();
}
KERNEL(breaks_a_free_block) {
    okk_initialize();
    char* volatile blocks[9];
    for (int i = 0; i < 9; ++i) blocks[i] = static_cast<char*>(malloc(5000));
    free(blocks[3]);
    fill(blocks[2], 5032);
    for (int i = 4; i < 8; ++i) free(blocks[i]);
    for (int i = 0; i < 9; ++i) blocks[i] = static_cast<char*>(malloc(6000));
    okk_poll();
}
/// Writes past the end of a heap block, into data of the C library or of the simulator.
static void overruns_a_block(const void* args) {
    const int* const bytes = static_cast<const int*>(args);
    okk_initialize();
    char* volatile place = static_cast<char*>(malloc(bytes[0]));
    fill(place, bytes[0] + bytes[1]);
    okk_poll();
}
OKKERNEL_FUNC_REGISTER(overruns_a_block)
/// Writes before its blocks, past their end and into freed blocks, as the launch argument (a seed)
/// chooses.
static void breaks_its_heap_by(const void* args) {
    okk_initialize();
    const dim4 shape = {1, 1, 1, 1};
    unsigned long state = *static_cast<const unsigned*>(args) * 2654435761ul;
    for (int turn = 0; turn < 3; ++turn) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        const int bytes = 16 + static_cast<int>(state >> 33 & 2047);
        const int more = 8 + static_cast<int>(state >> 50 & 4095);
        char* volatile place = static_cast<char*>(malloc(bytes));
        switch (state >> 20 & 3) {
            case 0: fill(place + bytes, more); break;
            case 1: fill(place - more / 2, more / 2); break;
            default: free(place); fill(place, bytes);
        }
        okk_bdc_neg(0, 0, &shape, NULL, NULL);
        okk_poll();
    }
}
OKKERNEL_FUNC_REGISTER(breaks_its_heap_by)
KERNEL(writes_what_it_has_freed) {
    okk_initialize();
    const dim4 shape = {1, 1, 1, 1};
    for (int bytes = 16; bytes < 2000; bytes += 8) {
        char* volatile place = static_cast<char*>(malloc(bytes));
        free(place);
        okk_bdc_neg(0, 0, &shape, NULL, NULL);
        fill(place, bytes);
    }
    okk_poll();
}
__attribute__((noinline)) static int calls_itself(int depth) {
    volatile char array[1000];
    const dim4 shape = {1, 1, 1, 1};
    array[0] = static_cast<char>(depth);
    okk_bdc_neg(0, 0, &shape, NULL, NULL);
    return calls_itself(depth + 1) + array[0];
}
KERNEL(recurses_with_calls) {
    okk_initialize();
    volatile int depth = calls_itself(0);
    (void)depth;
}
__attribute__((noinline)) static void overwrite_and_call(int bytes) {
    const dim4 shape = {1, 1, 1, 1};
    char array[16];
    write_over(array, bytes);
    okk_bdc_neg(0, 0, &shape, NULL, NULL);
}
KERNEL(smashes_and_calls) {
    okk_initialize();
    overwrite_and_call(400);
}
KERNEL(forks) {
    okk_initialize();
    const dim4 shape = {1, 1, 1, 1};
    for (int i = 0; i < 4; ++i) {
        const pid_t child = fork();
        if (child == 0) okk_bdc_neg(0, 0, &shape, NULL, NULL);
        if (child == 0 && i == 0) _exit(5);
        if (child == 0 && i == 1) f(NULL);
        if (child == 0 && i == 2) throw 5;
        if (child == 0) return;
        int status = 0;
        waitpid(child, &status, 0);
    }
    okk_poll();
}
KERNEL(ends_its_thread) {
    okk_initialize();
    pthread_exit(NULL);
}
// Calls that do not return, as after a kernel has overwritten their data. A signal arrives while
// the simulator computes for milliseconds, and its handler never ends.
static volatile sig_atomic_t is_in_a_call, waits;
static void never_end(int) {
    if (!is_in_a_call) return;
    const itimerval never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &never, NULL);
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    while (waits) pthread_mutex_lock(&lock);
    for (;;) is_in_a_call = 1;
}
static void call_without_return() {
    okk_initialize();
    const dim4 shape = {1, 64, 128, 128};
    x32 half;
    half.fp32 = 0.5f;
    okk_bdc_32bit_set_C(65536, half, &shape, NULL);
    okk_bdc_exp(0, 65536, 131072, &shape);
    // The handler stands for a failure inside the simulator, so it is installed past the checks on
    // kernels.
    void* const library = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    reinterpret_cast<sighandler_t (*)(int, sighandler_t)>(dlsym(library, "signal"))(SIGALRM,
                                                                                    never_end);
    const itimerval soon = {{0, 1000}, {0, 1000}};
    syscall(SYS_setitimer, ITIMER_REAL, &soon, NULL);
    for (;;) {
        is_in_a_call = 1;
        okk_bdc_exp(0, 65536, 131072, &shape);
        is_in_a_call = 0;
    }
}
KERNEL(spins_in_a_call) { call_without_return(); }
KERNEL(waits_in_a_call) {
    waits = 1;
    call_without_return();
}
// The kernel waits for a lock that is never released.
KERNEL(waits_for_its_own_lock) {
    okk_initialize();
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}
KERNEL(pauses) {
    okk_initialize();
    pause();
}
KERNEL(sleeps_and_polls) {
    okk_initialize();
    for (;;) {
        usleep(20000);
        okk_poll();
    }
}
/// Sleeps longer in total than a kernel may without a command, but issues commands in between. No
/// signal wakes it early.
KERNEL(sleeps_between_commands) {
    okk_initialize();
    const dim4 shape = {1, 1, 1, 1};
    for (int i = 0; i < 4; ++i) {
        OKKERNEL_ASSERT(usleep(900000) == 0);
        okk_bdc_32bit_set_C(0, x32(), &shape, NULL);
    }
    okk_poll();
}
static jmp_buf left;
__attribute__((noinline)) static void sets_left() {
    if (setjmp(left)) okk_npu_num();
}
KERNEL(jumps_into_the_past) {
    okk_initialize();
    sets_left();
    okk_poll();
    longjmp(left, 1);
}
