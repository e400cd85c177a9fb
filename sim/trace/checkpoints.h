// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "sim/trace/command_trace_writer.h"

namespace okksim::sim::trace {

/// Prefix of a checkpoint's name. After it come the numbers of commands that follow the checkpoint
/// but have already taken effect. Numbers count from 0, the first command after the checkpoint.
inline constexpr std::string_view kCheckpointName = "checkpoint:";

/// Work between two checkpoints, in operations: a few seconds of host time.
inline constexpr std::uint64_t kWorkApart = 20'000'000'000;

/// Writes the contents of memory in the middle of a recording. A reader that needs a late value can
/// then start there instead of executing all earlier commands. A checkpoint is an entry kBuffer
/// with the name above; entries kData with its bytes follow. Local memory begins at the address
/// `[chip] local_memory_start`.
class Checkpoints {
 public:
    Checkpoints(const Machine& machine, models::LocalMemory& local, models::SystemMemory& system,
                std::uint64_t work_apart, std::uint64_t most_bytes);

    void submitted(const isa::Command& command);
    bool is_due() const { return work_ >= work_apart_; }
    /// Call it between two entries of the trace; `ahead` are the numbers in the name. Writes
    /// nothing if the checkpoint would exceed what is left of `most_bytes` for all checkpoints.
    void write(const std::vector<std::uint64_t>& ahead, CommandTraceWriter& writer);

 private:
    struct Piece {
        std::uint64_t address = 0;
        std::span<const std::byte> bytes;
    };
    void note_written(std::uint64_t begin, std::uint64_t end);
    void add_lanes(std::vector<Piece>& pieces) const;
    void add_system(std::vector<Piece>& pieces) const;

    isa::MachineShape shape_;
    std::uint64_t local_start_;
    models::LocalMemory& local_;
    models::SystemMemory& system_;
    std::uint64_t work_apart_;
    std::uint64_t bytes_left_;
    std::uint64_t work_ = 0;
    std::map<std::uint64_t, std::uint64_t> written_;  ///< system memory, begin to end
};

}  // namespace okksim::sim::trace
