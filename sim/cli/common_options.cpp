// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common_options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "isa/base/errors.h"
#include "sim/cli/output.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/machine/machine_text.h"

namespace okksim::sim::cli {
namespace {

constexpr int kMaxHostThreads = 256;

bool is_array_name(std::string_view text) { return text.ends_with(".npy"); }

}  // namespace

check::Rule ToleranceFlags::rule() const {
    if (relative == 0 && absolute == 0) return check::ExactRule{};
    return check::ToleranceRule{relative, absolute};
}

void add_machine_options(CLI::App& command, MachineChoice& flags) {
    command.add_option("--machine", flags.machine, "built-in name or TOML file")
        ->capture_default_str();
    add_set_option(command, flags.settings);
}

void add_set_option(CLI::App& command, std::vector<std::string>& settings) {
    command
        .add_option("--set", settings,
                    "change one parameter; bytes also as 64KiB, 1.5MiB, 2GiB, "
                    "or kB, MB, GB (powers of 1000)")
        ->allow_extra_args(false);
}

CLI::Validator number_from_zero() {
    return {[](const std::string& text) -> std::string {
                double value = -1;
                const char* end = text.data() + text.size();
                const auto [read_to, problem] = std::from_chars(text.data(), end, value);
                const bool is_number = problem == std::errc{} && read_to == end;
                return is_number && value >= 0 && std::isfinite(value)
                           ? ""
                           : "\"" + text + "\" is not a finite number of at least 0";
            },
            ""};
}

void add_tolerance_options(CLI::App& command, ToleranceFlags& flags) {
    command.add_option("--relative", flags.relative, "allowed error, as a share of the value")
        ->check(number_from_zero());
    command.add_option("--absolute", flags.absolute, "allowed error, added to the relative one")
        ->check(number_from_zero());
}

void add_threads_option(CLI::App& command, int& threads) {
    command.add_option("--threads", threads, "host threads for one command")
        ->check(CLI::Range(1, kMaxHostThreads))
        ->capture_default_str();
}

void add_reader_options(CLI::App& command, ReaderFlags& flags) {
    command.add_option("--function", flags.function,
                       "function of an MLIR text; default: \"main\", or the first function");
    command
        .add_option(
            "--shape", flags.shapes,
            "NAME=SHAPE, e.g. image=1x3x224x224: the shape of an input with dimensions that "
            "the file leaves open")
        ->allow_extra_args(false);
    command
        .add_option("--rounding", flags.rounding,
                    "rounding of integer operators of a .tflite file. double: like TensorFlow "
                    "Lite's reference kernels; single: once")
        ->check(CLI::IsMember({"double", "single"}))
        ->capture_default_str();
}

void add_graph_options(CLI::App& command, GraphChoice& choice) {
    command.add_option("model", choice.model, kGraphFileHelp)->required();
    command
        .add_option("--input", choice.inputs,
                    "NAME=FILE.npy: the value of an input that decides a shape; NAME=SHAPE: the "
                    "same as --shape")
        ->allow_extra_args(false);
    add_reader_options(command, choice.reader);
}

std::pair<std::string, std::string> split_input(const std::string& text, const char* form) {
    const std::size_t sign = text.rfind('=');
    if (sign == std::string::npos || sign == 0) {
        throw ConfigError("--input " + text, std::string("is not of the form ") + form);
    }
    return {text.substr(0, sign), text.substr(sign + 1)};
}

void refuse_second_input(const std::string& name) {
    throw ConfigError("--input " + name, "is given twice: give each input once");
}

graph::Rounding ReaderFlags::chosen_rounding() const {
    return rounding == "single" ? graph::Rounding::kSingle : graph::Rounding::kDouble;
}

graph::InputShapes GraphChoice::input_shapes() const {
    constexpr const char* kForm = "NAME=SHAPE, e.g. image=1x224x224x3, or NAME=FILE.npy";
    const graph::InputFiles files = input_files();
    graph::InputShapes shapes;
    for (const std::string& input : inputs) {
        const auto [name, text] = split_input(input, kForm);
        if (is_array_name(text)) continue;
        const auto shape = graph::parse_shape(text);
        if (!shape)
            throw ConfigError("--input " + input, std::string("is not of the form ") + kForm);
        if (files.contains(name) || !shapes.emplace(name, *shape).second) refuse_second_input(name);
    }
    graph::add_shapes(reader.shapes, "--shape", shapes);
    return shapes;
}

graph::InputFiles GraphChoice::input_files() const {
    graph::InputFiles files;
    for (const std::string& input : inputs) {
        const auto [name, text] = split_input(input, "NAME=SHAPE or NAME=FILE.npy");
        if (!is_array_name(text)) continue;
        if (!files.emplace(name, text).second) refuse_second_input(name);
    }
    return files;
}

graph::Graph GraphChoice::load(bool without_weights) const {
    const graph::InputShapes shapes = input_shapes();
    graph::ReadOptions options = graph::input_options(shapes, input_files());
    options.function = reader.function;
    options.rounding = reader.chosen_rounding();
    options.without_weights = without_weights;
    graph::Graph graph = graph::load_graph(model, options);
    graph::check_input_shapes(graph, shapes);
    for (const std::string& warning : graph.warnings) print_error(warning + "\n");
    return graph;
}

void add_effort_options(CLI::App& command, planning::PlanEffort& effort) {
    command.add_flag_function(
        "--no-fusion", [&effort](std::int64_t) { effort = {.fuse = false, .layers = false}; },
        "run every operator in a separate kernel, even if one shared kernel takes less time");
    command
        .add_option_function<int>(
            "-O,--optimise",
            [&effort](int level) {
                if (!effort.fuse) return;
                const planning::SearchLimit limit = effort.limit;
                effort = planning::effort_of(level);
                effort.limit = limit;
            },
            "0: no fusion in local memory; 1: fast search (default); 2: exhaustive cuts; 3: also "
            "tile sizes (slowest)")
        ->check(CLI::Range(0, planning::kMostEffort))
        ->default_str("1");
    command
        .add_option("--plan-candidates", effort.limit.candidates,
                    "stop planning after COUNT layer groups and use the best plan found "
                    "(reproducible; 0 = no limit)")
        ->check(number_from_zero());
    command
        .add_option("--plan-seconds", effort.limit.seconds,
                    "stop planning after SECONDS and use the best plan found (not reproducible; 0 "
                    "= no limit)")
        ->check(number_from_zero());
}

void add_plan_cache_option(CLI::App& command, std::string& folder) {
    command
        .add_option("--plan-cache", folder,
                    "keep plans in this folder, by graph, machine and -O level, and reuse them")
        ->envname("OKKSIM_PLAN_CACHE");
}

std::string search_text(const planning::SearchSpent& spent) {
    if (!spent.is_cut) return "";
    return fmt::format(
        "planning stopped after {} candidates{}: the best plan so far is used", spent.candidates,
        spent.by_time ? " (by --plan-seconds: another host may find another plan)" : "");
}

void add_jobs_option(CLI::App& command, int& jobs) {
    command.add_option("--jobs,-j", jobs, "processes; 0: one per host core")
        ->check(CLI::Range(0, kMaxHostThreads))
        ->capture_default_str();
}

int process_count(int jobs) {
    return jobs > 0 ? jobs : std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN)));
}

