// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"

namespace okksim::models {

/// A memory behind the interconnect as bandwidth and latency, by direction.
struct BandwidthParams {
    double read_bytes_per_nanosecond = 0;
    double write_bytes_per_nanosecond = 0;
    double read_latency_nanoseconds = 0;
    double write_latency_nanoseconds = 0;
    double burst_bytes = 0;
    double run_switch_nanoseconds = 0;
};

template <typename Params, typename Visitor>
void describe_bandwidth(Params& p, Visitor&& v) {
    v(p.read_bytes_per_nanosecond, "read_bytes_per_nanosecond",
      ParameterInfo{"bytes/ns", 0.001, 1e6, "rate of reads"});
    v(p.write_bytes_per_nanosecond, "write_bytes_per_nanosecond",
      ParameterInfo{"bytes/ns", 0.001, 1e6, "rate of writes"});
    v(p.read_latency_nanoseconds, "read_latency_nanoseconds",
      ParameterInfo{"ns", 0, 1e6, "from request to first data"});
    v(p.write_latency_nanoseconds, "write_latency_nanoseconds",
      ParameterInfo{"ns", 0, 1e6, "from last data to acknowledge"});
    v(p.burst_bytes, "burst_bytes",
      ParameterInfo{"bytes", 1, 65536, "least amount fetched for a run that stands alone"});
    v(p.run_switch_nanoseconds, "run_switch_nanoseconds",
      ParameterInfo{"ns", 0, 1e6, "lost when the next run does not follow the last one"});
}

}  // namespace okksim::models
