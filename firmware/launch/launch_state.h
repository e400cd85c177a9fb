// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <set>
#include <string>

#include "firmware/launch/context_options.h"
#include "firmware/launch/fault_delivery.h"
#include "isa/base/finding.h"
#include "isa/command_port.h"

namespace okksim::firmware {

/// The part of a Context that the checks and watches of a launch need. It has the machine, the
/// options, the way of faults out of the kernel, and the findings so far.
class LaunchState {
 public:
    LaunchState(const LaunchState&) = delete;
    LaunchState& operator=(const LaunchState&) = delete;

    isa::CommandPort& port() const { return port_; }
    const isa::MachineShape& machine() const { return machine_; }
    const ContextOptions& options() const { return options_; }
    FaultDelivery& delivery() { return delivery_; }
    /// The number of commands issued in this launch. Any thread may read it.
    std::uint64_t issued() const { return issued_.load(std::memory_order_relaxed); }

    /// Reports a probable mistake of the call that runs, once per launch for each `key`.
    void report(FindingKind kind, const std::string& key, std::string message);
    /// Reports a probable mistake with its call stack.
    void report(FindingKind kind, const std::string& key, std::string message,
                const RawCallStack& stack);

 protected:
    LaunchState(isa::CommandPort& port, ContextOptions options);
    ~LaunchState() = default;

    /// Forgets commands and findings of the last launch.
    void forget_last_launch();
    void count_command() { issued_.store(issued() + 1, std::memory_order_relaxed); }

 private:
    isa::CommandPort& port_;
    isa::MachineShape machine_;
    ContextOptions options_;
    FaultDelivery delivery_;
    std::atomic<std::uint64_t> issued_ = 0;
    std::set<std::string> reported_;  ///< keys of findings in this launch
};

}  // namespace okksim::firmware
