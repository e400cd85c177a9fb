// SPDX-License-Identifier: Apache-2.0
#include <pybind11/stl.h>

#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "python/background.h"
#include "python/bindings.h"
#include "sim/study/sweep/answers.h"
#include "sim/study/sweep/effects.h"
#include "sim/study/sweep/level_lines.h"
#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/sweep_run.h"

namespace okksim::python {
namespace {

namespace py = pybind11;
using namespace sim::sweep;

py::dict run(const std::string& spec, const std::string& folder, const std::string& store_path,
             int jobs, std::uint64_t most_points, const py::object& callback) {
    SweepOutcome outcome;
    in_background(
        [&](Progress& progress) {
            const SweepSpec read =
                folder.empty() ? read_sweep(spec) : read_sweep_text(spec, folder);
            PointStore store(store_path, PointStore::Access::kWrite);
            SweepOptions options;
            options.jobs = jobs;
            if (most_points != 0) options.most_points = most_points;
            options.progress = [&](std::uint64_t done, std::uint64_t all) {
                progress.tell(done, all);
            };
            outcome = run_sweep(read, store, options);
        },
        callback);
    using namespace py::literals;
    return py::dict("sweep"_a = outcome.sweep, "points"_a = outcome.points,
                    "computed"_a = outcome.computed, "taken"_a = outcome.taken,
                    "failed"_a = outcome.failed, "lost"_a = outcome.lost);
}

nlohmann::ordered_json row_json(const PointTable& table, const MachineRow& row) {
    nlohmann::ordered_json json{{"settings", nlohmann::ordered_json::object()},
                                {"objectives", nlohmann::ordered_json::object()},
                                {"points", nlohmann::ordered_json::array()}};
    for (const auto& [path, value] : row.settings) json["settings"][path] = value;
    for (std::size_t i = 0; i < row.objectives.size(); ++i) {
        json["objectives"][table.spec().objectives[i]] = row.objectives[i];
    }
    for (const StoredPoint* point : row.points) json["points"].push_back(point->number);
    return json;
}

nlohmann::ordered_json answers_json(const PointTable& table) {
    nlohmann::ordered_json json{{"objectives", table.spec().objectives},
                                {"front", nlohmann::ordered_json::array()},
                                {"knee", nullptr},
                                {"levels", nlohmann::ordered_json::array()},
                                {"effects", nlohmann::ordered_json::array()}};
    const std::vector<MachineRow> rows = machine_rows(table);
    const std::vector<std::size_t> front = front_of(rows);
    for (const std::size_t row : front) json["front"].push_back(row_json(table, rows[row]));
    if (const auto knee = knee_of(rows, front)) json["knee"] = row_json(table, rows[*knee]);
    for (const LevelLine& line : level_lines(table, rows)) {
        for (const Level& level : line.levels) {
            json["levels"].push_back({{"metric", line.metric},
                                      {"most", level.most},
                                      {"machines", level.machines},
                                      {"best", level.best ? row_json(table, rows[*level.best])
                                                          : nlohmann::ordered_json()}});
        }
    }
    for (const Effect& effect : main_effects(table, rows)) {
        json["effects"].push_back({{"parameter", effect.parameter},
                                   {"best", effect.best},
                                   {"worst", effect.worst},
                                   {"ratio", effect.ratio}});
    }
    return json;
}

/// Says what was changed in the store after it was computed; empty if nothing was.
std::string damage_text(const StoredSweep& sweep, const PointTable& table) {
    std::string text = sweep.deleted > 0 ? deleted_text(sweep) + "\n" : "";
    for (const StoredPoint& point : table.points()) {
        if (!point.is_spoiled) continue;
        text += "point " + std::to_string(point.number) + " is " + point.result.failure + "\n";
    }
    return text;
}

/// Reads a sweep of a store (-1: the last one): its points, its answers, both as text, and what was
/// changed in the store.
py::tuple read(const std::string& store_path, std::int64_t id) {
    std::string points, answers, text, damage;
    in_background(
        [&](Progress&) {
            PointStore store(store_path, PointStore::Access::kRead);
            const std::vector<StoredSweep> sweeps = store.sweeps();
            const auto found = id < 0 && !sweeps.empty()
                                   ? sweeps.end() - 1
                                   : std::ranges::find(sweeps, id, &StoredSweep::id);
            if (found == sweeps.end()) throw ConfigError(store_path, "has no such sweep");
            if (found->is_spoiled) (void)store.sweep(found->name);  // ConfigError
            const PointTable table(store, *found);
            damage = damage_text(*found, table);
            points = table.json();
            answers = answers_json(table).dump();
            text = answers_text(table);
        },
        py::none());
    return py::make_tuple(points, answers, text, damage);
}

/// Returns the path where `okksim sweep` stores the points of a specification.
std::string store_path_of(const std::string& file) {
    const SweepSpec spec = read_sweep(file);
    return (spec.folder / (spec.name + ".sqlite")).string();
}

py::list sweeps(const std::string& store_path) {
    PointStore store(store_path, PointStore::Access::kRead);
    py::list list;
    using namespace py::literals;
    for (const StoredSweep& sweep : store.sweeps()) {
        list.append(py::dict("id"_a = sweep.id, "name"_a = sweep.name, "points"_a = sweep.points,
                             "finished"_a = sweep.finished, "failed"_a = sweep.failed));
    }
    return list;
}

}  // namespace

void bind_sweeps(py::module_& core) {
    core.def("store_path", &store_path_of);
    core.def("run_sweep", &run);
    core.def("read_sweep", &read);
    core.def("stored_sweeps", &sweeps);
    core.def("number_of", &number_of);
}

}  // namespace okksim::python
