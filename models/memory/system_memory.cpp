// SPDX-License-Identifier: Apache-2.0
#include "models/memory/system_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "models/memory/local_memory.h"

namespace okksim::models {
namespace {

constexpr std::size_t kPatternBytes = std::size_t{4} << 20;

/// Reserves `bytes` of address space whose pages all show one small file full of poison until they
/// are written, so untouched memory costs nothing and still reads as poison.
std::byte* reserve_poisoned(std::size_t bytes) {
    const int file = memfd_create("okksim-poison", MFD_CLOEXEC);
    if (file < 0) throw std::bad_alloc();
    const std::vector<std::byte> pattern(std::min(bytes, kPatternBytes), LocalMemory::kPoisonByte);
    if (write(file, pattern.data(), pattern.size()) != static_cast<ssize_t>(pattern.size())) {
        close(file);
        throw std::bad_alloc();
    }
    void* base =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    bool mapped = base != MAP_FAILED;
    for (std::size_t at = 0; mapped && at < bytes; at += pattern.size()) {
        const std::size_t piece = std::min(pattern.size(), bytes - at);
        mapped = mmap(static_cast<std::byte*>(base) + at, piece, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0) != MAP_FAILED;
    }
    close(file);
    if (!mapped) throw std::bad_alloc();
    return static_cast<std::byte*>(base);
}

}  // namespace

SystemMemory::SystemMemory(const isa::MachineShape& shape)
    : regions_{{SystemSpace::kGlobal, shape.global_start, shape.global_bytes, nullptr},
               {SystemSpace::kL2, shape.l2_start, shape.l2_bytes, nullptr},
               {SystemSpace::kDtcm, shape.dtcm_start, shape.dtcm_bytes, nullptr}} {
    for (Region& region : regions_) region.data = reserve_poisoned(region.bytes);
}

SystemMemory::~SystemMemory() {
    for (const Region& region : regions_) munmap(region.data, region.bytes);
}

const SystemMemory::Region* SystemMemory::find(std::uint64_t address, std::uint64_t bytes) const {
    for (const Region& region : regions_) {
        if (address >= region.start && bytes <= region.bytes &&
            address - region.start <= region.bytes - bytes) {
            return &region;
        }
    }
    return nullptr;
}

std::byte* SystemMemory::pointer(std::uint64_t address, std::uint64_t bytes) {
    const Region* region = find(address, bytes);
    return region == nullptr ? nullptr : region->data + (address - region->start);
}

std::optional<SystemSpace> SystemMemory::space(std::uint64_t address, std::uint64_t bytes) const {
    const Region* region = find(address, bytes);
    if (region == nullptr) return std::nullopt;
    return region->space;
}

}  // namespace okksim::models
