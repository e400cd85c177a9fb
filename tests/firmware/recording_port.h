// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "isa/command_port.h"

namespace okksim::tests {

/// Keeps the commands it is given; nothing is carried out. Pointers point into a small buffer.
class RecordingPort : public isa::CommandPort {
 public:
    explicit RecordingPort(const isa::MachineShape& machine) : machine_(machine) {}

    const isa::MachineShape& machine() const override { return machine_; }
    void submit(const isa::Command& command) override {
        if (on_submit) on_submit(command);
        commands_.push_back(command);
    }
    void wait_until_idle() override { ++waits_; }
    void charge(isa::FirmwareCall call) override { ++charges_[call]; }
    void access(const isa::ProcessorAccess& access) override { accesses_.push_back(access); }
    void* local_pointer(isa::LocalAddr) override { return buffer_; }
    void* system_pointer(std::uint64_t) override { return buffer_; }

    const std::vector<isa::Command>& commands() const { return commands_; }
    void clear() { commands_.clear(); }
    const std::vector<isa::ProcessorAccess>& accesses() const { return accesses_; }
    int waits() const { return waits_; }
    int charges(isa::FirmwareCall call) const {
        const auto found = charges_.find(call);
        return found == charges_.end() ? 0 : found->second;
    }

    /// Called before a command is kept; may throw.
    std::function<void(const isa::Command&)> on_submit;

 private:
    isa::MachineShape machine_;
    std::vector<isa::Command> commands_;
    std::vector<isa::ProcessorAccess> accesses_;
    int waits_ = 0;
    std::map<isa::FirmwareCall, int> charges_;
    char buffer_[64] = {};
};

}  // namespace okksim::tests
