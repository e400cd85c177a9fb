// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/point_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <system_error>

#include "isa/base/errors.h"
#include "isa/base/fnv1a.h"
#include "isa/base/stop_request.h"
#include "sim/execution/process_pool.h"

namespace okksim::sim::sweep {
namespace {

using Clock = std::chrono::steady_clock;

/// Minimum time between two commits of finished points.
constexpr std::chrono::milliseconds kCommitsApart{200};
/// Points of the first round; later rounds are sized to take about kRoundSeconds.
constexpr std::size_t kFirstRound = 32;
constexpr double kRoundSeconds = 2;

// Results pass between processes of the same program, so the memory layout is the format.
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

/// Returns the settings of a point that belong to the run.
RunSettings run_settings(const PointSettings& settings) {
    RunSettings run;
    for (const auto& [path, value] : settings) {
        if (is_of_run(path)) run[path] = value;
    }
    return run;
}

}  // namespace

PointRun::PointRun(const SweepSpec& spec, PointStore& store, const SweepOptions& options)
    : spec_(spec),
      store_(store),
      options_(options),
      family_(spec.machine),
      base_(family_.with(spec.settings)) {
    store_.note_spoiled = [this](const std::string& row) { outcome_.spoiled.push_back(row); };
}

PointRun::~PointRun() { store_.note_spoiled = nullptr; }

void PointRun::open(std::uint64_t points) {
    outcome_.sweep = store_.open_sweep(spec_, dump_machine(base_), points);
}

std::vector<std::string> PointRun::machine_settings(const PointSettings& settings) const {
    std::vector<std::string> all = spec_.settings;
    for (const auto& [path, value] : settings) {
        if (!is_of_run(path)) all.push_back(path + '=' + value);
    }
    return all;
}

/// Finds the workload for the point's run settings, and reads it at first use.
void PointRun::find_variant(Task& task) {
    RunSettings settings = run_settings(*task.settings);
    for (const auto& [path, value] : spec_.workloads[task.workload].variant) settings[path] = value;
    const auto name = std::make_pair(task.workload, settings);
    auto found = variants_.find(name);
    if (found == variants_.end()) {
        Variant variant;
        try {
            variant.workload = make_workload(spec_.workloads[task.workload], settings,
                                             {spec_.planning, spec_.effort, spec_.bands}, base_);
        } catch (const ConfigError& error) {
            // Without run settings, the error concerns every point and ends the sweep.
            if (settings.empty()) {
                const bool is_option = error.where().starts_with("zoo.") ||
                                       error.where().starts_with("run.") ||
                                       error.where() == "arguments";
                if (!is_option) throw;
                throw ConfigError(spec_.where("workload"), error.what());
            }
            variant.failure = error.what();
        }
        found = variants_.emplace(name, std::move(variant)).first;
    }
    task.variant = found->second.workload.get();
    task.no_variant = found->second.failure;
}

/// Returns a hash of a machine. An invalid machine gets a hash of its settings.
std::uint64_t PointRun::machine_hash(const PointSettings& settings) {
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

void PointRun::add(std::uint64_t number, const PointSettings& settings) {
    Task task{number,    static_cast<std::size_t>(number % spec_.workloads.size()),
              &settings, nullptr,
              "",        {}};
    find_variant(task);
    task.key.machine = machine_hash(settings);
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
        if (all != 0) ++done_;
        if (finished) finished(number, store_.result(*point));
        return;
    }
    const auto [same, is_new] = first_.emplace(task.key, todo_.size());
    if (is_new) {
        todo_.push_back({std::move(task), {}});
    } else {
        todo_[same->second].others.push_back(std::move(task));
    }
}

void PointRun::add_member(const Task& task, std::int64_t point) {
    store_.add_member(outcome_.sweep, task.number, spec_.workloads[task.workload].name,
                      *task.settings, point);
}

PointResult PointRun::result_of(const Task& task) const {
    PointResult result;
    try {
        if (task.variant == nullptr) throw ConfigError("workload", task.no_variant);
        result.figures = task.variant->run(family_.with(machine_settings(*task.settings)));
    } catch (const std::bad_alloc&) {
        throw;  // the host's failure, not the point's
    } catch (const std::system_error&) {
        throw;
    } catch (const std::exception& error) {
        result.failure = error.what();
    }
    if (!result.failure.empty()) result.figures = Figures();
    return result;
}

double PointRun::seconds_each() {
    constexpr std::size_t kSamples = 3;
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < kSamples; ++i) {
        (void)result_of(todo_[i * (todo_.size() - 1) / (kSamples - 1)].task);
    }
    return std::chrono::duration<double>(Clock::now() - begin).count() / kSamples;
}

