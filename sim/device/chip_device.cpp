// SPDX-License-Identifier: Apache-2.0
#include "sim/device/chip_device.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>

#include "firmware/leave/crash_thread.h"
#include "firmware/leave/kernel_runner.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip.h"
#include "models/chip/chip_params.h"
#include "models/chip/compatibility_params.h"
#include "models/chip/memory_params.h"
#include "models/mcu/host_params.h"
#include "sim/machine/provenance.h"

namespace okksim::sim {

firmware::ContextOptions context_options(const Machine& machine) {
    const models::MachineParams& params = machine.params;
    firmware::ContextOptions options;
    options.sdk_quirks = params.compat->sdk_quirks;
    options.strict_limits = params.compat->strict_limits;
    options.facts.local_memory_start = static_cast<std::uint32_t>(params.chip->local_memory_start);
    options.facts.lookup_table_start = static_cast<std::uint32_t>(params.l2->lookup_table_start);
    options.facts.lookup_table_bytes = static_cast<std::uint32_t>(params.l2->lookup_table_bytes);
    return options;
}

void look_for_undefined(models::Chip& chip, firmware::ContextOptions& options) {
    options.look_at_system = [&chip](std::uint64_t address, std::uint64_t bytes, bool loads) {
        return chip.processor_looks(address, bytes, loads);
    };
    options.look_at_local = [&chip](isa::LocalAddr address) {
        return chip.processor_looks(address);
    };
}

namespace {

/// Returns the call site of a kernel's instruction. There are few of them, and they are never
/// freed.
const CallSite* site_of_instruction(const void* address) {
    static std::mutex mutex;
    static std::map<const void*, CallSite> sites;
    const std::lock_guard locked(mutex);
    return &sites.try_emplace(address, CallSite{address}).first->second;
}

/// Returns the call of the running kernel that issues a command.
const void* issuing_call() {
    firmware::Context* const context = firmware::Context::current();
    if (context == nullptr) return nullptr;
    return context->delivery().call();
}

}  // namespace

ChipDevice::ChipDevice(Machine machine, const models::ChipOptions& options, LaunchLimits limits)
    : simulation_(std::move(machine), options),
      limits_(limits),
      sanitizes_(options.with_diagnostics),
      watches_pointers_(options.with_diagnostics && options.exact_bytes) {
    simulation_.chip().watch_users(issuing_call, firmware::describe_address);
    simulation_.chip().watch_results();
}

CallSites& ChipDevice::remember_calls(bool whole_stacks) {
    call_sites_ = std::make_unique<CallSites>(whole_stacks);
    watch_calls(simulation_.chip(), *call_sites_);
    return *call_sites_;
}

std::uint64_t ChipDevice::memory_start() const {
    const auto& global = *simulation_.machine().params.global;
    return static_cast<std::uint64_t>(global.start + global.reserved_bytes);
}

std::uint64_t ChipDevice::memory_bytes() const {
    const auto& global = *simulation_.machine().params.global;
    return static_cast<std::uint64_t>(global.bytes - global.reserved_bytes);
}

void ChipDevice::run(isa::CommandPort& port, const firmware::host::LaunchRequest& request,
                     firmware::host::LaunchReport& report) {
    firmware::ContextOptions options = context_options(simulation_.machine());
    options.command_budget = limits_.command_budget;
    options.call_budget = limits_.call_budget;
    options.idle_seconds = limits_.idle_seconds;
    options.pointer_share = limits_.pointer_share;
    options.call_seconds = limits_.call_seconds;
    if (sanitizes_) {
        options.report = [this](Finding finding) {
            simulation_.chip().add_finding(std::move(finding));
        };
    }
    if (memory_ != nullptr) {
        options.check_global = [this](std::uint64_t address, std::uint64_t bytes) {
            return memory_->check(address, bytes);
        };
        options.gaps_around = [this](std::uint64_t address) {
            return memory_->gaps_around(address);
        };
    }
    if (sanitizes_) options.stale_pointers = stale_pointers();
    look_for_undefined(simulation_.chip(), options);
    watch_pointers(options);
    firmware::Context context(port, options);
    running_ = &report;
    context_ = &context;
    report.fault = firmware::run_kernel(context, request.entry, std::span(request.args));
    report.commands = context.counts().commands;
    report.computations = context.counts().computations;
    context_ = nullptr;
    if (context.checks() == nullptr) return;
    keep_pointers(context.checks()->given_pointers());
    report.touched = context.checks()->touched();
    report.uses_pointers_unseen = sanitizes_ && !context.checks()->sees_all();
    if (sanitizes_) report.unseen = context.checks()->unseen();
}

void ChipDevice::keep_pointers(const std::vector<firmware::GivenPointer>& pointers) {
    constexpr std::size_t kMostKept = 256;
    for (const firmware::GivenPointer& pointer : pointers) {
        if (pointer.place.local) continue;
        const bool is_known =
            std::any_of(kept_pointers_.begin(), kept_pointers_.end(), [&](const auto& known) {
                return known.place.address == pointer.place.address && known.site == pointer.site;
            });
        if (is_known) continue;
        if (kept_pointers_.size() == kMostKept) kept_pointers_.erase(kept_pointers_.begin());
        kept_pointers_.push_back(pointer);
    }
}

std::vector<firmware::StalePointer> ChipDevice::stale_pointers() const {
    std::vector<firmware::StalePointer> stale;
    if (memory_ == nullptr) return stale;
    for (const firmware::GivenPointer& pointer : kept_pointers_) {
        const auto freed = memory_->freed_around(pointer.place.address);
        if (freed) stale.push_back({pointer, *freed});
    }
    return stale;
}

void ChipDevice::watch_pointers(firmware::ContextOptions& options) {
    options.watch_pointers = watches_pointers_ || store_observer_.stored;
    if (!options.watch_pointers) return;
    options.check_local_load = [this](isa::LocalAddr address, std::uint64_t bytes) {
        return simulation_.chip().processor_loads(address, bytes);
    };
    options.processor_stored = [this](const firmware::MemoryPlace& first, std::uint64_t bytes,
                                      const void* site,
                                      bool exact) { processor_stored(first, bytes, site, exact); };
    options.processor_may_have_stored = [this](const firmware::MemoryPlace& first,
                                               std::uint64_t bytes) {
        models::Chip& chip = simulation_.chip();
        if (first.local) return chip.processor_stored(first.local_address, bytes);
        chip.processor_stored(first.address, bytes);
    };
    options.processor_copied_undefined = [this](const firmware::MemoryPlace& first,
                                                std::uint64_t bytes, const void* site) {
        if (first.local) return;
        // With call sites, the instruction itself is named. Otherwise the address after it is
        // passed.
        const void* named = site == nullptr ? nullptr : static_cast<const char*>(site) + 1;
        if (call_sites_ && site != nullptr) named = site_of_instruction(site);
        simulation_.chip().processor_copied(first.address, bytes, named);
    };
    options.processor_stores_lost = store_observer_.lost;
}

void ChipDevice::processor_stored(const firmware::MemoryPlace& first, std::uint64_t bytes,
                                  const void* site, bool exact) {
    models::Chip& chip = simulation_.chip();
    ProcessorStore store;
    const std::byte* data = nullptr;
    if (first.local) {
        chip.processor_stored(first.local_address, bytes);
        store.address =
            first.local_address.value +
            static_cast<std::uint64_t>(simulation_.machine().params.chip->local_memory_start);
        data = chip.local_memory().pointer(first.local_address);
    } else {
        chip.processor_stored(first.address, bytes);
        store.address = first.address;
        data = chip.system_memory().pointer(first.address, bytes);
    }
    if (!store_observer_.stored || data == nullptr) return;
    const auto [line, is_new] = store_lines_.try_emplace(site);
    if (is_new && site != nullptr) line->second = firmware::locate(site).front().text();
    store.line = line->second;
    if (!exact) store.line += ", or code after it";
    store.data = {data, static_cast<std::size_t>(bytes)};
    store_observer_.stored(store);
}

void ChipDevice::launch(firmware::host::LaunchRequest request) {
    auto owned = std::make_unique<firmware::host::LaunchReport>();
    firmware::host::LaunchReport* report = owned.get();
    report->name = request.name;
    reports_.push_back(std::move(owned));
    const double host_us = simulation_.machine().params.host->launch_nanoseconds * 1e-3 +
                           simulation_.machine().params.host->sync_nanoseconds * 1e-3;
    auto body = [this, report, request = std::move(request)](isa::CommandPort& port) {
        run(port, request, *report);
    };
    auto finished = [this, report, host_us](models::Picoseconds start, models::Picoseconds end) {
        report->simulated_us = host_us + (end - start).microseconds();
        if (!report->fault) report->fault = simulation_.chip().fault();
        has_faulted_ = has_faulted_ || report->fault;
        simulation_.chip().clear_fault();
        report->findings = simulation_.chip().take_findings();
        running_ = nullptr;
    };
    simulation_.launch({std::move(body), std::move(finished)});
}

std::vector<firmware::host::LaunchReport> ChipDevice::finish() {
    std::vector<firmware::host::LaunchReport> reports = finish_batch();
    if (!reports.empty()) {
        simulation_.advance(
            models::from_nanoseconds(simulation_.machine().params.host->sync_nanoseconds));
    }
    return reports;
}

std::vector<firmware::host::LaunchReport> ChipDevice::finish_batch() {
    try {
        simulation_.run();
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        firmware::CrashThread::end_exception(error.what());
        throw;
    }
    std::vector<firmware::host::LaunchReport> reports;
    for (const auto& report : reports_) reports.push_back(std::move(*report));
    reports_.clear();
    return reports;
}

std::vector<firmware::host::LaunchReport> ChipDevice::crashed(const FaultRecord& fault) {
    std::vector<firmware::host::LaunchReport> reports;
    for (const auto& report : reports_) {
        reports.push_back(*report);
        if (report.get() != running_) continue;
        if (context_ != nullptr) reports.back().commands = context_->counts().commands;
        reports.back().findings = simulation_.chip().take_findings();
        break;
    }
    if (reports.empty()) {
        reports.emplace_back();
        reports.back().name = "after the last launch";
    }
    reports.back().fault = fault;
    return reports;
}

void ChipDevice::spend_copy(std::uint64_t address, std::span<const std::byte> data,
                            models::MemoryDirection direction) {
    const std::uint64_t bytes = data.size();
    const double rate = simulation_.machine().params.host->copy_bytes_per_nanosecond;
    const models::Picoseconds begin = simulation_.time();
    simulation_.host_copy(address, bytes, direction,
                          models::from_nanoseconds(static_cast<double>(bytes) / rate));
    if (copy_observer_) {
        const bool to_chip = direction == models::MemoryDirection::kWrite;
        copy_observer_({to_chip, bytes, begin, simulation_.time(), address, data});
    }
}

void ChipDevice::write(std::uint64_t address, std::span<const std::byte> bytes) {
    simulation_.chip().write_memory(address, bytes);
    spend_copy(address, bytes, models::MemoryDirection::kWrite);
}

void ChipDevice::read(std::uint64_t address, std::span<std::byte> bytes) {
    simulation_.chip().read_memory(address, bytes);
    if (auto finding = simulation_.chip().host_reads(address, bytes.size());
        finding && !has_faulted_) {
        read_findings_.push_back(std::move(*finding));
    }
    spend_copy(address, bytes, models::MemoryDirection::kRead);
}

void ChipDevice::copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    std::vector<std::byte> buffer(bytes);
    simulation_.chip().read_memory(from, buffer);
    spend_copy(from, buffer, models::MemoryDirection::kRead);
    simulation_.chip().copy_memory(to, from, buffer);
    spend_copy(to, buffer, models::MemoryDirection::kWrite);
}

void ChipDevice::look(std::uint64_t address, std::span<std::byte> bytes) {
    simulation_.chip().read_memory(address, bytes);
}

void ChipDevice::forget(std::uint64_t address, std::uint64_t bytes) {
    simulation_.chip().forget_memory(address, bytes);
}

double ChipDevice::simulated_us() const { return simulation_.time().microseconds(); }

firmware::host::DeviceFacts ChipDevice::facts() const {
    const auto& params = simulation_.machine().params;
    const isa::MachineShape shape = params.shape();
    return {int{shape.lanes}, static_cast<int>(shape.vector_words), params.bdc->clock_mhz};
}

firmware::host::Provenance ChipDevice::provenance() const {
    const Machine& machine = simulation_.machine();
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    add_provenance(json, machine);
    return {provenance_text(machine),
            json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)};
}

}  // namespace okksim::sim
