/* SPDX-License-Identifier: Apache-2.0
 * Preloaded into a program: its n-th call of one kind fails, counted from the start of main().
 *   FAIL_CALL   malloc, write, open or mmap
 *   FAIL_AT     n, from 1 on
 *   FAIL_MARK   a file that is made when the call has failed
 * With FAIL_ON=1 all later calls fail too, as on a full disk.
 * With FAIL_LIST, a file, no call fails. The file lists n of every call with a new call path
 * (innermost frames). It also lists a number of the path that is equal in all runs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum Kind { kMalloc, kWrite, kOpen, kMmap, kKinds };
static const char* const kNames[kKinds] = {"malloc", "write", "open", "mmap"};

enum { kFrames = 6, kWays = 1 << 20 };

static int armed, kind = -1, keeps_failing, list = -1;
static long fail_at, count;
static char mark[4096];
static uint64_t ways[kWays]; /* hashes of stacks, open addressing; 0 is free */
static long known_ways;
static __thread int listing;

extern void* __libc_malloc(size_t);
extern void* __libc_calloc(size_t, size_t);
extern void* __libc_realloc(void*, size_t);

static uint64_t with(uint64_t hash, uintptr_t word) { /* a step of FNV-1a */
    return (hash ^ word) * 1099511628211u;
}

/* True if no earlier call had this stack. Supports one thread. */
static int is_new_way(void** frames, int depth) {
    uint64_t hash = 14695981039346656037u, at;
    for (int i = 0; i < depth; ++i) hash = with(hash, (uintptr_t)frames[i]);
    hash |= 1;
    for (at = hash >> 44; ways[at] != 0; at = (at + 1) % kWays) {
        if (ways[at] == hash) return 0;
    }
    if (++known_ways == kWays) abort();
    ways[at] = hash;
    return 1;
}

/* Hash of library names and relative return addresses: equal at all load addresses. */
static uint64_t number_of_way(void** frames, int depth) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 0; i < depth; ++i) {
        Dl_info found;
        if (dladdr(frames[i], &found) == 0) continue;
        for (const char* letter = found.dli_fname; *letter != 0; ++letter) {
            hash = with(hash, (unsigned char)*letter);
        }
        hash = with(hash, (uintptr_t)frames[i] - (uintptr_t)found.dli_fbase);
    }
    return hash;
}

static void note_way(long number) {
    char line[64];
    void* frames[kFrames];
    if (listing) return; /* allocations of backtrace() */
    listing = 1;
    const int depth = backtrace(frames, kFrames);
    if (is_new_way(frames, depth)) {
        const int size = snprintf(line, sizeof line, "%ld %016lx\n", number,
                                  (unsigned long)number_of_way(frames, depth));
        if (syscall(SYS_write, list, line, (size_t)size) != size) abort();
    }
    listing = 0;
}

static int fails(int which) {
    if (!armed || which != kind) return 0;
    const long number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
    if (list >= 0) {
        note_way(number);
        return 0;
    }
    if (number < fail_at || (number > fail_at && !keeps_failing)) return 0;
    const int file = (int)syscall(SYS_openat, AT_FDCWD, mark, O_CREAT | O_WRONLY, 0600);
    if (file >= 0) syscall(SYS_close, file);
    return 1;
}

void* malloc(size_t size) {
    if (!fails(kMalloc)) return __libc_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void* calloc(size_t number, size_t size) {
    if (!fails(kMalloc)) return __libc_calloc(number, size);
    errno = ENOMEM;
    return NULL;
}

void* realloc(void* old, size_t size) {
    if (!fails(kMalloc)) return __libc_realloc(old, size);
    errno = ENOMEM;
    return NULL;
}

ssize_t write(int file, const void* data, size_t size) {
    /* Messages about the failure must reach standard error. */
    if (file != STDERR_FILENO && fails(kWrite)) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, file, data, size);
}

static int open_at(int folder, const char* path, int flags, mode_t mode) {
    if (fails(kOpen)) {
        errno = EMFILE;
        return -1;
    }
    return (int)syscall(SYS_openat, folder, path, flags, mode);
}

#define MODE_OF(flags)                                                \
    mode_t mode = 0;                                                  \
    if (((flags)&O_CREAT) != 0 || ((flags)&O_TMPFILE) == O_TMPFILE) { \
        va_list rest;                                                 \
        va_start(rest, flags);                                        \
        mode = va_arg(rest, mode_t);                                  \
        va_end(rest);                                                 \
    }

int open(const char* path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
    MODE_OF(flags)
    return open_at(folder, path, flags, mode);
}

static void* map(void* address, size_t size, int protection, int flags, int file, off_t offset) {
    if (fails(kMmap)) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void*)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
void* mmap(void* address, size_t size, int protection, int flags, int file, off_t offset) {
    return map(address, size, protection, flags, file, offset);
}
void* mmap64(void* address, size_t size, int protection, int flags, int file, off_t offset) {
    return map(address, size, protection, flags, file, offset);
}

static int (*the_main)(int, char**, char**);

static int arm_and_run(int argc, char** argv, char** environment) {
    const char* call = getenv("FAIL_CALL");
    const char* at = getenv("FAIL_AT");
    const char* file = getenv("FAIL_MARK");
    const char* ways_file = getenv("FAIL_LIST");
    for (int i = 0; call != NULL && i < kKinds; ++i) {
        if (strcmp(call, kNames[i]) == 0) kind = i;
    }
    keeps_failing = getenv("FAIL_ON") != NULL;
    if (file != NULL) strncpy(mark, file, sizeof mark - 1);
    fail_at = at == NULL ? 0 : atol(at);
    if (ways_file != NULL) {
        void* frame;
        backtrace(&frame, 1); /* loads what it needs before anything is counted */
        list = (int)syscall(SYS_openat, AT_FDCWD, ways_file, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    }
    armed = fail_at > 0 || list >= 0;
    return the_main(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char**, char**), int argc, char** argv, int (*init)(void),
                      void (*finish)(void), void (*rtld_finish)(void), void* stack_end) {
    int (*real)(int (*)(int, char**, char**), int, char**, int (*)(void), void (*)(void),
                void (*)(void), void*);
    void* symbol = dlsym(RTLD_NEXT, "__libc_start_main");
    memcpy(&real, &symbol, sizeof real);
    the_main = main;
    return real(&arm_and_run, argc, argv, init, finish, rtld_finish, stack_end);
}
