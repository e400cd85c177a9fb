// SPDX-License-Identifier: Apache-2.0
#include "models/memory/local_memory.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "isa/layout.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kCacheLine = 64;

/// Bytes between lanes beyond their size. Lanes a power of two apart would share a few cache sets
/// and slow small commands. An odd number of lines sends 64 lanes to different sets of the
/// first-level cache; 33 lines also spread them over a whole second-level cache.
constexpr std::int64_t kSpread = 33 * kCacheLine;

std::int64_t pitch_for(std::int64_t bytes_per_lane) {
    return isa::align_up(bytes_per_lane, kCacheLine) + kSpread;
}

/// Size of the inaccessible gap on each side. It keeps pointers that leave the memory away from
/// other data. Zero where address space is limited (ulimit -v).
std::size_t gap_bytes() {
    static const std::size_t bytes = [] {
        rlimit limit{};
        const bool is_limited =
            getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
        return is_limited ? std::size_t{0} : std::size_t{64} << 20;
    }();
    return bytes;
}

/// Maps a block between its gaps. Large pages keep all lanes, which one command touches, within
/// reach of the first-level TLB.
std::byte* map_block(std::size_t bytes) {
    void* const whole = mmap(nullptr, bytes + 2 * gap_bytes(), PROT_NONE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (whole == MAP_FAILED) throw std::bad_alloc();
    std::byte* const block = static_cast<std::byte*>(whole) + gap_bytes();
    if (mprotect(block, bytes, PROT_READ | PROT_WRITE) != 0) {
        munmap(whole, bytes + 2 * gap_bytes());
        throw std::bad_alloc();
    }
    madvise(block, bytes, MADV_HUGEPAGE);
    return block;
}

void unmap_block(std::byte* block, std::size_t bytes) {
    munmap(block - gap_bytes(), bytes + 2 * gap_bytes());
}

/// Keeps the last released block for the next machine of the same size. Clearing new pages takes
/// longer than the run of a small graph.
class SpareBlock {
 public:
    /// Returns nullptr if there is no block of this size. The previous owner may have left pages of
    /// the block protected.
    std::byte* take(std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (block_ == nullptr || bytes != bytes_) return nullptr;
        if (mprotect(block_, bytes, PROT_READ | PROT_WRITE) != 0) return nullptr;
        return std::exchange(block_, nullptr);
    }
    void give(std::byte* block, std::size_t bytes) {
        const std::lock_guard lock(mutex_);
        if (block_ != nullptr) unmap_block(block_, bytes_);
        block_ = block;
        bytes_ = bytes;
    }

 private:
    std::mutex mutex_;
    std::byte* block_ = nullptr;
    std::size_t bytes_ = 0;
};

/// Never destroyed, because machines with static storage may release their blocks later.
SpareBlock& spare_block() {
    static auto* const spare = new SpareBlock;
    return *spare;
}

/// Largest block that is kept; larger blocks go back to the system.
constexpr std::size_t kMostSpareBytes = std::size_t{128} << 20;

}  // namespace

LocalMemory::LocalMemory(const isa::MachineShape& machine, std::byte fresh)
    : lanes_(machine.lanes),
      bytes_per_lane_(machine.local_bytes),
      line_bytes_(machine.line_bytes()),
      lane_pitch_(pitch_for(bytes_per_lane_)),
      fresh_(fresh) {
    const auto bytes = static_cast<std::size_t>(storage_bytes());
    // New pages are zeros and use no host memory until they are touched.
    if (fresh_ != std::byte{0}) storage_ = spare_block().take(bytes);
    if (storage_ == nullptr) storage_ = map_block(bytes);
    if (fresh_ != std::byte{0}) std::memset(storage_, std::to_integer<int>(fresh_), bytes);
}

LocalMemory::~LocalMemory() {
    const auto bytes = static_cast<std::size_t>(storage_bytes());
    if (fresh_ != std::byte{0} && bytes <= kMostSpareBytes) {
        spare_block().give(storage_, bytes);
    } else {
        unmap_block(storage_, bytes);
    }
}

}  // namespace okksim::models
