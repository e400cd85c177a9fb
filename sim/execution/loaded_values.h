// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

#include "isa/command_port.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::execution {

/// The values that the control processor loads in a run, in order. They decide the control flow of
/// the run and are the same on every machine. Constants and values that the processor stored are
/// not included.
using LoadedValues = std::vector<std::vector<std::byte>>;

/// Write and read a JSON file. Throw ConfigError if the file cannot be accessed or has other
/// contents.
void save_values(const std::filesystem::path& file, const LoadedValues& values);
LoadedValues load_values(const std::filesystem::path& file);

/// Copies of the bytes of system memory that the control processor has stored.
class OwnBytes {
 public:
    /// Starts to keep these bytes. Those not kept before are 0.
    void store(std::uint64_t address, std::uint64_t bytes);
    /// Returns the kept bytes, or nullptr if some of them are not kept.
    std::byte* find(std::uint64_t address, std::uint64_t bytes);

 private:
    std::map<std::uint64_t, std::vector<std::byte>> blocks_;
};

/// A port to a machine with data that records the loads of the control processor.
class LoadNotes final : public isa::CommandPort {
 public:
    /// All arguments must outlive the port.
    LoadNotes(isa::CommandPort& machine, const pricing::KnownMemory& constants,
              LoadedValues& values)
        : machine_(machine), constants_(constants), values_(values) {}

    const isa::MachineShape& machine() const override { return machine_.machine(); }
    void submit(const isa::Command& command) override { machine_.submit(command); }
    void wait_until_idle() override { machine_.wait_until_idle(); }
    void charge(isa::FirmwareCall call) override { machine_.charge(call); }
    void compute(const isa::Computation& computation) override { machine_.compute(computation); }
    void access(const isa::ProcessorAccess& access) override;
    void* local_pointer(isa::LocalAddr addr) override { return machine_.local_pointer(addr); }
    void* system_pointer(std::uint64_t addr) override { return machine_.system_pointer(addr); }
    void* system_bytes(std::uint64_t addr, std::uint64_t bytes) override {
        return machine_.system_bytes(addr, bytes);
    }
    bool owns_pages() const override { return machine_.owns_pages(); }
    bool shows_memory(std::uint64_t addr) const override { return machine_.shows_memory(addr); }

 private:
    isa::CommandPort& machine_;
    const pricing::KnownMemory& constants_;
    LoadedValues& values_;
    OwnBytes own_;
};

}  // namespace okksim::sim::execution
