// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "isa/command_port.h"
#include "models/sequencer/command_observer.h"
#include "sim/machine/ensemble.h"

namespace okksim::sim::trace {

/// A run's commands and calls in memory, to time the same run on many machines without reading it
/// again. These machines must have the shape of the machine that ran.
class KeptCommands {
 public:
    struct Launch {};
    struct Poll {};
    struct Calls {
        isa::FirmwareCall call;
        std::uint64_t count = 1;
    };
    using Event =
        std::variant<Launch, Poll, Calls, isa::Computation, isa::ProcessorAccess, isa::Command>;

    void add(Event event) { events_.push_back(std::move(event)); }
    std::size_t size() const { return events_.size(); }
    void clear() { events_.clear(); }
    /// Returns the time of all launches. Each starts from idle and includes the host's launch and
    /// sync.
    double microseconds(const Machine& machine) const;

 private:
    std::vector<Event> events_;
};

/// Keeps the commands of a run or a replay to compute the band of its time. Beyond kMost events it
/// keeps nothing.
class BandObserver : public models::CommandObserver {
 public:
    static constexpr std::size_t kMost = 200'000;

    /// Returns the band over the ensemble's parameter sets in us; nothing if there were too many
    /// events.
    std::optional<Band> band(const Ensemble& ensemble) const;

    void submitted(const isa::Command& command) override { keep(command); }
    void launch_started(models::Picoseconds) override { keep(KeptCommands::Launch{}); }
    void charged(isa::FirmwareCall call, std::uint64_t count) override {
        keep(KeptCommands::Calls{call, count});
    }
    void computed(const isa::Computation& computation) override {
        keep(isa::Computation{{}, computation.kind, computation.operations});
    }
    void polled() override { keep(KeptCommands::Poll{}); }
    void accessed(const isa::ProcessorAccess& access) override { keep(access); }

 private:
    void keep(KeptCommands::Event event) {
        if (too_many_) return;
        kept_.add(std::move(event));
        too_many_ = kept_.size() > kMost;
        if (too_many_) kept_.clear();
    }

    KeptCommands kept_;
    bool too_many_ = false;
};

}  // namespace okksim::sim::trace
