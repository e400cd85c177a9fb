// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/unused_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "isa/base/printable.h"

namespace okksim::sim::trace {
namespace {

using isa::TimingClass;
using models::energy::Memory;
using models::energy::MemoryBytes;
using models::energy::Traffic;
using models::energy::Unit;

/// Parameters of one kind of commands, by the beginning of their path. The classes are those of
/// isa/timing_classes.def that have the parameter in their formula.
struct CommandRow {
    std::string_view prefix;
    std::string_view commands;
    std::initializer_list<TimingClass> classes;
};

const CommandRow kCommandRows[] = {
    {"bdc.matmul_", "a matrix product", {TimingClass::kMatmul}},
    {"bdc.series_", "a series", {TimingClass::kSeries}},
    {"bdc.linear_cycles", "a scale or bias per channel", {TimingClass::kLinear}},
    {"bdc.lookup_cycles", "a table lookup", {TimingClass::kLookup}},
    {"bdc.square_root_cycles", "a square root", {TimingClass::kSqrt, TimingClass::kRsqrt}},
    {"bdc.depthwise_",
     "a depthwise convolution or pool",
     {TimingClass::kDepthwise, TimingClass::kPool, TimingClass::kHalfDepthwise}},
    {"bdc.convolution_",
     "a convolution",
     {TimingClass::kConvolution, TimingClass::kHalfConvolution, TimingClass::kIntConvolution}},
    {"bdc.int_convolution_", "an integer convolution", {TimingClass::kIntConvolution}},
    {"bdc.int_depthwise_",
     "an integer depthwise convolution or pool",
     {TimingClass::kIntDepthwise, TimingClass::kIntPool}},
    {"gdma.transpose_", "a transposing copy", {TimingClass::kGdmaTranspose}}};

bool has_commands(const Account& account, const CommandRow& row) {
    return std::ranges::any_of(account.engines, [&](const EngineAccount& engine) {
        return std::ranges::any_of(engine.busy, [&](const WorkList::Entry& entry) {
            return std::ranges::any_of(row.classes, [&](TimingClass timing) {
                return entry.work_class == static_cast<std::size_t>(timing);
            });
        });
    });
}

bool moves(const Traffic& traffic, Memory memory) { return traffic[memory] != MemoryBytes{}; }

/// Returns the reason why no unit of the parameter has activity, or "" if one may have.
std::string reason(const std::string& path, const Account& account) {
    for (const CommandRow& row : kCommandRows) {
        if (path.starts_with(row.prefix) && !has_commands(account, row)) {
            return fmt::format("no command of this run is {}", row.commands);
        }
    }
    const auto& traffic = account.events.traffic;
    // The counts of L2-SRAM include the memories of sections [memory.NAME].
    if (path.starts_with("l2.") && std::ranges::none_of(traffic, [](const Traffic& unit) {
            return moves(unit, Memory::kL2);
        })) {
        return "nothing in this run accesses L2-SRAM";
    }
    const Traffic& gdma = account.events.of(Unit::kGdma);
    if (path.starts_with("l2_port.") && !moves(gdma, Memory::kL2) && !moves(gdma, Memory::kDtcm)) {
        return "no command of this run moves data from or to L2-SRAM or DTCM";
    }
    if (path == "chip.compute_engines") {
        const auto is_compute = [](const EngineAccount& engine) {
            return engine.engine.kind == isa::Engine::kBdc;
        };
        const auto all = std::ranges::count_if(account.engines, is_compute);
        const auto idle = std::ranges::count_if(account.engines, [&](const EngineAccount& engine) {
            return is_compute(engine) && engine.commands == 0;
        });
        if (idle > 0) return fmt::format("{} of {} compute engines get no command", idle, all);
    }
    return {};
}

}  // namespace

std::vector<std::string> unused_parameters(const std::vector<std::string>& settings,
                                           const Account& account) {
    std::vector<std::string> notes;
    for (const std::string& setting : settings) {
        const std::string why = reason(setting.substr(0, setting.find('=')), account);
        if (!why.empty()) notes.push_back(fmt::format("--set {}: {}", printable(setting), why));
    }
    return notes;
}

}  // namespace okksim::sim::trace
