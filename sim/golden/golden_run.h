// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "isa/types.h"

namespace okksim::sim::golden {

struct GoldenOptions {
    std::filesystem::path dir;  ///< holds <function>.json and <function>.bin
    std::string function;       ///< one function only; empty: all functions in the folder
    isa::MachineShape machine;  ///< must have the lanes and local memory of the vectors
    /// Also runs the vectors tagged doc_conflict, and uses the vendor kit's behaviour except for
    /// derived vectors. Derived vectors state the behaviour of the API reference.
    bool sdk_quirks = false;
};

enum class GoldenStatus : std::uint8_t { kPassed, kFailed, kSkipped };

struct GoldenResult {
    std::string id;  ///< "<function>-<case>"
    GoldenStatus status = GoldenStatus::kFailed;
    std::string detail;  ///< first wrong element and both values, or the reason to skip
};

/// Runs the vectors through the okk API on the functional model. Throws ConfigError if the folder
/// has no vectors or the machine does not fit. After a stop request (isa/base/stop_request.h), the
/// remaining vectors are skipped. `progress(done, all)` counts functions.
std::vector<GoldenResult> run_golden(const GoldenOptions& options,
                                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::golden
