// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "sim/machine/machine.h"
#include "sim/planning/emulated_types.h"

/// Contents and needs of a model file, without a run of it (`okksim inspect`).
namespace okksim::sim::inspect {

/// An input or output of a model.
struct ModelValue {
    std::string name;
    std::string type;
    graph::Shape shape;
};

/// Operators of one kind and one row of its data types.
struct OperatorUse {
    graph::OperatorMode mode;
    bool supported = false;
};

/// Operations of all operators of one kind, as their definitions require.
struct KindWork {
    std::string kind;
    double operations = 0;
    double multiply_adds = 0;
};

/// An operator that cannot run.
struct UnsupportedOperator {
    std::string what;   ///< "CUSTOM f of domain tools"
    std::string place;  ///< of the first one
    std::uint64_t count = 1;
    std::string advice;
};

struct ModelFacts {
    std::string form;     ///< form of the file
    std::string version;  ///< "1.0.1"; empty if the file could not be read completely
    std::vector<ModelValue> inputs;
    std::vector<ModelValue> outputs;
    std::uint64_t parameters = 0;  ///< elements of all constants, without shape values
    std::uint64_t parameter_bytes = 0;
    std::uint64_t operators = 0;
    std::vector<std::string> features;
    std::vector<OperatorUse> uses;
    std::vector<KindWork> work;  ///< kinds with operations, the largest first
    std::vector<UnsupportedOperator> unsupported;
    std::vector<std::string> errors;  ///< errors of a text in addition to `unsupported`
    std::string violation;            ///< reason why the graph is invalid; empty for a valid graph
    std::uint64_t memory_bytes = 0;
    std::string memory_problem;
    std::vector<std::string> missing_weights;  ///< constants without values in the file
    std::vector<planning::EmulatedType> emulated;

    bool supported() const;
    double multiply_adds() const;
    double operations() const;
};

/// Returns the facts of a graph that may be invalid, and may lack the values of its weights.
ModelFacts facts_of(const graph::Graph& graph, const Machine& machine);

/// Returns the facts of a file with operators that its reader does not know.
ModelFacts facts_of(const graph::GraphFileError& error);

}  // namespace okksim::sim::inspect
