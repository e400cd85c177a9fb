// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/tosa_features.h"

namespace okksim::sim::graph {

/// The features that a graph may use.
struct ValidationOptions {
    FeatureSet features =
        kAllFeatures;  ///< without EXT-DYNAMIC, compile-time constants must be constants
};

/// Checks a scheduled graph against TOSA 1.0.1 at level 8K. This covers arguments, data types,
/// profiles and extensions, compile-time constants, and every ERROR_IF and LEVEL_CHECK that does
/// not depend on run-time values. It also covers the rules for graphs (section 2.2) and control
/// flow (2.16). The first violation throws ProgramFault kIllegalGraph. It names operator, tensor or
/// attribute, value, and the rule with its section. A graph that passes has consistent shapes.
void validate_graph(const Graph& graph, const ValidationOptions& options = {});

/// Checks the ERROR_IF rules that depend on the run-time value of an input (zero points). Call it
/// before the operator runs. Does nothing for other inputs. ProgramFault kIllegalGraph.
void validate_input_value(const Graph& graph, const Block& block, const Operator& op,
                          std::size_t input_index, const HostTensor& value);

/// A mode of an operator's data-type table that a graph uses.
struct OperatorMode {
    OpCode op;
    std::string mode;         ///< "signed 8x8 with int32 accumulate"
    std::string needs;        ///< "EXT-INT16"
    std::uint64_t count = 0;  ///< operators in the graph
};

/// Returns the modes that the operators of all blocks use, by operator and table row. The graph
/// must be valid.
std::vector<OperatorMode> operator_modes(const Graph& graph);

/// Returns the smallest set of profiles and extensions that the graph needs. A row that several
/// profiles provide does not require any one of them. The graph must be valid.
FeatureSet required_features(const Graph& graph);

}  // namespace okksim::sim::graph
