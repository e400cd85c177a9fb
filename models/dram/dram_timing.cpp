// SPDX-License-Identifier: Apache-2.0
#include "models/dram/dram_timing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "models/dram/dram_params.h"

namespace okksim::models {
namespace {

// Runs that are examined one by one. The others repeat the channels of these runs, or else are
// taken as spread evenly over their address range.
constexpr std::uint64_t kWalkedRuns = 16;

/// Bytes below address `end` that each channel holds.
class Interleave {
 public:
    explicit Interleave(const DramParams& params)
        : block_(static_cast<std::uint64_t>(params.interleave_bytes)),
          channels_(static_cast<std::uint64_t>(params.channels)) {}

    std::uint64_t period() const { return block_ * channels_; }

    /// Adds `weight` times the bytes of [begin, begin + bytes) in each channel.
    void add(std::uint64_t begin, std::uint64_t bytes, std::uint64_t weight,
             ChannelShares& shares) const {
        const std::uint64_t whole = bytes / period() * block_;
        std::uint64_t rest = bytes % period();
        std::uint64_t at = begin % period();
        if (whole > 0) {
            for (std::uint64_t channel = 0; channel < channels_; ++channel) {
                shares[channel] += whole * weight;
            }
        }
        while (rest > 0) {
            const std::uint64_t channel = at / block_;
            const std::uint64_t part = std::min(rest, (channel + 1) * block_ - at);
            shares[channel] += part * weight;
            rest -= part;
            at = channel + 1 == channels_ ? 0 : at + part;
        }
    }

 private:
    std::uint64_t block_, channels_;
};

/// Adds the runs from number `first` on, spread evenly over the range of their starts. The starts
/// step by the pitch modulo the interleave, forwards or backwards. The fullest channel gets the
/// rounding remainder.
void add_spread(const MemoryRequest& request, std::uint64_t first, const Interleave& interleave,
                const DramParams& params, ChannelShares& shares) {
    const std::uint64_t period = interleave.period();
    const std::uint64_t rest = request.pitch_bytes % period;
    const std::uint64_t step = std::min(rest, period - rest);
    const std::uint64_t walk = (request.runs - first - 1) * step;
    const std::uint64_t start = request.address + first * request.pitch_bytes;
    ChannelShares spread{};
    interleave.add(step == rest ? start : start + period - walk % period, walk + request.run_bytes,
                   1, spread);
    std::uint64_t left = (request.runs - first) * request.run_bytes;
    const double scale = static_cast<double>(left) / static_cast<double>(walk + request.run_bytes);
    std::size_t fullest = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(params.channels); ++i) {
        const auto part =
            std::min(left, static_cast<std::uint64_t>(static_cast<double>(spread[i]) * scale));
        shares[i] += part;
        left -= part;
        if (spread[i] > spread[fullest]) fullest = i;
    }
    shares[fullest] += left;
}

bool are_apart(const MemoryRequest& request) {
    return request.runs > 1 && request.pitch_bytes > request.run_bytes;
}

/// Returns the average number of rows that a request opens in all channels. The read latency
/// includes the first opening.
double rows_opened(const MemoryRequest& request, const DramParams& params) {
    if (params.row_bytes <= 0) return 0;
    const double full = static_cast<double>(request.bytes()) / params.row_bytes;
    if (!are_apart(request)) return full;
    // Runs closer than a row share it.
    const double per_run =
        std::min(1.0, static_cast<double>(request.pitch_bytes) / params.row_bytes);
    return std::max(static_cast<double>(request.runs) * per_run, full);
}

/// Returns the bytes of the bursts relative to the bytes of the request. A run shorter than a burst
/// costs the whole burst, unless the next run shares it.
double burst_factor(const MemoryRequest& request, const DramParams& params) {
    if (!are_apart(request)) return 1;
    const auto run_bytes = static_cast<double>(request.run_bytes);
    const auto pitch = static_cast<double>(request.pitch_bytes);
    return std::max(run_bytes, std::min(pitch, params.burst_bytes)) / run_bytes;
}

}  // namespace

MemoryWork memory_work(const MemoryRequest& request, const DramParams& params) {
    MemoryWork work{request.bytes(), 0};
    if (work.bytes == 0) return work;
    if (are_apart(request)) {
        const double bytes = static_cast<double>(work.bytes) * burst_factor(request, params);
        work.bytes = static_cast<std::uint64_t>(std::llround(bytes));
    }
    if (params.row_bytes > 0) {
        const auto rows = static_cast<std::uint64_t>(std::ceil(rows_opened(request, params)));
        work.rows = std::max<std::uint64_t>(rows, 1);
    }
    return work;
}

ChannelShares channel_shares(const MemoryRequest& request, const DramParams& params) {
    ChannelShares shares{};
    if (params.channels == 1) {
        shares[0] = request.bytes();
        return shares;
    }
    const Interleave interleave(params);
    if (!are_apart(request)) {
        interleave.add(request.address, request.bytes(), 1, shares);
        return shares;
    }
    const std::uint64_t places =
        interleave.period() / std::gcd(request.pitch_bytes, interleave.period());
    const std::uint64_t walked = std::min({request.runs, places, kWalkedRuns});
    const bool all_places = walked == std::min(request.runs, places);
    for (std::uint64_t run = 0; run < walked; ++run) {
        const std::uint64_t equal = all_places ? (request.runs - run - 1) / walked + 1 : 1;
        interleave.add(request.address + run * request.pitch_bytes, request.run_bytes, equal,
                       shares);
    }
    if (!all_places) add_spread(request, walked, interleave, params, shares);
    return shares;
}

