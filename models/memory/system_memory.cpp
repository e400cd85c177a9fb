// SPDX-License-Identifier: Apache-2.0
#include "models/memory/system_memory.h"

#include <unistd.h>

#include <algorithm>

#include "isa/base/errors.h"

namespace okksim::models {

namespace {

/// Returns the bytes that are missing in the last host page of a memory, in whole cache lines.
std::uint64_t lead_of(std::uint64_t bytes) {
    constexpr std::uint64_t kCacheLine = 64;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    return (page - bytes % page) % page / kCacheLine * kCacheLine;
}

}  // namespace

SystemMemory::SystemMemory(const isa::MachineShape& shape) {
    for (const isa::MemoryRegion& place : shape.memories()) {
        const std::uint64_t lead = lead_of(place.bytes);
        regions_.push_back({place, std::make_unique<PoisonedBlock>(place.bytes + lead)});
        regions_.back().lead = lead;
    }
}

SystemMemory::Region* SystemMemory::region_of(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t least = std::max<std::uint64_t>(bytes, 1);
    for (Region& region : regions_) {
        if (region.place.holds(address, least)) return &region;
    }
    return nullptr;
}

std::byte* SystemMemory::pointer(std::uint64_t address, std::uint64_t bytes) {
    Region* region = region_of(address, bytes);
    if (region == nullptr) return nullptr;
    if (region->shown != nullptr) return region->shown + (address - region->place.start);
    return region->own->bytes(region->offset_of(address), std::max<std::uint64_t>(bytes, 1));
}

std::byte* SystemMemory::pointer_to_overwrite(std::uint64_t address, std::uint64_t bytes) {
    Region* region = region_of(address, bytes);
    if (region == nullptr || region->shown != nullptr || bytes == 0) return pointer(address, bytes);
    return region->own->bytes_to_overwrite(region->offset_of(address), bytes);
}

std::byte* SystemMemory::pointer_to_rest(std::uint64_t address) {
    Region* region = region_of(address, 1);
    if (region == nullptr) return nullptr;
    if (region->shown != nullptr) return region->shown + (address - region->place.start);
    return region->own->rest(region->offset_of(address));
}

void SystemMemory::forget(std::uint64_t address, std::uint64_t bytes) {
    Region* const region = region_of(address, bytes);
    if (region == nullptr || region->shown != nullptr || region->is_mirror) return;
    region->own->forget(region->offset_of(address), bytes);
}

bool SystemMemory::is_untouched(std::uint64_t address, std::uint64_t bytes) {
    const Region* const region = region_of(address, bytes);
    return region != nullptr && region->shown == nullptr &&
           region->own->is_untouched(region->offset_of(address), bytes);
}

SystemMemory::Region& SystemMemory::region_at(std::uint64_t start) {
    const auto found =
        std::ranges::find(regions_, start, [](const Region& region) { return region.place.start; });
    OKKSIM_CHECK(found != regions_.end());
    return *found;
}

void SystemMemory::show(std::uint64_t start, std::byte* data) {
    Region& region = region_at(start);
    region.shown = data;
    region.is_mirror = false;
}

void SystemMemory::mirror(std::uint64_t start) {
    Region& region = region_at(start);
    region.shown = nullptr;
    region.is_mirror = true;
}

bool SystemMemory::is_own() const {
    return std::ranges::none_of(
        regions_, [](const Region& region) { return region.shown != nullptr || region.is_mirror; });
}

bool SystemMemory::is_mirror(std::uint64_t address) const {
    return std::ranges::any_of(regions_, [&](const Region& region) {
        return region.is_mirror && region.place.holds(address);
    });
}

}  // namespace okksim::models
