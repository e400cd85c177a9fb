// SPDX-License-Identifier: Apache-2.0
#include "models/memory/written_map.h"

#include <sys/mman.h>

#include <cstdio>
#include <new>

#include "isa/errors.h"
#include "models/memory/footprint.h"
#include "models/memory/overlap.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kWordBytes = 4;
constexpr std::uint64_t kGranuleBytes = 64;
constexpr std::int64_t kMaskBits = 64;

bool all_poison(const std::byte* data, std::int64_t bytes) {
    return std::all_of(data, data + bytes,
                       [](std::byte b) { return b == LocalMemory::kPoisonByte; });
}

std::uint64_t bits_below(std::int64_t count) {
    return count >= kMaskBits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
}

/// Bits of mask word `index` for lanes [lanes.first, lanes.last).
std::uint64_t lane_bits(const SlotLanes& lanes, std::int64_t index) {
    const std::int64_t base = index * kMaskBits;
    const std::int64_t low = std::clamp<std::int64_t>(lanes.first - base, 0, kMaskBits);
    const std::int64_t high = std::clamp<std::int64_t>(lanes.last - base, 0, kMaskBits);
    return bits_below(high) & ~bits_below(low);
}

/// Sets `bits` in `count` masks, `step` words apart. The usual machine has one word per mask.
void set_bits(std::uint64_t* masks, std::int64_t count, std::int64_t step, std::uint64_t bits) {
    std::int64_t i = 0;
    if (step == 1) {
        for (; i + 4 <= count; i += 4) {
            masks[i] |= bits;
            masks[i + 1] |= bits;
            masks[i + 2] |= bits;
            masks[i + 3] |= bits;
        }
    }
    for (; i < count; ++i) masks[i * step] |= bits;
}

/// Bits set in all of `count` masks.
std::uint64_t common_bits(const std::uint64_t* masks, std::int64_t count, std::int64_t step) {
    std::uint64_t all = ~std::uint64_t{0};
    std::uint64_t other = all;
    std::int64_t i = 0;
    if (step == 1) {
        for (; i + 4 <= count; i += 4) {
            all &= masks[i] & masks[i + 1];
            other &= masks[i + 2] & masks[i + 3];
        }
    }
    for (; i < count; ++i) all &= masks[i * step];
    return all & other;
}

std::uint64_t words_for(std::uint64_t bytes) { return bytes / kGranuleBytes / kMaskBits + 2; }

}  // namespace

std::string PoisonRead::message() const {
    char hex[32];
    std::snprintf(hex, sizeof hex, "address 0x%llx", static_cast<unsigned long long>(address));
    const std::string place = local ? LocalPlace{lane, offset}.text() : std::string(hex);
    return std::string(operand) + " reads " + place + ", which nobody has written";
}

SparseBits::SparseBits(std::uint64_t words) : count_(words) {
    void* block = mmap(nullptr, count_ * sizeof(std::uint64_t), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block == MAP_FAILED) throw std::bad_alloc();
    words_ = static_cast<std::uint64_t*>(block);
}

SparseBits::~SparseBits() { munmap(words_, count_ * sizeof(std::uint64_t)); }

WrittenMap::WrittenMap(const isa::MachineShape& machine, PaddingReads padding)
    : machine_(machine),
      padding_(padding),
      mask_words_(isa::div_up(machine.lanes, kMaskBits)),
      local_(
          static_cast<std::uint64_t>(isa::div_up(machine.local_bytes, kWordBytes) * mask_words_)),
      global_bits_(words_for(machine.global_bytes)),
      l2_bits_(words_for(machine.l2_bytes)),
      dtcm_bits_(words_for(machine.dtcm_bytes)),
      spaces_{{global_bits_.words(), machine.global_start, machine.global_bytes},
              {l2_bits_.words(), machine.l2_start, machine.l2_bytes},
              {dtcm_bits_.words(), machine.dtcm_start, machine.dtcm_bytes}} {}

std::optional<PoisonRead> WrittenMap::track_command(const isa::Command& command, LocalMemory& local,
                                                    SystemMemory& system) {
    const isa::TensorViews views = isa::tensor_views(command, machine_);
    std::optional<PoisonRead> found;
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kWrite) continue;
        for_each_part(command, view, machine_, [&](const isa::TensorView& part) {
            if (!found) found = find_unwritten(part, local, system);
        });
    }
    for (const isa::TensorView& view : views) {
        if (view.access == isa::Access::kRead) continue;
        for_each_part(command, view, machine_, [&](const isa::TensorView& part) { mark(part); });
    }
    return found;
}

