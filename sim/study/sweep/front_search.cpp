// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/front_search.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <map>

#include "isa/base/errors.h"
#include "isa/base/stop_request.h"
#include "sim/study/sweep/point_metrics.h"

namespace okksim::sim::sweep {
namespace {

using search::Position;
using Objectives = std::vector<double>;

/// Number of values into which a search divides an interval.
constexpr double kValuesOfIntervals = 1000;

/// Thrown to stop the engine when the search has enough points.
struct SearchEnd {};

std::uint32_t size_of(const Axis& axis) {
    if (!axis.interval) return static_cast<std::uint32_t>(axis.values.size());
    const double whole = axis.interval->high - axis.interval->low + 1;
    return static_cast<std::uint32_t>(axis.interval->is_whole ? std::min(whole, kValuesOfIntervals)
                                                              : kValuesOfIntervals);
}

bool beats_or_equals(const Objectives& a, const Objectives& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (a[i] > b[i]) return false;
    }
    return true;
}

class FrontSearch {
 public:
    FrontSearch(const SweepSpec& spec, const Design& design, PointStore& store, PointRun& run)
        : spec_(spec), design_(design), store_(store), run_(run), metrics_(spec, run.base()) {
        for (const Axis& axis : spec.axes) sizes_.push_back(size_of(axis));
        run_.finished = [this](std::uint64_t number, const PointResult& result) {
            results_[number] = result;
        };
        run_.all = spec.points * workloads();
    }

    SweepOutcome search() {
        const search::SearchEngine engine = load_search_engine();
        run_.open(run_.all);
        try {
            engine({sizes_, spec_.objectives.size(), static_cast<std::uint32_t>(spec_.seed),
                    [this](const std::vector<Position>& all) { return evaluate(all); }});
        } catch (const SearchEnd&) {
        }
        if (points_.empty()) design_.refuse_all();
        if (!run_.outcome().stopped) {
            store_.set_points(run_.outcome().sweep, points_.size() * workloads());
            store_.commit();
        }
        return run_.outcome();
    }

 private:
    std::size_t workloads() const { return spec_.workloads.size(); }

    PointSettings settings_at(const Position& position) const {
        std::vector<double> place;
        for (std::size_t i = 0; i < position.size(); ++i) {
            // The positions of an interval include both ends; those of a list are the centres of
            // equal parts.
            const bool is_list = spec_.axes[i].is_list();
            place.push_back(is_list ? (position[i] + 0.5) / sizes_[i]
                                    : position[i] / std::max(sizes_[i] - 1.0, 1.0));
        }
        return design_.at(place);
    }

    /// Adds the new points, computes them together, and returns the objectives of all positions.
    std::vector<Objectives> evaluate(const std::vector<Position>& positions) {
        constexpr std::size_t kNone = SIZE_MAX;
        std::vector<std::size_t> machines;  // of positions, in points_
        const std::size_t first = points_.size();
        bool is_full = false;
        for (const Position& position : positions) {
            PointSettings settings = settings_at(position);
            const auto known = numbers_.find(settings);
            if (known != numbers_.end()) {
                machines.push_back(known->second);
            } else if (!design_.keeps_constraints(settings)) {
                machines.push_back(kNone);
            } else if (points_.size() == spec_.points) {
                is_full = true;
                break;
            } else {
                machines.push_back(points_.size());
                ask(std::move(settings));
            }
        }
        run_.compute();
        for (std::size_t machine = first; machine < points_.size(); ++machine) take(machine);
        const bool stands_still = points_.size() - last_change_ >= spec_.stall;
        if (is_full || stands_still || run_.outcome().stopped) throw SearchEnd();
        std::vector<Objectives> answers;
        for (const std::size_t machine : machines) {
            answers.push_back(machine == kNone ? Objectives() : objectives_[machine]);
        }
        return answers;
    }

    void ask(PointSettings settings) {
        const std::size_t machine = points_.size();
        points_.push_back(std::move(settings));
        numbers_.emplace(points_.back(), machine);
        for (std::size_t i = 0; i < workloads(); ++i) {
            run_.add(machine * workloads() + i, points_.back());
        }
    }

    /// Stores the objectives of a computed machine and updates the Pareto front.
    void take(std::size_t machine) {
        std::vector<StoredPoint> points;
        for (std::size_t i = 0; i < workloads(); ++i) {
            const auto result = results_.extract(machine * workloads() + i);
            if (result.empty()) continue;  // its process has died
            points.push_back({result.key(), spec_.workloads[i].name, points_[machine], 0,
                              std::move(result.mapped())});
        }
        std::vector<const StoredPoint*> pointers;
        for (const StoredPoint& point : points) pointers.push_back(&point);
        Objectives own = metrics_.objectives(pointers);
        const bool joins = !own.empty() && std::ranges::none_of(front_, [&](const auto& other) {
            return beats_or_equals(other, own);
        });
        if (joins) {
            std::erase_if(front_, [&](const auto& other) { return beats_or_equals(own, other); });
            front_.push_back(own);
            last_change_ = machine + 1;
        }
        objectives_.push_back(std::move(own));
    }

    const SweepSpec& spec_;
    const Design& design_;
    PointStore& store_;
    PointRun& run_;
    PointMetrics metrics_;
    std::vector<std::uint32_t> sizes_;
    std::deque<PointSettings> points_;  ///< a deque, as its elements never move
    std::map<PointSettings, std::size_t> numbers_;
    std::map<std::uint64_t, PointResult> results_;  ///< of the last batch
    std::vector<Objectives> objectives_;            ///< by machine; empty if it fails
    std::vector<Objectives> front_;
    std::size_t last_change_ = 0;  ///< number of points when the Pareto front last changed
};

}  // namespace

search::SearchEngine load_search_engine() {
    Dl_info info{};
    const bool found =
        dladdr(reinterpret_cast<const void*>(&load_search_engine), &info) != 0 && info.dli_fname;
    const std::filesystem::path file =
        std::filesystem::path(found ? info.dli_fname : "").parent_path() / "okksim" / "search.so";
    // The library stays loaded until the program ends.
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const engine = library == nullptr ? nullptr : dlsym(library, search::kSearchEngineName);
    if (engine != nullptr) return reinterpret_cast<search::SearchEngine>(engine);
    const char* const why = dlerror();
    throw ConfigError(
        "mode = \"search\"",
        fmt::format(
            "needs okksim's library search.so; build okksim with pagmo (Debian: libpagmo-dev): {}",
            why == nullptr ? file.string() + " has no search" : why));
}

SweepOutcome search_front(const SweepSpec& spec, const Design& design, PointStore& store,
                          const SweepOptions& options, PointRun& run) {
    if (options.shard.count > 1) {
        throw ConfigError("--shard",
                          "mode = \"search\" chooses points by earlier results, so it has no "
                          "shards; use -j for more processes");
    }
    return FrontSearch(spec, design, store, run).search();
}

}  // namespace okksim::sim::sweep
