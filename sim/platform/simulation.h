// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "models/chip/chip.h"
#include "sim/machine/machine.h"
#include "sim/platform/piped_file.h"
#include "sim/platform/systemc_context.h"

namespace okksim::sim {

/// One chip in its own SystemC kernel. Simulated time continues from launch to launch.
///
///     Simulation simulation(load_machine("bm1684"), {});
///     simulation.launch({.body = kernel, .finished = done});
///     simulation.run();
class Simulation {
 public:
    Simulation(Machine machine, const models::ChipOptions& options);
    ~Simulation();

    const Machine& machine() const { return machine_; }
    models::Chip& chip() { return *chip_; }

    /// Makes SystemC write the engines' states over time as a value change dump. The name must end
    /// in ".vcd". Call it once, before the run. Throws ConfigError if the file cannot be written.
    void trace_vcd(const std::string& path);
    /// Completes the dump, if there is one, and ends it. Throws ConfigError if the disk is full.
    void finish_vcd();

    /// Queues a program on the control processor without running it.
    void launch(models::Mcu::Program program);
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
    void close_vcd();

    Machine machine_;
    mutable SystemCContext context_;
    std::unique_ptr<models::Chip> chip_;
    std::unique_ptr<PipedFile> vcd_;
    sc_core::sc_trace_file* trace_file_ = nullptr;
};

}  // namespace okksim::sim
