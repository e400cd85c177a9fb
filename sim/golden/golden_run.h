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
    std::string function;       ///< one function only; empty: all that the folder has
    isa::MachineShape machine;  ///< must have the lanes and local memory of the vectors
    /// Also run the vectors tagged doc_conflict, and run all but the derived ones with the vendor
    /// kit's behaviour (derived vectors state the API reference's).
    bool sdk_quirks = false;
};

enum class GoldenStatus : std::uint8_t { kPassed, kFailed, kSkipped };

struct GoldenResult {
    std::string id;  ///< "<function>-<case>"
    GoldenStatus status = GoldenStatus::kFailed;
    std::string detail;  ///< first wrong element and both values; or why skipped
};

/// Runs the vectors through the okk API on the functional model. ConfigError when the folder has
/// none or the machine does not fit them. Vectors that are left when the user asks for an end
/// (isa/stop_request.h) are skipped. `progress(done, all)` counts functions.
std::vector<GoldenResult> run_golden(const GoldenOptions& options,
                                     const std::function<void(std::size_t, std::size_t)>& progress);

}  // namespace okksim::sim::golden
