// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/command_recorder.h"

#include <lzma.h>

#include "isa/base/errors.h"
#include "isa/layout.h"
#include "isa/tensors.h"
#include "models/memory/footprint.h"

namespace okksim::sim::trace {
namespace {

/// CRC-32 over the bytes of tensor parts, channel by channel.
class Checksum {
 public:
    Checksum(const isa::MachineShape& machine, models::LocalMemory& local,
             models::SystemMemory& system)
        : machine_(machine), local_(local), system_(system) {}

    void add(const isa::TensorView& view) {
        const models::RunLoops loops = models::run_loops(view);
        const std::int32_t start = machine_.lane_of(view.local_addr);
        for (std::int32_t c = 0; c < view.shape.c; ++c) {
            if (view.local) {
                const std::int32_t position = start + c;
                const std::int64_t slot = position / machine_.lanes;
                const std::int64_t address = position % machine_.lanes * machine_.local_bytes +
                                             machine_.offset_of(view.local_addr) +
                                             slot * view.stride.c * view.element_bytes;
                loops.for_each([&](std::int64_t offset) {
                    add_bytes(local_.pointer({static_cast<std::uint32_t>(address + offset)}),
                              loops.run_bytes);
                    return true;
                });
            } else {
                const auto address = static_cast<std::int64_t>(view.system_addr.value()) +
                                     std::int64_t{c} * view.stride.c * view.element_bytes;
                loops.for_each([&](std::int64_t offset) {
                    add_bytes(system_.pointer(static_cast<std::uint64_t>(address + offset),
                                              static_cast<std::uint64_t>(loops.run_bytes)),
                              loops.run_bytes);
                    return true;
                });
            }
        }
    }
    std::uint32_t value() const { return crc_; }

 private:
    void add_bytes(const std::byte* bytes, std::int64_t size) {
        if (bytes == nullptr) return;  // the command faulted
        crc_ = lzma_crc32(reinterpret_cast<const std::uint8_t*>(bytes),
                          static_cast<std::size_t>(size), crc_);
    }

