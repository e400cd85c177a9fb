// SPDX-License-Identifier: Apache-2.0
#include "models/memory/local_memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace okksim::models {

LocalMemory::LocalMemory(std::int32_t lanes, std::int64_t bytes_per_lane)
    : lanes_(lanes), bytes_per_lane_(bytes_per_lane) {
    void* block = mmap(nullptr, static_cast<std::size_t>(bytes()), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    // Lanes lie a power of two apart; large pages keep the first-level TLB from thrashing.
    madvise(block, static_cast<std::size_t>(bytes()), MADV_HUGEPAGE);
    data_ = static_cast<std::byte*>(block);
    std::memset(data_, static_cast<int>(kPoisonByte), static_cast<std::size_t>(bytes()));
}

LocalMemory::~LocalMemory() { munmap(data_, static_cast<std::size_t>(bytes())); }

}  // namespace okksim::models
