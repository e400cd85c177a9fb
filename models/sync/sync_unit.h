// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <systemc>

#include "isa/command.h"

namespace okksim::models {

/// Keeps the ids of the last submitted and completed command of each engine and wakes whoever waits
/// for them. Ids ascend by one per engine (isa/command.h).
class SyncUnit : public sc_core::sc_module {
 public:
    explicit SyncUnit(const sc_core::sc_module_name& name) : sc_module(name) {}

    /// Notified in the delta cycle after every completion.
    const sc_core::sc_event& completion(isa::Engine engine) const {
        return completion_[index(engine)];
    }
    /// Notified in the delta cycle after the last outstanding command has completed.
    const sc_core::sc_event& idle_event() const { return idle_; }

    void submitted(isa::Engine engine, isa::CommandId id) { submitted_[index(engine)] = id; }
    void completed(isa::Engine engine, isa::CommandId id);

    /// Last command written to the engine's queue; 0: none.
    isa::CommandId last_submitted(isa::Engine engine) const { return submitted_[index(engine)]; }

    bool is_complete(isa::Engine engine, isa::CommandId id) const {
        return completed_[index(engine)] >= id;
    }
    /// True when everything the command waits for has completed.
    bool may_start(const isa::Command& command) const {
        return is_complete(isa::Engine::kGdma, command.wait_gdma) &&
               is_complete(isa::Engine::kBdc, command.wait_bdc);
    }
    bool idle() const { return submitted_ == completed_; }

    /// Forgets outstanding work and restarts both id streams; only while engines are empty.
    void reset();

 private:
    static std::size_t index(isa::Engine engine) { return static_cast<std::size_t>(engine); }

    std::array<isa::CommandId, 2> submitted_{};
    std::array<isa::CommandId, 2> completed_{};
    std::array<sc_core::sc_event, 2> completion_;
    sc_core::sc_event idle_;
};

}  // namespace okksim::models
