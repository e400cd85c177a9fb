// SPDX-License-Identifier: Apache-2.0
#include "models/memory/written_lanes.h"

#include <algorithm>
#include <utility>

#include "isa/layout.h"

namespace okksim::models {
namespace {

constexpr std::int64_t kMapWordBytes = isa::kWordBytes;

/// Sets `bits` in `count` masks, `step` words apart. The usual machine has one word per mask.
void set_bits(std::uint64_t* masks, std::int64_t count, std::int64_t step, std::uint64_t bits) {
    if (step == 1) {
        for (std::int64_t i = 0; i < count; ++i) masks[i] |= bits;
        return;
    }
    for (std::int64_t i = 0; i < count; ++i) masks[i * step] |= bits;
}

/// Bits set in all of `count` masks.
std::uint64_t common_bits(const std::uint64_t* masks, std::int64_t count, std::int64_t step) {
    std::uint64_t all = ~std::uint64_t{0};
    if (step == 1) {
        for (std::int64_t i = 0; i < count; ++i) all &= masks[i];
        return all;
    }
    for (std::int64_t i = 0; i < count; ++i) all &= masks[i * step];
    return all;
}

}  // namespace

WrittenLanes::WrittenLanes(const isa::MachineShape& machine, PaddingReads padding)
    : machine_(machine),
      padding_(padding),
      mask_words_(isa::div_up(machine.lanes, SparseBits::kWordBits)),
      masks_(static_cast<std::uint64_t>(isa::div_up(machine.local_bytes, kMapWordBytes) *
                                        mask_words_)),
      stale_(static_cast<std::uint64_t>(isa::div_up(machine.local_bytes, kMapWordBytes) *
                                        mask_words_)),
      doubted_(static_cast<std::size_t>(machine.lanes), INT64_MAX) {}

void WrittenLanes::begin_launch() {
    for (std::int64_t i = 0; i < written_end_; ++i) {
        stale_.words()[i] |= std::exchange(masks_.words()[i], 0);
    }
    stale_end_ = std::max(stale_end_, std::exchange(written_end_, 0));
    whole_.fill({});
}

void WrittenLanes::mark(std::int32_t lane, std::int64_t offset, std::int64_t bytes) {
    const std::int64_t end = isa::div_up(offset + bytes, kMapWordBytes);
    note_end(end);
    const std::uint64_t bit = std::uint64_t{1} << (lane % SparseBits::kWordBits);
    std::uint64_t* masks = masks_.words() + lane / SparseBits::kWordBits;
    for (std::int64_t word = offset / kMapWordBytes; word < end; ++word) {
        masks[word * mask_words_] |= bit;
    }
}

void WrittenLanes::mark(const isa::TensorView& view, const RunLoops& loops, std::int64_t base) {
    for_each_lane_run(
        view, loops, base, machine_, [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
            const std::int64_t first = low / kMapWordBytes;
            const std::int64_t end = isa::div_up(low + loops.run_bytes, kMapWordBytes);
            note_end(end);
            set_bits(masks_.words() + first * mask_words_ + m, end - first, mask_words_, bits);
            return true;
        });
    remember(view);
}

std::optional<PoisonRead> WrittenLanes::find_unwritten(const isa::TensorView& view,
                                                       LocalMemory& local) {
    const RunLoops loops = run_loops(view);
    std::int64_t budget = kMaxFootprintRuns;
    std::optional<PoisonRead> found;
    // A word that misses bits: written after all when it does not hold poison.
    const auto settle = [&](std::int64_t m, std::int64_t w, std::uint64_t missing, std::int64_t low,
                            std::int64_t high) {
        const std::int64_t first = std::max(low, w * kMapWordBytes);
        const std::int64_t last = std::min(high, (w + 1) * kMapWordBytes);
        for (; missing != 0; missing &= missing - 1) {
            const auto at =
                static_cast<std::int32_t>(m * SparseBits::kWordBits + __builtin_ctzll(missing));
            if (is_fresh(at, first, last, local) && !is_padding(w, m, missing & -missing)) {
                found = PoisonRead{view.operand, true, at, first, 0, is_stale(at, first)};
                return false;
            }
            note_end(w + 1);
            masks_.words()[w * mask_words_ + m] |= missing & -missing;
        }
        return true;
    };
    const bool is_written = for_each_lane_run(
        view, loops, 0, machine_, [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
            const std::int64_t high = low + loops.run_bytes;
            const std::uint64_t* masks = masks_.words() + m;
            const std::int64_t first = low / kMapWordBytes;
            const std::int64_t end = isa::div_up(high, kMapWordBytes);
            const std::uint64_t all =
                bits & common_bits(masks + first * mask_words_, end - first, mask_words_);
            for (std::int64_t w = first; all != bits && w < end; ++w) {
                const std::uint64_t missing = bits & ~masks[w * mask_words_];
                if (missing != 0 && !settle(m, w, missing, low, high)) return false;
            }
            return --budget > 0;
        });
    if (is_written) remember(view);
    return found;
}

void WrittenLanes::doubt(std::int32_t lane, std::int64_t offset) {
    std::int64_t& doubted = doubted_[static_cast<std::size_t>(lane)];
    doubted = std::min(doubted, offset / kMapWordBytes * kMapWordBytes);
}

bool WrittenLanes::knows(std::int32_t lane, std::int64_t offset, const LocalMemory& local) const {
    const std::int64_t index = offset / kMapWordBytes;
    const std::int64_t mask = lane / SparseBits::kWordBits;
    const std::uint64_t bit = std::uint64_t{1} << (lane % SparseBits::kWordBits);
    return (masks_.words()[index * mask_words_ + mask] & bit) != 0 ||
           !is_fresh(lane, index * kMapWordBytes, (index + 1) * kMapWordBytes, local) ||
           is_padding(index, mask, bit);
}

bool WrittenLanes::is_padding(std::int64_t index, std::int64_t mask, std::uint64_t bit) const {
    if (padding_ == PaddingReads::kReported) return false;
    const std::int64_t first = index / machine_.vector_words * machine_.vector_words;
    for (std::int64_t w = first; w < first + machine_.vector_words; ++w) {
        if ((masks_.words()[w * mask_words_ + mask] & bit) != 0) return true;
    }
    return false;
}

}  // namespace okksim::models
