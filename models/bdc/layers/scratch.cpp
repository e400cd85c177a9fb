// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/layers/scratch.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

#include "isa/layout.h"

namespace okksim::models::bdc {
namespace {

constexpr std::int64_t kSmallUnit = 64 * 1024;
// Large buffers use huge pages: panels are walked by many streams at once.
constexpr std::int64_t kHugePage = 2 * 1024 * 1024;

}  // namespace

Scratch::~Scratch() { std::free(data_); }

void* Scratch::grow(std::int64_t count) {
    std::free(data_);
    data_ = nullptr;
    capacity_ = 0;
    std::int64_t bytes = count * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t unit = bytes > kHugePage / 2 ? kHugePage : kSmallUnit;
    bytes = isa::align_up(bytes, unit);
    void* block =
        std::aligned_alloc(static_cast<std::size_t>(unit), static_cast<std::size_t>(bytes));
    if (block == nullptr) throw std::bad_alloc();
    if (unit == kHugePage) madvise(block, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
    data_ = block;
    capacity_ = bytes / static_cast<std::int64_t>(sizeof(float));
    return data_;
}

}  // namespace okksim::models::bdc
