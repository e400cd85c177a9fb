// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "isa/base/errors.h"
#include "sim/report/limit_report.h"
#include "sim/trace/energy_report.h"

namespace okksim::sim::sweep {
namespace {

/// Returns the name of an engine's kind: "gdma", "bdc", "mcu". Engines of the same kind share one
/// name.
std::string kind_name(const trace::ListedEngine& engine) {
    return trace::column_name(engine.kind ? std::string(isa::engine_name(*engine.kind))
                                          : engine.name);
}

std::vector<std::string> engine_kinds() {
    std::vector<std::string> kinds;
    isa::CommandCounts().visit([&](isa::Engine kind, std::uint64_t) {
        kinds.push_back(trace::column_name(std::string(isa::engine_name(kind))));
    });
    kinds.emplace_back("mcu");
    return kinds;
}

std::string cause_column(const std::string& kind, std::size_t cause) {
    return trace::column_name(
        fmt::format("{} {} us", kind, trace::cause_name(static_cast<trace::Cause>(cause))));
}

std::vector<std::string> make_names() {
    std::vector<std::string> names{"us",
                                   "launch_us",
                                   "constant_file_bytes",
                                   "floor_us",
                                   "reachable_bound_us",
                                   "band_low_us",
                                   "band_high_us",
                                   "operations",
                                   "dram_read_bytes",
                                   "dram_written_bytes",
                                   "memory_bytes"};
    for (const char* low_or_high : {"", "_low", "_high"}) {
        names.push_back(fmt::format("energy{}_j", low_or_high));
        names.push_back(fmt::format("power{}_w", low_or_high));
        names.push_back(fmt::format("area{}_mm2", low_or_high));
    }
    for (const std::string& kind : engine_kinds()) {
        if (kind != "mcu") names.push_back(kind + "_commands");
    }
    for (const std::string& kind : engine_kinds()) names.push_back(kind + "_share");
    for (const auto& causes : cause_figures()) {
        names.insert(names.end(), causes.begin(), causes.end());
    }
    return names;
}

/// Sets the value and its band: "energy_j", "energy_low_j", "energy_high_j".
void set_banded(Figures& figures, const std::string& name, const std::string& unit,
                const models::energy::Banded& banded) {
    figures.set(name + '_' + unit, banded.value);
    figures.set(name + "_low_" + unit, banded.low);
    figures.set(name + "_high_" + unit, banded.high);
}

}  // namespace

const std::vector<std::vector<std::string>>& cause_figures() {
    static const std::vector<std::vector<std::string>> all = [] {
        std::vector<std::vector<std::string>> engines;
        for (const std::string& kind : engine_kinds()) {
            std::vector<std::string>& names = engines.emplace_back();
            for (std::size_t cause = 0; cause < trace::kCauses; ++cause) {
                names.push_back(cause_column(kind, cause));
            }
        }
        return engines;
    }();
    return all;
}

bool is_cause_figure(const std::string& name) {
    return std::ranges::any_of(cause_figures(), [&](const std::vector<std::string>& names) {
        return std::ranges::find(names, name) != names.end();
    });
}

const std::vector<std::string>& figure_names() {
    static const std::vector<std::string> names = make_names();
    return names;
}

std::optional<std::size_t> figure_index(const std::string& name) {
    static const auto indices = [] {
        std::map<std::string, std::size_t> all;
        for (const std::string& figure : figure_names()) all.emplace(figure, all.size());
        return all;
    }();
    const auto found = indices.find(name);
    return found == indices.end() ? std::nullopt : std::optional(found->second);
}

void Figures::set(const std::string& name, double value) {
    const auto index = figure_index(name);
    OKKSIM_CHECK(index.has_value());
    values_[*index] = value;
}

std::optional<double> Figures::get(const std::string& name) const {
    const auto index = figure_index(name);
    if (!index || std::isnan(values_[*index])) return std::nullopt;
    return values_[*index];
}

namespace {

/// Relative error of a sum of a dozen numbers of twelve digits.
constexpr double kRounding = 1e-9;

bool is_equal(double a, double b) {
    return std::abs(a - b) <= kRounding * std::max({std::abs(a), std::abs(b), 1e-3});
}

/// True for causes of EngineAccount::occupied().
bool occupies(trace::Cause cause) {
    trace::EngineAccount account;
    account.by_cause[static_cast<std::size_t>(cause)] = models::Picoseconds{1};
    return account.occupied() != models::Picoseconds{};
}

/// The times by cause of an engine kind, or of several engines of the kind, fill the span.
std::optional<std::string> causes_contradict(const Figures& figures, std::size_t kind,
                                             double span) {
    double sum = 0, occupied = 0;
    bool is_there = false;
    for (std::size_t cause = 0; cause < trace::kCauses; ++cause) {
        const auto time = figures.get(cause_figures()[kind][cause]);
        if (!time) continue;
        is_there = true;
        if (*time < 0) return fmt::format("{} is {}", cause_figures()[kind][cause], *time);
        sum += *time;
        if (occupies(static_cast<trace::Cause>(cause))) occupied += *time;
    }
    if (!is_there || span <= 0) return std::nullopt;
    const std::string name = engine_kinds()[kind];
    const double engines = std::max(1.0, std::round(sum / span));
    if (!is_equal(sum, engines * span)) {
        return fmt::format("the causes of {} add up to {} us instead of launch_us = {}", name, sum,
                           span);
    }
    const double share = figures.get(name + "_share").value_or(0);
    if (!is_equal(share, occupied / sum)) {
        return fmt::format("{}_share is {}, but its causes give {}", name, share, occupied / sum);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> contradiction(const Figures& figures) {
    for (const std::string& name : figure_names()) {
        const auto value = figures.get(name);
        if (value && (*value < 0 || !std::isfinite(*value))) {
            return fmt::format("{} is {}", name, *value);
        }
    }
    const auto us = figures.get("us"), span = figures.get("launch_us");
    if (!us) return "us is missing";
    for (std::size_t kind = 0; span && kind < cause_figures().size(); ++kind) {
        if (auto text = causes_contradict(figures, kind, *span)) return text;
    }
    for (const char* band : {"", "_low", "_high"}) {
        const auto energy = figures.get(fmt::format("energy{}_j", band));
        const auto power = figures.get(fmt::format("power{}_w", band));
        if (!span || *span <= 0 || !energy || !power || is_equal(*power * *span, *energy * 1e6))
            continue;
        return fmt::format("power{0}_w is {1}, but energy{0}_j and launch_us give {2}", band,
                           *power, *energy * 1e6 / *span);
    }
    constexpr std::pair<const char*, const char*> kOrdered[] = {{"us", "launch_us"},
                                                                {"energy_low_j", "energy_j"},
                                                                {"energy_j", "energy_high_j"},
                                                                {"area_low_mm2", "area_mm2"},
                                                                {"area_mm2", "area_high_mm2"}};
    for (const auto& [less, more] : kOrdered) {
        const auto low = figures.get(less), high = figures.get(more);
        if (!low || !high || *low <= *high * (1 + kRounding)) continue;
        return fmt::format("{} is {}, but {} is {}", less, *low, more, *high);
    }
    return std::nullopt;
}

void add_account(Figures& figures, const trace::Account& account, const Machine& machine) {
    std::map<std::string, trace::EngineAccount> kinds;
    std::map<std::string, double> engines;
    for (const trace::EngineAccount& engine : account.engines) {
        const std::string kind = kind_name(engine.engine);
        trace::EngineAccount& sum = kinds[kind];
        for (std::size_t cause = 0; cause < trace::kCauses; ++cause) {
            sum.by_cause[cause] += engine.by_cause[cause];
        }
        sum.commands += engine.commands;
        sum.busy.add(engine.busy);
        ++engines[kind];
    }
    double operations = 0;
    for (const auto& [kind, sum] : kinds) {
        for (std::size_t cause = 0; cause < trace::kCauses; ++cause) {
            figures.set(cause_column(kind, cause), sum.by_cause[cause].microseconds());
        }
        if (kind != "mcu") figures.set(kind + "_commands", static_cast<double>(sum.commands));
        const double span = account.span.microseconds() * engines[kind];
        figures.set(kind + "_share", span > 0 ? sum.occupied().microseconds() / span : 0);
        operations += static_cast<double>(sum.busy.operations());
    }
    figures.set("launch_us", account.span.microseconds());
    figures.set("operations", operations);
    figures.set("dram_read_bytes", static_cast<double>(account.dram.read));
    figures.set("dram_written_bytes", static_cast<double>(account.dram.written));
    const models::energy::EnergyReport energy = trace::energy_of(account, machine.params);
    set_banded(figures, "energy", "j", energy.total_joules);
    set_banded(figures, "power", "w", energy.watts(account.span));
    set_banded(figures, "area", "mm2", models::energy::area_of(machine.params).total_mm2);
}

Figures graph_figures(const execution::ExecutionReport& report, const execution::MemoryUse& memory,
                      const bound::ReachableBound& bound, const Machine& machine) {
    Figures figures;
    add_account(figures, report.account, machine);
    figures.set("us", (report.end - report.start).microseconds());
    figures.set("constant_file_bytes", static_cast<double>(memory.file.bytes));
    figures.set("floor_us", report::run_floor(report, memory, machine.params).us());
    const double least = bound.time().microseconds();
    if (least > 0) figures.set("reachable_bound_us", least);
    figures.set("memory_bytes", static_cast<double>(memory.constants + memory.prepared +
                                                    memory.variables + memory.working));
    return figures;
}

}  // namespace okksim::sim::sweep
