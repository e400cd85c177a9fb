// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/layout.h"
#include "isa/tensors.h"
#include "models/memory/footprint.h"
#include "models/memory/local_memory.h"
#include "models/memory/poison_read.h"
#include "models/memory/sparse_bits.h"

namespace okksim::models {

/// Treatment of reads of the words between a channel's data and the end of its vector.
enum class PaddingReads : std::uint8_t {
    kReported,
    /// No finding if a word of the same vector has been written, because vector code rounds up.
    kTolerated,
};

/// Bits of mask word `index` for lanes [lanes.first, lanes.last).
inline std::uint64_t lane_bits(const SlotLanes& lanes, std::int64_t index) {
    constexpr std::int64_t kBits = SparseBits::kWordBits;
    const std::int64_t base = index * kBits;
    const std::int64_t low = std::clamp<std::int64_t>(lanes.first - base, 0, kBits);
    const std::int64_t high = std::clamp<std::int64_t>(lanes.last - base, 0, kBits);
    return SparseBits::below(high) & ~SparseBits::below(low);
}

/// Calls visit(mask word of a word's lanes, bits of its lanes, first byte) for every run of a local
/// tensor until it returns false. Returns false in that case. A 32-bit word has one mask word per
/// 64 lanes. `loops` are the runs of a channel, from byte `base` of the channel on.
template <typename Visitor>
bool for_each_lane_run(const isa::TensorView& view, const RunLoops& loops, std::int64_t base,
                       const isa::MachineShape& machine, const Visitor& visit) {
    const std::int64_t mask_words = isa::div_up(machine.lanes, SparseBits::kWordBits);
    const std::int32_t lane = machine.lane_of(view.local_addr);
    const bool is_one = std::int64_t{lane} + view.shape.c <= machine.lanes;  // saves a division
    const std::int64_t slots =
        is_one ? 1 : isa::channels_per_lane(lane, view.shape.c, machine.lanes);
    for (std::int64_t slot = 0; slot < slots; ++slot) {
        const SlotLanes lanes = slot_lanes(lane, view.shape.c, slot, machine.lanes);
        const std::int64_t start =
            machine.offset_of(view.local_addr) + base + slot * view.stride.c * view.element_bytes;
        for (std::int64_t m = 0; m < mask_words; ++m) {
            const std::uint64_t bits = lane_bits(lanes, m);
            if (bits == 0) continue;
            const bool on =
                loops.for_each([&](std::int64_t offset) { return visit(m, bits, start + offset); });
            if (!on) return false;
        }
    }
    return true;
}

/// Calls visit(index of the mask word, bits of its lanes) for every 32-bit word, likewise.
template <typename Visitor>
bool for_each_lane_mask(const isa::TensorView& view, const RunLoops& loops, std::int64_t base,
                        const isa::MachineShape& machine, const Visitor& visit) {
    const std::int64_t mask_words = isa::div_up(machine.lanes, SparseBits::kWordBits);
    return for_each_lane_run(
        view, loops, base, machine, [&](std::int64_t m, std::uint64_t bits, std::int64_t low) {
            const std::int64_t end =
                isa::div_up(low + loops.run_bytes, std::int64_t{isa::kWordBytes});
            for (std::int64_t w = low / isa::kWordBytes; w < end; ++w) {
                if (!visit(w * mask_words + m, bits)) return false;
            }
            return true;
        });
}

/// Set of written 32-bit words of local memory: a set of lanes per word.
class WrittenLanes {
 public:
    WrittenLanes(const isa::MachineShape& machine, PaddingReads padding);
    void set_padding(PaddingReads padding) { padding_ = padding; }
    /// Words that were written before count as uninitialised until they are written again.
    void begin_launch();
    /// True if the word at a byte was written before the last begin_launch() only.
    bool is_stale(std::int32_t lane, std::int64_t offset) const {
        return is_stale_word(offset / isa::kWordBytes, lane / SparseBits::kWordBits,
                             std::uint64_t{1} << (lane % SparseBits::kWordBits));
    }

    /// True if the tensor is remembered as completely written.
    bool is_whole(const isa::TensorView& view) {
        const Whole& whole = remembered(view);
        return whole.address == view.local_addr && whole.shape == view.shape &&
               whole.stride == view.stride && whole.element_bytes == view.element_bytes;
    }
    void mark(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    /// Marks a local tensor as written; `loops` are the runs of a channel, from byte `base` of the
    /// channel on.
    void mark(const isa::TensorView& view, const RunLoops& loops, std::int64_t base);
    /// Returns the first unwritten word of a local tensor. From now on, words with content other
    /// than poison also count as written.
    std::optional<PoisonRead> find_unwritten(const isa::TensorView& view, LocalMemory& local);
    /// The firmware may have stored poison bytes at or after `offset` of the lane through a
    /// pointer. From now on all these bytes count as written.
    void doubt(std::int32_t lane, std::int64_t offset);
    /// True if find_unwritten() treats the word at a byte as written.
    bool knows(std::int32_t lane, std::int64_t offset, const LocalMemory& local) const;

 private:
    /// True if the bytes of a lane equal those of fresh memory.
    bool is_fresh(std::int32_t lane, std::int64_t first, std::int64_t last,
                  const LocalMemory& local) const {
        return first < doubted_[static_cast<std::size_t>(lane)] &&
               (all_poison(local.at(lane, first), last - first) || is_stale(lane, first));
    }
    bool is_stale_word(std::int64_t index, std::int64_t mask, std::uint64_t bit) const {
        const std::int64_t at = index * mask_words_ + mask;
        return at < stale_end_ && (stale_.words()[at] & ~masks_.words()[at] & bit) != 0;
    }
    /// Extends the range of mask words that begin_launch() visits.
    void note_end(std::int64_t word_end) {
        written_end_ = std::max(written_end_, word_end * mask_words_);
    }
    /// True if a word of the vector around word `index` is written in the lane of `bit`.
    bool is_padding(std::int64_t index, std::int64_t mask, std::uint64_t bit) const;

    /// Key of a completely written tensor; one cache line.
    struct alignas(64) Whole {
        isa::LocalAddr address;
        std::int32_t element_bytes = 0;  ///< 0: none
        isa::Dim4 shape;
        isa::Dim4 stride;
    };

    void remember(const isa::TensorView& view) {
        remembered(view) = {view.local_addr, view.element_bytes, view.shape, view.stride};
    }
    /// Returns the entry of a tensor in the table of completely written tensors. Such tensors stay
    /// written.
    Whole& remembered(const isa::TensorView& view) {
        // Buffers of kernels are often a power of two apart, so all bits of an address must count.
        constexpr std::uint32_t kGoldenRatio = 0x9E3779B1;
        return whole_[(view.local_addr.value * kGoldenRatio) >> (32 - kRememberedBits)];
    }
    isa::MachineShape machine_;
    PaddingReads padding_;
    std::int64_t mask_words_;  ///< 64-bit words of a set of lanes
    SparseBits masks_;
    SparseBits stale_;                   ///< written in earlier launches
    std::int64_t written_end_ = 0;       ///< all mask words from here on are 0
    std::int64_t stale_end_ = 0;         ///< all words of `stale_` from here on are 0
    std::vector<std::int64_t> doubted_;  ///< per lane: from this byte on, see doubt()
    static constexpr int kRememberedBits = 10;
    std::array<Whole, std::size_t{1} << kRememberedBits> whole_{};
};

}  // namespace okksim::models
