// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/planning/layer_groups.h"
#include "sim/planning/operator_times.h"
#include "sim/planning/plan.h"

/// A plan as a document: what was chosen for a graph on a machine. Everything else of a plan
/// follows from that, and is worked out (and proven) again when it is read: no file can make
/// firmware do what the planner would not.
namespace okksim::sim::planning {

/// What a document says of the plan: "machine_name", "machine_parameters", "graph" (its operators,
/// to tell graphs apart), "fuse", "alone", "strided", "chained" and "groups". `plan` was made for
/// the machine.
nlohmann::ordered_json plan_choices_json(const graph::Graph& graph, const GraphPlan& plan,
                                         const Machine& machine);

/// What a step of the document took when it was written.
struct RecordedStep {
    std::string kernel;
    std::string output;
    double microseconds = 0;
};

/// A graph's plan for the machine of the document.
struct ReadPlan {
    GraphPlan plan;
    /// How the steps differ from those that were written down: another build of okksim may plan the
    /// same choices otherwise. Empty: they do not.
    std::string difference;
};

/// The key "search" of a document.
nlohmann::ordered_json search_json(const SearchSpent& spent);

/// A document that `okksim plan --json` has written.
class StoredPlan {
 public:
    /// ConfigError with file and key when it is none.
    explicit StoredPlan(const std::filesystem::path& path);

    /// The machine that the plan was made for.
    const Machine& machine() const { return machine_; }
    /// What other machines can be made of it.
    MachineFamily family() const { return MachineFamily::of_text(machine_text_, name_); }
    /// That machine with "section.key=value" changes.
    Machine machine_with(const std::vector<std::string>& settings) const;
    /// The plan of the graph. ConfigError with the first difference when the document is about
    /// another graph, or where a choice cannot be.
    ReadPlan plan(const graph::Graph& graph) const;
    /// What the search for it had taken; nothing in documents that do not say.
    const SearchSpent& search() const { return search_; }

 private:
    struct OperatorPlace {
        tosa::BlockReference place;
        std::uint32_t op = 0;
    };

    void read_choices(const nlohmann::ordered_json& json);
    void check_graph(const graph::Graph& graph) const;
    const graph::Block& block_at(const graph::Graph& graph, tosa::BlockReference place,
                                 const char* key) const;
    const graph::Operator& operator_at(const graph::Graph& graph, const OperatorPlace& at,
                                       const char* key) const;
    void check_groups(const graph::Graph& graph) const;
    std::vector<TriedGroup> groups_on(const graph::Graph& graph, const GraphPlan& apart,
                                      const OperatorTimes& times) const;
    [[noreturn]] void fail(const std::string& key, const std::string& message) const;

    std::string name_;  ///< of the file
    std::string machine_text_;
    Machine machine_;
    std::vector<std::string> operators_;  ///< operators_of() the graph
    bool fuse_ = true;
    std::vector<OperatorPlace> alone_;
    std::vector<tosa::BlockReference> strided_, chained_;
    std::vector<ChosenLayers> groups_;
    std::vector<bool> kept_;  ///< groups
    std::vector<RecordedStep> steps_;
    SearchSpent search_;
};

}  // namespace okksim::sim::planning
