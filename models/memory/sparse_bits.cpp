// SPDX-License-Identifier: Apache-2.0
#include "models/memory/sparse_bits.h"

#include <sys/mman.h>

#include <new>

namespace okksim::models {

SparseBits::SparseBits(std::uint64_t words) : count_(words) {
    void* block = mmap(nullptr, count_ * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    words_ = static_cast<std::uint64_t*>(block);
}

SparseBits::~SparseBits() {
    if (words_ != nullptr) munmap(words_, count_ * sizeof(std::uint64_t));
}

}  // namespace okksim::models
