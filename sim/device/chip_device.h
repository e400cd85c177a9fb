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

namespace okksim::sim {

/// Options of firmware contexts on a machine: its facts and quirks; no budgets.
firmware::ContextOptions context_options(const Machine& machine);

/// Has contexts tell of values that nobody has written when firmware looks at them.
void look_for_undefined(models::Chip& chip, firmware::ContextOptions& options);

/// Limits of one launch.
struct LaunchLimits {
    /// Many times what the largest kernels on record issue.
    static constexpr std::uint64_t kKernelCommands = 20'000'000;
    static constexpr std::uint64_t kKernelCalls = 1'000'000'000;
    static constexpr double kIdleSeconds = 10;
    static constexpr double kCallSeconds = 60;
    static constexpr std::uint64_t kRestingBytes = std::uint64_t{256} << 20;

    std::optional<std::uint64_t> command_budget;  ///< commands that it may issue
    std::uint64_t call_budget = kKernelCalls;     ///< API calls, commands or not
    /// CPU time that it may compute, or make calls, without a command.
    std::optional<double> idle_seconds = kIdleSeconds;
    /// Time that a call may last without a command being completed, or the kernel may wait.
    double call_seconds = kCallSeconds;
    /// firmware::ContextOptions::pointer_share.
    double pointer_share = firmware::ContextOptions::kPointerShare;
    /// Device::resting_bytes().
    std::uint64_t resting_bytes = kRestingBytes;
    /// The same of graphs, where custom operators may do anything: somebody must write what there
    /// is when the program ends (firmware/leave/crash_writer.h). Nothing: calls may last for ever.
    std::optional<double> custom_call_seconds;
};

/// A copy between the host's memory and the chip's.
struct HostCopy {
    bool to_chip = true;
    std::uint64_t bytes = 0;
    models::Picoseconds begin, end;
    std::uint64_t address = 0;
    std::span<const std::byte> data{};  ///< what was copied, while the observer is told
};

/// Bytes that the kernel's own code has stored.
struct ProcessorStore {
    std::uint64_t address = 0;          ///< lanes as in Machine: from [chip] local_memory_start on
    std::span<const std::byte> data{};  ///< while the observer is told
    std::string line;                   ///< "fill at kernel.c:12", or what is known of it
};

/// Told of what kernels' own code stores.
struct StoreObserver {
    std::function<void(const ProcessorStore&)> stored;
    /// What the launch that runs stores from now on is not told.
    std::function<void()> lost;
};

/// The timed chip behind the host API.
class ChipDevice : public firmware::host::Device {
 public:
    ChipDevice(Machine machine, const models::ChipOptions& options, LaunchLimits limits);

    std::uint64_t memory_start() const override;
    std::uint64_t memory_bytes() const override;
    std::uint64_t resting_bytes() const override { return limits_.resting_bytes; }
    void forget(std::uint64_t address, std::uint64_t bytes) override {
        simulation_.chip().forget_memory(address, bytes);
    }
    void launch(firmware::host::LaunchRequest request) override;
    std::vector<firmware::host::LaunchReport> finish() override;
    void watch(const firmware::host::DeviceMemory& memory) override { memory_ = &memory; }
    std::vector<firmware::host::LaunchReport> crashed(const FaultRecord& fault) override;
    void write(std::uint64_t address, std::span<const std::byte> bytes) override;
    void read(std::uint64_t address, std::span<std::byte> bytes) override;
    void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) override;
    std::vector<Finding> take_read_findings() override { return std::exchange(read_findings_, {}); }
    double simulated_us() const override;
    firmware::host::Provenance provenance() const override;

    void set_store_observer(StoreObserver observer) { store_observer_ = std::move(observer); }

    Simulation& simulation() { return simulation_; }
    /// Has the calls that issue commands remembered from the next launch on, and named in findings.
    CallSites& remember_calls(bool whole_stacks);
    /// Told of every copy when it is complete.
    void set_copy_observer(std::function<void(const HostCopy&)> observer) {
        copy_observer_ = std::move(observer);
    }

 private:
    void run(isa::CommandPort& port, const firmware::host::LaunchRequest& request,
             firmware::host::LaunchReport& report);
    void watch_pointers(firmware::ContextOptions& options);
    /// Kernels may keep pointers from launch to launch.
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
    const firmware::host::DeviceMemory* memory_ = nullptr;  ///< nullptr: not known
    std::function<void(const HostCopy&)> copy_observer_;
    StoreObserver store_observer_;
    std::map<const void*, std::string> store_lines_;
    std::vector<firmware::GivenPointer> kept_pointers_;  ///< into global memory, of all launches
    std::unique_ptr<CallSites> call_sites_;
    std::vector<Finding> read_findings_;
    bool has_faulted_ = false;  ///< what the host reads then is no result
    std::vector<std::unique_ptr<firmware::host::LaunchReport>> reports_;
    firmware::host::LaunchReport* running_ = nullptr;
    firmware::Context* context_ = nullptr;  ///< of the launch that runs
};

}  // namespace okksim::sim
