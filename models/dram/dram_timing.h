// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "models/common/units.h"
#include "models/dram/dram_params.h"

namespace okksim::models {

/// What one command asks of a memory: `runs` contiguous runs of `run_bytes` bytes whose starts lie
/// `pitch_bytes` apart. A pitch of at most a run's length means that the runs follow one another.
struct MemoryRequest {
    std::uint64_t runs = 0;
    std::uint64_t run_bytes = 0;
    std::uint64_t pitch_bytes = 0;

    std::uint64_t bytes() const { return runs * run_bytes; }
    bool operator==(const MemoryRequest&) const = default;
};

/// Time a memory needs for a request, by cause.
struct MemoryService {
    Picoseconds stream;  ///< bytes at the rate of the direction, whole bursts where runs are apart
    Picoseconds switching;  ///< leaving one run for the next
    Picoseconds latency;    ///< from request to first data, or from last data to acknowledge
    /// How long the request keeps the memory from serving others.
    Picoseconds occupied() const { return stream + switching; }
};

enum class MemoryDirection : std::uint8_t { kRead, kWrite };

/// Prices one request, before contention. Laws in models/dram/README.md.
MemoryService memory_service(const MemoryRequest& request, MemoryDirection direction,
                             const BandwidthParams& params);

/// When a memory has served a request.
struct MemoryReply {
    Picoseconds served;  ///< the last byte has passed; the memory is free
    Picoseconds latency;
    Picoseconds end() const { return served + latency; }
};

/// One memory and its initiators: requests share the bandwidth in order of arrival.
class MemoryPort {
 public:
    explicit MemoryPort(const BandwidthParams& params) : params_(params) {}

    MemoryReply serve(const MemoryRequest& request, MemoryDirection direction, Picoseconds arrival);

 private:
    BandwidthParams params_;
    Picoseconds free_at_;
};

}  // namespace okksim::models