void WrittenMap::mark_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes) {
    const std::int64_t end = isa::div_up(offset + bytes, kWordBytes);
    const std::uint64_t bit = std::uint64_t{1} << (lane % kMaskBits);
    std::uint64_t* masks = local_.words() + lane / kMaskBits;
    for (std::int64_t word = offset / kWordBytes; word < end; ++word) {
        masks[word * mask_words_] |= bit;
    }
}

void WrittenMap::mark_system(std::uint64_t address, std::uint64_t bytes) {
    const Bits* bits = bits_of(address);
    if (bits == nullptr || bytes == 0) return;
    const std::uint64_t offset = address - bits->start;
    const std::uint64_t end = std::min(offset + bytes, bits->bytes);
    mark_granules(offset / kGranuleBytes, (end - 1) / kGranuleBytes, *bits);
}

void WrittenMap::mark_granules(std::uint64_t first, std::uint64_t last, const Bits& bits) {
    const std::uint64_t first_word = first / kMaskBits;
    const std::uint64_t last_word = last / kMaskBits;
    const std::uint64_t head = ~std::uint64_t{0} << (first % kMaskBits);
    const std::uint64_t tail = bits_below(static_cast<std::int64_t>(last % kMaskBits) + 1);
    if (first_word == last_word) {
        bits.words[first_word] |= head & tail;
        return;
    }
    bits.words[first_word] |= head;
    std::fill(bits.words + first_word + 1, bits.words + last_word, ~std::uint64_t{0});
    bits.words[last_word] |= tail;
}

const WrittenMap::Bits* WrittenMap::bits_of(std::uint64_t address) const {
    for (const Bits& bits : spaces_) {
        if (address >= bits.start && address - bits.start < bits.bytes) return &bits;
    }
    return nullptr;
}

void WrittenMap::mark(const isa::TensorView& view) {
    RunLoops loops = run_loops(view);
    std::int64_t base = 0;
    if (loops.count() > kMaxFootprintRuns) {
        // Too many pieces: everything between the first and the last byte counts as written.
        isa::TensorView channel = view;
        channel.shape.c = 1;
        const isa::ByteInterval touched = isa::touched_bytes(channel, machine_);
        base = touched.low - (view.local ? machine_.offset_of(view.local_addr)
                                         : static_cast<std::int64_t>(view.system_addr.value()));
        loops = {};
        loops.run_bytes = touched.high - touched.low;
    }
    if (!view.local) {
        const std::int64_t step = std::int64_t{view.stride.c} * view.element_bytes;
        if (view.shape.c > 1 && step == loops.run_bytes && loops.count() == 1) {
            return mark_system(view.system_addr.value() + static_cast<std::uint64_t>(base),
                               static_cast<std::uint64_t>(view.shape.c * step));
        }
        for (std::int64_t c = 0; c < view.shape.c; ++c) {
            const std::uint64_t start =
                view.system_addr.value() + static_cast<std::uint64_t>(base + c * step);
            loops.for_each([&](std::int64_t offset) {
                mark_system(start + static_cast<std::uint64_t>(offset),
                            static_cast<std::uint64_t>(loops.run_bytes));
                return true;
            });
        }
        return;
    }
    const std::int32_t lane = machine_.lane_of(view.local_addr);
    const std::int64_t slots = isa::channels_per_lane(lane, view.shape.c, machine_.lanes);
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        const SlotLanes lanes = slot_lanes(lane, view.shape.c, slot, machine_.lanes);
        const std::int64_t start =
            machine_.offset_of(view.local_addr) + base + slot * view.stride.c * view.element_bytes;
        for (std::int64_t m = 0; m < mask_words_; ++m) {
            const std::uint64_t bits = lane_bits(lanes, m);
            if (bits == 0) continue;
            loops.for_each([&](std::int64_t offset) {
                const std::int64_t end = isa::div_up(start + offset + loops.run_bytes, kWordBytes);
                const std::int64_t first = (start + offset) / kWordBytes;
                set_bits(local_.words() + first * mask_words_ + m, end - first, mask_words_, bits);
                return true;
            });
        }
    }
}

std::optional<PoisonRead> WrittenMap::find_unwritten(const isa::TensorView& view,
                                                     LocalMemory& local, SystemMemory& system) {
    return view.local ? find_unwritten_local(view, local) : find_unwritten_system(view, system);
}

