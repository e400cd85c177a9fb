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

/// Carries a recording out again and again, with commands changed.
class ChangedRun {
 public:
    ChangedRun(const Recording& recording, const isa::MachineShape& machine)
        : recording_(recording), shape_(machine) {}

    /// What system memory at `address` holds at the end of the recording when the commands
    /// `events`, in ascending order, are changed (nullptr: none is). Nothing when the machine
    /// refuses one of them, or there is no such memory.
    std::optional<std::vector<std::byte>> results(const LineChange* change,
                                                  std::span<const std::size_t> events,
                                                  std::uint64_t address, std::size_t bytes);

 private:
    void begin();
    /// False when the machine refuses a command.
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
