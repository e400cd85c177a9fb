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

/// One chip in its own SystemC kernel. Simulated time continues from launch to launch.
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

    /// Makes SystemC write the engines' states over time as a value change dump. The name must end
    /// in ".vcd". Call it once, before the run. Throws ConfigError if the file cannot be written.
    void trace_vcd(const std::string& path);
    /// Completes the dump, if there is one, and ends it. Throws ConfigError if the disk is full.
    void finish_vcd();

    /// Queues a program on the control processor without running it.
    void launch(models::ProcessorProgram program);
    /// Runs until every launched program has finished. Rethrows exceptions of programs.
    void run();
    /// Advances simulated time while the chip is idle, for work and copies of the host.
    void advance(models::Picoseconds duration);
    /// Copies between the host and global memory while the chip is idle. Simulated time advances
    /// until the link, which takes `link`, and the memory's channels are done.
    void host_copy(std::uint64_t address, std::uint64_t bytes, models::MemoryDirection direction,
                   models::Picoseconds link);
    models::Picoseconds time() const;

 private:
    struct Kernel;  // the SystemC kernel with its chip and its value change dump

    Machine machine_;
    std::unique_ptr<Kernel> kernel_;
};

}  // namespace okksim::sim
