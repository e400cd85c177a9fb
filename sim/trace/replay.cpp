// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "models/chip/chip_params.h"
#include "models/chip/compatibility_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/in_order_machine.h"
#include "models/chip/memory_params.h"
#include "models/mcu/host_params.h"
#include "sim/device/chip_device.h"
#include "sim/trace/call_replay.h"
#include "sim/trace/command_check.h"
#include "sim/trace/command_trace_reader.h"

namespace okksim::sim::trace {
namespace {

double host_us(const Machine& machine) {
    const models::HostParams& host = *machine.params.host;
    return (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-3;
}

/// Returns the machine for a trace that names none.
Machine default_machine(const ReplayOptions& options) {
    return load_machine(options.machine.value_or(builtin_machines().front()), options.settings);
}

/// A machine with its accountant and the caller's observers.
class Replayer {
 public:
    Replayer(const Machine& machine, const ReplayOptions& options)
        : options_(options), port_(machine.params), accountant_(machine.params) {
        report_.machine = machine;
        port_.add_observer(accountant_);
        for (models::CommandObserver* observer : options.observers) port_.add_observer(*observer);
        for (AccountListener* listener : options.listeners) accountant_.add_listener(*listener);
    }

    models::InOrderMachine& port() { return port_; }
    const Machine& machine() const { return report_.machine; }

    void begin(const std::string& name) {
        if (running_) end();
        running_ = true;
        accountant_.name_launch(name);
        if (options_.before_launch) options_.before_launch(name);
        report_.launches.push_back({name, 0, {}});
        port_.begin_launch();
    }
    void end() {
        if (!running_) return;
        running_ = false;
        report_.launches.back().simulated_us =
            port_.end_launch().microseconds() + host_us(machine());
    }
    /// Counts a command.
    void count(const isa::Command& command) { ++report_.commands[command.info().engine]; }
    bool running() const { return running_; }

    /// Runs `body`. With `force`, an exception ends only the replay.
    template <typename Body>
    ReplayReport run(const Body& body) {
        const auto begin = std::chrono::steady_clock::now();
        try {
            body(*this, report_);
        } catch (const ConfigError& error) {
            if (!options_.force) throw;
            report_.stopped = error.what();
        } catch (const ProgramFault&) {
            if (StopRequest::signal() == 0) throw;
        }
        if (StopRequest::signal() != 0) report_.stopped = StopRequest::text();
        end();
        report_.accounts = accountant_.launches();
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
        report_.host_seconds = passed.count();
        return std::move(report_);
    }

 private:
    const ReplayOptions& options_;
    models::InOrderMachine port_;
    Accountant accountant_;
    ReplayReport report_;
    bool running_ = false;
};

/// Checks the shape: commands hold addresses, so they need the same lanes and memories.
void check_shape(const Machine& recorded, const Machine& machine, const std::string& path) {
    const isa::MachineShape a = recorded.params.shape();
    const isa::MachineShape b = machine.params.shape();
    const bool same_places = std::ranges::equal(
        a.memories(), b.memories(), {}, &isa::MemoryRegion::start, &isa::MemoryRegion::start);
    if (a.lanes == b.lanes && a.local_bytes == b.local_bytes && same_places) return;
    throw ConfigError(
        path,
        fmt::format("the commands are for {} lanes of {} bytes, but the machine \"{}\" has {} "
                    "lanes of {} bytes or other memory addresses. Make it again for that machine",
                    a.lanes, a.local_bytes, machine.label(), b.lanes, b.local_bytes));
}

/// Checks everything that firmware can query: it may have acted on the answer, so the recording is
/// invalid on machines with other answers.
void check_answers(const models::MachineParams& recorded, const models::MachineParams& machine,
                   const std::string& path) {
    struct Answer {
        const char* key;
        std::int64_t recorded, wanted;
    };
    const std::vector<Answer> answers{
        {"chip.vector_words", recorded.chip->vector_words, machine.chip->vector_words},
        {"chip.local_memory_start", recorded.chip->local_memory_start,
         machine.chip->local_memory_start},
        {"l2.bytes", recorded.l2->bytes, machine.l2->bytes},
        {"l2.lookup_table_start", recorded.l2->lookup_table_start, machine.l2->lookup_table_start},
        {"l2.lookup_table_bytes", recorded.l2->lookup_table_bytes, machine.l2->lookup_table_bytes},
        {"dtcm.bytes", recorded.dtcm->bytes, machine.dtcm->bytes},
        {"global.reserved_bytes", recorded.global->reserved_bytes, machine.global->reserved_bytes},
        {"compat.sdk_quirks", recorded.compat->sdk_quirks, machine.compat->sdk_quirks},
#define OKKSIM_FEATURE(name, key, ...) \
    {"features." #key, recorded.features->key, machine.features->key},
#include "isa/features.def"
#undef OKKSIM_FEATURE
    };
    for (const Answer& answer : answers) {
        if (answer.recorded == answer.wanted) continue;
        throw ConfigError(path,
                          fmt::format("was made with {} = {}, the machine has {}; firmware can see "
                                      "the difference, so make it again for that machine",
                                      answer.key, answer.recorded, answer.wanted));
    }
}

void replay_entry(const TraceEntry& entry, const std::string& where, double recorded_host_us,
                  Replayer& replayer, ReplayReport& report) {
    models::InOrderMachine& port = replayer.port();
    if (entry.kind == EntryKind::kLaunch) return replayer.begin(entry.name);
    if (entry.kind == EntryKind::kBuffer || entry.kind == EntryKind::kData) return;
    if (!replayer.running()) throw ConfigError(where, "an entry outside every launch");
    switch (entry.kind) {
        case EntryKind::kLaunch: return;
        case EntryKind::kFinish:
            report.launches.back().recorded_us = entry.duration.microseconds() + recorded_host_us;
            replayer.end();
            return;
        case EntryKind::kPoll: port.wait_until_idle(); return;
        case EntryKind::kCharge: port.charge(entry.call, entry.count); return;
        case EntryKind::kCompute:
            port.compute({entry.name, entry.computation.kind, entry.computation.operations});
            return;
        case EntryKind::kAccess:
            if (const auto problem = access_problem(entry.access, port.machine())) {
                throw ConfigError(where, *problem);
            }
            port.access(entry.access);
            return;
        case EntryKind::kCommand:
            if (const auto problem = command_problem(entry.command, port.machine())) {
                throw ConfigError(where, *problem);
            }
            replayer.count(entry.command);
            port.submit(entry.command);
            return;
        case EntryKind::kPlace:
        case EntryKind::kBuffer:
        case EntryKind::kData: return;
    }
}

ReplayReport replay_commands(CommandTraceReader& reader, const std::filesystem::path& path,
                             const std::optional<Machine>& recorded, const Machine& machine,
                             const ReplayOptions& options) {
    if (recorded) check_same_layout(*recorded, machine, path.string());
    const double recorded_host_us = recorded ? host_us(*recorded) : 0;
    Replayer replayer(machine, options);
    return replayer.run([&](Replayer& self, ReplayReport& report) {
        report.same_machine = machine.hash() == reader.machine_hash();
        TraceEntry entry;
        while (StopRequest::signal() == 0 && reader.next(entry)) {
            replay_entry(entry, path.string(), recorded_host_us, self, report);
        }
    });
}

ReplayReport replay_calls(const std::filesystem::path& path, const Machine& machine,
                          const ReplayOptions& options) {
    Replayer replayer(machine, options);
    return replayer.run([&](Replayer& self, ReplayReport& report) {
        CallTraceReader reader(path, self.port().machine());
        const CallTraceHeader& header = reader.header();
        firmware::Context context(self.port(), context_options(self.machine()));
        context.begin_launch();
        self.begin(fmt::format("{} {} {}", header.op, header.case_number, header.contestant));
        const auto keep_counts = [&] { report.commands = context.counts().commands; };
        try {
            make_calls(context, reader);
        } catch (...) {
            keep_counts();
            throw;
        }
        keep_counts();
    });
}

}  // namespace

Account ReplayReport::total() const {
    Account sum{EngineList(machine.params)};
    sum.name = "all launches";
    for (const Account& account : accounts) sum.add(account);
    return sum;
}

Machine replay_machine(const std::filesystem::path& path, const ReplayOptions& options) {
    if (options.machine || !CommandTraceReader::recognises(path)) return default_machine(options);
    return CommandTraceReader(path).machine(options.settings);
}

void check_same_layout(const Machine& made_for, const Machine& machine, const std::string& what) {
    check_shape(made_for, machine, what);
    check_answers(made_for.params, machine.params, what);
}

ReplayReport replay(const std::filesystem::path& path, const ReplayOptions& options) {
    if (!CommandTraceReader::recognises(path)) {
        return replay_calls(path, default_machine(options), options);
    }
    CommandTraceReader reader(path);
    const std::optional<Machine> recorded =
        options.machine && options.force ? std::nullopt : std::optional(reader.machine());
    const Machine machine = options.machine ? load_machine(*options.machine, options.settings)
                                            : reader.machine(options.settings);
    return replay_commands(reader, path, recorded, machine, options);
}

ReplayReport replay_on(const std::filesystem::path& path, const Machine& machine) {
    if (!CommandTraceReader::recognises(path)) return replay_calls(path, machine, {});
    CommandTraceReader reader(path);
    return replay_commands(reader, path, reader.machine(), machine, {});
}

}  // namespace okksim::sim::trace
