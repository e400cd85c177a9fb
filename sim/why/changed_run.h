// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/why/line_change.h"
#include "sim/why/recorded_events.h"
#include "sim/why/undo_log.h"

namespace okksim::sim::why {

/// Executes a recording repeatedly, each time with some commands changed.
class ChangedRun {
 public:
    ChangedRun(const Recording& recording, const isa::MachineShape& machine)
        : recording_(recording), shape_(machine) {}

    /// Returns the contents of system memory at `address` at the end of the recording. `change`
    /// applies to the commands `events`, in ascending order; nullptr changes none. Returns nothing
    /// if the machine rejects a command or there is no such memory.
    std::optional<std::vector<std::byte>> results(const LineChange* change,
                                                  std::span<const std::size_t> events,
                                                  std::uint64_t address, std::size_t bytes);

 private:
    void begin();
    /// Returns false if the machine rejects a command.
    bool carry_out(const LineChange* change, std::span<const std::size_t> events);
    void submit(const isa::Command& command);
    std::size_t local_bytes(const Event& event) const;
    void keep(const Event& event);
    void write(const Event& event);

    const Recording& recording_;
    isa::MachineShape shape_;
    std::optional<models::FunctionalPort> port_;  ///< memory before the event `first_`
    std::optional<UndoLog> undo_;
    std::size_t first_ = 0;
};

}  // namespace okksim::sim::why
