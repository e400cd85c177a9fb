// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram_timing.h"

#include <algorithm>

namespace okksim::models {

MemoryService memory_service(const MemoryRequest& request, MemoryDirection direction,
                             const BandwidthParams& params) {
    const bool reads = direction == MemoryDirection::kRead;
    const double rate =
        reads ? params.read_bytes_per_nanosecond : params.write_bytes_per_nanosecond;
    const auto runs = static_cast<double>(request.runs);
    const auto run_bytes = static_cast<double>(request.run_bytes);
    const bool apart = request.runs > 1 && request.pitch_bytes > request.run_bytes;

    MemoryService service;
    double fetched = run_bytes;
    if (apart) {
        const auto pitch = static_cast<double>(request.pitch_bytes);
        // Runs shorter than a burst cost the burst, unless the next run shares it.
        fetched = std::max(run_bytes, std::min(pitch, params.burst_bytes));
        // Reading through the gap, or fetching the run a second time, bounds the cost of a jump.
        const double bound = std::min(run_bytes, pitch - run_bytes) / rate;
        service.switching = from_nanoseconds(runs * std::min(params.run_switch_nanoseconds, bound));
    }
    service.stream = from_nanoseconds(runs * fetched / rate);
    service.latency = from_nanoseconds(reads ? params.read_latency_nanoseconds
                                             : params.write_latency_nanoseconds);
    return service;
}

MemoryReply MemoryPort::serve(const MemoryRequest& request, MemoryDirection direction,
                              Picoseconds arrival) {
    const MemoryService service = memory_service(request, direction, params_);
    free_at_ = std::max(arrival, free_at_) + service.occupied();
    return {free_at_, service.latency};
}

}  // namespace okksim::models
