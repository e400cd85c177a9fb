// SPDX-License-Identifier: Apache-2.0
#include "kernels/planning/fastest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "isa/base/errors.h"

namespace okksim::kernels {
namespace {

/// Most commands that are simulated per way, to limit planning time.
constexpr std::int64_t kMostCommands = 1200;

/// Lower bound of a way's time, without waiting, and its total load of all units.
struct Priced {
    const SteppedFirmware* way = nullptr;
    Duration least{};
    Duration load{};
    std::int64_t sample = 0;  ///< steps to simulate
};

/// Ways whose times differ by less than this count as equal; the one with the lowest load is
/// chosen. It leaves most capacity to adjacent kernels, because the control processor issues
/// commands ahead.
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
            // Later steps find some operands already loaded.
            steady = work(way, 2);
            steady -= first;
            priced.least += std::min(steady.processor, first.processor) * (way.steps - 1);
            priced.load += steady.processor * (way.steps - 1);
        }
        // The second step may be larger than others. If the first step is smaller, the volume
        // exceeds the number of steps, but its fixed costs do not grow with the volume.
        const double more = std::min(way.volume, static_cast<double>(way.steps)) - 1;
        for (std::size_t i = 0; i < first.engines.size(); ++i) {
            const Duration step = std::min(steady.engines[i], first.engines[i]);
            const Duration engine = first.engines[i] + scaled(step, more);
            priced.least = std::max(priced.least, engine);
            priced.load += first.engines[i] + scaled(steady.engines[i], way.volume - 1);
        }
        return priced;
    }

    /// The way's time; nothing if it exceeds `limit`.
    std::optional<Duration> time(const Priced& priced, Duration limit) {
        const SteppedFirmware& way = *priced.way;
        const auto whole = simulate(way, priced.sample, limit);
        if (!whole || priced.sample == way.steps) return whole;
        // Extrapolates the second half of the sample to the other steps.
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
