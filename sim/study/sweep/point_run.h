// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/sweep_options.h"
#include "sim/study/sweep/sweep_outcome.h"
#include "sim/study/sweep/workload.h"

namespace okksim::sim::sweep {

/// Takes points of a sweep from its store, or computes them in processes and stores them.
class PointRun {
 public:
    /// open() must be called before points are added.
    PointRun(const SweepSpec& spec, PointStore& store, const SweepOptions& options);

    const Machine& base() const { return base_; }
    /// Registers the sweep with its number of points in the store.
    void open(std::uint64_t points);
    /// Adds a point; its workload is number % workloads. `settings` must live until compute()
    /// returns.
    void add(std::uint64_t number, const PointSettings& settings);
    /// Returns the number of added points that are not in the store and are not computed yet.
    std::size_t waiting() const { return todo_.size(); }
    /// Computes the waiting points.
    void compute();
    /// Estimates the seconds per waiting point from a few of them.
    double seconds_each();

    /// Called for every point that add() finds or compute() computes, but not for a point whose
    /// process died.
    std::function<void(std::uint64_t number, const PointResult& result)> finished;
    /// Total number of points for options.progress; 0 stands for the waiting points.
    std::uint64_t all = 0;
    const SweepOutcome& outcome() const { return outcome_; }

 private:
    /// A point with its workload.
    struct Task {
        std::uint64_t number = 0;
        std::size_t workload = 0;  ///< index in the specification
        const PointSettings* settings = nullptr;
        Workload* variant = nullptr;
        std::string no_variant;  ///< the reason if the workload cannot be made
        PointKey key;
    };
    struct Todo {
        Task task;
        std::vector<Task> others;  ///< tasks with the same result
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
    /// Registers the point with the sweep, for every task that asked for it.
    void note(const Todo& todo, std::int64_t point, const PointResult& result);
    /// Takes the point from the store if another process has added it. Returns true on success.
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
