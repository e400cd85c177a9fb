// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "models/chip/chip_options.h"
#include "models/dram/dram_timing.h"
#include "models/mcu/processor_program.h"
#include "sim/machine/machine.h"

namespace okksim::models {
class Chip;
class CommandObserver;
}  // namespace okksim::models

namespace okksim::sim {

/// One chip in its own SystemC kernel. Simulated time continues over any number of launches.
/// This header does not include SystemC: a caller that needs more of the chip includes
/// models/chip/chip.h.
///
///     Simulation simulation(load_machine("bm1684"), {});
///     simulation.launch({.body = kernel, .finished = done});
///     simulation.run();
class Simulation {
 public:
    Simulation(Machine machine, const models::ChipOptions& options);
    ~Simulation();

    const Machine& machine() const { return machine_; }
    models::Chip& chip();
    /// The observer sees the commands of all engines; it must outlive the simulation.
    void add_observer(models::CommandObserver& observer);

    /// Has SystemC write the engines' states over time as a value change dump; the name must end in
    /// ".vcd". Call it once, before the run to be seen. ConfigError when the file cannot be
    /// written.
    void trace_vcd(const std::string& path);
    /// Completes the dump, if there is one; nothing more is written. ConfigError when the disk is
    /// full.
    void finish_vcd();

    /// Queues a program on the control processor; nothing runs yet.
    void launch(models::ProcessorProgram program);
    /// Runs until every launched program has finished. Exceptions of programs are rethrown.
    void run();
    /// Lets simulated time pass while the chip is idle (host work, host copies).
    void advance(models::Picoseconds duration);
    /// The host copies to or from global memory while the chip is idle: time passes until both the
    /// link, which takes `link`, and the memory's channels are done.
    void host_copy(std::uint64_t address, std::uint64_t bytes, models::MemoryDirection direction,
                   models::Picoseconds link);
    models::Picoseconds time() const;

 private:
    struct Kernel;  // the SystemC kernel with its chip and its value change dump

    Machine machine_;
    std::unique_ptr<Kernel> kernel_;
};

}  // namespace okksim::sim
