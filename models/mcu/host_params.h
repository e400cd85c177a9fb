// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/parameter.h"

namespace okksim::models {

/// Times that the host sees around a launch.
struct HostParams {
    double launch_nanoseconds = 0;
    double sync_nanoseconds = 0;
    double copy_bytes_per_nanosecond = 0;
};

template <typename Params, typename Visitor>
void describe_host(Params& p, Visitor&& v) {
    v(p.launch_nanoseconds, "launch_nanoseconds",
      ParameterInfo{"ns", 0, 1e9, "from the host's launch call to the first firmware instruction"});
    v(p.sync_nanoseconds, "sync_nanoseconds",
      ParameterInfo{"ns", 0, 1e9, "from the kernel's return to the host's return from sync"});
    v(p.copy_bytes_per_nanosecond, "copy_bytes_per_nanosecond",
      ParameterInfo{"bytes/ns", 0.001, 1e6, "rate of host copies to and from global memory"});
}

}  // namespace okksim::models
