// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/sweep/point_store.h"
#include "sim/sweep/sweep_options.h"
#include "sim/sweep/sweep_outcome.h"
#include "sim/sweep/workload.h"

namespace okksim::sim::sweep {

/// Takes points of a sweep from its store, or computes them in processes and keeps them there.
class PointRun {
 public:
    /// The sweep is to be opened by open() before points are added.
    PointRun(const SweepSpec& spec, PointStore& store, const SweepOptions& options);

    const Machine& base() const { return base_; }
    /// Notes the sweep in the store, of so many points.
    void open(std::uint64_t points);
    /// Asks for a point with a workload: number % workloads. `settings` stays while it is computed.
    void add(std::uint64_t number, const PointSettings& settings);
    /// Points that have been asked for, are not in the store, and wait.
    std::size_t waiting() const { return todo_.size(); }
    /// Computes what waits.
    void compute();
    /// Seconds that one of those that wait takes, by a few of them.
    double seconds_each();

    /// Told of every point that add() has found, or compute() has computed. A point whose process
    /// has died is not told.
    std::function<void(std::uint64_t number, const PointResult& result)> finished;
    /// For options.progress: all points that there will be; 0: those that wait.
    std::uint64_t all = 0;
    const SweepOutcome& outcome() const { return outcome_; }

 private:
    /// A point with its workload.
    struct Task {
        std::uint64_t number = 0;
        std::size_t workload = 0;  ///< of the specification
        const PointSettings* settings = nullptr;
        Workload* variant = nullptr;
        std::string no_variant;  ///< why there is none
        PointKey key;
    };
    struct Todo {
        Task task;
        std::vector<Task> others;  ///< with the same result
    };
    struct Variant {
        std::unique_ptr<Workload> workload;
        std::string failure;
    };

    std::vector<std::string> machine_settings(const PointSettings& settings) const;
    void find_variant(Task& task);
    std::uint64_t machine_hash(const PointSettings& settings);
    void add_member(const Task& task, std::int64_t point);
    PointResult result_of(const Task& task) const;
    void compute(const std::vector<const Todo*>& missing);
    void show_progress();
    void keep(const Todo& todo, const PointResult& result);
    /// The sweep has the point, for all who asked for it.
    void note(const Todo& todo, std::int64_t point, const PointResult& result);
    /// Whether the store has the point by now; the sweep has it then, too.
    bool take(const Todo& todo);

    const SweepSpec& spec_;
    PointStore& store_;
    const SweepOptions& options_;
    MachineFamily family_;
    Machine base_;
    std::map<std::pair<std::size_t, RunSettings>, Variant> variants_;
    std::map<std::string, std::uint64_t> hashes_;  ///< by settings
    std::map<PointKey, std::size_t> first_;        ///< positions in todo_
    std::vector<Todo> todo_;
    std::uint64_t done_ = 0;
    SweepOutcome outcome_;
};

}  // namespace okksim::sim::sweep
