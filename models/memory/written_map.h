// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/tensors.h"
#include "models/memory/written_granules.h"
#include "models/memory/written_lanes.h"

namespace okksim::models {

/// Remembers which memory has been written: local memory by 32-bit word and lane, system memory by
/// granules. Memory that holds anything but LocalMemory::kPoisonByte counts as written
/// too, so stores through host pointers need no report of their own where doubt_local() or
/// doubt_system() is told of the pointer. Misses some unwritten reads (granules written in part,
/// commands with very many short pieces) and never reports a written one.
class WrittenMap {
 public:
    static constexpr std::uint64_t kGranuleBytes = 64;

    explicit WrittenMap(const isa::MachineShape& machine,
                        PaddingReads padding = PaddingReads::kReported,
                        std::uint64_t granule_bytes = kGranuleBytes);

    void set_padding(PaddingReads padding) { lanes_.set_padding(padding); }

    /// To be called right before a checked command with these tensors takes effect: the first
    /// unwritten source. Operands count as a whole, whatever the command skips.
    std::optional<PoisonRead> find_unwritten(const isa::Command& command,
                                             const isa::TensorViews& views, LocalMemory& local,
                                             SystemMemory& system);
    /// Notes its results as written.
    void mark_results(const isa::Command& command, const isa::TensorViews& views);

    /// Whether the word or granule at a place counts as written.
    bool knows_local(std::int32_t lane, std::int64_t offset, const LocalMemory& local) const {
        return lanes_.knows(lane, offset, local);
    }
    bool knows_system(std::uint64_t address, SystemMemory& system) const {
        return system_.knows(address, system);
    }

    /// The first byte of a range of system memory that nobody has written.
    std::optional<std::uint64_t> find_unwritten(std::uint64_t address, std::uint64_t bytes,
                                                SystemMemory& system) {
        return system_.find_unwritten(address, bytes, system);
    }

    /// WrittenLanes::doubt(), WrittenGranules::doubt().
    void doubt_local(std::int32_t lane, std::int64_t offset) { lanes_.doubt(lane, offset); }
    void doubt_system(std::uint64_t address) { system_.doubt(address); }

    /// Notes bytes as written: copies by the host.
    void mark_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes) {
        lanes_.mark(lane, offset, bytes);
    }
    void mark_system(std::uint64_t address, std::uint64_t bytes) { system_.mark(address, bytes); }
    /// WrittenGranules::forget().
    void forget_system(std::uint64_t address, std::uint64_t bytes) {
        system_.forget(address, bytes);
    }

 private:
    void mark(const isa::TensorView& view);

    isa::MachineShape machine_;
    WrittenLanes lanes_;
    WrittenGranules system_;
};

}  // namespace okksim::models
