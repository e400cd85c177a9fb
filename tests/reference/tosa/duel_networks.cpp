// SPDX-License-Identifier: Apache-2.0
// okksim_duel_networks [count] [first seed]: random networks (fp32 and int8; branches, residuals,
// odd sizes, several outputs, control flow) on random machines. Each network is planned with and
// without activations in local memory. The plan is stored and read again, run, timed without data,
// and compared with the reference.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/output_file.h"
#include "isa/base/temporary_folder.h"
#include "isa/features.h"
#include "sim/bound/reachable_bound.h"
#include "sim/check/compare.h"
#include "sim/execution/executor.h"
#include "sim/execution/timed_graph.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/stored_plan.h"
#include "sim/report/plan_report.h"
#include "tests/reference/tosa/tosa_reference.h"
#include "tests/support/random_byte_layers.h"
#include "tests/support/random_layers.h"

namespace {

using namespace okksim;
using sim::Machine;
using sim::graph::HostTensor;
using sim::planning::GraphPlan;
using tests::RandomSource;

struct Network {
    sim::graph::Graph graph;
    std::vector<HostTensor> inputs;
};

template <typename Layers>
Network network_of(std::uint64_t seed, bool branches) {
    Layers layers(seed, branches);
    Network network{layers.make(), {}};
    network.inputs = layers.inputs();
    return network;
}

std::vector<std::string> random_settings(RandomSource& random) {
    const std::int64_t lanes = random.pick({4, 8, 16, 24, 32, 64, 128});
    const std::int64_t kib = random.pick({16, 32, 48, 64, 128, 256, 512, 1024});
    const auto set = [](const char* path, std::int64_t value) {
        return std::string(path) + "=" + std::to_string(value);
    };
    return {set("chip.lanes", lanes),
            set("chip.local_memory_bytes", 1024 * kib),
            set("chip.vector_words", random.pick({16, 32, 32, 64})),
            set("bdc.clock_mhz", random.pick({100, 550, 2000})),
            set("gdma.clock_mhz", random.pick({100, 575, 2000})),
            set("mcu.command_cycles", random.pick({0, 200, 1765})),
            set("dram.read_bytes_per_nanosecond", random.pick({4, 27, 200})),
            std::string("mcu.issue=") + (random.one_in(2) ? "lists" : "calls")};
}

/// Settings that remove random instruction groups from a machine, together with the groups that
/// depend on them.
std::vector<std::string> random_groups(RandomSource& random) {
    std::uint32_t present = isa::kAllFeatures;
    for (const isa::FeatureInfo& group : isa::kFeatures) {
        const bool stays = group.feature == isa::Feature::kBase || !random.one_in(8);
        if (!stays) present &= ~isa::feature_bit(group.feature);
    }
    std::vector<std::string> settings;
    for (const isa::FeatureInfo& group : isa::kFeatures) {
        const bool has = (present & isa::feature_bit(group.feature)) != 0 &&
                         (present & group.needs) == group.needs;
        if (!has) settings.push_back(std::string("features.") + group.key + "=false");
    }
    return settings;
}

/// Result of running a plan: its outputs and its time.
struct Outcome {
    std::vector<HostTensor> outputs;
    models::Picoseconds time;
};

Outcome run(const Network& network, const GraphPlan& plan, const Machine& machine) {
    sim::Simulation simulation(machine, {});
    sim::execution::GraphExecutor executor(network.graph, plan, simulation);
    for (std::size_t i = 0; i < network.inputs.size(); ++i) {
        executor.set_input(i, network.inputs[i]);
    }
    sim::execution::LoadedValues values;
    executor.note_loads(values);
    const auto report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    if (!report.findings.empty()) throw std::runtime_error(report.findings.front().message);
    Outcome outcome{{}, report.end - report.start};
    for (std::size_t i = 0; i < network.graph.main().outputs.size(); ++i) {
        outcome.outputs.push_back(executor.output(i));
    }
    const auto timed = sim::execution::time_graph(
        network.graph, plan, machine, {.limits = {}, .values = &values, .starting = {}});
    if (timed.fault) throw ProgramFault(*timed.fault);
    if (timed.end - timed.start != outcome.time)
        throw std::runtime_error("other times without data");
    return outcome;
}

void compare(const std::vector<HostTensor>& got, const reference::ReferenceResult& wanted) {
    for (std::size_t i = 0; i < got.size(); ++i) {
        const auto verdict = sim::check::compare(got[i], reference::to_array(wanted.outputs[i]),
                                                 nullptr, sim::check::ExactRule{});
        if (!verdict.passed) {
            throw std::runtime_error("output " + std::to_string(i) + ": " + verdict.text());
        }
    }
}

/// Returns the plan after writing it to a file and reading it again.
GraphPlan reread(const Network& network, const GraphPlan& plan, const Machine& machine,
                 const std::filesystem::path& file) {
    write_file(file.string(), sim::report::plan_json(network.graph, plan, machine).dump());
    auto read = sim::planning::StoredPlan(file).plan(network.graph);
    if (!read.difference.empty()) throw std::runtime_error("stored plan: " + read.difference);
    return std::move(read.plan);
}

struct Totals {
    long cases = 0, failures = 0, refused = 0, groups = 0, branching = 0;
    double worst = 0;  ///< time with activations in local memory / time without
};

/// Runs one network; throws a description of the first difference.
void duel(std::uint64_t seed, const std::filesystem::path& folder, std::string& text,
          Totals& totals) {
    RandomSource random(seed * 7919 + 17);
    const bool branches = random.one_in(3);
    std::vector<std::string> settings = random_settings(random);
    const bool has_groups = random.one_in(2);
    if (has_groups) {
        const std::vector<std::string> groups = random_groups(random);
        settings.insert(settings.end(), groups.begin(), groups.end());
        text += " okk-next";
    }
    for (const std::string& setting : settings) text += " " + setting;
    const Network network = random.one_in(2) ? network_of<tests::RandomLayers>(seed, branches)
                                             : network_of<tests::RandomByteLayers>(seed, branches);
    sim::graph::validate_graph(network.graph);
    totals.branching += network.graph.regions[0].blocks.size() > 1 ? 1 : 0;
    const Machine machine = sim::load_machine(has_groups ? "okk-next" : "bm1684", settings);
    const auto wanted = reference::run_reference(network.graph, network.inputs, {.bounds = false});
    const GraphPlan stored =
        sim::planning::plan_for_machine(network.graph, machine, {.layers = false});
    const GraphPlan resident = sim::planning::plan_for_machine(
        network.graph, machine, sim::planning::effort_of(static_cast<int>(random.between(1, 3))));
    totals.groups += static_cast<long>(resident.options.layers.size());
    const Outcome plain = run(network, stored, machine);
    compare(plain.outputs, wanted);
    const Outcome grouped = run(network, resident, machine);
    compare(grouped.outputs, wanted);
    const auto bound =
        sim::bound::reachable_bound(sim::bound::scope_of(network.graph), machine).time();
    if (bound > std::min(plain.time, grouped.time)) {
        throw std::runtime_error("a plan below the reachable bound");
    }
    const Outcome again =
        run(network, reread(network, resident, machine, folder / "plan.json"), machine);
    if (again.time != grouped.time) throw std::runtime_error("other times of the stored plan");
    const double ratio = static_cast<double>(grouped.time.value) /
                         static_cast<double>(std::max<std::int64_t>(plain.time.value, 1));
    totals.worst = std::max(totals.worst, ratio);
}

}  // namespace

