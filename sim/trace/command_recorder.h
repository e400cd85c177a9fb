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

/// What a recording with data calls the place from which on what the control processor's own code
/// stores is not in it, up to the end of the launch.
inline constexpr std::string_view kStoresLostName = "stores-lost:";
/// Likewise, behind its begin: when a launch has begun; the picoseconds are the buffer's bytes.
inline constexpr std::string_view kBegunName = "begun:";

/// Likewise, before data that nobody has written: the memory at the buffer's address, so many bytes
/// of it, was somebody else's and is fresh again.
inline constexpr std::string_view kForgottenName = "forgotten:";

/// What a recording holds besides commands.
struct RecordedParts {
    bool crc = false;   ///< CRC of the bytes that each command writes
    bool data = false;  ///< what host and processor write
    /// processor_stored() will be told, so that nothing need be believed that kernels say.
    bool sees_stores = false;
    std::uint64_t most_bytes = CommandTraceWriter::kMostBytes;
    std::uint64_t work_apart = kWorkApart;  ///< of checkpoints; recordings with CRCs and data
};

/// Writes what a machine does to a command trace. Add it to the machine's observers before the
/// first launch and call finish() after the last one.
class CommandRecorder : public models::CommandObserver {
 public:
    /// Commands and times alone.
    CommandRecorder(const std::filesystem::path& path, const Machine& machine)
        : writer_(path, machine, 0) {}
    /// CRCs and data are those of the memories; the machine must run with data then.
    CommandRecorder(const std::filesystem::path& path, const Machine& machine,
                    const RecordedParts& parts, models::LocalMemory& local,
                    models::SystemMemory& system);

    /// Says which line has issued a command; an empty function: nobody knows.
    void set_lines(std::function<std::string(const isa::Command&)> line_of) {
        line_of_ = std::move(line_of);
    }
    /// What the host has written, and where its buffers are; nothing without RecordedParts::data.
    void host_copied(const HostCopy& copy);
    /// Memory that the host has handed out again is fresh.
    void host_forgot(std::uint64_t address, std::uint64_t bytes);
    /// What the kernel's own code has stored: in place of what it tells of (okk_store_addr).
    void processor_stored(const ProcessorStore& store);
    void processor_stores_lost();
    void name_buffer(const std::string& name, std::uint64_t address, std::uint64_t bytes);

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
    void add_place(std::string line);
    /// Adds what the processor has stored since it told of it.
    void add_stores();
    /// Writes entries up to the first command that has not retired.
    void write_complete();
    void write_checkpoint();

    CommandTraceWriter writer_;
    isa::MachineShape shape_;
    models::LocalMemory* local_ = nullptr;  ///< nullptr: no CRCs
    models::SystemMemory* system_ = nullptr;
    std::deque<std::string> names_;
    std::deque<TraceEntry> pending_;  ///< in program order; only with CRCs
    models::Picoseconds start_;
    std::function<std::string(const isa::Command&)> line_of_;
    std::string line_;  ///< of the last command
    bool with_data_ = false;
    std::optional<Checkpoints> checkpoints_;
    models::SystemMemory* stored_to_ = nullptr;
    std::vector<isa::ProcessorAccess> stores_;  ///< told of, perhaps not yet made
    bool sees_stores_ = false;                  ///< RecordedParts::sees_stores
    bool stores_are_lost_ = false;              ///< in this launch
    std::deque<std::vector<std::byte>> kept_;   ///< data of entries in pending_
};

}  // namespace okksim::sim::trace
