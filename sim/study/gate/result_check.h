// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/host_tensor.h"
#include "sim/graph/npy.h"
#include "sim/study/gate/gate_file.h"

namespace okksim::sim::gate {

struct NamedTensor {
    std::string name;
    graph::HostTensor value;
};
struct NamedArray {
    std::string name;
    graph::NpyArray value;
};

/// Returns the rule for floating-point results: equality, or the tolerance of the limits.
check::Rule rule_of(const GateLimits& limits);

/// Compares outputs with the files of the limits in order, and returns a text for each wrong one.
/// ConfigError unless there is one file per output.
std::vector<std::string> wrong_results(const std::vector<NamedTensor>& outputs,
                                       const GateLimits& limits);
std::vector<std::string> wrong_results(const std::vector<NamedArray>& outputs,
                                       const GateLimits& limits);

/// Returns the shape of "1x224x224x3". ConfigError for other texts.
graph::Shape shape_from(const std::string& text, const std::string& input);

}  // namespace okksim::sim::gate
