// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isa/command_port.h"

namespace okksim::tests {

/// Records commands without executing them. Pointers point into a small buffer.
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
    void compute(const isa::Computation& computation) override {
        computed_[std::string(computation.what)] += computation.operations;
    }
    void access(const isa::ProcessorAccess& access) override { accesses_.push_back(access); }
    void* local_pointer(isa::LocalAddr) override { return buffer_; }
    void* system_pointer(std::uint64_t) override { return buffer_; }

    const std::vector<isa::Command>& commands() const { return commands_; }
    void clear() { commands_.clear(); }
    const std::vector<isa::ProcessorAccess>& accesses() const { return accesses_; }
    /// Operations by name.
    const std::map<std::string, std::uint64_t>& computed() const { return computed_; }
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
    std::map<std::string, std::uint64_t> computed_;
    char buffer_[64] = {};
};

}  // namespace okksim::tests
