// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::fidelity {

/// A parameter of simulated times and the kind of evidence that fixes its value.
struct FixedParameter {
    std::string path;   ///< "bdc.startup_cycles"
    std::string value;  ///< as written in the machine file
    std::string by;     ///< "datasheet", "estimator", "fit", ...
    std::string source;
};

/// Returns the kind of evidence for a source in the form of the built-in machine files: "E: fc" is
/// "estimator". Values of users are "user".
std::string evidence(const std::string& source);

/// Returns the parameters that determine times on the machine, in the order of the machine file.
/// Defaults and parameters of absent instruction groups are left out.
std::vector<FixedParameter> fixed_parameters(const Machine& machine);

std::string to_text(const std::vector<FixedParameter>& parameters);
std::string to_markdown(const std::vector<FixedParameter>& parameters);
nlohmann::ordered_json to_json(const std::vector<FixedParameter>& parameters);

}  // namespace okksim::sim::fidelity
