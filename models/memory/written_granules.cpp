// SPDX-License-Identifier: Apache-2.0
#include "models/memory/written_granules.h"

#include <algorithm>

#include "models/memory/footprint.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kMaskBits = SparseBits::kWordBits;

}  // namespace

WrittenGranules::WrittenGranules(const isa::MachineShape& machine, std::uint64_t granule_bytes)
    : granule_bytes_(granule_bytes) {
    for (const isa::MemoryRegion& region : machine.memories()) {
        memories_.push_back({region, SparseBits(region.bytes / granule_bytes / kMaskBits + 2)});
    }
}

void WrittenGranules::mark(std::uint64_t address, std::uint64_t bytes) {
    const Memory* memory = memory_of(address);
    if (memory == nullptr || bytes == 0) return;
    const std::uint64_t offset = address - memory->region.start;
    const std::uint64_t end = std::min(offset + bytes, memory->region.bytes);
    set_granules(offset / granule_bytes_, (end - 1) / granule_bytes_, *memory, true);
}

void WrittenGranules::forget(std::uint64_t address, std::uint64_t bytes) {
    const Memory* memory = memory_of(address);
    if (memory == nullptr) return;
    const std::uint64_t offset = address - memory->region.start;
    const std::uint64_t end = std::min(offset + bytes, memory->region.bytes);
    const std::uint64_t first = (offset + granule_bytes_ - 1) / granule_bytes_;
    if (first < end / granule_bytes_) {
        set_granules(first, end / granule_bytes_ - 1, *memory, false);
    }
}

void WrittenGranules::set_granules(std::uint64_t first, std::uint64_t last, const Memory& memory,
                                   bool written) {
    std::uint64_t* words = memory.bits.words();
    const std::uint64_t first_word = first / kMaskBits;
    const std::uint64_t last_word = last / kMaskBits;
    const auto set = [&](std::uint64_t word, std::uint64_t mask) {
        words[word] = written ? words[word] | mask : words[word] & ~mask;
    };
    const std::uint64_t head = ~std::uint64_t{0} << (first % kMaskBits);
    const std::uint64_t tail = SparseBits::below(static_cast<std::int64_t>(last % kMaskBits) + 1);
    if (first_word == last_word) return set(first_word, head & tail);
    set(first_word, head);
    std::fill(words + first_word + 1, words + last_word, written ? ~std::uint64_t{0} : 0);
    set(last_word, tail);
}

const WrittenGranules::Memory* WrittenGranules::memory_of(std::uint64_t address) const {
    for (const Memory& memory : memories_) {
        if (memory.region.holds(address)) return &memory;
    }
    return nullptr;
}

bool WrittenGranules::knows(std::uint64_t address, SystemMemory& system) const {
    const Memory* memory = memory_of(address);
    if (memory == nullptr) return true;
    const std::uint64_t granule = (address - memory->region.start) / granule_bytes_;
    if ((memory->bits.words()[granule / kMaskBits] >> (granule % kMaskBits) & 1) != 0) return true;
    const std::uint64_t begin = memory->region.start + granule * granule_bytes_;
    const std::byte* const data = system.pointer(begin, granule_bytes_);
    return data != nullptr && !all_poison(data, granule_bytes_);
}

void WrittenGranules::doubt(std::uint64_t address) {
    for (Memory& memory : memories_) {
        if (!memory.region.holds(address)) continue;
        memory.doubted = std::min(memory.doubted, address - memory.region.start);
    }
}

bool WrittenGranules::is_fresh(const Memory& memory, std::uint64_t first, std::uint64_t last,
                               SystemMemory& system) const {
    const std::uint64_t address = memory.region.start + first;
    const std::byte* const data = system.pointer(address, last - first);
    if (data == nullptr || !all_poison(data, static_cast<std::int64_t>(last - first))) return false;
    return first < memory.doubted || system.is_untouched(address, last - first);
}

std::optional<std::uint64_t> WrittenGranules::find_unwritten(const Memory& memory,
                                                             std::uint64_t low, std::uint64_t high,
                                                             SystemMemory& system) {
    for (std::uint64_t g = low / granule_bytes_; g * granule_bytes_ < high; ++g) {
        std::uint64_t& word = memory.bits.words()[g / kMaskBits];
        if (word == ~std::uint64_t{0}) {
            g |= kMaskBits - 1;
            continue;
        }
        const std::uint64_t bit = std::uint64_t{1} << (g % kMaskBits);
        if ((word & bit) != 0) continue;
        const std::uint64_t first = std::max(low, g * granule_bytes_);
        const std::uint64_t last = std::min(high, (g + 1) * granule_bytes_);
        if (is_fresh(memory, first, last, system)) return memory.region.start + first;
        word |= bit;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> WrittenGranules::find_unwritten(std::uint64_t address,
                                                             std::uint64_t bytes,
                                                             SystemMemory& system) {
    const Memory* memory = memory_of(address);
    if (memory == nullptr) return std::nullopt;
    const std::uint64_t low = address - memory->region.start;
    return find_unwritten(*memory, low, std::min(low + bytes, memory->region.bytes), system);
}

std::optional<PoisonRead> WrittenGranules::find_unwritten(const isa::TensorView& view,
                                                          SystemMemory& system) {
    const RunLoops loops = run_loops(view);
    const Memory* memory = memory_of(view.system_addr.value());
    if (memory == nullptr) return std::nullopt;  // the command itself reports the address
    const std::int64_t step = std::int64_t{view.stride.c} * view.element_bytes;
    const bool planes_join = step == loops.run_bytes && loops.count() == 1;
    const std::int64_t channels = planes_join || step == 0 ? 1 : view.shape.c;
    const std::int64_t run_bytes = planes_join ? loops.run_bytes * view.shape.c : loops.run_bytes;
    std::int64_t budget = kMaxFootprintRuns;
    std::optional<PoisonRead> found;
    for (std::int64_t c = 0; c < channels; ++c) {
        const bool clean = loops.for_each([&](std::int64_t offset) {
            const std::uint64_t low = view.system_addr.value() - memory->region.start +
                                      static_cast<std::uint64_t>(c * step + offset);
            const std::uint64_t high = low + static_cast<std::uint64_t>(run_bytes);
            if (high > memory->region.bytes) return false;
            if (const auto address = find_unwritten(*memory, low, high, system)) {
                found = PoisonRead{view.operand, false, 0, 0, *address};
                return false;
            }
            return --budget > 0;
        });
        if (!clean) return found;
    }
    return found;
}

}  // namespace okksim::models
