// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/model_run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "isa/base/errors.h"
#include "sim/execution/graph_run.h"
#include "sim/execution/loaded_values.h"
#include "sim/execution/random_input.h"
#include "sim/execution/timed_graph.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/file_forms.h"
#include "sim/graph/folder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/planning/plan_cache.h"
#include "sim/trace/kept_commands.h"
#include "sim/trace/replay.h"

namespace okksim::sim::execution {
namespace {

namespace fs = std::filesystem;

class Stopwatch {
 public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

 private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

std::vector<std::string> names_of(const graph::Block& block,
                                  std::span<const graph::TensorIndex> list) {
    std::vector<std::string> names;
    for (const graph::TensorIndex index : list) names.push_back(block.tensors[index].name);
    return names;
}

void refuse_unknown_inputs(const ModelRunOptions& options, const graph::Graph& graph) {
    const graph::Block& main = graph.main();
    std::vector<std::string> known = names_of(main, main.inputs);
    for (const graph::Tensor& empty : graph::empty_inputs(graph)) known.push_back(empty.name);
    const auto require = [&known](const std::string& name) {
        if (std::find(known.begin(), known.end(), name) != known.end()) return;
        throw ConfigError("--input " + name, graph::no_such_input(name, known));
    };
    for (const auto& [name, file] : options.inputs) require(name);
    for (const auto& [name, maker] : options.made_inputs) {
        if (!name.empty()) {
            require(name);
        } else if (known.size() != 1) {
            throw ConfigError("--input FILE",
                              fmt::format("names no input, and the model has {}: {}; "
                                          "give --input NAME=FILE",
                                          known.size(), fmt::join(known, ", ")));
        }
    }
}

/// Returns the description in the folder of golden outputs, if there is one.
std::optional<check::TestCase> golden_test(const ModelRunOptions& options) {
    if (!options.check) return std::nullopt;
    if (!fs::is_directory(*options.check)) {
        throw ConfigError("--check " + options.check->string(), "is not a folder");
    }
    if (!fs::exists(*options.check / "desc.json")) return std::nullopt;
    return check::load_test_case(*options.check);
}

using graph::InputFiles;

/// Returns the given input files, with those of the golden test for other inputs.
InputFiles input_files(const ModelRunOptions& options, const std::optional<check::TestCase>& test) {
    InputFiles files = options.inputs;
    if (test) {
        for (const check::TestInput& input : test->inputs) {
            files.try_emplace(input.name, input.file);
        }
    }
    return files;
}

/// Adds the files of a test whose inputs are in the graph's order.
void add_files_by_position(const std::optional<check::TestCase>& test, const graph::Block& main,
                           InputFiles& files) {
    if (!test || !test->by_position) return;
    for (std::size_t i = 0; i < std::min(test->inputs.size(), main.inputs.size()); ++i) {
        files.try_emplace(main.tensors[main.inputs[i]].name.text(), test->inputs[i].file);
    }
}

/// Inputs that decide shapes must be known when the graph is read.
graph::ReadOptions read_options(const ModelRunOptions& run, const InputFiles& files) {
    graph::ReadOptions options = graph::input_options(run.input_shapes, files);
    options.function = run.function;
    options.rounding = run.rounding;
    for (const auto& [name, maker] : run.made_inputs) {
        if (!name.empty()) options.given_inputs.push_back(name);
    }
    return options;
}

/// Returns what makes an input; nothing for an input that is not made.
std::optional<InputMaker> maker_of(const ModelRunOptions& options, const graph::Block& main,
                                   const std::string& name) {
    auto maker = options.made_inputs.find(name);
    if (maker == options.made_inputs.end() && main.inputs.size() == 1) {
        maker = options.made_inputs.find("");
    }
    return maker == options.made_inputs.end() ? std::nullopt : std::optional(maker->second);
}

/// Returns an input, and notes it if it has no file and is random.
graph::HostTensor input_value(const ModelRunOptions& options, const InputFiles& files,
                              const graph::Graph& graph, std::size_t index, ModelRun& run) {
    const graph::Tensor& tensor = graph.main().tensors[graph.main().inputs[index]];
    if (const auto maker = maker_of(options, graph.main(), tensor.name)) {
        MadeInput made = (*maker)(tensor);
        run.made_inputs.push_back("input " + tensor.name.text() + ": " + made.note);
        return std::move(made.value);
    }
    const auto file = files.find(tensor.name);
    if (file != files.end()) return graph::load_tensor(file->second, tensor);
    run.random_inputs.push_back(tensor.name);
    return random_graph_input(graph, index, options.seed + index);
}

void set_inputs(const ModelRunOptions& options, const InputFiles& files, const graph::Graph& graph,
                GraphExecutor& executor, ModelRun& run) {
    for (std::size_t i = 0; i < graph.main().inputs.size(); ++i) {
        executor.set_input(i, input_value(options, files, graph, i, run));
    }
    for (const graph::Tensor& empty : graph::empty_inputs(graph)) {
        const auto file = files.find(empty.name);
        if (file != files.end()) (void)graph::load_tensor(file->second, empty);
    }
}

check::FileVerdict judge(const std::string& name, const std::function<check::CheckResult()>& rule) {
    try {
        const check::CheckResult result = rule();
        return {name, result.passed, result.text()};
    } catch (const ConfigError& error) {
        return {name, false, std::string("failed: ") + error.what()};
    }
}

/// Outputs of the main block, by name.
using Outputs = std::vector<std::pair<std::string, graph::HostTensor>>;

/// Returns the name with all characters except letters, digits, '.', '-', '_' replaced by '_'.
std::string tensor_file_name(const std::string& name) {
    std::string file = name;
    for (char& c : file) {
        const bool plain =
            std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
        if (!plain) c = '_';
    }
    return file + ".npy";
}

std::vector<std::string> file_names(const Outputs& outputs) {
    std::vector<std::string> names;
    for (const auto& output : outputs) names.push_back(output.first);
    return tensor_file_names(names);
}

std::vector<check::FileVerdict> check_by_test(const check::TestCase& test, const Outputs& outputs) {
    std::vector<check::FileVerdict> verdicts;
    const auto is_of = [&test](const check::TestOutput& expected, std::size_t position,
                               const Outputs::value_type& output, std::size_t output_position) {
        return test.by_position ? position == output_position : output.first == expected.name;
    };
    std::set<std::size_t> judged;
    for (std::size_t n = 0; n < test.outputs.size(); ++n) {
        const check::TestOutput& expected = test.outputs[n];
        std::size_t at = 0;
        while (at < outputs.size() && !is_of(expected, n, outputs[at], at)) ++at;
        if (at == outputs.size()) {
            verdicts.push_back({expected.name, false, "failed: the model has no such output"});
            continue;
        }
        judged.insert(at);
        verdicts.push_back(judge(expected.name, [&, &output = outputs[at].second] {
            return check::check_output(expected, output);
        }));
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (judged.contains(i)) continue;
        verdicts.push_back(
            {outputs[i].first, false, "failed: the test does not list it, so no rule judges it"});
    }
    return verdicts;
}

std::vector<check::FileVerdict> check_by_files(const fs::path& folder, const Outputs& outputs,
                                               const check::Rule& rule) {
    std::vector<check::FileVerdict> verdicts;
    const std::vector<std::string> files = file_names(outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto& [name, value] = outputs[i];
        const fs::path file = folder / files[i];
        if (!fs::exists(file)) {
            verdicts.push_back({name, false, fmt::format("failed: {} is missing", file.string())});
            continue;
        }
        // Values without elements differ in shape and type only.
        const check::Rule own = value.data.empty() ? check::DifferenceRule{} : rule;
        verdicts.push_back(judge(name, [&, &output = value] {
            return check::compare(output, graph::read_npy(file), nullptr, own);
        }));
    }
    return verdicts;
}

void save_outputs(const fs::path& folder, const Outputs& outputs) {
    const std::vector<std::string> files = file_names(outputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        graph::save_tensor(folder / files[i], outputs[i].second);
    }
}

}  // namespace

std::vector<std::string> tensor_file_names(const std::vector<std::string>& names) {
    std::vector<std::string> files;
    for (const std::string& name : names) files.push_back(tensor_file_name(name));
    // A tensor keeps its own name if that name is unique.
    std::set<std::string> avoided(files.begin(), files.end());
    std::set<std::string> given;
    for (std::string& file : files) {
        if (given.insert(file).second) continue;
        const std::string stem = fs::path(file).stem().string();
        for (int number = 2; avoided.contains(file); ++number) {
            file = fmt::format("{}-{}.npy", stem, number);
        }
        avoided.insert(file);
    }
    return files;
}

namespace {

std::uint64_t bytes_of(const graph::Block& block, std::span<const graph::TensorIndex> values) {
    std::uint64_t bytes = 0;
    for (const graph::TensorIndex value : values) {
        const graph::Tensor& tensor = block.tensors[value];
        bytes += tosa::storage_bytes(tensor.type, graph::element_count(tensor.shape).value_or(0));
    }
    return bytes;
}

}  // namespace

MemoryUse memory_use(const graph::Graph& graph, const planning::GraphPlan& plan) {
    return {plan.constant_bytes,
            plan.prepared_bytes,
            planning::constant_file(graph, plan),
            plan.variable_bytes,
            plan.working_bytes,
            bytes_of(graph.main(), graph.main().inputs),
            bytes_of(graph.main(), graph.main().outputs)};
}

namespace {

/// The model that runs, and its value files.
struct LoadedModel {
    const graph::Graph& graph;
    const planning::GraphPlan& plan;
    const InputFiles& files;
    const std::optional<check::TestCase>& test;
};

void judge_outputs(const LoadedModel& model, const ModelRunOptions& options,
                   GraphExecutor& executor, ModelRun& run) {
    const graph::Block& main = model.graph.main();
    Outputs outputs;
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        outputs.emplace_back(main.tensors[main.outputs[i]].name, executor.output(i));
    }
    for (const graph::Tensor& empty : graph::empty_outputs(model.graph)) {
        outputs.emplace_back(empty.name, graph::empty_value(empty));
    }
    if (options.out) save_outputs(*options.out, outputs);
    for (std::size_t i = 0; i < main.outputs.size() && options.classes.count > 0; ++i) {
        if (!has_classes(main.tensors[main.outputs[i]])) continue;
        const auto& [name, value] = outputs[i];
        run.classes.push_back(best_classes(name, value, options.classes));
    }
    if (model.test) {
        run.verdicts = check_by_test(*model.test, outputs);
    } else if (options.check) {
        run.verdicts = check_by_files(*options.check, outputs, options.plain_rule);
    }
}

std::vector<std::vector<planning::LocalBlock>> local_blocks(const graph::Graph& graph,
                                                            const planning::GraphPlan& plan) {
    std::vector<std::vector<planning::LocalBlock>> groups;
    const planning::BlockPlan& main = plan.block(graph.entry);
    for (const planning::Step& step : main.steps) {
        if (step.kind != planning::StepKind::kLayers) continue;
        groups.push_back(planning::local_blocks(graph.main(), main, step));
    }
    return groups;
}

void run_with_data(const LoadedModel& model, const ModelRunOptions& options, ModelRun& run) {
    const Stopwatch load;
    Simulation simulation(options.machine, options.chip);
    GraphExecutor executor(model.graph, model.plan, simulation);
    if (options.watch_kernels) executor.watch_kernels();
    if (!options.chip.with_diagnostics) executor.trust_kernels();
    set_inputs(options, model.files, model.graph, executor, run);
    if (options.progress) executor.set_progress(options.progress);
    LoadedValues loaded;
    if (options.keep_values) executor.note_loads(loaded);
    run.load_seconds += load.seconds();
    const Stopwatch running;
    trace::BandObserver kept;
    if (options.ensemble) simulation.add_observer(kept);
    // Observers also write their files if nothing runs.
    if (options.starting) {
        options.starting({trace::observed(simulation), executor.profile(), &executor});
    }
    run.report = executor.run(options.limits);
    if (options.finished) run.report.local = local_blocks(model.graph, model.plan);
    run.run_seconds = running.seconds();
    check_mapped_files();
    if (options.finished) options.finished(run.report);
    if (options.keep_values) save_values(*options.keep_values, loaded);
    if (run.report.fault) return;
    if (options.ensemble) run.band = kept.band(*options.ensemble);
    judge_outputs(model, options, executor, run);
}

void run_without_data(const graph::Graph& graph, const planning::GraphPlan& plan,
                      const InputFiles& files, const ModelRunOptions& options, ModelRun& run) {
    const Stopwatch running;
    std::optional<LoadedValues> values;
    if (options.values) values = load_values(*options.values);
    std::optional<trace::BandObserver> kept;
    const auto starting = [&](const StartedRun& started) {
        if (options.ensemble) started.machine.add_observer(kept.emplace());
        if (options.starting) options.starting(started);
    };
    const auto input = [&](std::size_t index) {
        return input_value(options, files, graph, index, run);
    };
    run.report = time_with_values(graph, plan, options.machine,
                                  {.limits = options.limits,
                                   .starting = starting,
                                   .looks_for_mistakes = options.chip.with_diagnostics},
                                  input, values);
    if (values && !options.values) {
        run.warnings.push_back(
            fmt::format("times depend on values of a run ({}), so the graph has run once with "
                        "data. `okksim run --keep-values FILE` keeps them for --values",
                        values->size()));
    }
    if (options.finished) run.report.local = local_blocks(graph, plan);
    run.run_seconds = running.seconds();
    check_mapped_files();
    if (options.finished) options.finished(run.report);
    if (!run.report.fault && options.ensemble) run.band = kept->band(*options.ensemble);
}

/// Returns the rounding in words if the graph's format has a choice.
std::string rounding_text(const graph::Graph& graph, graph::Rounding rounding) {
    const graph::GraphFormat* format = graph::format_of(graph);
    if (format == nullptr || !format->has_rounding) return {};
    return rounding == graph::Rounding::kDouble ? "double (reference kernels)" : "single";
}

planning::GraphPlan plan_of(const graph::Graph& graph, const ModelRunOptions& options,
                            ModelRun& run) {
    if (!options.plan && options.plan_cache.empty()) {
        return planning::plan_for_machine(graph, options.machine, options.effort, &run.search);
    }
    if (!options.plan) {
        planning::CachedPlan cached =
            planning::cached_plan(graph, options.machine, options.effort, options.plan_cache);
        run.search = cached.spent;
        if (!cached.note.empty()) run.warnings.push_back(cached.note);
        return std::move(cached.plan);
    }
    trace::check_same_layout(options.plan->machine(), options.machine, "the plan");
    planning::ReadPlan read = options.plan->plan(graph);
    if (!read.difference.empty()) {
        run.warnings.push_back(
            "the plan has the choices of the document, but other steps: " + read.difference +
            "; another build of okksim wrote it, or a choice was edited");
    }
    run.search = options.plan->search();
    return std::move(read.plan);
}

/// Runs a graph that is in memory. `load` began before it was read.
ModelRun run_loaded(const graph::Graph& graph, const ModelRunOptions& options, InputFiles files,
                    const std::optional<check::TestCase>& test, const Stopwatch& load) {
    ModelRun run;
    graph::check_input_shapes(graph, options.input_shapes);
    run.warnings = graph.warnings;
    graph::validate_graph(graph);
    refuse_unknown_inputs(options, graph);
    check_classes(graph.main(), options.classes);
    add_files_by_position(test, graph.main(), files);
    run.rounding = rounding_text(graph, options.rounding);
    run.emulated = planning::emulated_types(graph, options.machine);
    const planning::GraphPlan plan = plan_of(graph, options, run);
    run.memory = memory_use(graph, plan);
    run.limits = run_limits(graph, plan, options.machine);
    run.report = empty_report(options.machine.params);
    run.load_seconds = load.seconds();
    if (options.chip.with_data) {
        run_with_data({graph, plan, files, test}, options, run);
    } else {
        run_without_data(graph, plan, files, options, run);
    }
    run.steps = step_runs(run.report, run.limits, graph.main().name);
    return run;
}

}  // namespace

ModelRun run_model(const ModelRunOptions& options) {
    const Stopwatch load;
    // Checks the user's arguments first, so that errors show before the simulation.
    const std::optional<check::TestCase> test = golden_test(options);
    if (options.out) graph::make_folder(*options.out);
    const InputFiles files = input_files(options, test);
    const graph::Graph graph = graph::load_graph(options.model, read_options(options, files));
    return run_loaded(graph, options, files, test, load);
}

ModelRun run_graph(const graph::Graph& graph, const ModelRunOptions& options) {
    const Stopwatch load;
    const std::optional<check::TestCase> test = golden_test(options);
    if (options.out) graph::make_folder(*options.out);
    return run_loaded(graph, options, input_files(options, test), test, load);
}

}  // namespace okksim::sim::execution
