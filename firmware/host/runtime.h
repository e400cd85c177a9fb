// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firmware/host/bmlib_runtime.h"
#include "firmware/host/device.h"
#include "firmware/host/device_memory.h"
#include "firmware/host/host_settings.h"
#include "firmware/host/launch_history.h"
#include "firmware/host/mapped_memory.h"
#include "firmware/leave/crash_writer.h"

namespace okksim::firmware::host {

/// A host call that cannot be carried out: the status to return and the line to log.
struct HostError {
    bm_status_t status = BM_ERR_FAILURE;
    std::string message;  ///< names the thing, the value, the rule and what to do
};

/// Bytes of device memory, and those that are allocated.
struct MemoryState {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
};

/// Copies in one direction: their number and their simulated time.
struct CopyTotals {
    std::uint64_t count = 0;
    double us = 0;
};

/// State behind the host API: the device, its memory, the open handles, the launches so far.
/// Methods throw HostError; `mutex()` is held by the caller.
class Runtime {
 public:
    /// Never destroyed, so that host programs may call in from destructors of static objects.
    static Runtime& instance();

    std::mutex& mutex() { return mutex_; }
    void set_factory(DeviceFactory factory) { factory_ = std::move(factory); }

    bm_handle_t open(int device_id);
    void close(bm_handle_t handle);

    std::uint64_t allocate(bm_handle_t handle, std::uint64_t bytes);
    void release(bm_handle_t handle, std::uint64_t address);

    void write(bm_handle_t handle, std::uint64_t address, std::span<const std::byte> bytes);
    void read(bm_handle_t handle, std::uint64_t address, std::span<std::byte> bytes);
    /// Copies within the memory without a check for uninitialised bytes.
    void copy(bm_handle_t handle, std::uint64_t to, std::uint64_t from, std::uint64_t bytes);

    /// Copies elements in order.
    void copy_strided(bm_handle_t handle, const StridedCopy& copy);

    /// Returns a copy of the range in the host's address space, as MappedMemory::map().
    void* map(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes, bool is_cached);
    void flush(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes);
    void invalidate(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes);
    void unmap(bm_handle_t handle, const void* pages, std::int64_t bytes);

    MemoryState memory_state(bm_handle_t handle);
    DeviceFacts facts(bm_handle_t handle);
    /// Refuses a range that is not inside of an allocation.
    void require_inside(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes,
                        const char* what);
    const CopyTotals& copies_to_device() const { return to_device_; }
    const CopyTotals& copies_to_host() const { return to_host_; }

    void launch(bm_handle_t handle, LaunchRequest request);
    /// Runs the launches that the program has not synchronised, as the chip would. The program
    /// calls it at its end, while its objects live.
    void run_what_is_left();
    /// Runs what is queued and logs its faults and findings, each finding once.
    void finish(bm_handle_t handle);
    /// Calls finish(), and then throws the first fault since the last call, unless the settings let
    /// the program continue.
    void synchronise(bm_handle_t handle);

    double simulated_us(bm_handle_t handle);
    const LaunchHistory& history() const { return history_; }
    /// The machine that the reports were measured on.
    Provenance provenance() const { return device_ ? device_->provenance() : Provenance(); }

    /// A call of the host API was refused: the program is wrong, whatever it does about that.
    void note_refused_call() { guest_failed_ = true; }

    /// Writes what OKKSIM_SUMMARY asks for, unless nothing is new.
    void write_requested_summary();

    /// To be called when the program ends: writes what is left to write. The exit code in place of
    /// the program's own, if the settings ask for one or something could not be written.
    std::optional<int> end_program();

 private:
    Runtime() = default;
    void check_handle(bm_handle_t handle);
    void finish_launches();
    void run_at_exit();
    /// A signal has ended the launches; now it ends the program.
    [[noreturn]] void end_as_asked();
    void check_range(std::uint64_t address, std::uint64_t bytes, const char* what) const;

    std::mutex mutex_;
    DeviceFactory factory_;
    std::unique_ptr<Device> device_;
    std::optional<DeviceMemory> memory_;
    std::set<bm_handle_t> handles_;
    LaunchHistory history_;
    std::set<bm_handle_t> launching_;  ///< handles with launches in `queued_`
    std::vector<std::string> queued_;  ///< kernels whose launches the program has not synchronised
    std::optional<HostError> unreported_fault_;
    void log_findings(const std::string& name, const std::vector<Finding>& findings);
    /// Reports a fault after which the program cannot continue.
    void write_crash(const FaultRecord& fault, bool is_hosts);
    /// Reports such a fault after the reports of launches are gone.
    static void write_last_report(const FaultRecord& fault);
    /// The uses of device memory by the host.
    enum class HostUse : std::uint8_t { kReads, kWrites, kFrees };
    /// Calls finish() and reports launches that race with this use of the bytes.
    void finish_before(HostUse use, bm_handle_t handle, std::uint64_t address, std::uint64_t bytes);

    void log_read_findings();
    [[noreturn]] static void throw_unmapped(std::uint64_t address, std::uint64_t bytes);
    /// Returns the caller of the host API: " (in main at host.cpp:12)".
    static std::string host_place();
    void separate_freed();
    /// If a summary is printed, adds a note about memory that the handle has not freed.
    void note_unfreed(bm_handle_t handle, const std::string& when) const;

    MappedMemory mapped_;
    CopyTotals to_device_, to_host_;
    HostSettings settings_ = settings_from_environment();
    std::optional<CrashWriter> crash_writer_;
    pid_t process_ = getpid();
    bool has_failed_ = false;  ///< no device could be made
    std::size_t summarised_ = 0;
    bool is_summary_lost_ = false;           ///< it could not be written
    std::set<std::string> logged_findings_;  ///< their messages
    bool guest_failed_ = false;              ///< a fault, or a finding that is a mistake
};

}  // namespace okksim::firmware::host
