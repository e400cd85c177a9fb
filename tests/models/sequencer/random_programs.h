// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "isa/command_port.h"

namespace okksim::tests {

/// Settings of the machine for which the commands below are made: 4 lanes of 4 KiB.
std::vector<std::string> program_machine();

/// At least one command of every opcode, and the commands of random valid calls of every function.
const std::vector<isa::Command>& every_command();

/// A program of random commands with random dependencies, serial and parallel sections, polls, and
/// calls without a command. It charges computing and accesses every memory by loads and stores.
/// Equal seeds give equal programs.
class RandomProgram {
 public:
    RandomProgram(unsigned seed, std::size_t steps, unsigned compute_engines = 1)
        : random_(seed), steps_(steps), compute_engines_(compute_engines) {}

    void run(isa::CommandPort& port);

 private:
    std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
        return low + random_() % (high - low + 1);
    }
    void step(isa::CommandPort& port);
    void submit(isa::Command command, isa::CommandPort& port);
    isa::ProcessorAccess access(const isa::MachineShape& machine);

    enum class Order : std::uint8_t { kSerial, kParallel, kAny };

    std::mt19937 random_;
    std::size_t steps_;
    unsigned compute_engines_;
    Order order_ = Order::kSerial;
    std::array<isa::CommandId, isa::kEngineKinds> submitted_{};
    std::array<isa::CommandId, isa::kEngineKinds> at_section_{};
};

}  // namespace okksim::tests
