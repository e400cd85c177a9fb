// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>

#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "models/sequencer/command_observer.h"
#include "sim/trace/command_trace_writer.h"

namespace okksim::sim::trace {

/// CRC-32 of the bytes that a command has just written.
std::uint32_t written_crc(const isa::Command& command, const isa::MachineShape& machine,
                          models::LocalMemory& local, models::SystemMemory& system);

/// Writes what a machine does to a command trace. Add it to the machine's observers before the
/// first launch and call finish() after the last one.
class CommandRecorder : public models::CommandObserver {
 public:
    /// Without data CRCs.
    CommandRecorder(const std::filesystem::path& path, const Machine& machine)
        : writer_(path, machine, false) {}
    /// With the CRC of the bytes that each command writes; the machine must run with data.
    CommandRecorder(const std::filesystem::path& path, const Machine& machine,
                    models::LocalMemory& local, models::SystemMemory& system)
        : writer_(path, machine, true),
          shape_(machine.params.shape()),
          local_(&local),
          system_(&system) {}

    /// Names the launches to come, in their order.
    void name_launch(std::string name) { names_.push_back(std::move(name)); }
    void finish();
    const CommandTraceWriter& writer() const { return writer_; }

    void launch_started(models::Picoseconds time) override;
    void launch_finished(models::Picoseconds time) override;
    void charged(isa::FirmwareCall call, std::uint64_t count) override;
    void polled() override;
    void computed(const isa::Computation& computation) override;
    void accessed(const isa::ProcessorAccess& access) override;
    void submitted(const isa::Command& command) override;
    void retired(const isa::Command& command, const models::CommandTimes& times) override;

 private:
    void add(TraceEntry entry);
    /// Writes entries up to the first command that has not retired.
    void write_complete();

    CommandTraceWriter writer_;
    isa::MachineShape shape_;
    models::LocalMemory* local_ = nullptr;  ///< nullptr: no CRCs
    models::SystemMemory* system_ = nullptr;
    std::deque<std::string> names_;
    std::deque<TraceEntry> pending_;  ///< in program order; only with CRCs
    models::Picoseconds start_;
};

}  // namespace okksim::sim::trace
