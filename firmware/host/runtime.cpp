// SPDX-License-Identifier: Apache-2.0
#include "firmware/host/runtime.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

#include "firmware/host/environment_variables.h"
#include "firmware/host/heap_block.h"
#include "firmware/host/host_log.h"
#include "firmware/host/program_end.h"
#include "firmware/host/summary.h"
#include "firmware/launch/call_stack.h"
#include "isa/base/errors.h"

/// An open handle. Handles are compared, never read.
struct bm_context {};

namespace okksim::firmware::host {
namespace {

/// A CrashWriter writes the report and the summary first, and then the files of the device.
constexpr std::size_t kOwnWrites = 2;

/// Reports of the latest launches that are kept if the program asks for no summary.
constexpr std::size_t kKeptLaunches = 1000;

/// The name of the last launch, for write_last_report(). It is not in the heap, which a kernel may
/// overwrite.
std::array<char, 256> last_name;

bm_status_t status_of(const FaultRecord& fault) {
    switch (fault.code) {
        case FaultCode::kBudget: return BM_ERR_TIMEOUT;
        case FaultCode::kUnknownKernel: return BM_ERR_PARAM;
        case FaultCode::kOutOfMemory: return BM_ERR_NOMEM;
        case FaultCode::kUnsupported: return BM_NOT_SUPPORTED;
        case FaultCode::kBadArgument:
        case FaultCode::kBadAddress:
        case FaultCode::kBadState:
        case FaultCode::kAssertion:
        case FaultCode::kHostSignal:
        case FaultCode::kBadHandle:
        case FaultCode::kIllegalGraph:
        case FaultCode::kUnpredictable: return BM_ERR_FAILURE;
    }
    return BM_ERR_FAILURE;
}

std::string fault_text(const LaunchReport& report) {
    std::string text =
        fmt::format("kernel {} ended with a fault: {}", report.name, report.fault->message());
    for (const std::string& frame : report.fault->call_stack) text += "\n    in " + frame;
    return text;
}

/// Adds a copy and its time to the totals.
template <typename Copy>
void count_copy(CopyTotals& totals, const Device& device, const Copy& copy) {
    const double before = device.simulated_us();
    copy();
    ++totals.count;
    totals.us += device.simulated_us() - before;
}

}  // namespace

std::string Runtime::host_place() {
    const void* const site = calling_code();
    return site == nullptr ? "" : " (in " + locate(site).front().text() + ")";
}

Runtime& Runtime::instance() {
    // The object is not in the heap, which kernels may overwrite.
    alignas(Runtime) static std::byte place[sizeof(Runtime)];
    static Runtime& runtime = *new (place) Runtime;
    return runtime;
}

void Runtime::check_handle(bm_handle_t handle) {
    if (handles_.contains(handle)) return;
    // The reason for the missing handle has been logged.
    if (has_failed_) throw HostError{BM_ERR_DEVNOTREADY, ""};
    note_refused_call();
    throw HostError{BM_ERR_DEVNOTREADY,
                    fmt::format("handle {} is not open; use one that bm_dev_request() returned and "
                                "bm_dev_free() has not closed",
                                fmt::ptr(handle))};
}

void Runtime::check_range(std::uint64_t address, std::uint64_t bytes, const char* what) const {
    if (const auto problem = memory_->check(address, bytes)) {
        throw HostError{BM_ERR_PARAM,
                        fmt::format("{}: {}; use only memory of bm_malloc_device_byte(), inside "
                                    "its bounds and before it is freed",
                                    what, *problem)};
    }
}

bm_handle_t Runtime::open(int device_id) {
    if (device_id != 0) {
        throw HostError{
            BM_ERR_DEVNOTREADY,
            fmt::format("there is no device {}; the simulator has device 0", device_id)};
    }
    if (!device_) {
        if (!factory_) {
            throw HostError{BM_ERR_DEVNOTREADY,
                            "no machine is linked with the host API; link the okksim library"};
        }
        has_failed_ = true;  // unless what follows succeeds
        if (settings_.problem) throw *settings_.problem;
        device_ = factory_();
        has_failed_ = false;
        memory_.emplace(device_->memory_start(), device_->memory_bytes(), device_->resting_bytes());
        device_->watch(*memory_);
        std::vector<CrashWriter::Write> writes{
            [this](const FaultRecord& fault, bool is_hosts) { write_crash(fault, is_hosts); },
            [this](const FaultRecord&, bool) { write_requested_summary(); }};
        for (auto& ending : device_->endings()) {
            writes.emplace_back([ending](const FaultRecord&, bool) { ending(); });
        }
        const bool writes_files = settings_.summary_path || writes.size() > kOwnWrites;
        crash_writer_.emplace(std::move(writes), &write_last_report, false);
        if (writes_files) write_files_on_signals();
    }
    return *handles_.insert(new bm_context).first;
}

void Runtime::close(bm_handle_t handle) {
    check_handle(handle);
    if (launching_.contains(handle)) {
        guest_failed_ = true;
        log_host_warning(
            fmt::format("kernel {} (order): bm_dev_free(){} closes the handle without a sync after "
                        "this launch (launches pending: {}). They run now, but the host reads no "
                        "results; call okkernel_sync() or bm_thread_sync() first",
                        queued_.front(), host_place(), queued_.size()));
    }
    finish(handle);
    note_unfreed(handle, "before bm_dev_free()" + host_place());
    memory_->release_all(handle);
    separate_freed();
    handles_.erase(handle);
    delete handle;
}

void Runtime::note_unfreed(bm_handle_t handle, const std::string& when) const {
    if (settings_.summary_path != "") return;  // only part of a summary on standard error
    constexpr std::size_t kMostListed = 8;
    const std::string text = memory_->live_text(handle, kMostListed);
    if (text.empty()) return;
    log_host_note(
        fmt::format("device memory is not freed {}: {}; call bm_free_device()", when, text));
}

std::uint64_t Runtime::allocate(bm_handle_t handle, std::uint64_t bytes) {
    check_handle(handle);
    if (bytes == 0) {
        throw HostError{BM_ERR_PARAM, "an allocation of 0 bytes; ask for at least 1"};
    }
    const auto address = memory_->allocate(bytes, handle, calling_code());
    if (!address) {
        throw HostError{BM_ERR_NOMEM,
                        fmt::format("no room for {} bytes of device memory: {} of {} bytes are in "
                                    "use; free some, or give the machine more global memory",
                                    bytes, memory_->used_bytes(), memory_->bytes())};
    }
    if (memory_->is_used(*address)) {
        const GlobalRange pages = memory_->pages_at(*address);
        device_->forget(pages.begin, pages.end - pages.begin);
    }
    return *address;
}

void Runtime::release(bm_handle_t handle, std::uint64_t address) {
    check_handle(handle);
    finish_before(HostUse::kFrees, handle, address, memory_->bytes_at(address));
    if (const auto problem = memory_->release(address, calling_code())) {
        throw HostError{BM_ERR_PARAM,
                        fmt::format("{}; free memory of bm_malloc_device_byte() once", *problem)};
    }
    separate_freed();
}

/// A mapping of freed memory must not reach the memory's next owner.
void Runtime::separate_freed() {
    mapped_.separate([this](std::uint64_t address, std::uint64_t bytes) {
        return memory_->check(address, bytes).has_value();
    });
}

void Runtime::write(bm_handle_t handle, std::uint64_t address, std::span<const std::byte> bytes) {
    check_handle(handle);
    finish_before(HostUse::kWrites, handle, address, bytes.size());
    check_range(address, bytes.size(), "destination");
    const CrashWriter::HostMemory host_memory;
    count_copy(to_device_, *device_, [&] { device_->write(address, bytes); });
    mapped_.refresh(*device_);
}

void Runtime::copy(bm_handle_t handle, std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    check_handle(handle);
    finish_before(HostUse::kReads, handle, from, bytes);
    finish_before(HostUse::kWrites, handle, to, bytes);
    check_range(from, bytes, "source");
    check_range(to, bytes, "destination");
    device_->copy(to, from, bytes);
    mapped_.refresh(*device_);
}

void Runtime::copy_strided(bm_handle_t handle, const StridedCopy& copy) {
    check_handle(handle);
    const std::uint64_t from_bytes = copy.spanned(copy.from_stride);
    const std::uint64_t to_bytes = copy.spanned(copy.to_stride);
    finish_before(HostUse::kReads, handle, copy.from, from_bytes);
    finish_before(HostUse::kWrites, handle, copy.to, to_bytes);
    check_range(copy.from, from_bytes, "source");
    check_range(copy.to, to_bytes, "destination");
    device_->copy_strided(copy);
    mapped_.refresh(*device_);
}

MemoryState Runtime::memory_state(bm_handle_t handle) {
    check_handle(handle);
    return {memory_->bytes(), memory_->used_bytes()};
}

DeviceFacts Runtime::facts(bm_handle_t handle) {
    check_handle(handle);
    return device_->facts();
}

void Runtime::require_inside(bm_handle_t handle, std::uint64_t address, std::uint64_t bytes,
                             const char* what) {
    check_handle(handle);
    check_range(address, bytes, what);
}

void Runtime::read(bm_handle_t handle, std::uint64_t address, std::span<std::byte> bytes) {
    check_handle(handle);
    finish_before(HostUse::kReads, handle, address, bytes.size());
    check_range(address, bytes.size(), "source");
    if (const auto room = too_small_heap_block(bytes.data(), bytes.size())) {
        throw HostError{
            BM_ERR_PARAM,
            fmt::format("dst: {} bytes pass the end of the host's block of {} bytes at {}; "
                        "allocate a larger block, or copy fewer bytes (bm_memcpy_d2s_partial())",
                        bytes.size(), *room, fmt::ptr(bytes.data()))};
    }
    const CrashWriter::HostMemory host_memory;
    count_copy(to_host_, *device_, [&] { device_->read(address, bytes); });
    log_read_findings();
}

void Runtime::log_read_findings() {
    std::vector<Finding> findings = device_->take_read_findings();
    for (Finding& finding : findings) {
        if (const void* const site = calling_code()) {
            finding.call_stack.push_back(locate(site).front().text());
        }
    }
    log_findings("host program", findings);
}

/// The host waits here, but on the device it runs in parallel with launches that it has not
/// synchronised.
void Runtime::finish_before(HostUse use, bm_handle_t handle, std::uint64_t address,
                            std::uint64_t bytes) {
    const std::size_t before = history_.kept().size();
    finish(handle);
    const std::vector<LaunchReport>& reports = history_.kept();
    for (std::size_t i = before; i < reports.size(); ++i) {
        for (const TouchedBytes& range : reports[i].touched) {
            if (range.begin >= address + bytes || address >= range.end) continue;
            if (use == HostUse::kReads && !range.written) continue;
            static constexpr std::array<const char*, 3> kVerbs{"reads", "writes", "frees"};
            const std::string site = describe_address(range.site);
            guest_failed_ = true;
            log_host_warning(fmt::format(
                "kernel {} (order): the host {} {} bytes at 0x{:x}{} while the launch, which {} "
                "them{}, may still run; call okkernel_sync() or bm_thread_sync() first",
                reports[i].name, kVerbs[static_cast<std::size_t>(use)], bytes, address,
                host_place(), range.written ? "writes" : "reads",
                site.empty() ? "" : " (" + site + ")"));
            return;
        }
    }
}

void Runtime::launch(bm_handle_t handle, LaunchRequest request) {
    check_handle(handle);
    if (!settings_.summary_path) history_.trim(kKeptLaunches);
    // The launch must see what the host has stored before.
    if (mapped_.has_changes()) finish_launches();
    if (queued_.empty()) run_at_exit();
    queued_.push_back(request.name);
    launching_.insert(handle);
    last_name[request.name.copy(last_name.data(), last_name.size() - 1)] = '\0';
    device_->launch(std::move(request));
}

/// Registers the function again with every first launch of a queue. Objects that the program has
/// made since the last registration would otherwise be destroyed first.
void Runtime::run_at_exit() {
    static char owner;
    static bool is_renewed = false;
    // Removes the last registration, because a program may launch without end.
    is_renewed = true;
    abi::__cxa_finalize(&owner);
    is_renewed = false;
    const auto run = [](void*) {
        if (is_renewed) return;
        Runtime& runtime = instance();
        const std::scoped_lock lock(runtime.mutex_);
        try {
            runtime.run_what_is_left();
        } catch (const std::exception& error) {
            log_host_error(
                fmt::format("launches without a later sync cannot run: {}", error.what()));
        }
    };
    abi::__cxa_atexit(run, nullptr, &owner);
}

void Runtime::run_what_is_left() {
    if (queued_.empty() || getpid() != process_) return;
    guest_failed_ = true;
    log_host_warning(
        fmt::format("kernel {} (order): the program ends without a sync after this launch "
                    "(launches pending: {}). They run now, but the host reads no results; call "
                    "okkernel_sync() or bm_thread_sync() before the end",
                    queued_.front(), queued_.size()));
    finish_launches();
}

void Runtime::finish(bm_handle_t handle) {
    check_handle(handle);
    finish_launches();
}

void Runtime::finish_launches() {
    bool faulted = false;
    queued_.clear();
    launching_.clear();
    std::vector<LaunchReport> reports;
    {
        const Launching launching;
        reports = device_->finish();
    }
    mapped_.publish(*device_);
    if (!reports.empty()) mapped_.refresh(*device_);
    for (LaunchReport& report : reports) {
        log_findings("kernel " + report.name, report.findings);
        if (report.fault) {
            faulted = guest_failed_ = true;
            log_host_error(fault_text(report));
            if (!unreported_fault_ && !settings_.continue_after_fault) {
                unreported_fault_ = HostError{status_of(*report.fault), ""};
            }
        }
        history_.add(std::move(report));
    }
    // The host program may abort because of the status that it gets.
    if (faulted) write_requested_summary();
    if (asked_to_end() != 0) end_as_asked();
}

void Runtime::end_as_asked() {
    write_requested_summary();
    for (const auto& ending : device_->endings()) {
        try {
            ending();
        } catch (const std::exception& error) {
            log_host_error(error.what());
        }
    }
    end_by_signal(asked_to_end());
}

void Runtime::write_crash(const FaultRecord& fault, bool is_hosts) {
    log_all_to_standard_error();
    if (is_hosts) {
        const bool is_asked = fault.code == FaultCode::kBudget;
        std::string text = is_asked ? "the host program is ended outside all launches: "
                                    : "the host program has failed outside all launches: ";
        text += fault.message();
        for (const std::string& frame : fault.call_stack) text += "\n    in " + frame;
        if (!queued_.empty()) {
            text += fmt::format(
                "\n"
                "    launches that did not run, beginning with kernel {}: {}",
                queued_.front(), queued_.size());
        }
        return log_host_error(text);
    }
    queued_.clear();
    for (LaunchReport& report : device_->crashed(fault)) {
        log_findings("kernel " + report.name, report.findings);
        if (report.fault) log_host_error(fault_text(report));
        history_.add(std::move(report));
    }
}

void Runtime::write_last_report(const FaultRecord& fault) {
    LaunchReport report;
    report.name = last_name.data();
    report.fault = fault;
    const std::string text = environment_text("OKKSIM_SUMMARY");
    if (text.empty()) return;
    write_summary(LaunchHistory({report}), {}, text == "1" ? "" : text);
}

void Runtime::log_findings(const std::string& name, const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) {
        guest_failed_ = guest_failed_ || is_mistake(finding);
        if (!logged_findings_.insert(finding.message).second) continue;
        std::string text =
            fmt::format("{} ({}): {}", name, finding_kind_name(finding.kind), finding.message);
        for (const std::string& command : finding.commands) text += "\n    " + command;
        for (const std::string& frame : finding.call_stack) text += "\n    in " + frame;
        log_host_warning(text);
    }
}

