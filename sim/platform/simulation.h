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

/// One chip in its own SystemC kernel. Simulated time goes on over any number of launches.
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

    /// Has SystemC write the engines' states over time as a value change dump; the name must end in
    /// ".vcd". Call it once, before the run to be seen. ConfigError when the file cannot be
    /// written.
    void trace_vcd(const std::string& path);
    /// Completes the dump, if there is one; nothing more is written. ConfigError when the disk is
    /// full.
    void finish_vcd();

    /// Queues a program on the control processor; nothing runs yet.
    void launch(models::Mcu::Program program);
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
    void close_vcd();

    Machine machine_;
    mutable SystemCContext context_;
    std::unique_ptr<models::Chip> chip_;
    std::unique_ptr<PipedFile> vcd_;
    sc_core::sc_trace_file* trace_file_ = nullptr;
};

}  // namespace okksim::sim
