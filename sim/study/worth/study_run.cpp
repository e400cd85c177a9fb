// SPDX-License-Identifier: Apache-2.0
#include "sim/study/worth/study_run.h"

#include <cmath>
#include <map>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "isa/base/stop_request.h"
#include "isa/rules.h"
#include "sim/execution/executor.h"
#include "sim/execution/process_pool.h"
#include "sim/execution/random_input.h"
#include "sim/execution/timed_graph.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::worth {
namespace {

/// Returns the name of the first operator. Layer groups are steps of one common kind.
std::string kind_of(const execution::OperatorRecord& record) {
    if (record.layers > 0) return "(layer groups)";
    return record.is_reorder ? planning::kReorder : std::string(tosa::op_name(record.op));
}

using Kinds = std::map<std::string, KindUse>;

/// Counts the commands by kind of operator and by group.
class GroupCounter : public models::CommandObserver {
 public:
    GroupCounter(const execution::OperatorProfile& profile, Kinds& kinds)
        : profile_(profile), kinds_(kinds) {}

    void submitted(const isa::Command& command) override {
        const execution::OperatorRecord* record = profile_.current();
        KindUse& kind = kinds_[record == nullptr ? "(start and end)" : kind_of(*record)];
        const GroupSet groups(isa::features_of(command));
        for (const isa::FeatureInfo& info : isa::kFeatures) {
            if (groups.has(info.feature)) ++kind.commands[static_cast<std::size_t>(info.feature)];
        }
    }

 private:
    const execution::OperatorProfile& profile_;
    Kinds& kinds_;
};

void add_times(const execution::ExecutionReport& report, Kinds& kinds) {
    // Integer picoseconds keep the sum of the parts equal to the whole.
    std::map<std::string, models::Picoseconds> spans;
    for (const execution::OperatorRecord& record : report.operators) {
        ++kinds[kind_of(record)].steps;
        spans[kind_of(record)] += record.share.account.span;
    }
    spans["(start and end)"] += report.rest.span;
    for (const auto& [name, span] : spans) kinds[name].us = span.microseconds();
}

NetworkRun measured(const graph::Graph& graph, const Machine& machine,
                    const planning::PlanEffort& effort) {
    const planning::GraphPlan plan = planning::plan_for_machine(graph, machine, effort);
    Kinds kinds;
    std::optional<GroupCounter> counter;
    execution::TimedRunOptions options;
    options.starting = [&](const execution::StartedRun& started) {
        kinds.clear();
        counter.emplace(started.profile, kinds);
        started.machine.add_observer(*counter);
    };
    std::optional<execution::LoadedValues> values;
    const execution::ExecutionReport report = execution::time_with_values(
        graph, plan, machine, options, execution::seeded_inputs(graph), values);
    if (report.fault) return {report.fault->message(), {}, {}};
    NetworkRun run;
    run.figures =
        sweep::graph_figures(report, execution::memory_use(graph, plan),
                             bound::reachable_bound(bound::scope_of(graph), machine), machine);
    add_times(report, kinds);
    for (auto& [name, use] : kinds) {
        use.kind = name;
        run.kinds.push_back(use);
    }
    return run;
}

// Results pass between processes as JSON, which preserves every digit.
std::string pack(const NetworkRun& run) {
    nlohmann::json json{{"failure", run.failure}, {"figures", nlohmann::json::array()}};
    for (std::size_t i = 0; i < run.figures.size(); ++i) json["figures"].push_back(run.figures[i]);
    for (const KindUse& use : run.kinds) {
        json["kinds"].push_back({use.kind, use.us, use.steps, use.commands});
    }
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

NetworkRun unpack(const std::string& text) {
    const nlohmann::json json = nlohmann::json::parse(text);
    NetworkRun run;
    run.failure = json["failure"];
    for (std::size_t i = 0; i < run.figures.size(); ++i) {
        const nlohmann::json& value = json["figures"][i];
        run.figures.set_at(i, value.is_null() ? std::nan("") : value.get<double>());
    }
    if (!json.contains("kinds")) return run;
    for (const nlohmann::json& entry : json["kinds"]) {
        KindUse& use = run.kinds.emplace_back();
        use.kind = entry[0];
        use.us = entry[1];
        use.steps = entry[2];
        use.commands = entry[3];
    }
    return run;
}

std::string lost_text() {
    return StopRequest::signal() != 0 ? stopped_text() : "the process of this run died";
}

}  // namespace

double NetworkRun::operator[](const std::string& figure) const {
    return figures.get(figure).value_or(std::nan(""));
}

double NetworkRun::commands() const {
    double sum = 0;
    isa::CommandCounts().visit([&](isa::Engine kind, std::uint64_t) {
        std::string name = isa::count_name(kind);
        sum += (*this)[name];
    });
    return sum;
}

double NetworkRun::dram_bytes() const {
    return (*this)["dram_read_bytes"] + (*this)["dram_written_bytes"];
}

std::uint64_t NetworkRun::commands_of(isa::Feature group) const {
    std::uint64_t sum = 0;
    for (const KindUse& use : kinds) sum += use.of(group);
    return sum;
}

NetworkRun run_network(const graph::Graph& graph, const Machine& machine,
                       const planning::PlanEffort& effort) {
    try {
        return measured(graph, machine, effort);
    } catch (const std::bad_alloc&) {
        throw;                               // concerns the host
    } catch (const std::exception& error) {  // concerns one network on one machine
        return {error.what(), {}, {}};
    }
}

std::vector<NetworkWorth> run_study(const MachineStudy& study,
                                    const std::vector<NetworkInput>& networks,
                                    const RunOptions& options) {
    const std::size_t machines = study.machines.size();
    const std::size_t all = networks.size() * machines;
    std::vector<NetworkWorth> worth;
    for (const NetworkInput& network : networks) {
        worth.push_back({network.name, std::vector<NetworkRun>(machines, {"not run", {}, {}})});
    }
    const execution::Task task = [&](std::size_t index) {
        return pack(run_network(*networks[index / machines].graph, study.machines[index % machines],
                                options.effort));
    };
    std::size_t done = 0;
    execution::for_each_in_processes(
        all, options.jobs, task, [&](std::size_t index, const std::optional<std::string>& text) {
            NetworkRun& run = worth[index / machines].runs[index % machines];
            run = text && !text->empty() ? unpack(*text) : NetworkRun{lost_text(), {}, {}};
            if (options.progress) options.progress(++done, all);
        });
    for (NetworkWorth& network : worth) {
        for (NetworkRun& run : network.runs) {
            if (run.failure == "not run") run.failure = lost_text();
        }
    }
    return worth;
}

}  // namespace okksim::sim::worth
