// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/roofline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_work.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::sim::trace {

using models::Picoseconds;

namespace {

constexpr double kMicro = 1e-6;
constexpr double kNanosecondsPerMicrosecond = 1e3;

/// Returns the command class with the most operations; of equal classes, the one that took longest.
std::optional<WorkList::Entry> main_work(const Account& account) {
    WorkList work;
    for (const EngineAccount& engine : account.engines) work.add(engine.busy);
    std::optional<WorkList::Entry> best;
    for (const WorkList::Entry& entry : work) {
        if (entry.operations == 0) continue;
        if (!best || entry.operations > best->operations ||
            (entry.operations == best->operations && entry.time > best->time)) {
            best = entry;
        }
    }
    return best;
}

/// Returns the peak rate of all engines that execute the class.
double peak_operations_per_second(isa::TimingClass timing, const Account& account,
                                  const models::MachineParams& machine) {
    const auto engines = std::count_if(
        account.engines.begin(), account.engines.end(), [&](const EngineAccount& engine) {
            return engine.engine.kind == isa::timing_class(timing).engine;
        });
    return static_cast<double>(engines) *
           models::bdc_peak_operations_per_second(timing, machine.shape(), *machine.bdc);
}

double compute_us(const Account& account, double operations, const models::MachineParams& machine) {
    const std::optional<WorkList::Entry> work = main_work(account);
    if (!work) return 0;
    const double peak = peak_operations_per_second(static_cast<isa::TimingClass>(work->work_class),
                                                   account, machine);
    return operations / peak / kMicro;
}

double memory_us(const DramTraffic& dram, const models::BandwidthParams& params) {
    return (static_cast<double>(dram.read) / params.read_bytes_per_nanosecond +
            static_cast<double>(dram.written) / params.write_bytes_per_nanosecond) /
           kNanosecondsPerMicrosecond;
}

double issue_us(const Account& account, const models::MachineParams& machine) {
    if (account.engines.empty()) return 0;
    const models::Clock clock(machine.mcu->clock_mhz);
    const auto commands = static_cast<std::int64_t>(account.processor().commands);
    Picoseconds most = clock.duration({commands * machine.mcu->command_cycles});
    for (const EngineAccount& engine : account.engines) {
        most = std::max(most, start_up_time(engine, machine));
    }
    return most.microseconds();
}

}  // namespace

const char* bound_name(Bound bound) {
    switch (bound) {
        case Bound::kNone: return "-";
        case Bound::kCompute: return "compute";
        case Bound::kMemory: return "memory";
        case Bound::kIssue: return "issue";
    }
    __builtin_unreachable();
}

std::optional<double> Roofline::intensity() const {
    if (dram.total() == 0) return std::nullopt;
    return operations / static_cast<double>(dram.total());
}

double Roofline::achieved_per_second() const {
    return time_us > 0 ? operations / (time_us * kMicro) : 0;
}

std::optional<double> Roofline::roof_per_second() const {
    if (operations == 0 || roof_us == 0) return std::nullopt;
    return operations / (roof_us * kMicro);
}

double Roofline::percent() const { return time_us > 0 ? 100 * roof_us / time_us : 0; }

Bound Roofline::bound() const {
    const double most = std::max({compute_us, memory_us, issue_us});
    if (most == 0) return Bound::kNone;
    if (most == issue_us) return Bound::kIssue;
    return most == compute_us ? Bound::kCompute : Bound::kMemory;
}

void Roofline::add(const Roofline& part) {
    operations += part.operations;
    dram.add(part.dram);
    time_us += part.time_us;
    compute_us += part.compute_us;
    memory_us += part.memory_us;
    issue_us += part.issue_us;
    roof_us += part.roof_us;
}

Roofline roofline(const Account& account, double useful_operations,
                  const models::MachineParams& machine) {
    Roofline result;
    result.operations = useful_operations;
    result.dram = account.dram;
    result.time_us = account.span.microseconds();
    result.compute_us = compute_us(account, useful_operations, machine);
    result.memory_us = memory_us(account.dram, *machine.dram);
    result.issue_us = issue_us(account, machine);
    result.roof_us = std::max(result.compute_us, result.memory_us);
    return result;
}

Roofline roofline(const Account& account, const models::MachineParams& machine) {
    std::uint64_t operations = 0;
    for (const EngineAccount& engine : account.engines) operations += engine.busy.operations();
    return roofline(account, static_cast<double>(operations), machine);
}