void add_command_log_option(CLI::App& command, std::string& path) {
    command.add_option("--commands", path,
                       "write every command with the causes of its time to this file: CSV, or JSON "
                       "if its name ends in .json");
}

void add_observer_options(CLI::App& command, trace::ObserverOptions& options) {
    command.add_option("--record", options.record,
                       "write the commands to this file (see okksim replay, okksim trace)");
    command.add_flag("--record-crc", options.record_crc,
                     "also record the CRC of the bytes that each command writes");
    command.add_option("--timeline", options.timeline,
                       "write a timeline for ui.perfetto.dev to this file");
    command.add_option("--vcd", options.vcd,
                       "write the engines' states as a value change dump to this file (.vcd)");
    add_command_log_option(command, options.commands);
}

/// Accepts sizes like --set does, in addition to the older spellings.
CLI::Validator size_as_in_settings() {
    return {[](std::string& text) -> std::string {
                if (const auto bytes = bytes_from(text)) text = std::to_string(*bytes);
                return "";
            },
            ""};
}

void add_record_data_options(CLI::App& command, trace::ObserverOptions& options) {
    command.add_flag("--record-data", options.record_data,
                     "also record the bytes that the host writes, so that okksim why can trace a "
                     "value to its source");
    command
        .add_option("--record-limit", options.record_limit,
                    "largest size of an output file, e.g. 500MB, 2GiB: a larger recording is "
                    "dropped, a timeline or command list is cut off")
        ->transform(CLI::AsSizeValue(false))
        ->transform(size_as_in_settings())
        ->check(number_from_zero())
        ->capture_default_str();
}

void add_sanitize_option(CLI::App& command, std::string& sanitize) {
    command
        .add_option(
            "--sanitize", sanitize,
            "off: no warnings; fast: cheap checks; full: byte-exact checks and whole call stacks")
        ->envname("OKKSIM_SANITIZE")
        ->check(CLI::IsMember({"off", "fast", "full"}))
        ->capture_default_str();
}

void add_strict_option(CLI::App& command, bool& strict) {
    command.add_flag("--strict", strict, "treat warnings as errors (exit code 3)")
        ->envname("OKKSIM_STRICT");
}

void add_energy_option(CLI::App& command, bool& table) {
    command.add_flag("--energy", table, "print the energy of every component");
}

}  // namespace okksim::sim::cli