    const isa::MachineShape& machine_;
    models::LocalMemory& local_;
    models::SystemMemory& system_;
    std::uint32_t crc_ = 0;
};

}  // namespace

std::uint32_t written_crc(const isa::Command& command, const isa::MachineShape& machine,
                          models::LocalMemory& local, models::SystemMemory& system) {
    Checksum checksum(machine, local, system);
    for (const isa::TensorView& view : isa::tensor_views(command, machine)) {
        if (view.access == isa::Access::kRead || view.access == isa::Access::kNone) continue;
        models::for_each_part(command, view, machine,
                              [&](const isa::TensorView& part) { checksum.add(part); });
    }
    return checksum.value();
}

CommandRecorder::CommandRecorder(const std::filesystem::path& path, const Machine& machine,
                                 const RecordedParts& parts, models::LocalMemory& local,
                                 models::SystemMemory& system)
    : writer_(path, machine, (parts.crc ? kCrcFlag : 0) | (parts.data ? kDataFlag : 0),
              parts.most_bytes),
      shape_(machine.params.shape()),
      with_data_(parts.data),
      sees_stores_(parts.sees_stores) {
    if (parts.crc) {
        local_ = &local;
        system_ = &system;
    }
    if (parts.data) stored_to_ = &system;
    // Checkpoints may take at most a quarter of the recording's bytes.
    constexpr std::uint64_t kShare = 4;
    if (parts.crc && parts.data) {
        checkpoints_.emplace(machine, local, system, parts.work_apart, parts.most_bytes / kShare);
    }
}

void CommandRecorder::host_copied(const HostCopy& copy) {
    if (!with_data_ || !copy.to_chip) return;
    TraceEntry entry;
    entry.kind = EntryKind::kData;
    entry.access.address = isa::SystemAddr::from(copy.address);
    entry.data = copy.data;
    // No command is in flight while the host copies, so the entry need not wait in `pending_`.
    writer_.add(entry);
}

void CommandRecorder::host_forgot(std::uint64_t address, std::uint64_t bytes) {
    if (!with_data_) return;
    name_buffer(std::string(kForgottenName), address, bytes);
    static const std::vector<std::byte> fresh(kMostData, models::LocalMemory::kPoisonByte);
    const std::uint64_t end = address + bytes;
    while (address < end) {
        TraceEntry entry;
        entry.kind = EntryKind::kData;
        entry.access.address = isa::SystemAddr::from(address);
        entry.data = std::span(fresh).first(std::min<std::uint64_t>(fresh.size(), end - address));
        writer_.add(entry);
        address += entry.data.size();
    }
}

void CommandRecorder::name_buffer(const std::string& name, std::uint64_t address,
                                  std::uint64_t bytes) {
    if (!with_data_) return;
    TraceEntry entry;
    entry.kind = EntryKind::kBuffer;
    entry.name = name;
    entry.access.address = isa::SystemAddr::from(address);
    entry.access.bytes = bytes;
    add(std::move(entry));
}

void CommandRecorder::processor_stored(const ProcessorStore& store) {
    if (!with_data_) return;
    add_place(store.line);
    kept_.emplace_back(store.data.begin(), store.data.end());
    TraceEntry entry;
    entry.kind = EntryKind::kData;
    entry.access.address = isa::SystemAddr::from(store.address);
    entry.data = kept_.back();
    add(std::move(entry));
    if (pending_.empty()) kept_.clear();
}

void CommandRecorder::processor_stores_lost() {
    if (!with_data_) return;
    stores_are_lost_ = true;
    TraceEntry entry;
    entry.kind = EntryKind::kBuffer;
    entry.name = kStoresLostName;
    add(std::move(entry));
}

void CommandRecorder::add_stores() {
    for (const isa::ProcessorAccess& store : stores_) {
        const std::byte* const bytes = stored_to_->pointer(store.address.value(), store.bytes);
        if (bytes == nullptr) continue;
        add_place({});
        kept_.emplace_back(bytes, bytes + store.bytes);
        TraceEntry entry;
        entry.kind = EntryKind::kData;
        entry.access.address = store.address;
        entry.data = kept_.back();
        add(std::move(entry));
    }
    stores_.clear();
    if (pending_.empty()) kept_.clear();
}

void CommandRecorder::add_place(std::string line) {
    if (line == line_) return;
    line_ = std::move(line);
    TraceEntry entry;
    entry.kind = EntryKind::kPlace;
    entry.name = line_;
    add(std::move(entry));
}

void CommandRecorder::add(TraceEntry entry) {
    if (pending_.empty() && entry.kind != EntryKind::kCommand) {
        writer_.add(entry);
    } else {
        pending_.push_back(std::move(entry));
    }
}

void CommandRecorder::write_complete() {
    while (!pending_.empty()) {
        const TraceEntry& head = pending_.front();
        if (head.kind == EntryKind::kCommand && !head.data_crc) return;
        writer_.add(head);
        pending_.pop_front();
    }
    kept_.clear();
}

void CommandRecorder::finish() {
    write_complete();
    writer_.finish();
}

void CommandRecorder::launch_started(models::Picoseconds time) {
    start_ = time;
    stores_are_lost_ = false;
    TraceEntry entry;
    entry.kind = EntryKind::kLaunch;
    if (!names_.empty()) {
        entry.name = std::move(names_.front());
        names_.pop_front();
    }
    add(std::move(entry));
    if (with_data_) name_buffer(std::string(kBegunName), 0, static_cast<std::uint64_t>(time.value));
}

void CommandRecorder::launch_finished(models::Picoseconds time) {
    add_stores();
    TraceEntry entry;
    entry.kind = EntryKind::kFinish;
    entry.duration = time - start_;
    add(std::move(entry));
}

void CommandRecorder::charged(isa::FirmwareCall call, std::uint64_t count) {
    TraceEntry entry;
    entry.kind = EntryKind::kCharge;
    entry.call = call;
    entry.count = count;
    add(std::move(entry));
}

void CommandRecorder::polled() {
    add_stores();
    TraceEntry entry;
    entry.kind = EntryKind::kPoll;
    add(std::move(entry));
}

void CommandRecorder::computed(const isa::Computation& computation) {
    TraceEntry entry;
    entry.kind = EntryKind::kCompute;
    entry.computation = {{}, computation.kind, computation.operations};
    entry.name = computation.what;
    add(std::move(entry));
}

void CommandRecorder::accessed(const isa::ProcessorAccess& access) {
    TraceEntry entry;
    entry.kind = EntryKind::kAccess;
    entry.access = access;
    add(std::move(entry));
    const bool is_seen = sees_stores_ && !stores_are_lost_;
    if (with_data_ && !is_seen && access.kind == isa::AccessKind::kStore) {
        stores_.push_back(access);
    }
}

void CommandRecorder::submitted(const isa::Command& command) {
    if (command.instance != 0) {
        throw ConfigError("--record", std::string(command.info().name) + " is for engine " +
                                          std::to_string(command.instance) +
                                          " of its kind; a trace holds only commands of engine 0: "
                                          "record on a machine with one engine of a kind");
    }
    add_stores();
    if (line_of_) add_place(line_of_(command));
    if (checkpoints_) checkpoints_->submitted(command);
    if (local_ == nullptr) return writer_.add(command, std::nullopt);
    TraceEntry entry;
    entry.kind = EntryKind::kCommand;
    entry.command = command;
    add(std::move(entry));
}

void CommandRecorder::retired(const isa::Command& command, const models::CommandTimes&) {
    if (local_ == nullptr) return;
    for (TraceEntry& entry : pending_) {
        if (entry.kind == EntryKind::kCommand && entry.command.id == command.id &&
            entry.command.info().engine == command.info().engine) {
            entry.data_crc = written_crc(command, shape_, *local_, *system_);
            break;
        }
    }
    write_complete();
    if (checkpoints_ && checkpoints_->is_due()) write_checkpoint();
}

void CommandRecorder::write_checkpoint() {
    std::vector<std::uint64_t> ahead;
    std::uint64_t number = 0;
    for (const TraceEntry& entry : pending_) {
        if (entry.kind != EntryKind::kCommand) continue;
        if (entry.data_crc) ahead.push_back(number);
        ++number;
    }
    checkpoints_->write(ahead, writer_);
}

}  // namespace okksim::sim::trace
