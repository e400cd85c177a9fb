// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/chip/functional_port.h"
#include "sim/why/event_times.h"
#include "sim/why/operand_elements.h"
#include "sim/why/recorded_events.h"
#include "sim/why/recorded_memory.h"

namespace okksim::sim::why {

/// Moves forward and backward through a recording with data. The position is between two events:
/// all events before it have taken effect. A move backward restarts from the previous checkpoint.
class DebugSession {
 public:
    DebugSession(const Recording& recording, const Machine& machine);

    /// Executes one line of text, e.g. "step 3", and returns its output. Sets `goes_on` to false if
    /// it was the last line. Throws ConfigError with the wrong word for an invalid command.
    std::string execute(std::string_view line, bool& goes_on);

    /// Returns the number of events before the position.
    std::size_t position() const { return memory_.position(); }

 private:
    using Words = std::vector<std::string>;
    struct Verb {
        const char* name;
        const char* short_name;
        const char* help;
        std::string (DebugSession::*run)(const Words& words);
    };
    static const std::vector<Verb>& verbs();

    std::string help(const Words& words);
    std::string where(const Words& words);
    std::string step(const Words& words);
    std::string back(const Words& words);
    std::string go(const Words& words);
    std::string to_line(const Words& words);
    std::string back_to_line(const Words& words);
    std::string to_time(const Words& words);
    std::string to_writer(const Words& words);
    std::string print(const Words& words);

    void move_to(std::size_t position);
    /// Returns the first command at or after `from`, or the end.
    std::size_t command_from(std::size_t from) const;
    bool is_in_line(std::size_t event, const std::string& line) const;
    std::string describe(std::size_t event);
    Place place_of_word(const std::string& word) const;

    const Recording& recording_;
    isa::MachineShape machine_;
    RecordedMemory memory_;
    std::vector<EventTime> times_;  ///< by event; filled on first use
};

}  // namespace okksim::sim::why
