// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/sweep_run.h"

#include <fmt/format.h>

#include "isa/base/errors.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/front_search.h"
#include "sim/study/sweep/point_metrics.h"
#include "sim/study/sweep/point_run.h"

namespace okksim::sim::sweep {
namespace {

/// Limit on the points of a grid, as all of them are enumerated.
constexpr std::uint64_t kMostWalked = 20'000'000;

class SweepRun {
 public:
    SweepRun(const SweepSpec& spec, PointStore& store, const SweepOptions& options)
        : spec_(spec),
          store_(store),
          options_(options),
          run_(spec, store, options),
          design_(spec, run_.base()) {
        // Checks the metrics before the sweep computes anything.
        (void)PointMetrics(spec, run_.base());
    }

    SweepOutcome run() {
        refuse_too_many(design_.most_points(), kMostWalked);
        if (spec_.sampling == Sampling::kSearch) {
            refuse_too_many(spec_.points * spec_.workloads.size(), options_.most_points);
            return search_front(spec_, design_, store_, options_, run_);
        }
        points_ = design_.points();
        const std::uint64_t all = points_.size() * spec_.workloads.size();
        run_.open(all);
        for (std::uint64_t number = options_.shard.index; number < all;
             number += options_.shard.count) {
            run_.add(number, points_[static_cast<std::size_t>(number / spec_.workloads.size())]);
        }
        store_.commit();
        refuse_too_many(run_.waiting(), options_.most_points);
        run_.compute();
        return run_.outcome();
    }

 private:
    void refuse_too_many(std::uint64_t count, std::uint64_t most) {
        if (count <= most) return;
        const std::string number =
            count == UINT64_MAX ? "too many points to count" : fmt::format("{} points", count);
        throw ConfigError(
            "--yes",
            fmt::format("this sweep has {}{}; use fewer values, constraints, or mode = \"sobol\"{}",
                        number, estimate(count),
                        count <= kMostWalked ? "; --yes computes all of them" : ""));
    }

    /// Estimates the time that `count` points take, as text.
    std::string estimate(std::uint64_t count) {
        if (run_.waiting() == 0) {
            points_ = {design_.first()};
            for (std::uint64_t i = 0; i < spec_.workloads.size(); ++i) run_.add(i, points_[0]);
            if (run_.waiting() == 0) return "";
        }
        const double each = run_.seconds_each();
        const double all = each * static_cast<double>(count) / options_.jobs;
        return fmt::format(", about {:.1f} ms each, {:.0f} s with {} process{}", each * 1e3, all,
                           options_.jobs, options_.jobs == 1 ? "" : "es");
    }

    const SweepSpec& spec_;
    PointStore& store_;
    const SweepOptions& options_;
    PointRun run_;
    Design design_;
    std::vector<PointSettings> points_;
};

}  // namespace

SweepOutcome run_sweep(const SweepSpec& spec, PointStore& store, const SweepOptions& options) {
    return SweepRun(spec, store, options).run();
}

}  // namespace okksim::sim::sweep
