// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/execution/model_run.h"
#include "sim/machine/machine.h"
#include "sim/study/inspect/model_facts.h"
#include "sim/study/inspect/remedies.h"

namespace okksim::sim::inspect {

/// The answers of `okksim inspect` about a model on a machine.
struct Inspection {
    std::string model;
    std::uint64_t file_bytes = 0;
    ModelFacts facts;
    /// Times without data; nothing if the model cannot run, or without a request for times.
    std::optional<execution::ModelRun> run;
    std::vector<Remedy> remedies;
};

/// Returns the facts, the time with its bounds, the five steps that lose most, and the remedies.
std::string inspection_text(const Inspection& inspection, const Machine& machine);
/// Returns the same as a JSON object (docs/reference/reports.md).
nlohmann::ordered_json inspection_json(const Inspection& inspection, const Machine& machine);

}  // namespace okksim::sim::inspect
