// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/sweep_run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "isa/errors.h"
#include "isa/fnv1a.h"
#include "isa/stop_request.h"
#include "sim/execution/process_pool.h"
#include "sim/sweep/design.h"
#include "sim/sweep/point_table.h"
#include "sim/sweep/workload.h"

namespace okksim::sim::sweep {
namespace {

using Clock = std::chrono::steady_clock;

/// Finished points become lasting so often.
constexpr std::chrono::milliseconds kCommitsApart{200};
/// Axes that allow more points are not walked through.
constexpr std::uint64_t kMostWalked = 20'000'000;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// A point with its workload.
struct Task {
    std::uint64_t number = 0;
    std::size_t workload = 0;  ///< of the specification
    const PointSettings* settings = nullptr;
    Workload* variant = nullptr;
    std::string no_variant;  ///< why there is none
    PointKey key;
};

// Results pass between processes of one program as they lie in memory.
std::string pack(const PointResult& result) {
    std::string text = result.failure.empty() ? "k" : "f" + result.failure;
    if (!result.failure.empty()) return text;
    for (std::size_t i = 0; i < result.figures.size(); ++i) {
        const double value = result.figures[i];
        text.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return text;
}

PointResult unpack(const std::string& text) {
    PointResult result;
    if (text.starts_with('f')) {
        result.failure = text.substr(1);
        return result;
    }
    for (std::size_t i = 0; i < result.figures.size(); ++i) {
        double value = 0;
        std::memcpy(&value, text.data() + 1 + i * sizeof value, sizeof value);
        result.figures.set_at(i, value);
    }
    return result;
}

class SweepRun {
 public:
    SweepRun(const SweepSpec& spec, PointStore& store, const SweepOptions& options)
        : spec_(spec),
          store_(store),
          options_(options),
          family_(spec.machine),
          base_(family_.with(spec.settings)),
          design_(spec, base_) {
        // What reports could not print is told before anything is computed.
        (void)PointMetrics(spec, base_);
    }

    SweepOutcome run() {
        refuse_too_many(design_.most_points(), kMostWalked);
        points_ = design_.points();
        const std::uint64_t all = points_.size() * spec_.workloads.size();
        outcome_.sweep = store_.open_sweep(spec_, dump_machine(base_), all);
        for (std::uint64_t number = options_.shard.index; number < all;
             number += options_.shard.count) {
            add_task(number);
        }
        store_.commit();
        refuse_too_many(todo_.size(), options_.most_points);
        compute();
        return outcome_;
    }

 private:
    /// What a point sets of the run, and of the machine.
    static RunSettings run_settings(const PointSettings& settings) {
        RunSettings run;
        for (const auto& [path, value] : settings) {
            if (is_of_run(path)) run[path] = value;
        }
        return run;
    }
    std::vector<std::string> machine_settings(const PointSettings& settings) const {
        std::vector<std::string> all = spec_.settings;
        for (const auto& [path, value] : settings) {
            if (!is_of_run(path)) all.push_back(path + '=' + value);
        }
        return all;
    }

    /// The workload as the point's settings of the run want it, read once.
    void find_variant(Task& task) {
        const RunSettings settings = run_settings(*task.settings);
        const auto name = std::make_pair(task.workload, settings);
        auto found = variants_.find(name);
        if (found == variants_.end()) {
            Variant variant;
            try {
                variant.workload =
                    make_workload(spec_.workloads[task.workload], settings,
                                  {spec_.planning, spec_.effort, spec_.bands}, base_);
            } catch (const ConfigError& error) {
                // Of all points alike, unless the axes make the difference.
                if (settings.empty()) throw;
                variant.failure = error.what();
            }
            found = variants_.emplace(name, std::move(variant)).first;
        }
        task.variant = found->second.workload.get();
        task.no_variant = found->second.failure;
    }

    /// A hash of a machine, also of one that there cannot be.
    std::uint64_t machine_hash(const PointSettings& settings) {
        const std::vector<std::string> all = machine_settings(settings);
        std::string name;
        for (const std::string& setting : all) name += setting + '\n';
        const auto known = hashes_.find(name);
        if (known != hashes_.end()) return known->second;
        std::uint64_t hash = 0;
        try {
            hash = family_.with(all).hash();
        } catch (const ConfigError&) {
            isa::Fnv1a impossible;
            impossible.add("impossible " + base_.name + '\n' + name);
            hash = impossible.value();
        }
        hashes_.emplace(name, hash);
        return hash;
    }

    void add_task(std::uint64_t number) {
        Task task{number,
                  static_cast<std::size_t>(number % spec_.workloads.size()),
                  &points_[static_cast<std::size_t>(number / spec_.workloads.size())],
                  nullptr,
                  "",
                  {}};
        find_variant(task);
        task.key.machine = machine_hash(*task.settings);
        if (task.variant != nullptr) {
            task.key.workload = task.variant->hash();
            task.key.plan = task.variant->plan_name();
        } else {
            isa::Fnv1a missing;
            missing.add(task.no_variant);
            task.key.workload = missing.value();
        }
        ++outcome_.points;
        if (const auto point = store_.find(task.key)) {
            ++outcome_.taken;
            add_member(task, *point);
            return;
        }
        const auto [same, is_new] = first_.emplace(task.key, todo_.size());
        if (is_new) {
            todo_.push_back({std::move(task), {}});
        } else {
            todo_[same->second].others.push_back(std::move(task));
        }
    }

    void add_member(const Task& task, std::int64_t point) {
        store_.add_member(outcome_.sweep, task.number, spec_.workloads[task.workload].name,
                          *task.settings, point);
    }

    PointResult compute(const Task& task) const {
        PointResult result;
        try {
            if (task.variant == nullptr) throw ConfigError("workload", task.no_variant);
            result.figures = task.variant->run(family_.with(machine_settings(*task.settings)));
        } catch (const std::exception& error) {
            result.failure = error.what();
        }
        if (!result.failure.empty()) result.figures = Figures();
        return result;
    }

    void refuse_too_many(std::uint64_t count, std::uint64_t most) {
        if (count <= most) return;
        const std::string number = count == UINT64_MAX ? "more points than can be counted"
                                                       : fmt::format("{} points", count);
        throw ConfigError("--yes",
                          fmt::format("this sweep has {}{}; fewer values, constraints, or "
                                      "mode = \"sobol\" make it smaller{}",
                                      number, estimate(count),
                                      count <= kMostWalked ? "; --yes computes them all" : ""));
    }

    /// How long so many points take, by a few of them.
    std::string estimate(std::uint64_t count) {
        constexpr std::size_t kSamples = 3;
        if (todo_.empty()) {
            points_ = {design_.first()};
            for (std::uint64_t i = 0; i < spec_.workloads.size(); ++i) add_task(i);
            if (todo_.empty()) return "";
        }
        const auto begin = Clock::now();
        for (std::size_t i = 0; i < kSamples; ++i) {
            (void)compute(todo_[i * (todo_.size() - 1) / (kSamples - 1)].task);
        }
        const double each = seconds_since(begin) / kSamples;
        const double all = each * static_cast<double>(count) / options_.jobs;
        return fmt::format(", about {:.1f} ms each, {:.0f} s with {} process{}", each * 1e3, all,
                           options_.jobs, options_.jobs == 1 ? "" : "es");
    }

    void compute() {
        const execution::Task task = [&](std::size_t index) {
            return pack(compute(todo_[index].task));
        };
        Clock::time_point committed = Clock::now();
        execution::for_each_in_processes(
            todo_.size(), options_.jobs, task,
            [&](std::size_t index, const std::optional<std::string>& text) {
                if (text) keep(todo_[index], unpack(*text));
                if (Clock::now() - committed >= kCommitsApart) {
                    store_.commit();
                    committed = Clock::now();
                }
                if (options_.progress) options_.progress(++done_, todo_.size());
            });
        store_.commit();
        outcome_.stopped = StopRequest::signal() != 0;
    }

    struct Todo {
        Task task;
        std::vector<Task> others;  ///< with the same result
    };

    void keep(const Todo& todo, const PointResult& result) {
        const std::int64_t point = store_.add(todo.task.key, result);
        add_member(todo.task, point);
        for (const Task& other : todo.others) add_member(other, point);
        ++outcome_.computed;
        if (!result.failure.empty()) ++outcome_.failed;
    }

    struct Variant {
        std::unique_ptr<Workload> workload;
        std::string failure;
    };

    const SweepSpec& spec_;
    PointStore& store_;
    const SweepOptions& options_;
    MachineFamily family_;
    Machine base_;
    Design design_;
    std::vector<PointSettings> points_;
    std::map<std::pair<std::size_t, RunSettings>, Variant> variants_;
    std::map<std::string, std::uint64_t> hashes_;  ///< by settings
    std::map<PointKey, std::size_t> first_;        ///< positions in todo_
    std::vector<Todo> todo_;
    std::uint64_t done_ = 0;
    SweepOutcome outcome_;
};

}  // namespace

SweepOutcome run_sweep(const SweepSpec& spec, PointStore& store, const SweepOptions& options) {
    return SweepRun(spec, store, options).run();
}

}  // namespace okksim::sim::sweep
