// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/bdc/bdc_work.h"

namespace okksim::sim::trace {

using models::Picoseconds;

namespace {

constexpr double kMicro = 1e-6;
constexpr double kNanosecondsPerMicrosecond = 1e3;

/// The class of commands that did most operations; of equals the one that took longest.
const WorkList::Entry* main_work(const Account& account) {
    const WorkList::Entry* best = nullptr;
    for (const WorkList::Entry& entry : account.engines[Account::kBdc].busy) {
        if (entry.operations == 0) continue;
        if (best == nullptr || entry.operations > best->operations ||
            (entry.operations == best->operations && entry.time > best->time)) {
            best = &entry;
        }
    }
    return best;
}

double compute_us(const Account& account, double operations, const models::MachineParams& machine) {
    const WorkList::Entry* work = main_work(account);
    if (work == nullptr) return 0;
    const double peak = models::bdc_peak_operations_per_second(
        static_cast<isa::TimingClass>(work->work_class), machine.shape(), machine.bdc);
    return operations / peak / kMicro;
}

double memory_us(const DramTraffic& dram, const models::BandwidthParams& params) {
    return (static_cast<double>(dram.read) / params.read_bytes_per_nanosecond +
            static_cast<double>(dram.written) / params.write_bytes_per_nanosecond) /
           kNanosecondsPerMicrosecond;
}

double issue_us(const Account& account, const models::MachineParams& machine) {
    const models::Clock clock(machine.mcu.clock_mhz);
    const auto commands = static_cast<std::int64_t>(account.engines[Account::kMcu].commands);
    Picoseconds most = clock.duration({commands * machine.mcu.command_cycles});
    for (const std::size_t engine : {Account::kGdma, Account::kBdc}) {
        most = std::max(most, start_up_time(account, engine, machine));
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
    result.memory_us = memory_us(account.dram, machine.dram);
    result.issue_us = issue_us(account, machine);
    result.roof_us = std::max(result.compute_us, result.memory_us);
    return result;
}

Roofline roofline(const Account& account, const models::MachineParams& machine) {
    const auto operations = static_cast<double>(account.engines[Account::kBdc].busy.operations());
    return roofline(account, operations, machine);
}

Picoseconds start_up_time(const Account& account, std::size_t engine,
                          const models::MachineParams& machine) {
    const EngineAccount& own = account.engines[engine];
    Picoseconds each;
    if (engine == Account::kGdma) {
        each = models::Clock(machine.gdma.clock_mhz).duration({machine.gdma.setup_cycles});
    } else if (engine == Account::kBdc) {
        each = models::Clock(machine.bdc.clock_mhz).duration({machine.bdc.startup_cycles});
    }
    const Picoseconds all{each.value * static_cast<std::int64_t>(own.commands)};
    return std::min(all, own[Cause::kBusy]);
}

std::string lost_time_text(const Account& account, const models::MachineParams& machine) {
    const EngineAccount& gdma = account.engines[Account::kGdma];
    const EngineAccount& bdc = account.engines[Account::kBdc];
    const std::size_t engine = bdc.occupied() >= gdma.occupied() ? Account::kBdc : Account::kGdma;
    const EngineAccount& own = account.engines[engine];
    const std::pair<const char*, Picoseconds> losses[] = {
        {"start-up", start_up_time(account, engine, machine)},
        {engine == Account::kBdc ? "waits for GDMA" : "waits for BDC", own[Cause::kOtherEngine]},
        {"waits for MCU", own[Cause::kQueue]},
        {"MCU computing", own[Cause::kComputing]},
        {"DRAM bandwidth", own[Cause::kMemoryBandwidth]},
        {"DRAM latency", own[Cause::kMemoryLatency]},
        {"bank conflicts", own[Cause::kBankConflict]},
        {"idle", own[Cause::kIdle]}};
    const auto* most =
        std::max_element(std::begin(losses), std::end(losses),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most->second.value <= 0 || account.span.value == 0) return "-";
    const double share =
        static_cast<double>(most->second.value) / static_cast<double>(account.span.value);
    return fmt::format("{} {:.0f}%", most->first, share * 100);
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
