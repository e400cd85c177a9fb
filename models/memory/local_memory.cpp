// SPDX-License-Identifier: Apache-2.0
#include "models/memory/local_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstring>
#include <new>

#include "isa/layout.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kCacheLine = 64;

/// Lanes a power of two apart would all fall into the same few cache sets, which makes small
/// commands an order of magnitude slower. An odd number of lines more sends 64 lanes to different
/// sets of a first-level cache; with 33 lines they are spread over a whole second-level cache, too.
constexpr std::int64_t kSpread = 33 * kCacheLine;

std::int64_t pitch_for(std::int64_t bytes_per_lane) {
    return isa::align_up(bytes_per_lane, kCacheLine) + kSpread;
}

/// On both sides, without access: pointers that leave the memory must not meet somebody else's.
/// None where address space is limited (ulimit -v).
std::size_t gap_bytes() {
    static const std::size_t bytes = [] {
        rlimit limit{};
        const bool is_limited =
            getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
        return is_limited ? std::size_t{0} : std::size_t{64} << 20;
    }();
    return bytes;
}

}  // namespace

LocalMemory::LocalMemory(const isa::MachineShape& machine, std::byte fresh)
    : lanes_(machine.lanes),
      bytes_per_lane_(machine.local_bytes),
      line_bytes_(machine.line_bytes()),
      lane_pitch_(pitch_for(bytes_per_lane_)) {
    const auto bytes = static_cast<std::size_t>(storage_bytes());
    void* const whole = mmap(nullptr, bytes + 2 * gap_bytes(), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) throw std::bad_alloc();
    std::byte* const block = static_cast<std::byte*>(whole) + gap_bytes();
    if (mprotect(block, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, bytes + 2 * gap_bytes());
        throw std::bad_alloc();
    }
    // One command touches all lanes; large pages keep that within reach of the first-level TLB.
    madvise(block, bytes, MADV_HUGEPAGE);
    storage_ = block;
    if (fresh != std::byte{0}) std::memset(storage_, std::to_integer<int>(fresh), bytes);
}

LocalMemory::~LocalMemory() {
    munmap(storage_ - gap_bytes(), static_cast<std::size_t>(storage_bytes()) + 2 * gap_bytes());
}

}  // namespace okksim::models
