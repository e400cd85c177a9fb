// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/run_observers.h"

#include <exception>
#include <fstream>
#include <iterator>
#include <system_error>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/input_file.h"
#include "models/chip/chip.h"

namespace okksim::sim::trace {

ObservedMachine observed(Simulation& simulation) {
    return {simulation.machine(),
            [&simulation](models::CommandObserver& observer) { simulation.add_observer(observer); },
            &simulation};
}

void RunObservers::record(const ObservedMachine& observed, const ObserverOptions& options) {
    if (observed.simulation == nullptr) {
        if (options.record_crc || options.record_data) {
            throw ConfigError(
                options.record_data ? "--record-data" : "--record-crc",
                "a run without data has no bytes to record; drop the flag, or run with data");
        }
        recorder_.emplace(options.record, observed.machine);
        return;
    }
    models::Chip& chip = observed.simulation->chip();
    recorder_.emplace(options.record, observed.machine,
                      RecordedParts{.crc = options.record_crc || options.record_data,
                                    .data = options.record_data,
                                    .sees_stores = options.sees_stores,
                                    .most_bytes = options.record_limit},
                      chip.local_memory(), chip.system_memory());
}

RunObservers::RunObservers(const ObservedMachine& observed, const ObserverOptions& options,
                           CallSites* sites)
    : machine_(observed.machine),
      simulation_(observed.simulation),
      accountant_(observed.machine.params),
      records_data_(options.record_data) {
    observed.add_observer(accountant_);
    LineOf line_of;
    if (sites != nullptr) {
        line_of = [sites](const isa::Command& command) { return sites->text(sites->of(command)); };
    }
    if (!options.record.empty()) {
        record(observed, options);
        recorder_->set_lines(line_of);
        observed.add_observer(*recorder_);
    }
    if (!options.vcd.empty()) {
        if (simulation_ == nullptr) {
            throw ConfigError("--vcd",
                              "SystemC modules write this file, and a run without data has none; "
                              "drop the flag, or run with data");
        }
        simulation_->trace_vcd(options.vcd);
    }
    if (!options.timeline.empty()) {
        timeline_.emplace(options.timeline, machine_, options.record_limit);
        timeline_->set_lines(line_of);
        observed.add_observer(*timeline_);
        accountant_.add_listener(*timeline_);
    }
    if (!options.commands.empty()) {
        commands_.emplace(options.commands, machine_, options.record_limit);
        commands_->set_lines(line_of);
        accountant_.add_listener(*commands_);
    }
    if (!options.lines.empty() && sites != nullptr) {
        lines_.emplace(*sites, machine_.params);
        lines_file_ = options.lines;
        accountant_.add_listener(*lines_);
    }
}

void RunObservers::name_launch(const std::string& name) {
    accountant_.name_launch(name);
    if (recorder_) recorder_->name_launch(name);
    if (timeline_) timeline_->name_launch(name);
}

void RunObservers::host_copied(const HostCopy& copy) {
    if (timeline_) timeline_->add_host_copy(copy);
    if (recorder_) recorder_->host_copied(copy);
}

void RunObservers::host_forgot(std::uint64_t address, std::uint64_t bytes) {
    if (recorder_) recorder_->host_forgot(address, bytes);
}

StoreObserver RunObservers::store_observer() {
    if (!recorder_ || !records_data_) return {};
    return {[this](const ProcessorStore& store) { recorder_->processor_stored(store); },
            [this] { recorder_->processor_stores_lost(); }};
}

void RunObservers::name_buffer(const std::string& name, std::uint64_t address,
                               std::uint64_t bytes) {
    if (recorder_) recorder_->name_buffer(name, address, bytes);
}

std::optional<std::uint64_t> file_mark(const std::filesystem::path& file) {
    if (may_have_no_end(file)) return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    const std::string bytes{std::istreambuf_iterator<char>(stream),
                            std::istreambuf_iterator<char>()};
    isa::Fnv1a mark;
    mark.add(bytes);
    return mark.value() >> 1;
}

void RunObservers::name_library(const std::filesystem::path& file) {
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(file, error);
    if (const auto mark = error ? std::nullopt : file_mark(path)) {
        name_buffer(std::string(kLibraryName) + path.string(), 0, *mark);
    }
}

void RunObservers::finish() {
    // A failure of one file must not prevent the others.
    std::exception_ptr first;
    for (const auto& ending : endings()) {
        try {
            ending();
        } catch (const ConfigError&) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

std::vector<std::function<void()>> RunObservers::endings() {
    return {[this] {
                if (timeline_) timeline_->finish();
            },
            [this] {
                if (commands_) commands_->finish();
            },
            [this] {
                if (!lines_ || lines_file_ == kToTerminal) return;
                write_lines(*lines_, machine_, lines_file_);
            },
            [this] {
                if (simulation_ != nullptr) simulation_->finish_vcd();
            },
            [this] {
                if (recorder_) recorder_->finish();  // last: throws if it is too long
            }};
}

}  // namespace okksim::sim::trace
