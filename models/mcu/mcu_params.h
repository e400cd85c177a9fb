// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter_field.h"

namespace okksim::models {

/// Source of commands that are known before a launch.
enum class CommandIssue : std::uint8_t {
    kCalls,  ///< firmware issues them like all others
    kLists   ///< the engines fetch lists of them from memory
};

/// Control processor: what firmware calls cost, and the command queues it writes to.
struct McuParams {
#define OKKSIM_PARAMETER OKKSIM_PARAMETER_FIELD
#include "models/mcu/mcu_params.def"
#undef OKKSIM_PARAMETER

    bool fetches_lists() const { return issue == static_cast<std::int64_t>(CommandIssue::kLists); }
};

}  // namespace okksim::models