void PointRun::compute() {
    constexpr std::size_t kFarApart = 7919;  // processes started together have consecutive ids
    store_.commit();
    // Several processes may compute the same sweep. Each starts at a different point and checks the
    // store for finished points before every round. Only this process reads the store, as SQLite
    // locks do not survive a fork.
    if (!todo_.empty()) {
        const std::size_t first = static_cast<std::size_t>(::getpid()) * kFarApart % todo_.size();
        std::rotate(todo_.begin(), todo_.begin() + static_cast<long>(first), todo_.end());
    }
    std::size_t round = kFirstRound;
    for (std::size_t at = 0; at < todo_.size() && StopRequest::signal() == 0;) {
        std::vector<const Todo*> missing;
        for (; at < todo_.size() && missing.size() < round; ++at) {
            if (!take(todo_[at])) missing.push_back(&todo_[at]);
        }
        const auto begin = Clock::now();
        compute(missing);
        const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
        if (seconds < kRoundSeconds / 2) round *= 2;
        if (seconds > kRoundSeconds * 2)
            round = std::max(static_cast<std::size_t>(options_.jobs), round / 2);
    }
    todo_.clear();
    first_.clear();
    outcome_.stopped = StopRequest::signal() != 0;
}

void PointRun::compute(const std::vector<const Todo*>& missing) {
    const execution::Task task = [&](std::size_t index) {
        try {
            const PointResult result = result_of(missing[index]->task);
            // A failure while the program is being stopped is not a result of the point.
            const bool was_stopped = StopRequest::signal() != 0 && !result.failure.empty();
            return was_stopped ? std::string() : pack(result);
        } catch (const std::exception&) {
            return std::string();  // a failure of the host: the point remains to be computed
        }
    };
    store_.commit();
    Clock::time_point committed = Clock::now();
    execution::for_each_in_processes(
        missing.size(), options_.jobs, task,
        [&](std::size_t index, const std::optional<std::string>& text) {
            if (text && !text->empty()) {
                keep(*missing[index], unpack(*text));
            } else if (StopRequest::signal() == 0) {
                ++outcome_.lost;
            }
            if (Clock::now() - committed >= kCommitsApart) {
                store_.commit();
                committed = Clock::now();
            }
            show_progress();
        });
    store_.commit();
}

void PointRun::show_progress() {
    if (options_.progress) options_.progress(++done_, all == 0 ? todo_.size() : all);
}

void PointRun::note(const Todo& todo, std::int64_t point, const PointResult& result) {
    add_member(todo.task, point);
    for (const Task& other : todo.others) add_member(other, point);
    if (!finished) return;
    finished(todo.task.number, result);
    for (const Task& other : todo.others) finished(other.number, result);
}

bool PointRun::take(const Todo& todo) {
    const auto point = store_.find(todo.task.key);
    if (!point) return false;
    ++outcome_.taken;
    show_progress();
    note(todo, *point, finished ? store_.result(*point) : PointResult());
    return true;
}

void PointRun::keep(const Todo& todo, const PointResult& result) {
    ++outcome_.computed;
    if (!result.failure.empty()) ++outcome_.failed;
    note(todo, store_.add(todo.task.key, result), result);
}

}  // namespace okksim::sim::sweep
