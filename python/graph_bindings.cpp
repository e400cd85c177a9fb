// SPDX-License-Identifier: Apache-2.0
#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <map>
#include <optional>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "python/arrays.h"
#include "python/background.h"
#include "python/bindings.h"
#include "python/planned_graph.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "sim/report/plan_report.h"
#include "sim/report/run_report.h"
#include "sim/zoo/zoo.h"

namespace okksim::python {
namespace {

namespace py = pybind11;
using namespace sim;

/// Reads the file instead of mapping it, as a file may be overwritten during a long Python session.
graph::Graph read_whole(const std::string& path, const graph::ReadOptions& options) {
    const MappedFile file = map_file(path);
    const auto bytes =
        std::make_shared<const std::vector<std::byte>>(file.bytes.begin(), file.bytes.end());
    return graph::read_graph(*bytes, bytes, path, options);
}

/// Returns the values of an input that decides a shape.
std::shared_ptr<const graph::NpyArray> npy_of(const std::vector<std::int64_t>& values) {
    const auto owner = std::make_shared<const std::vector<std::int64_t>>(values);
    return std::make_shared<const graph::NpyArray>(
        graph::NpyArray{"<i8",
                        sizeof(std::int64_t),
                        {static_cast<std::int64_t>(values.size())},
                        std::as_bytes(std::span(*owner)),
                        owner});
}

std::shared_ptr<const LoadedGraph> load(const std::string& path, const std::string& function,
                                        const std::map<std::string, graph::Shape>& shapes,
                                        bool has_single_rounding) {
    auto loaded = std::make_shared<LoadedGraph>();
    loaded->name = path;
    in_background(
        [&](Progress&) {
            graph::ReadOptions options;
            options.function = function;
            if (has_single_rounding) options.rounding = graph::Rounding::kSingle;
            for (const auto& [name, shape] : shapes) options.given_inputs.push_back(name);
            options.input_shape = [&](const std::string& name) -> std::optional<graph::Shape> {
                const auto shape = shapes.find(name);
                return shape == shapes.end() ? std::nullopt : std::optional(shape->second);
            };
            // Values of shape inputs are shapes too, and `okksim run` reads them from its input
            // files.
            std::map<std::string, graph::Shape> tensor_shapes = shapes;
            options.shape_input = [&](const std::string& name) -> std::optional<graph::Shape> {
                const auto shape = tensor_shapes.extract(name);
                return shape.empty() ? std::nullopt : std::optional(shape.mapped());
            };
            options.input_value = [&](const std::string& name) {
                const auto values = tensor_shapes.extract(name);
                return values.empty() ? nullptr : npy_of(values.mapped());
            };
            loaded->graph = read_whole(path, options);
            graph::check_input_shapes(loaded->graph, tensor_shapes);
            graph::validate_graph(loaded->graph);
        },
        py::none());
    return loaded;
}

std::shared_ptr<const LoadedGraph> build(const std::string& name, int precision, int batch,
                                         int size, double width, std::uint64_t seed) {
    auto loaded = std::make_shared<LoadedGraph>();
    loaded->name = name;
    in_background(
        [&](Progress&) {
            zoo::ZooModel model = zoo::build_network(
                name, {static_cast<zoo::Precision>(precision), batch, seed, size, width});
            loaded->graph = std::move(model.graph);
            loaded->examples = std::move(model.inputs);
            graph::validate_graph(loaded->graph);
        },
        py::none());
    return loaded;
}

/// Name, shape, type in the graph, and type of the arrays.
using ValueInfo = std::tuple<std::string, graph::Shape, std::string, std::string>;

std::vector<ValueInfo> value_infos(const LoadedGraph& loaded,
                                   const std::vector<graph::TensorIndex>& values) {
    std::vector<ValueInfo> infos;
    for (const graph::TensorIndex value : values) {
        const graph::Tensor& tensor = loaded.graph.main().tensors[value];
        infos.emplace_back(std::string(tensor.name), array_shape(tensor),
                           std::string(tosa::dtype_name(tensor.type)), array_type(tensor));
    }
    return infos;
}

/// Returns the inputs in the graph's order. The arrays must outlive them. ConfigError for unknown
/// names.
GivenInputs inputs_of(const graph::Graph& graph, const std::map<std::string, py::array>& arrays) {
    GivenInputs inputs;
    std::vector<std::string> known;
    for (const graph::TensorIndex index : graph.main().inputs) {
        const graph::Tensor& tensor = graph.main().tensors[index];
        known.push_back(tensor.name);
        const auto array = arrays.find(known.back());
        inputs.push_back(array == arrays.end() ? std::nullopt
                                               : std::optional(tensor_of(array->second, tensor)));
    }
    for (const auto& [name, array] : arrays) {
        if (std::ranges::find(known, name) != known.end()) continue;
        throw ConfigError("input " + name, graph::no_such_input(name, known));
    }
    return inputs;
}

execution::LoadedValues values_of(const std::vector<py::bytes>& given) {
    execution::LoadedValues values;
    for (const std::string text : given) {
        const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
        values.emplace_back(bytes, bytes + text.size());
    }
    return values;
}

std::unique_ptr<FinishedRun> time_plan(const PlannedGraph& plan, const FamilyMachine& machine,
                                       const std::vector<py::bytes>& given, bool bands) {
    const execution::LoadedValues values = values_of(given);
    std::unique_ptr<FinishedRun> run;
    in_background(
        [&](Progress&) {
            run = plan.time(machine.machine, given.empty() ? nullptr : &values, bands);
        },
        py::none());
    return run;
}

std::unique_ptr<FinishedRun> run_plan(const PlannedGraph& plan,
                                      const std::map<std::string, py::array>& arrays,
                                      std::uint64_t seed, int threads, bool bands, bool keep_values,
                                      const py::object& callback) {
    const GivenInputs inputs = inputs_of(plan.graph().graph, arrays);
    std::unique_ptr<FinishedRun> run;
    in_background(
        [&](Progress& progress) {
            run = plan.run(inputs, {seed, threads, bands, keep_values},
                           [&](std::size_t done, std::size_t all) { progress.tell(done, all); });
        },
        callback);
    return run;
}

py::list values_list(const FinishedRun& run) {
    py::list list;
    for (const std::vector<std::byte>& value : run.values) {
        list.append(py::bytes(reinterpret_cast<const char*>(value.data()), value.size()));
    }
    return list;
}

py::dict outputs_dict(const FinishedRun& run) {
    py::dict arrays;
    for (const auto& [name, value] : run.outputs) arrays[py::str(name)] = array_of(value);
    return arrays;
}

py::dict examples_dict(const LoadedGraph& loaded) {
    py::dict arrays;
    for (const zoo::ZooModel::Input& input : loaded.examples) {
        py::array array = array_of(input.value);
        array.attr("flags").attr("writeable") = false;  // owned by the graph
        arrays[py::str(input.name)] = array;
    }
    return arrays;
}

}  // namespace

void bind_graphs(py::module_& core) {
    py::class_<LoadedGraph, std::shared_ptr<LoadedGraph>>(core, "Graph")
        .def("inputs",
             [](const LoadedGraph& self) { return value_infos(self, self.graph.main().inputs); })
        .def("outputs",
             [](const LoadedGraph& self) { return value_infos(self, self.graph.main().outputs); })
        .def("warnings", [](const LoadedGraph& self) { return self.graph.warnings; })
        .def("operators",
             [](const LoadedGraph& self) { return self.graph.main().operators.size(); })
        .def("examples", &examples_dict);
    core.def("load_graph", &load);
    core.def("build_network", &build);
    py::class_<PlannedGraph>(core, "Plan")
        .def(py::init([](const std::shared_ptr<LoadedGraph>& graph, const FamilyMachine& machine,
                         bool fuse, int effort) {
            std::unique_ptr<PlannedGraph> plan;
            in_background(
                [&](Progress&) {
                    plan = std::make_unique<PlannedGraph>(
                        graph, machine.machine,
                        fuse ? planning::effort_of(effort)
                             : planning::PlanEffort{.fuse = false, .layers = false});
                },
                py::none());
            return plan;
        }))
        .def_static("load",
                    [](const std::shared_ptr<LoadedGraph>& graph, const std::string& file) {
                        const planning::StoredPlan document(file);
                        auto plan = std::make_unique<PlannedGraph>(graph, document);
                        const auto family =
                            std::make_shared<const MachineFamily>(document.family());
                        return py::make_tuple(std::move(plan),
                                              FamilyMachine{family, {}, document.machine()});
                    })
        .def("document", &PlannedGraph::document)
        .def("difference", &PlannedGraph::difference)
        .def("steps_json",
             [](const PlannedGraph& self) {
                 return firmware::host::json_text(report::plan_steps_json(self.plan().costs));
             })
        .def("time", &time_plan)
        .def("run", &run_plan);
    py::class_<FinishedRun>(core, "Run")
        .def("figures", [](const FinishedRun& self) { return figures_dict(self.figures()); })
        .def("report_json",
             [](const FinishedRun& self) {
                 return firmware::host::json_text(report::run_json(self.run, self.options));
             })
        .def("outputs", &outputs_dict)
        .def("values", &values_list);
}

}  // namespace okksim::python
