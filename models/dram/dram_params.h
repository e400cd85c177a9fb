// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/parameter.h"
#include "models/dram/channel_count.h"

namespace okksim::models {

/// A memory of one bank behind the interconnect as bandwidth and latency, by direction.
struct BandwidthParams {
    double read_bytes_per_nanosecond = 0;
    double write_bytes_per_nanosecond = 0;
    double read_latency_nanoseconds = 0;
    double write_latency_nanoseconds = 0;
    double burst_bytes = 0;
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
      ParameterInfo{"bytes", 1, 65536, "least amount fetched for an isolated run of addresses"});
}

/// Largest share of the time that refresh takes. A larger one leaves no time for accesses.
inline constexpr double kMostRefreshShare = 0.999;

/// Interleaved channels, each with its own controller and rows. Rates are for all channels
/// together, before rows and refresh.
struct DramParams : BandwidthParams {
    std::int64_t channels = 1;
    std::int64_t interleave_bytes = 4096;
    double row_bytes = 0;  ///< 0: no rows
    double row_miss_nanoseconds = 0;
    double turnaround_nanoseconds = 0;
    double refresh_interval_nanoseconds = 1;
    double refresh_nanoseconds = 0;
};

template <typename Params, typename Visitor>
void describe_dram(Params& p, Visitor&& v) {
    v(p.channels, "channels",
      ParameterInfo{"-", 1, kMostMemoryChannels, "channels that share the rates evenly"});
    v(p.interleave_bytes, "interleave_bytes",
      ParameterInfo{"bytes", 64, 1073741824,
                    "neighbouring addresses of a channel before the next channel"});
    describe_bandwidth(p, v);
    v(p.row_bytes, "row_bytes",
      ParameterInfo{"bytes", 64, 1048576, "bytes of one channel that an open row holds"});
    v(p.row_miss_nanoseconds, "row_miss_nanoseconds",
      ParameterInfo{"ns", 0, 1e6, "time that a channel loses when it opens a row"});
    v(p.turnaround_nanoseconds, "turnaround_nanoseconds",
      ParameterInfo{"ns", 0, 1e6, "time that a channel loses between reading and writing"});
    v(p.refresh_interval_nanoseconds, "refresh_interval_nanoseconds",
      ParameterInfo{"ns", 1, 1e9, "from one refresh of a channel to the next"});
    v(p.refresh_nanoseconds, "refresh_nanoseconds",
      ParameterInfo{"ns", 0, 1e6, "duration of a refresh, in which a channel serves no access"});
}

}  // namespace okksim::models
