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

/// How the name of a checkpoint begins; behind it stand the numbers of those of the following
/// commands, counted from 0, that had had their effect before.
inline constexpr std::string_view kCheckpointName = "checkpoint:";

/// Work between two checkpoints, in elements and operations: some seconds of the host's time.
inline constexpr std::uint64_t kWorkApart = 20'000'000'000;

/// Writes what memory holds in the middle of a recording, so that who wants to know a late value
/// need not carry out all commands before it: an entry kBuffer named as above, whose bytes follow
/// as entries kData. Local memory stands there from `[chip] local_memory_start` on.
class Checkpoints {
 public:
    Checkpoints(const Machine& machine, models::LocalMemory& local, models::SystemMemory& system,
                std::uint64_t work_apart, std::uint64_t most_bytes);

    void submitted(const isa::Command& command);
    bool is_due() const { return work_ >= work_apart_; }
    /// To be called between two entries of the trace; `ahead`: the numbers in its name. Writes
    /// nothing when all checkpoints would have more than `most_bytes`.
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
    std::map<std::uint64_t, std::uint64_t> written_;  ///< system memory that commands write
};

}  // namespace okksim::sim::trace
