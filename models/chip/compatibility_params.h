// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/parameter.h"

namespace okksim::models {

/// Behaviours of the vendor's software kit that contradict the API reference.
struct CompatibilityParams {
    bool sdk_quirks = false;
    bool strict_limits = false;
};

template <typename Params, typename Visitor>
void describe_compatibility(Params& p, Visitor&& v) {
    v(p.sdk_quirks, "sdk_quirks",
      ParameterInfo{"-", 0, 1, "follow the vendor's kit where it contradicts the API reference"});
    v(p.strict_limits, "strict_limits",
      ParameterInfo{
          "-", 0, 1,
          "sizes beyond the API reference are faults, also those that the vendor's models accept"});
}

}  // namespace okksim::models
