// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/tensors.h"
#include "models/memory/written_granules.h"
#include "models/memory/written_lanes.h"

namespace okksim::models {

/// Remembers which memory has been written: local memory by 32-bit word and lane, system memory by
/// granules of 64 bytes. Memory that holds anything but LocalMemory::kPoisonByte counts as written
/// too, so stores through host pointers need no report of their own. Misses some unwritten reads
/// (granules written in part, commands with very many short pieces) and never reports a written
/// one, save one whose bytes are all equal to the poison and were stored through a host pointer.
class WrittenMap {
 public:
    explicit WrittenMap(const isa::MachineShape& machine,
                        PaddingReads padding = PaddingReads::kReported);

    /// To be called right before a checked command takes effect: looks for unwritten sources, then
    /// notes the destination as written. Operands count as a whole, whatever the command skips.
    std::optional<PoisonRead> track_command(const isa::Command& command, LocalMemory& local,
                                            SystemMemory& system) {
        const auto found = find_unwritten(command, local, system);
        mark_results(command);
        return found;
    }
    /// The two halves of it.
    std::optional<PoisonRead> find_unwritten(const isa::Command& command, LocalMemory& local,
                                             SystemMemory& system);
    void mark_results(const isa::Command& command);

    /// Whether the word or granule at a place counts as written.
    bool knows_local(std::int32_t lane, std::int64_t offset, const LocalMemory& local) const {
        return lanes_.knows(lane, offset, local);
    }
    bool knows_system(std::uint64_t address, SystemMemory& system) const {
        return system_.knows(address, system);
    }

    /// Notes bytes as written: copies by the host.
    void mark_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes) {
        lanes_.mark(lane, offset, bytes);
    }
    void mark_system(std::uint64_t address, std::uint64_t bytes) { system_.mark(address, bytes); }

 private:
    void mark(const isa::TensorView& view);

    isa::MachineShape machine_;
    WrittenLanes lanes_;
    WrittenGranules system_;
};

}  // namespace okksim::models
