// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/command.h"
#include "models/chip/functional_port.h"

namespace okksim::sim::why {

/// Keeps the contents of a machine's memories before commands change them, so that a recording can
/// be executed again. New memories for each run would take much longer than most kernels.
class UndoLog {
 public:
    /// Maximum number of bytes kept.
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    explicit UndoLog(models::FunctionalPort& port, std::size_t most_bytes = kMostBytes)
        : port_(port), most_bytes_(most_bytes) {}

    /// Call it before a command takes effect. Keeps all bytes from the first to the last one that
    /// the command writes.
    void keep(const isa::Command& command);
    /// Call these before the host or the processor writes bytes of a lane or of a system memory.
    void keep_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    void keep_system(std::uint64_t address, std::uint64_t bytes);

    /// Restores the memories to the state of the empty log and empties the log. Returns false if
    /// the log was too small; the memories are then not restored.
    bool undo();

 private:
    struct Piece {
        std::byte* at = nullptr;
        std::size_t kept = 0;  ///< offset in `bytes_`
        std::size_t bytes = 0;
    };

    void keep(std::byte* at, std::size_t bytes);

    models::FunctionalPort& port_;
    std::size_t most_bytes_;
    std::vector<Piece> pieces_;
    std::vector<std::byte> bytes_;
    bool is_full_ = false;
};

}  // namespace okksim::sim::why
