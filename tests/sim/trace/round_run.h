// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/chip/in_order_machine.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"
#include "sim/trace/timeline.h"
#include "tests/support/round_commands.h"

namespace okksim::tests {

inline constexpr std::int64_t kMicrosecond = 1'000'000;  // picoseconds

/// A machine whose clocks have cycles of 1 us. A command costs the processor 1 us and the BDC 20
/// us; the GDMA has 10 us of set-up. Memory answers after 3 us and delivers 1 byte per ns.
inline sim::Machine round_machine() {
    return sim::load_machine("bm1684", {"mcu.clock_mhz=1.0",
                                        "mcu.command_cycles=1",
                                        "mcu.query_cycles=2",
                                        "mcu.poll_cycles=4",
                                        "mcu.queue_depth=2",
                                        "host.launch_nanoseconds=5000.0",
                                        "host.sync_nanoseconds=6000.0",
                                        "bdc.clock_mhz=1.0",
                                        "bdc.startup_cycles=20",
                                        "bdc.copy_cycles=0",
                                        "gdma.clock_mhz=1.0",
                                        "gdma.setup_cycles=10",
                                        "gdma.piece_cycles=0.0",
                                        "gdma.local_bytes_per_cycle=1e6",
                                        "gdma.system_bytes_per_cycle=1e6",
                                        "dram.read_latency_nanoseconds=3000.0",
                                        "dram.read_bytes_per_nanosecond=1.0",
                                        "dram.channels=1",
                                        "dram.row_miss_nanoseconds=0.0",
                                        "dram.refresh_nanoseconds=0.0"});
}

inline isa::Command fill(isa::CommandId id, isa::CommandId wait_gdma, isa::CommandId wait_bdc) {
    isa::VectorSet op{};
    op.shape = {1, 1, 1, 1};
    isa::Command command = isa::Command::make(isa::Opcode::bdc_32bit_set_C, op);
    command.id = id;
    command.wait_gdma = wait_gdma;
    command.wait_bdc = wait_bdc;
    return command;
}

/// An access to 40 bytes in the first two lines of global memory.
inline isa::ProcessorAccess part_of_two_lines(const isa::MachineShape& machine) {
    return {isa::SystemAddr::from(machine.global_start + 16), 40, isa::AccessKind::kLoad};
}

/// Runs one load, then three fills that wait for it; then a query and another fill.
inline sim::trace::Account run(sim::trace::Timeline* timeline = nullptr,
                               sim::trace::AccountListener* listener = nullptr) {
    const sim::Machine machine = round_machine();
    models::InOrderMachine port(machine.params);
    sim::trace::Accountant accountant(machine.params);
    accountant.name_launch("sample");
    port.add_observer(accountant);
    if (timeline != nullptr) {
        port.add_observer(*timeline);
        accountant.add_listener(*timeline);
    }
    if (listener != nullptr) accountant.add_listener(*listener);
    port.begin_launch();
    port.submit(load(1, port.machine()));
    port.submit(fill(1, 1, 0));
    port.submit(fill(2, 1, 1));
    port.submit(fill(3, 1, 2));
    port.wait_until_idle();
    port.charge(isa::FirmwareCall::kQuery);
    port.submit(fill(4, 1, 3));
    port.end_launch();
    return accountant.launches().at(0);
}

}  // namespace okksim::tests