std::optional<PoisonRead> WrittenMap::find_unwritten_local(const isa::TensorView& view,
                                                           LocalMemory& local) {
    const RunLoops loops = run_loops(view);
    const std::int32_t lane = machine_.lane_of(view.local_addr);
    const std::int64_t slots = isa::channels_per_lane(lane, view.shape.c, machine_.lanes);
    std::int64_t budget = kMaxFootprintRuns;
    std::optional<PoisonRead> found;
    // A word that misses bits: written after all when it does not hold poison.
    const auto settle = [&](std::int64_t m, std::int64_t w, std::uint64_t missing, std::int64_t low,
                            std::int64_t high) {
        const std::int64_t first = std::max(low, w * kWordBytes);
        const std::int64_t last = std::min(high, (w + 1) * kWordBytes);
        for (; missing != 0; missing &= missing - 1) {
            const auto at = static_cast<std::int32_t>(m * kMaskBits + __builtin_ctzll(missing));
            if (all_poison(local.at(at, first), last - first) &&
                !is_padding(w, m, missing & -missing)) {
                found = PoisonRead{view.operand, true, at, first, 0};
                return false;
            }
            local_.words()[w * mask_words_ + m] |= missing & -missing;
        }
        return true;
    };
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        const SlotLanes lanes = slot_lanes(lane, view.shape.c, slot, machine_.lanes);
        const std::int64_t start =
            machine_.offset_of(view.local_addr) + slot * view.stride.c * view.element_bytes;
        for (std::int64_t m = 0; m < mask_words_; ++m) {
            const std::uint64_t bits = lane_bits(lanes, m);
            if (bits == 0) continue;
            const bool clean = loops.for_each([&](std::int64_t offset) {
                const std::int64_t low = start + offset;
                const std::int64_t high = low + loops.run_bytes;
                const std::uint64_t* masks = local_.words() + m;
                const std::int64_t first = low / kWordBytes;
                const std::int64_t end = isa::div_up(high, kWordBytes);
                const std::uint64_t all =
                    bits & common_bits(masks + first * mask_words_, end - first, mask_words_);
                for (std::int64_t w = first; all != bits && w < end; ++w) {
                    const std::uint64_t missing = bits & ~masks[w * mask_words_];
                    if (missing != 0 && !settle(m, w, missing, low, high)) return false;
                }
                return --budget > 0;
            });
            if (!clean) return found;
        }
    }
    return found;
}

bool WrittenMap::is_padding(std::int64_t index, std::int64_t mask, std::uint64_t bit) {
    if (padding_ == PaddingReads::kReported) return false;
    const std::int64_t first = index / machine_.vector_words * machine_.vector_words;
    for (std::int64_t w = first; w < first + machine_.vector_words; ++w) {
        if ((local_.words()[w * mask_words_ + mask] & bit) != 0) return true;
    }
    return false;
}

std::optional<PoisonRead> WrittenMap::find_unwritten_system(const isa::TensorView& view,
                                                            SystemMemory& system) {
    const RunLoops loops = run_loops(view);
    const Bits* bits = bits_of(view.system_addr.value());
    if (bits == nullptr) return std::nullopt;  // the command itself reports the address
    const std::int64_t step = std::int64_t{view.stride.c} * view.element_bytes;
    const bool planes_join = step == loops.run_bytes && loops.count() == 1;
    const std::int64_t channels = planes_join || step == 0 ? 1 : view.shape.c;
    const std::int64_t run_bytes = planes_join ? loops.run_bytes * view.shape.c : loops.run_bytes;
    std::int64_t budget = kMaxFootprintRuns;
    std::optional<PoisonRead> found;
    for (std::int64_t c = 0; c < channels; ++c) {
        const bool clean = loops.for_each([&](std::int64_t offset) {
            const std::uint64_t low = view.system_addr.value() - bits->start +
                                      static_cast<std::uint64_t>(c * step + offset);
            const std::uint64_t high = low + static_cast<std::uint64_t>(run_bytes);
            if (high > bits->bytes) return false;
            for (std::uint64_t g = low / kGranuleBytes; g * kGranuleBytes < high; ++g) {
                std::uint64_t& word = bits->words[g / kMaskBits];
                if (word == ~std::uint64_t{0}) {
                    g |= kMaskBits - 1;
                    continue;
                }
                const std::uint64_t bit = std::uint64_t{1} << (g % kMaskBits);
                if ((word & bit) != 0) continue;
                const std::uint64_t first = std::max(low, g * kGranuleBytes);
                const std::uint64_t last = std::min(high, (g + 1) * kGranuleBytes);
                const std::byte* data = system.pointer(bits->start + first, last - first);
                if (data != nullptr && all_poison(data, static_cast<std::int64_t>(last - first))) {
                    found = PoisonRead{view.operand, false, 0, 0, bits->start + first};
                    return false;
                }
                word |= bit;
            }
            return --budget > 0;
        });
        if (!clean) return found;
    }
    return found;
}

}  // namespace okksim::models
