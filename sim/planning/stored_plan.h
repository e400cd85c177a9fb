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

/// A plan as a document: the choices for a graph on a machine. The rest of a plan follows from the
/// choices and is computed and checked again on reading. A document cannot make firmware do what
/// the planner would not.
namespace okksim::sim::planning {

/// Returns the choices of the plan, which was made for the machine. Keys: "machine_name",
/// "machine_parameters", "graph" (its operators, to identify the graph), "fuse", "alone",
/// "strided", "chained" and "groups".
nlohmann::ordered_json plan_choices_json(const graph::Graph& graph, const GraphPlan& plan,
                                         const Machine& machine);

/// The time of a step when the document was written.
struct RecordedStep {
    std::string kernel;
    std::string output;
    double microseconds = 0;
};

/// A graph's plan for the machine of the document.
struct ReadPlan {
    GraphPlan plan;
    /// The difference from the recorded steps, or empty. Another build of okksim may plan the same
    /// choices differently.
    std::string difference;
};

/// Returns the key "search" of a document.
nlohmann::ordered_json search_json(const SearchSpent& spent);

/// A document that `okksim plan --json` has written.
class StoredPlan {
 public:
    /// Throws ConfigError with file and key if the document is invalid.
    explicit StoredPlan(const std::filesystem::path& path);

    /// The machine that the plan was made for.
    const Machine& machine() const { return machine_; }
    /// Returns the family of machines with other settings of it.
    MachineFamily family() const { return MachineFamily::of_text(machine_text_, name_); }
    /// Returns the machine with "section.key=value" changes.
    Machine machine_with(const std::vector<std::string>& settings) const;
    /// Returns the plan of the graph. Throws ConfigError with the first difference if the document
    /// is for another graph, or if a choice is impossible.
    ReadPlan plan(const graph::Graph& graph) const;
    /// Returns the effort of the recorded search; zeros if the document has none.
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
    std::vector<bool> kept_;  ///< by group
    std::vector<RecordedStep> steps_;
    SearchSpent search_;
};

}  // namespace okksim::sim::planning
