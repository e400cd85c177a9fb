// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "models/common/section.h"
#include "models/common/units.h"
#include "models/dram/channel_count.h"

namespace okksim::models {

struct BandwidthParams;
struct DramParams;

/// Request of one command to a memory: `runs` contiguous runs of `run_bytes` bytes. The first
/// starts at `address`; the starts are `pitch_bytes` apart. A pitch of at most the run length means
/// contiguous runs.
struct MemoryRequest {
    std::uint64_t runs = 0;
    std::uint64_t run_bytes = 0;
    std::uint64_t pitch_bytes = 0;
    std::uint64_t address = 0;

    std::uint64_t bytes() const { return runs * run_bytes; }
    bool operator==(const MemoryRequest&) const = default;
};

enum class MemoryDirection : std::uint8_t { kRead, kWrite };

/// Treatment of a request while its channel serves another one.
enum class Arbitration : std::uint8_t {
    kArrival,  ///< it is served when all that arrived before has been
    kTurns,    ///< alternates burst by burst with the current request; for a few bytes
};

/// Time of one channel for its part of a request, by cause.
struct ChannelService {
    Picoseconds stream;  ///< bytes at the rate of the direction, whole bursts where runs are apart
    Picoseconds rows;    ///< opening rows
    std::uint64_t row_misses = 0;
    std::uint64_t row_hits = 0;  ///< bursts that find their row open
    /// Time for which the request occupies the channel.
    Picoseconds occupied() const { return stream + rows; }
};

/// Bytes of a request that each channel holds; they add up to those of the request.
using ChannelShares = std::array<std::uint64_t, kMostMemoryChannels>;
ChannelShares channel_shares(const MemoryRequest& request, const DramParams& params);

/// Returns the time for the `bytes` of a request in one channel, without contention. Pure; host
/// time is independent of the request's size. Cost model: models/dram/README.md.
ChannelService channel_service(const MemoryRequest& request, std::uint64_t bytes,
                               MemoryDirection direction, const DramParams& params);

/// Bytes and rows of a request in all channels together, by the same cost model.
struct MemoryWork {
    std::uint64_t bytes = 0;  ///< of the bursts that it takes
    std::uint64_t rows = 0;   ///< opened; at least one where the memory has rows
};
MemoryWork memory_work(const MemoryRequest& request, const DramParams& params);

/// Times at which a memory has served a request.
struct MemoryReply {
    Picoseconds served;  ///< the last byte has passed
    Picoseconds latency;
    Picoseconds end() const { return served + latency; }
};

/// Use of one channel for one request. The interval begins when the channel is free. A request that
/// alternates with another one extends the occupied time, and is counted at its end.
struct ChannelUse {
    std::uint32_t channel = 0;
    MemoryDirection direction = MemoryDirection::kRead;
    Picoseconds start;
    Picoseconds end;
    std::uint64_t bytes = 0;
    std::uint64_t row_misses = 0;
};

/// Counters of a channel.
struct ChannelTotals {
    Picoseconds busy;
    std::uint64_t bytes_read = 0;
    std::uint64_t bytes_written = 0;
    std::uint64_t row_hits = 0;
    std::uint64_t row_misses = 0;
    std::uint64_t turnarounds = 0;
};

/// One memory and its initiators. Every channel serves its parts of the requests in order of
/// arrival. A request is served when its last channel is done.
class MemoryPort {
 public:
    explicit MemoryPort(const DramParams& params);
    /// A memory of one channel without rows, turnaround and refresh.
    explicit MemoryPort(const BandwidthParams& params);

    MemoryReply serve(const MemoryRequest& request, MemoryDirection direction, Picoseconds arrival,
                      Arbitration arbitration = Arbitration::kArrival);

    /// Forgets all requests; the memory is idle again.
    void rest();

    /// Returns the channels of the last request.
    std::span<const ChannelUse> last_uses() const { return {uses_.data(), use_count_}; }
    const ChannelTotals& totals(std::size_t channel) const { return channels_[channel].totals; }
    std::size_t channels() const;

 private:
    struct Channel {
        Picoseconds free_at;
        MemoryDirection last = MemoryDirection::kRead;
        ChannelTotals totals;
    };

    /// Interval of a request's part on a channel.
    struct Place {
        Picoseconds start, end;  ///< the channel is occupied
        Picoseconds served;      ///< the last byte has passed
        std::uint64_t turnarounds = 0;
        MemoryDirection last = MemoryDirection::kRead;  ///< direction of the channel afterwards
    };

    Place place(const Channel& channel, Picoseconds occupied, MemoryDirection direction,
                Picoseconds arrival, Arbitration arbitration) const;
    /// Occupies a channel with its `bytes` of a request. Returns the time of the last byte.
    Picoseconds use(std::size_t channel, const MemoryRequest& request, std::uint64_t bytes,
                    MemoryDirection direction, Picoseconds arrival, Arbitration arbitration);

    Section<DramParams> params_;
    std::array<Channel, kMostMemoryChannels> channels_{};
    std::array<ChannelUse, kMostMemoryChannels> uses_{};
    std::size_t use_count_ = 0;
};

}  // namespace okksim::models