int main(int count, char** arguments) {
    const long cases = count > 1 ? std::atol(arguments[1]) : 40;
    const long first = count > 2 ? std::atol(arguments[2]) : 1;
    const TemporaryFolder folder;
    Totals totals;
    for (long seed = first; seed < first + cases; ++seed) {
        std::string text;
        ++totals.cases;
        try {
            duel(static_cast<std::uint64_t>(seed), folder.path(), text, totals);
        } catch (const ProgramFault& fault) {
            // A machine that is too small for an operator reports the memory, the amount and the
            // parameter to change.
            const std::string what = fault.what();
            if (fault.record().code == FaultCode::kOutOfMemory) {
                ++totals.refused;
                continue;
            }
            ++totals.failures;
            std::cout << "seed " << seed << text << "\n  " << what << "\n";
        } catch (const std::exception& error) {
            ++totals.failures;
            std::cout << "seed " << seed << text << "\n  " << error.what() << "\n";
        }
    }
    std::cout << totals.cases << " networks, " << totals.groups << " layer groups, "
              << totals.branching << " with control flow, " << totals.refused
              << " too large for their machine, " << totals.failures
              << " disagree; with maps in local memory at worst " << totals.worst
              << " of the time without\n";
    return totals.failures == 0 && totals.cases > totals.refused ? 0 : 1;
}
