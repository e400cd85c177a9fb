// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/host_tensor.h"
#include "tests/reference/tosa/value.h"

namespace okksim::reference {

struct ReferenceOptions {
    bool bounds = true;  ///< compute bounds of dot products: doubles the time of convolutions
    /// Round the results of every operator to their type, so that formulas lose what a machine
    /// loses. Denormal results become zero, as the specification permits.
    bool is_rounding = false;
};

struct ReferenceResult {
    std::vector<Value> outputs;    ///< of the main block
    std::vector<Value> variables;  ///< Graph::variables after the run
};

/// Executes a validated graph (TOSA 1.0.1) in a slow and obvious way. Floating point uses double
/// precision through the whole graph, unless `is_rounding` is set; integers are exact. Does not
/// detect violated REQUIREs. Throws ConfigError for CUSTOM.
ReferenceResult run_reference(const sim::graph::Graph& graph,
                              std::span<const sim::graph::HostTensor> inputs,
                              const ReferenceOptions& options = {});

}  // namespace okksim::reference
