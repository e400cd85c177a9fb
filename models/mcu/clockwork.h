// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <systemc>

#include "models/sequencer/sequencer.h"

namespace okksim::models {

/// Lets the modules that step a sequencer sleep: an engine until it has something to do, the
/// processor until a command retires.
class Clockwork {
 public:
    explicit Clockwork(const Sequencer& sequencer)
        : sequencer_(sequencer), turns_(sequencer.engine_count()) {}

    /// Notified when the engine may have something to do.
    const sc_core::sc_event& turn(std::size_t engine) const { return turns_[engine]; }
    /// Notifies the engine's turn at `time`, or in the next delta cycle when that has come.
    void wake(std::size_t engine, Picoseconds time);
    /// Called from the processor's process: returns in the delta cycle after a retirement.
    void wait_for_retirement();

    /// To be called after a command has joined the engine's queue.
    void submitted(std::size_t engine);
    /// Call from an engine's process after a command has retired, because other commands may start.
    void retired(std::size_t engine);

 private:
    const Sequencer& sequencer_;
    std::deque<sc_core::sc_event> turns_;
    sc_core::sc_event retirement_;
    bool is_awaited_ = false;  ///< the retirement; notifying costs a delta cycle
};

}  // namespace okksim::models
