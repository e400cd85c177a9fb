// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "models/common/units.h"

namespace okksim::models {

/// When each step of a command's life took place.
struct CommandTimes {
    Picoseconds queued;  ///< written to its queue by the control processor
    Picoseconds ready;   ///< head of its queue, engine free, dependencies complete
    Picoseconds start;
    Picoseconds end;  ///< the effect on memory takes place here
};

/// Watches commands without influencing them: traces, statistics, timelines, hazard checks.
class CommandObserver {
 public:
    virtual ~CommandObserver() = default;
    /// A command was written to its queue, in program order.
    virtual void submitted(const isa::Command& command) { (void)command; }
    /// A command is complete; its effect on memory is visible.
    virtual void retired(const isa::Command& command, const CommandTimes& times) {
        (void)command;
        (void)times;
    }
};

}  // namespace okksim::models
