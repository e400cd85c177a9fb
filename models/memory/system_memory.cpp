// SPDX-License-Identifier: Apache-2.0
#include "models/memory/system_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "isa/errors.h"
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

SystemMemory::SystemMemory(const isa::MachineShape& shape) {
    for (const isa::MemoryRegion& place : shape.memories()) {
        std::byte* own = reserve_poisoned(place.bytes);
        regions_.push_back({place, own, own});
    }
}

SystemMemory::~SystemMemory() {
    for (const Region& region : regions_) munmap(region.own, region.place.bytes);
}

std::byte* SystemMemory::pointer(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t least = std::max<std::uint64_t>(bytes, 1);
    for (const Region& region : regions_) {
        if (region.place.holds(address, least)) return region.data + (address - region.place.start);
    }
    return nullptr;
}

SystemMemory::Region& SystemMemory::region_at(std::uint64_t start) {
    const auto found =
        std::ranges::find(regions_, start, [](const Region& region) { return region.place.start; });
    OKKSIM_CHECK(found != regions_.end());
    return *found;
}

void SystemMemory::show(std::uint64_t start, std::byte* data) {
    Region& region = region_at(start);
    region.data = data;
    region.is_mirror = false;
}

void SystemMemory::mirror(std::uint64_t start) {
    Region& region = region_at(start);
    region.data = region.own;
    region.is_mirror = true;
}

bool SystemMemory::is_mirror(std::uint64_t address) const {
    return std::ranges::any_of(regions_, [&](const Region& region) {
        return region.is_mirror && region.place.holds(address);
    });
}

}  // namespace okksim::models