std::optional<int> Runtime::end_program() {
    if (getpid() != process_) return std::nullopt;  // a child of the host program
    if (!queued_.empty()) {
        guest_failed_ = true;
        // Functions that run after the program's objects were destroyed have launched these
        // kernels. Kernels cannot run any more.
        log_host_warning(fmt::format(
            "kernel {} (order): the program has ended without a sync after this launch (launches "
            "that did not run: {}). Call okkernel_sync() or bm_thread_sync() at the end",
            queued_.front(), queued_.size()));
    }
    if (memory_) {
        for (const bm_handle_t handle : handles_) note_unfreed(handle, "at the program's end");
    }
    write_requested_summary();
    // The user has asked for all mistakes, so a note reports the time in which accesses were not
    // seen.
    const std::string unseen = unseen_text(history_, kRaiseHere);
    if (!unseen.empty() && settings_.summary_path != "") log_host_note(unseen);
    if (is_summary_lost_) return HostSettings::kUnwrittenExit;
    if (!settings_.strict || !guest_failed_) return std::nullopt;
    return HostSettings::kStrictExit;
}

void Runtime::synchronise(bm_handle_t handle) {
    finish(handle);
    if (unreported_fault_) throw *std::exchange(unreported_fault_, std::nullopt);
}

double Runtime::simulated_us(bm_handle_t handle) {
    check_handle(handle);
    return device_->simulated_us();
}

void Runtime::write_requested_summary() {
    if (!settings_.summary_path || summarised_ == history_.count()) return;
    summarised_ = history_.count();
    is_summary_lost_ = !write_summary(history_, provenance(), *settings_.summary_path);
    if (is_summary_lost_) {
        log_host_error(
            fmt::format("cannot write the summary to {} (OKKSIM_SUMMARY); name a file in "
                        "a folder that can be written",
                        *settings_.summary_path));
    }
}

void set_device_factory(DeviceFactory factory) {
    Runtime& runtime = Runtime::instance();
    const std::scoped_lock lock(runtime.mutex());
    runtime.set_factory(std::move(factory));
}

std::vector<LaunchReport> launch_reports() {
    Runtime& runtime = Runtime::instance();
    const std::scoped_lock lock(runtime.mutex());
    return runtime.history().kept();
}

}  // namespace okksim::firmware::host