Picoseconds start_up_time(const EngineAccount& engine, const models::MachineParams& machine) {
    if (!engine.engine.kind) return {};
    const auto each = [&] {
        switch (*engine.engine.kind) {
            case isa::Engine::kGdma:
                return models::Clock(machine.gdma->clock_mhz)
                    .duration({machine.gdma->setup_cycles});
            case isa::Engine::kBdc:
                return models::Clock(machine.bdc->clock_mhz)
                    .duration({machine.bdc->startup_cycles});
        }
        __builtin_unreachable();
    }();
    const Picoseconds all{each.value * static_cast<std::int64_t>(engine.commands)};
    return std::min(all, engine[Cause::kBusy]);
}

namespace {

/// Returns "waits for GDMA" if `own` can wait for no other engine, and "waits" otherwise.
std::string wait_text(const Account& account, const EngineAccount& own) {
    const EngineAccount* other = nullptr;
    for (const EngineAccount& engine : account.engines) {
        if (!engine.engine.kind || &engine == &own) continue;
        if (other != nullptr) return "waits for engines";
        other = &engine;
    }
    return other == nullptr ? "waits" : "waits for " + other->engine.name;
}

using Loss = std::pair<std::string, Picoseconds>;

/// Returns the losses of the most occupied engine, largest first.
std::vector<Loss> losses(const Account& account, const models::MachineParams& machine) {
    const EngineAccount* most_occupied = &account.engines.front();
    for (const EngineAccount& engine : account.engines) {
        const bool is_more = engine.occupied() >= most_occupied->occupied();
        if (engine.engine.kind && is_more) most_occupied = &engine;
    }
    const EngineAccount& own = *most_occupied;
    std::vector<Loss> all{{"start-up", start_up_time(own, machine)},
                          {wait_text(account, own), own[Cause::kOtherEngine]},
                          {"waits for MCU", own[Cause::kQueue]},
                          {"MCU computing", own[Cause::kComputing]},
                          {"DRAM bandwidth", own[Cause::kMemoryBandwidth]},
                          {"DRAM latency", own[Cause::kMemoryLatency]},
                          {"bank conflicts", own[Cause::kBankConflict]},
                          {"idle", own[Cause::kIdle]}};
    std::erase_if(all, [](const Loss& loss) { return loss.second.value <= 0; });
    std::stable_sort(all.begin(), all.end(),
                     [](const Loss& a, const Loss& b) { return a.second > b.second; });
    return all;
}

}  // namespace

std::string lost_times_text(const Account& account, const models::MachineParams& machine,
                            std::size_t count) {
    if (account.span.value == 0) return "-";
    std::vector<std::string> parts;
    for (const Loss& loss : losses(account, machine)) {
        if (parts.size() == count) break;
        const double percent = 100.0 * static_cast<double>(loss.second.value) /
                               static_cast<double>(account.span.value);
        constexpr double kLeastShown = 0.5;
        if (percent < kLeastShown) break;
        parts.push_back(fmt::format("{} {:.0f}%", loss.first, percent));
    }
    return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string lost_time_text(const Account& account, const models::MachineParams& machine) {
    return lost_times_text(account, machine, 1);
}

NetworkFloor network_floor(const Roofline& run, const DramTraffic& once,
                           const models::MachineParams& machine) {
    return {run.compute_us, memory_us(once, *machine.dram)};
}

std::string roofline_text(const Roofline& roofline) {
    constexpr double kGiga = 1e9;
    constexpr double kMega = 1e6;
    const std::string bound = fmt::format("bound by {}", bound_name(roofline.bound()));
    const std::string moved =
        fmt::format("{:.2f} MB of DRAM", static_cast<double>(roofline.dram.total()) / kMega);
    const auto roof = roofline.roof_per_second();
    if (!roof)
        return fmt::format("{}, {:.1f} % of its bandwidth; {}", moved, roofline.percent(), bound);
    return fmt::format(
        "{:.2f} Gop/s of {:.2f} ({:.1f} % of the roof), {}{}; {}",
        roofline.achieved_per_second() / kGiga, *roof / kGiga, roofline.percent(), moved,
        roofline.intensity() ? fmt::format(", {:.1f} operations per byte", *roofline.intensity())
                             : std::string(),
        bound);
}

nlohmann::ordered_json roofline_json(const Roofline& roofline) {
    const auto number = [](const std::optional<double>& value) {
        return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
    };
    return {{"operations", roofline.operations},
            {"dram_bytes_read", roofline.dram.read},
            {"dram_bytes_written", roofline.dram.written},
            {"operations_per_byte", number(roofline.intensity())},
            {"achieved_operations_per_second", roofline.achieved_per_second()},
            {"roof_operations_per_second", number(roofline.roof_per_second())},
            {"percent_of_roof", roofline.percent()},
            {"bound", bound_name(roofline.bound())},
            {"least_us",
             {{"compute", roofline.compute_us},
              {"memory", roofline.memory_us},
              {"issue", roofline.issue_us}}}};
}

}  // namespace okksim::sim::trace