ChannelService channel_service(const MemoryRequest& request, std::uint64_t bytes,
                               MemoryDirection direction, const DramParams& params) {
    const double rate = (direction == MemoryDirection::kRead ? params.read_bytes_per_nanosecond
                                                             : params.write_bytes_per_nanosecond) /
                        static_cast<double>(params.channels);
    // Refresh takes a constant share of the time.
    const double available = 1 - params.refresh_nanoseconds / params.refresh_interval_nanoseconds;
    const double share = static_cast<double>(bytes) / static_cast<double>(request.bytes());
    const auto run_bytes = static_cast<double>(request.run_bytes);
    const double fetched = static_cast<double>(bytes) * burst_factor(request, params);
    double miss = params.row_miss_nanoseconds;
    if (are_apart(request)) {
        const auto pitch = static_cast<double>(request.pitch_bytes);
        // The cost of a row is limited by reading through the gap, or by fetching the run again.
        miss = std::min(miss, std::min(run_bytes, pitch - run_bytes) / rate);
    }
    const double rows = rows_opened(request, params) * share;
    ChannelService service;
    service.stream = from_nanoseconds(fetched / rate / available);
    service.rows = from_nanoseconds(rows * miss / available);
    service.row_misses = static_cast<std::uint64_t>(std::ceil(rows));
    const auto bursts = static_cast<std::uint64_t>(std::ceil(fetched / params.burst_bytes));
    service.row_hits = bursts - std::min(bursts, service.row_misses);
    return service;
}

MemoryPort::MemoryPort(const DramParams& params) : params_(params) {}

MemoryPort::MemoryPort(const BandwidthParams& params) : params_(DramParams{params}) {}

std::size_t MemoryPort::channels() const { return static_cast<std::size_t>(params_->channels); }

MemoryPort::Place MemoryPort::place(const Channel& channel, Picoseconds occupied,
                                    MemoryDirection direction, Picoseconds arrival,
                                    Arbitration arbitration) const {
    const Picoseconds turnaround = from_nanoseconds(params_->turnaround_nanoseconds);
    const bool turns = direction != channel.last;
    if (arbitration == Arbitration::kArrival || arrival >= channel.free_at) {
        // A channel that was idle long enough has already turned round.
        const Picoseconds ready = turns ? channel.free_at + turnaround : channel.free_at;
        const Picoseconds start = std::max(arrival, ready);
        return {start, start + occupied, start + occupied, turns ? 1u : 0u, direction};
    }
    // Two turnarounds, because the current request continues in its direction.
    const Picoseconds taken = turns ? occupied + turnaround + turnaround : occupied;
    // Each burst alternates with one of the other request, while that lasts.
    const Picoseconds others = std::min(occupied, channel.free_at - arrival);
    return {channel.free_at, channel.free_at + taken, arrival + taken + others, turns ? 2u : 0u,
            channel.last};
}

Picoseconds MemoryPort::use(std::size_t index, const MemoryRequest& request, std::uint64_t bytes,
                            MemoryDirection direction, Picoseconds arrival,
                            Arbitration arbitration) {
    Channel& channel = channels_[index];
    const ChannelService service = channel_service(request, bytes, direction, *params_);
    const Place at = place(channel, service.occupied(), direction, arrival, arbitration);
    channel.last = at.last;
    channel.free_at = at.end;
    uses_[use_count_++] = {
        static_cast<std::uint32_t>(index), direction, at.start, at.end, bytes, service.row_misses};
    ChannelTotals& totals = channel.totals;
    totals.busy += at.end - at.start;
    (direction == MemoryDirection::kRead ? totals.bytes_read : totals.bytes_written) += bytes;
    totals.row_hits += service.row_hits;
    totals.row_misses += service.row_misses;
    totals.turnarounds += at.turnarounds;
    return at.served;
}

void MemoryPort::rest() {
    std::fill_n(channels_.begin(), params_->channels, Channel{});
    use_count_ = 0;
}

MemoryReply MemoryPort::serve(const MemoryRequest& request, MemoryDirection direction,
                              Picoseconds arrival, Arbitration arbitration) {
    const ChannelShares shares = channel_shares(request, *params_);
    use_count_ = 0;
    MemoryReply reply;
    reply.served = arrival;
    for (std::size_t i = 0; i < channels(); ++i) {
        if (shares[i] == 0) continue;
        reply.served =
            std::max(reply.served, use(i, request, shares[i], direction, arrival, arbitration));
    }
    reply.latency =
        from_nanoseconds(direction == MemoryDirection::kRead ? params_->read_latency_nanoseconds
                                                             : params_->write_latency_nanoseconds);
    return reply;
}

}  // namespace okksim::models
