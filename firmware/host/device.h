// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "firmware/host/device_memory.h"
#include "firmware/launch/kernel_entry.h"
#include "firmware/watch/kernel_checks.h"
#include "isa/base/fault.h"
#include "isa/base/finding.h"
#include "isa/command_counts.h"

namespace okksim::firmware::host {

/// A kernel to run: `args` is the host's argument block.
struct LaunchRequest {
    std::string name;
    KernelEntry entry = nullptr;
    std::vector<std::byte> args;
};

/// The result of a launch.
struct LaunchReport {
    std::string name;
    double simulated_us = 0;  ///< from the host's launch call until both engines are idle
    isa::CommandCounts commands;
    /// The number of okk_compute() calls (okk_access.h). With 0, the kernel's own computing takes
    /// no simulated time.
    std::uint64_t computations = 0;
    std::optional<FaultRecord> fault;
    std::vector<Finding> findings;  ///< each kind once
    /// True if the launch has pointers, and the watch did not see all uses of them.
    bool uses_pointers_unseen = false;
    /// The time in which the watch of pointers saw nothing; unset if it saw the whole launch.
    std::optional<UnseenTime> unseen{};
    std::vector<TouchedBytes> touched{};  ///< of global memory; nothing when not looked at
};

/// The machine's description in summaries: a line of text, and the members of a JSON object.
struct Provenance {
    std::string text;
    std::string json = "{}";
};

/// Facts about the machine that host programs ask for.
struct DeviceFacts {
    int lanes = 0;
    int vector_words = 0;  ///< 32-bit words that a lane handles at a time
    double clock_mhz = 0;  ///< of the compute engine
};

/// A copy of `count` elements within global memory; strides count elements.
struct StridedCopy {
    std::uint64_t to = 0, from = 0;
    std::uint64_t to_stride = 1, from_stride = 1;
    std::uint64_t count = 0, element_bytes = 1;
    /// Bytes from the first to the last element of a side.
    std::uint64_t spanned(std::uint64_t stride) const {
        return ((count - 1) * stride + 1) * element_bytes;
    }
};

/// The machine as the host API sees it. One thread at a time calls it, and simulated time continues
/// from call to call.
class Device {
 public:
    virtual ~Device() = default;

    /// Global memory that allocations come from.
    virtual std::uint64_t memory_start() const = 0;
    virtual std::uint64_t memory_bytes() const = 0;

    /// Queues a launch behind earlier ones.
    virtual void launch(LaunchRequest request) = 0;
    /// Runs until no launch is queued or running. Returns the reports of the launches since the
    /// last call, in order. A launch that ended with a fault does not stop later ones.
    virtual std::vector<LaunchReport> finish() = 0;

    /// Bytes of freed memory that are handed out again only if no other memory is left. The delay
    /// lets the checks see late uses.
    virtual std::uint64_t resting_bytes() const { return 0; }
    /// Gives the device the record of allocations in global memory, for the device's life.
    virtual void watch(const DeviceMemory& memory) { (void)memory; }

    /// Marks a range as uninitialised, because it is handed out again.
    virtual void forget(std::uint64_t address, std::uint64_t bytes) { (void)address, (void)bytes; }
    /// Copies from or to global memory. The range is inside of it, and nothing is queued.
    virtual void write(std::uint64_t address, std::span<const std::byte> bytes) = 0;
    virtual void read(std::uint64_t address, std::span<std::byte> bytes) = 0;
    /// Copies within the memory; the ranges may overlap.
    virtual void copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
        std::vector<std::byte> buffer(bytes);
        read(from, buffer);
        write(to, buffer);
    }
    /// Copies elements in order. The bytes between them keep their values.
    void copy_strided(const StridedCopy& job) {
        for (std::uint64_t i = 0; i < job.count; ++i) {
            copy(job.to + i * job.to_stride * job.element_bytes,
                 job.from + i * job.from_stride * job.element_bytes, job.element_bytes);
        }
    }
    /// Reads without simulated time and without findings.
    virtual void look(std::uint64_t address, std::span<std::byte> bytes) { read(address, bytes); }
    /// Findings about the bytes that were read since the last call.
    virtual std::vector<Finding> take_read_findings() { return {}; }

    /// Returns the reports of launches that finish() has not returned, the last one with `fault`.
    /// The program cannot continue because of that fault.
    virtual std::vector<LaunchReport> crashed(const FaultRecord& fault) = 0;
    /// Functions that complete the files about runs. Each one is independent of the others.
    virtual std::vector<std::function<void()>> endings() { return {}; }

    /// Simulated time since the device was made.
    virtual double simulated_us() const = 0;

    virtual DeviceFacts facts() const { return {}; }
    virtual Provenance provenance() const { return {}; }
};

using DeviceFactory = std::function<std::unique_ptr<Device>()>;

/// Sets the function that makes the device when bm_dev_request() is called first. A device lives
/// until the process ends.
void set_device_factory(DeviceFactory factory);

/// Reports of the latest launches of the process.
std::vector<LaunchReport> launch_reports();

}  // namespace okksim::firmware::host
