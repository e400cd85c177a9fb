// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"

namespace okksim::models {

/// Data mover: clock, set-up, cost of a contiguous piece, and the width of its ports.
struct GdmaParams {
    double clock_mhz = 0;
    std::int64_t setup_cycles = 0;
    double piece_cycles = 0;
    double local_bytes_per_cycle = 0;
    double system_bytes_per_cycle = 0;
};

template <typename Params, typename Visitor>
void describe_gdma(Params& p, Visitor&& v) {
    v(p.clock_mhz, "clock_mhz", ParameterInfo{"MHz", 1, 100000, "clock of the data mover"});
    v(p.setup_cycles, "setup_cycles", ParameterInfo{"cycles", 0, 1e6, "per command"});
    v(p.piece_cycles, "piece_cycles",
      ParameterInfo{"cycles", 0, 1e6, "least time for one contiguous piece"});
    v(p.local_bytes_per_cycle, "local_bytes_per_cycle",
      ParameterInfo{"bytes/cycle", 0.01, 1e6, "width of the port to local memory"});
    v(p.system_bytes_per_cycle, "system_bytes_per_cycle",
      ParameterInfo{"bytes/cycle", 0.01, 1e6, "width of the port to the interconnect"});
}

}  // namespace okksim::models
