// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "firmware/calls/context.h"
#include "firmware/host/device.h"
#include "sim/device/call_sites.h"
#include "sim/platform/simulation.h"

namespace okksim::models {
class Chip;
}

namespace okksim::sim {

/// Returns options of firmware contexts on a machine: its parameters and quirks, without budgets.
firmware::ContextOptions context_options(const Machine& machine);

/// Makes contexts report uninitialised values that firmware reads.
void look_for_undefined(models::Chip& chip, firmware::ContextOptions& options);

/// Limits of one launch.
struct LaunchLimits {
    /// Defaults, many times what the largest known kernels need.
    static constexpr std::uint64_t kKernelCommands = 20'000'000;
    static constexpr std::uint64_t kKernelCalls = 1'000'000'000;
    static constexpr double kIdleSeconds = 10;
    static constexpr double kCallSeconds = 60;
    static constexpr std::uint64_t kRestingBytes = std::uint64_t{256} << 20;

    std::optional<std::uint64_t> command_budget;  ///< commands that it may issue
    std::uint64_t call_budget = kKernelCalls;     ///< API calls, with or without commands
    /// CPU seconds that it may spend without issuing a command.
    std::optional<double> idle_seconds = kIdleSeconds;
    /// Seconds that a call may last without a completed command, or that the kernel may wait.
    double call_seconds = kCallSeconds;
    /// firmware::ContextOptions::pointer_share.
    double pointer_share = firmware::ContextOptions::kPointerShare;
    /// Device::resting_bytes().
    std::uint64_t resting_bytes = kRestingBytes;
    /// Limit in seconds of a call by a custom operator in a graph. It needs a crash writer, which
    /// writes the available results when the program ends (firmware/leave/crash_thread.h). Without
    /// a value there is no limit.
    std::optional<double> custom_call_seconds;
};

/// A copy between the host's memory and the chip's.
struct HostCopy {
    bool to_chip = true;
    std::uint64_t bytes = 0;
    models::Picoseconds begin, end;
    std::uint64_t address = 0;
    std::span<const std::byte> data{};  ///< copied bytes; valid during the observer's call
};

/// Bytes that the kernel's own code has stored.
struct ProcessorStore {
    std::uint64_t address = 0;          ///< lanes start at [chip] local_memory_start
    std::span<const std::byte> data{};  ///< valid during the observer's call
    std::string line;                   ///< "fill at kernel.c:12", or the known part of it
};

/// Callbacks for stores by kernels' own code.
struct StoreObserver {
    std::function<void(const ProcessorStore&)> stored;
    /// Called when further stores of the running launch will not be reported.
    std::function<void()> lost;
};

/// The timed chip that implements the host API.
class ChipDevice : public firmware::host::Device {
 public:
    ChipDevice(Machine machine, const models::ChipOptions& options, LaunchLimits limits);

    std::uint64_t memory_start() const override;
    std::uint64_t memory_bytes() const override;
    std::uint64_t resting_bytes() const override { return limits_.resting_bytes; }
    void forget(std::uint64_t address, std::uint64_t bytes) override;
    void launch(firmware::host::LaunchRequest request) override;
    std::vector<firmware::host::LaunchReport> finish() override;
    void watch(const firmware::host::DeviceMemory& memory) override { memory_ = &memory; }
    std::vector<firmware::host::LaunchReport> crashed(const FaultRecord& fault) override;
    void write(std::uint64_t address, std::span<const std::byte> bytes) override;
    void read(std::uint64_t address, std::span<std::byte> bytes) override;
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    void look(std::uint64_t address, std::span<std::byte> bytes) override;
    std::vector<Finding> take_read_findings() override { return std::exchange(read_findings_, {}); }
    double simulated_us() const override;
    firmware::host::DeviceFacts facts() const override;
    firmware::host::Provenance provenance() const override;

    /// Like finish(), but the host continues to launch without a sync.
    std::vector<firmware::host::LaunchReport> finish_batch();

    void set_store_observer(StoreObserver observer) { store_observer_ = std::move(observer); }

    Simulation& simulation() { return simulation_; }
    /// Records the calls that issue commands from the next launch on, and names them in findings.
    CallSites& remember_calls(bool whole_stacks);
    /// Sets a callback for every completed copy.
    void set_copy_observer(std::function<void(const HostCopy&)> observer) {
        copy_observer_ = std::move(observer);
    }

 private:
    void run(isa::CommandPort& port, const firmware::host::LaunchRequest& request,
             firmware::host::LaunchReport& report);
    void watch_pointers(firmware::ContextOptions& options);
    /// Pointers stay watched after a launch, because kernels may keep them.
    void keep_pointers(const std::vector<firmware::GivenPointer>& pointers);
    std::vector<firmware::StalePointer> stale_pointers() const;
    void processor_stored(const firmware::MemoryPlace& first, std::uint64_t bytes, const void* site,
                          bool exact);
    void spend_copy(std::uint64_t address, std::span<const std::byte> data,
                    models::MemoryDirection direction);

    Simulation simulation_;
    LaunchLimits limits_;
    bool sanitizes_;
    bool watches_pointers_;
    const firmware::host::DeviceMemory* memory_ = nullptr;  ///< nullptr if unknown
    std::function<void(const HostCopy&)> copy_observer_;
    StoreObserver store_observer_;
    std::map<const void*, std::string> store_lines_;
    std::vector<firmware::GivenPointer> kept_pointers_;  ///< into global memory, from all launches
    std::unique_ptr<CallSites> call_sites_;
    std::vector<Finding> read_findings_;
    bool has_faulted_ = false;  ///< data that the host then reads is no result
    std::vector<std::unique_ptr<firmware::host::LaunchReport>> reports_;
    firmware::host::LaunchReport* running_ = nullptr;
    firmware::Context* context_ = nullptr;  ///< of the running launch
};

}  // namespace okksim::sim
