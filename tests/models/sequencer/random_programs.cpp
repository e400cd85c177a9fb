// SPDX-License-Identifier: Apache-2.0
#include "tests/models/sequencer/random_programs.h"

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "sim/machine/machine.h"
#include "tests/firmware/recording_port.h"
#include "tests/isa/sample_commands.h"
#include "tests/support/random_calls.h"

namespace okksim::tests {
namespace {

std::vector<isa::Command> make_commands() {
    std::vector<isa::Command> commands;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (row.is_command()) commands.push_back(sample_command(row));
    }
    const isa::MachineShape machine = sim::load_machine("bm1684", program_machine()).params.shape();
    constexpr int kCallsPerFunction = 4;
    RecordingPort port(machine);
    firmware::Context context(port);
    const firmware::Context::Binding binding(context);
    RandomCalls calls(machine, 1);
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_documented()) continue;
        for (int i = 0; i < kCallsPerFunction; ++i) {
            const RandomCall call = calls.valid(row);
            firmware::call_function(call.function, call.arguments);
        }
    }
    commands.insert(commands.end(), port.commands().begin(), port.commands().end());
    return commands;
}

}  // namespace

std::vector<std::string> program_machine() {
    return {"chip.lanes=4",         "chip.local_memory_bytes=4096", "l2.start=0x10000",
            "l2.bytes=0x8000",      "dtcm.start=0x20000",           "dtcm.bytes=0x8000",
            "global.bytes=0x10000", "global.reserved_bytes=0"};
}

const std::vector<isa::Command>& every_command() {
    static const std::vector<isa::Command> commands = make_commands();
    return commands;
}

void RandomProgram::run(isa::CommandPort& port) {
    submitted_ = at_section_ = {};
    for (std::size_t i = 0; i < steps_; ++i) step(port);
}

void RandomProgram::step(isa::CommandPort& port) {
    switch (pick(0, 15)) {
        case 0:
            order_ = static_cast<Order>(pick(0, 2));
            at_section_ = submitted_;
            port.charge(isa::FirmwareCall::kParallelStart);
            return;
        case 1: port.wait_until_idle(); return;
        case 2: port.charge(isa::FirmwareCall::kQuery); return;
        case 3:
        case 4: port.access(access(port.machine())); return;
        case 5:
            port.compute(
                {"work",
                 pick(0, 1) == 0 ? isa::ComputeKind::kInteger : isa::ComputeKind::kSoftFloat,
                 pick(0, 2999)});
            return;
        default: submit(every_command()[random_() % every_command().size()], port); return;
    }
}

void RandomProgram::submit(isa::Command command, isa::CommandPort& port) {
    const isa::Engine kind = command.info().engine;
    const auto wait = [&](isa::Engine waited) {
        const isa::CommandId last = submitted_[static_cast<std::size_t>(waited)];
        switch (order_) {
            case Order::kSerial: return last;
            case Order::kParallel:
                return waited == kind ? last : at_section_[static_cast<std::size_t>(waited)];
            case Order::kAny: return last - pick(0, std::min<isa::CommandId>(last, 4));
        }
        __builtin_unreachable();
    };
    command.wait_gdma = wait(isa::Engine::kGdma);
    command.wait_bdc = wait(isa::Engine::kBdc);
    command.id = ++submitted_[static_cast<std::size_t>(kind)];
    command.instance = 0;
    if (kind == isa::Engine::kBdc) {
        command.instance = static_cast<std::uint16_t>(pick(0, compute_engines_ - 1));
    }
    port.submit(command);
}

isa::ProcessorAccess RandomProgram::access(const isa::MachineShape& machine) {
    const std::vector<isa::MemoryRegion> memories = machine.memories();
    const std::uint64_t start = memories[random_() % memories.size()].start;
    // Up to 40 lines.
    return {isa::SystemAddr::from(start + pick(0, 1023)), pick(1, 1280),
            pick(0, 2) == 0 ? isa::AccessKind::kStore : isa::AccessKind::kLoad};
}

}  // namespace okksim::tests
