// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/tensors.h"
#include "models/memory/written_granules.h"
#include "models/memory/written_lanes.h"

namespace okksim::models {

/// Remembers which memory has been written: local memory by 32-bit word and lane, system memory by
/// granules. Memory with content other than LocalMemory::kPoisonByte also counts as written. Stores
/// through host pointers therefore need no report if doubt_local() or doubt_system() gets the
/// pointer. Misses some unwritten reads (partly written granules, commands with very many short
/// pieces). Never reports a read of written memory.
class WrittenMap {
 public:
    static constexpr std::uint64_t kGranuleBytes = 64;

    explicit WrittenMap(const isa::MachineShape& machine,
                        PaddingReads padding = PaddingReads::kReported,
                        std::uint64_t granule_bytes = kGranuleBytes);

    void set_padding(PaddingReads padding) { lanes_.set_padding(padding); }
    /// See WrittenLanes::begin_launch() and is_stale().
    void begin_launch() { lanes_.begin_launch(); }
    bool is_stale(std::int32_t lane, std::int64_t offset) const {
        return lanes_.is_stale(lane, offset);
    }

    /// Returns the first unwritten source of a checked command with these tensors. Call it right
    /// before the command takes effect. Operands count as a whole, even parts that the command
    /// skips.
    std::optional<PoisonRead> find_unwritten(const isa::Command& command,
                                             const isa::TensorViews& views, LocalMemory& local,
                                             SystemMemory& system);
    /// Marks the results as written.
    void mark_results(const isa::Command& command, const isa::TensorViews& views);

    /// True if the word or granule at this location counts as written.
    bool knows_local(std::int32_t lane, std::int64_t offset, const LocalMemory& local) const {
        return lanes_.knows(lane, offset, local);
    }
    bool knows_system(std::uint64_t address, SystemMemory& system) const {
        return system_.knows(address, system);
    }

    /// Returns the first unwritten byte of a range of system memory.
    std::optional<std::uint64_t> find_unwritten(std::uint64_t address, std::uint64_t bytes,
                                                SystemMemory& system) {
        return system_.find_unwritten(address, bytes, system);
    }

    /// See WrittenLanes::doubt() and WrittenGranules::doubt().
    void doubt_local(std::int32_t lane, std::int64_t offset) { lanes_.doubt(lane, offset); }
    void doubt_system(std::uint64_t address) { system_.doubt(address); }

    /// Marks bytes that the host copies as written.
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
