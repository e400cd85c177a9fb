// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/tile_places.h"

#include <algorithm>
#include <vector>

namespace okksim::kernels::conv {
namespace {

/// Buffers of equal size that tiles use in turn.
struct Slots {
    std::int64_t first = 0;  ///< address
    std::int64_t bytes = 0;  ///< of one
    std::int64_t count = 1;
};

/// Slots that hold an operand's words for products.
Slots words_of(const OperandBuffers& buffers, local_addr_t place) {
    if (buffers.plane_slots == 0) return {place, buffers.packed_bytes, buffers.packed_slots};
    const std::int64_t packed = std::int64_t{buffers.packed_slots} * buffers.packed_bytes;
    return {place + packed, buffers.plane_bytes, buffers.plane_slots};
}

Slots sums_of(const Tiling& tiling, const SumRule& rule, const TilePlaces& places) {
    if (sum_memory(rule).ring_planes > 0) {
        return {places.ring, tiling.ring_bytes, tiling.ring_slots};
    }
    return {places.work, tiling.plane_bytes, 1};
}

/// Use of each bank, as a fraction of all slots.
class BankUse {
 public:
    explicit BankUse(const isa::MachineShape& machine)
        : bank_bytes_(machine.local_bytes / machine.local_banks),
          parts_(static_cast<std::size_t>(machine.local_banks)) {}

    void add(const Slots& slots) {
        for (std::int64_t i = 0; i < slots.count; ++i) {
            for (std::size_t bank = first(slots, i); bank <= last(slots, i); ++bank) {
                parts_[bank] += 1 / static_cast<double>(slots.count);
            }
        }
    }
    /// Mean use of the banks of one slot.
    double of(const Slots& slots, std::int64_t index) const {
        double used = 0;
        for (std::size_t bank = first(slots, index); bank <= last(slots, index); ++bank) {
            used += parts_[bank];
        }
        return used / static_cast<double>(last(slots, index) - first(slots, index) + 1);
    }
    /// Combined use by two operands that choose their slots independently.
    static BankUse either(const BankUse& a, const BankUse& b) {
        BankUse both = a;
        for (std::size_t i = 0; i < both.parts_.size(); ++i) {
            both.parts_[i] = 1 - (1 - a.parts_[i]) * (1 - b.parts_[i]);
        }
        return both;
    }

 private:
    std::size_t bank_of(std::int64_t address) const {
        return std::min(static_cast<std::size_t>(address / bank_bytes_), parts_.size() - 1);
    }
    std::size_t first(const Slots& slots, std::int64_t index) const {
        return bank_of(slots.first + index * slots.bytes);
    }
    std::size_t last(const Slots& slots, std::int64_t index) const {
        return bank_of(slots.first + (index + 1) * slots.bytes - 1);
    }

    std::int64_t bank_bytes_;
    std::vector<double> parts_;
};

BankUse others_of(const Slots& input, const Slots& sums, const isa::MachineShape& machine) {
    BankUse inputs(machine);
    inputs.add(input);
    BankUse results(machine);
    results.add(sums);
    return BankUse::either(inputs, results);
}

}  // namespace

TilePlaces place_tiles(const Tiling& tiling, LocalRange& range) {
    const auto planes = [&tiling](int count) {
        return static_cast<std::uint32_t>(count) * tiling.plane_bytes;
    };
    TilePlaces places;
    places.input = range.take(tiling.input.bytes());
    places.ring = range.take(static_cast<std::uint32_t>(tiling.ring_slots) * tiling.ring_bytes);
    places.work = range.take(planes(tiling.work_planes));
    places.operands = range.take(planes(tiling.operand_planes));
    places.scratch = range.take(tiling.scratch_bytes);
    places.weights = range.take_last(tiling.weights.bytes());
    return places;
}

double shared_banks(const Tiling& tiling, const SumRule& rule, const TilePlaces& places,
                    const isa::MachineShape& machine) {
    const BankUse others =
        others_of(words_of(tiling.input, places.input), sums_of(tiling, rule, places), machine);
    const Slots weights = words_of(tiling.weights, places.weights);
    double sum = 0;
    for (std::int64_t i = 0; i < weights.count; ++i) sum += others.of(weights, i);
    return sum / static_cast<double>(weights.count);
}

double shared_banks_at(local_addr_t weights, const Tiling& tiling, const SumRule& rule,
                       const TilePlaces& places, const isa::MachineShape& machine) {
    Slots input = words_of(tiling.input, places.input);
    Slots sums = sums_of(tiling, rule, places);
    Slots at = words_of(tiling.weights, weights);
    at.first = weights;
    input.count = sums.count = at.count = 1;
    return others_of(input, sums, machine).of(at, 0);
}

}  // namespace okksim::kernels::conv
