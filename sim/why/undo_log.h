// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/command.h"
#include "models/chip/functional_port.h"

namespace okksim::sim::why {

/// What the memories of a machine held before commands changed them, so that they can be carried
/// out again in other ways: fresh memories for each time cost far more than most kernels do.
class UndoLog {
 public:
    /// Bytes that are kept at most.
    static constexpr std::size_t kMostBytes = std::size_t{256} << 20;

    explicit UndoLog(models::FunctionalPort& port, std::size_t most_bytes = kMostBytes)
        : port_(port), most_bytes_(most_bytes) {}

    /// To be called before a command takes effect: keeps all between the first and the last byte
    /// that it writes.
    void keep(const isa::Command& command);
    /// To be called before somebody else writes bytes of a lane or of one system memory.
    void keep_local(std::int32_t lane, std::int64_t offset, std::int64_t bytes);
    void keep_system(std::uint64_t address, std::uint64_t bytes);

    /// The memories are as they were when the log was empty, and it is empty again. False when it
    /// was more than the log keeps: they are not, then.
    bool undo();

 private:
    struct Piece {
        std::byte* at = nullptr;
        std::size_t kept = 0;  ///< where its bytes begin in `bytes_`
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
