// SPDX-License-Identifier: Apache-2.0
#include "firmware/guard/system_call_guard.h"

#include <sys/types.h>

#include <cstdint>
#include <cstdio>

#include "firmware/calls/context.h"
#include "firmware/guard/broken_heap.h"
#include "firmware/launch/next_definition.h"
#include "firmware/watch/kernel_checks.h"

namespace okksim::firmware {
namespace {

/// Returns the checks of the kernel whose own code runs on this thread. Returns nullptr if no
/// kernel runs or if it has no checks.
KernelChecks* checks_of_kernel() {
    // Thread-local variables may be lost after damage of the heap.
    if (broken_heap::keeps_all()) return nullptr;
    Context* const context = Context::current();
    if (context == nullptr || !in_firmware(&context->delivery())) return nullptr;
    return context->checks();
}

/// Carries out a call that uses `bytes` bytes. The call has stored its result times `unit` bytes.
template <typename Call>
[[gnu::always_inline]] inline auto store_by(void* begin, std::uint64_t bytes, std::uint64_t unit,
                                            const Call& call) {
    KernelChecks* const checks = bytes == 0 ? nullptr : checks_of_kernel();
    if (checks != nullptr) checks->system_uses(begin, bytes);
    const auto result = call();
    if (checks != nullptr && result > 0) {
        checks->system_stored(begin, static_cast<std::uint64_t>(result) * unit,
                              call_site(__builtin_frame_address(0)));
    }
    return result;
}

void load_by(const void* begin, std::uint64_t bytes) {
    KernelChecks* const checks = bytes == 0 ? nullptr : checks_of_kernel();
    if (checks != nullptr) checks->system_uses(begin, bytes);
}

}  // namespace

void watch_system_calls() {}

}  // namespace okksim::firmware

// These functions replace those of the C library in the whole process, like those of
// exit_guard.cpp. With _FORTIFY_SOURCE, calls become the variants with a check.
extern "C" {

using okksim::firmware::load_by;
using okksim::firmware::next_of;
using okksim::firmware::store_by;

ssize_t read(int file, void* buffer, std::size_t bytes) {
    static auto* const next = next_of<ssize_t(int, void*, std::size_t)>("read");
    return store_by(buffer, bytes, 1, [&] { return next(file, buffer, bytes); });
}
ssize_t __read_chk(int file, void* buffer, std::size_t bytes, std::size_t room) {
    static auto* const next = next_of<ssize_t(int, void*, std::size_t, std::size_t)>("__read_chk");
    return store_by(buffer, bytes, 1, [&] { return next(file, buffer, bytes, room); });
}
ssize_t pread(int file, void* buffer, std::size_t bytes, off_t from) {
    static auto* const next = next_of<ssize_t(int, void*, std::size_t, off_t)>("pread");
    return store_by(buffer, bytes, 1, [&] { return next(file, buffer, bytes, from); });
}
std::size_t fread(void* buffer, std::size_t size, std::size_t count, FILE* file) {
    static auto* const next = next_of<std::size_t(void*, std::size_t, std::size_t, FILE*)>("fread");
    return store_by(buffer, size * count, size, [&] { return next(buffer, size, count, file); });
}
std::size_t __fread_chk(void* buffer, std::size_t room, std::size_t size, std::size_t count,
                        FILE* file) {
    static auto* const next =
        next_of<std::size_t(void*, std::size_t, std::size_t, std::size_t, FILE*)>("__fread_chk");
    return store_by(buffer, size * count, size,
                    [&] { return next(buffer, room, size, count, file); });
}
ssize_t write(int file, const void* buffer, std::size_t bytes) {
    static auto* const next = next_of<ssize_t(int, const void*, std::size_t)>("write");
    load_by(buffer, bytes);
    return next(file, buffer, bytes);
}
ssize_t pwrite(int file, const void* buffer, std::size_t bytes, off_t to) {
    static auto* const next = next_of<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
    load_by(buffer, bytes);
    return next(file, buffer, bytes, to);
}
std::size_t fwrite(const void* buffer, std::size_t size, std::size_t count, FILE* file) {
    static auto* const next =
        next_of<std::size_t(const void*, std::size_t, std::size_t, FILE*)>("fwrite");
    load_by(buffer, size * count);
    return next(buffer, size, count, file);
}

}  // extern "C"
