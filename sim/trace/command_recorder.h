// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/memory/local_memory.h"
#include "models/memory/system_memory.h"
#include "models/sequencer/command_observer.h"
#include "sim/device/chip_device.h"
#include "sim/trace/checkpoints.h"
#include "sim/trace/command_trace_writer.h"

namespace okksim::sim::trace {

/// CRC-32 of the bytes that a command has just written.
std::uint32_t written_crc(const isa::Command& command, const isa::MachineShape& machine,
                          models::LocalMemory& local, models::SystemMemory& system);

/// Name of a marker in a recording with data. From here to the end of the launch, the recording
/// lacks stores of the control processor's own code.
inline constexpr std::string_view kStoresLostName = "stores-lost:";
/// Name of a marker after the begin of a launch: the buffer's size is the launch's start time in
/// picoseconds.
inline constexpr std::string_view kBegunName = "begun:";

/// Name of a marker before the fill bytes of fresh memory. The buffer's address and size give
/// memory that the host has freed and allocated again.
inline constexpr std::string_view kForgottenName = "forgotten:";

/// Optional contents of a recording.
struct RecordedParts {
    bool crc = false;   ///< CRC of the bytes that each command writes
    bool data = false;  ///< bytes that host and processor write
    /// The device reports stores to processor_stored(), so the recorder ignores the stores that
    /// kernels declare.
    bool sees_stores = false;
    std::uint64_t most_bytes = CommandTraceWriter::kMostBytes;
    std::uint64_t work_apart = kWorkApart;  ///< between checkpoints; only with CRCs and data
};

/// Records a machine's run in a command trace. Add it to the machine's observers before the first
/// launch and call finish() after the last one.
class CommandRecorder : public models::CommandObserver {
 public:
    /// Records commands and times only.
    CommandRecorder(const std::filesystem::path& path, const Machine& machine)
        : writer_(path, machine, 0) {}
    /// Takes CRCs and data from the memories; for these the machine must run with data.
    CommandRecorder(const std::filesystem::path& path, const Machine& machine,
                    const RecordedParts& parts, models::LocalMemory& local,
                    models::SystemMemory& system);

    /// Sets the function that returns the source line of a command; empty if lines are unknown.
    void set_lines(std::function<std::string(const isa::Command&)> line_of) {
        line_of_ = std::move(line_of);
    }
    /// Records bytes that the host has copied to the chip. No effect without RecordedParts::data.
    void host_copied(const HostCopy& copy);
    /// Records that reallocated memory is uninitialised again.
    void host_forgot(std::uint64_t address, std::uint64_t bytes);
    /// Records a store by the kernel's own code. It replaces the store that the kernel declares
    /// with okk_store_addr.
    void processor_stored(const ProcessorStore& store);
    void processor_stores_lost();
    void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes);

    /// Names the next unnamed launch.
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
    void add_place(std::string line);
    /// Adds the bytes of the stores that the processor has declared so far.
    void add_stores();
    /// Writes entries up to the first command that has not retired.
    void write_complete();
    void write_checkpoint();

    CommandTraceWriter writer_;
    isa::MachineShape shape_;
    models::LocalMemory* local_ = nullptr;  ///< nullptr without CRCs
    models::SystemMemory* system_ = nullptr;
    std::deque<std::string> names_;
    std::deque<TraceEntry> pending_;  ///< in program order; only with CRCs
    models::Picoseconds start_;
    std::function<std::string(const isa::Command&)> line_of_;
    std::string line_;  ///< of the last command
    bool with_data_ = false;
    std::optional<Checkpoints> checkpoints_;
    models::SystemMemory* stored_to_ = nullptr;
    std::vector<isa::ProcessorAccess> stores_;  ///< declared, perhaps not yet done
    bool sees_stores_ = false;                  ///< RecordedParts::sees_stores
    bool stores_are_lost_ = false;              ///< for the rest of this launch
    std::deque<std::vector<std::byte>> kept_;   ///< data of entries in pending_
};

}  // namespace okksim::sim::trace
