// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/fastest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/errors.h"

namespace okksim::kernels {
namespace {

/// Simulating more commands than this per way is not worth the planner's time.
constexpr std::int64_t kMostCommands = 1200;

/// What a way takes at least: its steps without all waiting; and what it takes of all units.
struct Priced {
    const SteppedFirmware* way = nullptr;
    Duration least{};
    Duration load{};
    std::int64_t sample = 0;  ///< steps to simulate
};

/// Of ways that take about the same that one is chosen which leaves most to the kernels beside it:
/// the control processor issues the next one's commands while engines are at work.
Duration margin(Duration time) { return time / 100; }

Duration scaled(Duration time, double factor) {
    return Duration(static_cast<std::int64_t>(factor * static_cast<double>(time.count())));
}

class Pricing {
 public:
    explicit Pricing(Host& host) : host_(host) {}

    Priced price(const SteppedFirmware& way) {
        const Work first = work(way, 1);
        const std::int64_t commands = std::max<std::int64_t>(1, first.commands);
        const std::int64_t sample =
            std::min(way.steps, std::clamp<std::int64_t>(kMostCommands / commands, 4, 64));
        Priced priced{&way, first.processor, first.processor, sample};
        Work steady;
        if (way.steps > 1) {
            // Later steps find some operands in place.
            steady = work(way, 2);
            steady -= first;
            priced.least += std::min(steady.processor, first.processor) * (way.steps - 1);
            priced.load += steady.processor * (way.steps - 1);
        }
        // The second step may be larger than others; and where the first one is smaller, so that
        // the volume is more than the number of steps, its fixed costs do not grow with theirs.
        const double more = std::min(way.volume, static_cast<double>(way.steps)) - 1;
        for (std::size_t i = 0; i < first.engines.size(); ++i) {
            const Duration step = std::min(steady.engines[i], first.engines[i]);
            const Duration engine = first.engines[i] + scaled(step, more);
            priced.least = std::max(priced.least, engine);
            priced.load += first.engines[i] + scaled(steady.engines[i], way.volume - 1);
        }
        return priced;
    }

    /// The way's time; nothing when it is more than `limit`.
    std::optional<Duration> time(const Priced& priced, Duration limit) {
        const SteppedFirmware& way = *priced.way;
        const auto whole = simulate(way, priced.sample, limit);
        if (!whole || priced.sample == way.steps) return whole;
        // More of the same.
        const std::int64_t half = priced.sample / 2;
        const Duration rest = *whole - *simulate(way, half, *whole);
        const Duration time = *whole + rest * (way.steps - priced.sample) / (priced.sample - half);
        return time > limit ? std::nullopt : std::optional(time);
    }

 private:
    Work work(const SteppedFirmware& way, std::int64_t steps) {
        return host_.work([&] { way.run(steps); });
    }
    std::optional<Duration> simulate(const SteppedFirmware& way, std::int64_t steps,
                                     Duration limit) {
        return host_.time_within(limit, [&] { way.run(steps); });
    }

    Host& host_;
};

}  // namespace

std::size_t fastest_way(const std::vector<SteppedFirmware>& ways, Host& host) {
    OKKSIM_CHECK(!ways.empty());
    Pricing pricing(host);
    std::vector<Priced> priced;
    for (const SteppedFirmware& way : ways) priced.push_back(pricing.price(way));
    std::stable_sort(priced.begin(), priced.end(),
                     [](const Priced& a, const Priced& b) { return a.least < b.least; });
    std::vector<std::pair<Duration, const Priced*>> timed;
    Duration least = Duration::max() / 2;
    for (const Priced& candidate : priced) {
        if (!timed.empty() && candidate.least > least + margin(least)) break;
        const auto time = pricing.time(candidate, least + margin(least));
        if (!time) continue;
        least = std::min(least, *time);
        timed.emplace_back(*time, &candidate);
    }
    const Priced* best = nullptr;
    for (const auto& [time, candidate] : timed) {
        if (time > least + margin(least)) continue;
        if (best == nullptr || candidate->load < best->load) best = candidate;
    }
    return static_cast<std::size_t>(best->way - ways.data());
}

}  // namespace okksim::kernels
