// SPDX-License-Identifier: Apache-2.0
#include "sim/planning/plan_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/output_file.h"
#include "sim/machine/provenance.h"
#include "sim/planning/graph_text.h"
#include "sim/planning/stored_plan.h"

namespace okksim::sim::planning {
namespace {

namespace fs = std::filesystem;

/// Bytes of each sample of a constant, and the distance between samples. Hashing all weights, many
/// megabytes, would take too long.
constexpr std::size_t kSampleBytes = 16, kSamplePitch = 4096;
/// Bytes of a piece of a constant. All widths of elements divide it, so that the offsets of samples
/// do not depend on the form of a constant.
constexpr std::size_t kPieceBytes = kSamplePitch * 768;

void add_constants(isa::Fnv1a& hash, const graph::Graph& graph) {
    for (const graph::Region& region : graph.regions) {
        for (const graph::Block& block : region.blocks) {
            for (const graph::Tensor& tensor : block.tensors) {
                if (!tensor.has_data || tensor.data.empty()) continue;
                tensor.data.for_each_piece(kPieceBytes, [&](auto bytes, std::uint64_t) {
                    for (std::size_t at = 0; at < bytes.size(); at += kSamplePitch) {
                        const std::size_t size = std::min(kSampleBytes, bytes.size() - at);
                        hash.add(bytes.subspan(at, size));
                    }
                });
            }
        }
    }
}

std::uint64_t key_of(const graph::Graph& graph, const Machine& machine, const PlanEffort& effort) {
    isa::Fnv1a hash;
    hash.add(fmt::format("{} {:016x} {} {} {} {} {}\n", okksim_version(), machine.hash(),
                         effort.fuse, effort.layers, effort.all_cuts, effort.thorough,
                         effort.limit.candidates));
    for (const std::string& line : operators_of(graph)) hash.add(line + "\n");
    add_constants(hash, graph);
    return hash.value();
}

/// Returns the plan of a document for exactly this machine and graph. Otherwise `why` gets the
/// reason.
std::optional<GraphPlan> read_plan(const fs::path& file, const graph::Graph& graph,
                                   const Machine& machine, SearchSpent& spent, std::string& why) {
    try {
        const StoredPlan stored(file);
        if (stored.machine().hash() != machine.hash()) {
            why = "it is for another machine, " + stored.machine().label();
            return std::nullopt;
        }
        ReadPlan read = stored.plan(graph);
        spent = stored.search();
        if (read.difference.empty()) return std::move(read.plan);
        why = read.difference;
    } catch (const ConfigError& error) {
        why = error.what();
    }
    return std::nullopt;
}

std::string document(const graph::Graph& graph, const GraphPlan& plan, const SearchSpent& spent,
                     const Machine& machine) {
    auto steps = nlohmann::ordered_json::array();
    for (const StepCost& step : plan.costs) {
        steps.push_back({{"operator", step.kernel},
                         {"output", step.output},
                         {"simulated_us", step.microseconds}});
    }
    nlohmann::ordered_json json{{"steps", std::move(steps)}, {"search", search_json(spent)}};
    add_provenance(json, machine);
    json["choices"] = plan_choices_json(graph, plan, machine);
    return json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

/// Returns the reason for a failure to write, or an empty string.
std::string store(const fs::path& folder, const fs::path& file, const std::string& text) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fmt::format("{}: {}", folder.string(), error.message());
    try {
        write_file(file.string(), text, Over::kAnything);
    } catch (const ConfigError& failure) {
        return failure.what();
    }
    return {};
}

}  // namespace

CachedPlan cached_plan(const graph::Graph& graph, const Machine& machine, const PlanEffort& effort,
                       const fs::path& folder) {
    const fs::path file = folder / fmt::format("{:016x}.plan.json", key_of(graph, machine, effort));
    CachedPlan cached;
    if (fs::exists(file)) {
        std::string why;
        if (auto plan = read_plan(file, graph, machine, cached.spent, why)) {
            cached.plan = *std::move(plan);
            cached.is_new = false;
            return cached;
        }
        cached.note = fmt::format("{}: not reused, because {}", file.string(), why);
    }
    cached.plan = plan_for_machine(graph, machine, effort, &cached.spent);
    if (cached.spent.by_time) return cached;
    const std::string failure =
        store(folder, file, document(graph, cached.plan, cached.spent, machine));
    if (!failure.empty()) cached.note = "the plan was not saved: " + failure;
    return cached;
}

}  // namespace okksim::sim::planning
