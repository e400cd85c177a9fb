// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/input_options.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/trace/run_observers.h"

/// Options of several subcommands.
namespace okksim::sim::cli {

/// --machine and --set.
struct MachineChoice {
    std::string machine = "bm1684";
    std::vector<std::string> settings;

    /// Throws ConfigError if file, key or value is invalid.
    Machine load() const { return load_machine(machine, settings); }
};

/// --relative and --absolute.
struct ToleranceFlags {
    double relative = 0;
    double absolute = 0;

    /// Returns a rule of exact equality unless one of the two is given.
    check::Rule rule() const;
};

/// Options for the reader of a graph: --function, --shape, --rounding.
struct ReaderFlags {
    std::string function;
    std::vector<std::string> shapes;
    std::string rounding = "double";

    graph::Rounding chosen_rounding() const;
};

/// A graph file and its options: those of its reader, and --input NAME=SHAPE or NAME=FILE.npy.
struct GraphChoice {
    std::string model;
    ReaderFlags reader;
    std::vector<std::string> inputs;

    /// Returns the shapes of --input and --shape by name. Throws ConfigError if one is invalid or
    /// given twice.
    graph::InputShapes input_shapes() const;
    /// Returns the files of --input, whose values may decide shapes.
    graph::InputFiles input_files() const;
    /// Reads the graph and prints the reader's warnings. Throws ConfigError if an option is
    /// invalid.
    graph::Graph load(bool without_weights = false) const;
};

/// Throws the ConfigError for an input that is given twice.
[[noreturn]] void refuse_second_input(const std::string& name);
/// Returns both sides of the last '='. Throws ConfigError with `form` for other texts.
std::pair<std::string, std::string> split_input(const std::string& text, const char* form);

/// Help text of a graph file argument.
inline constexpr const char* kGraphFileHelp =
    "graph file: ONNX (.onnx), TensorFlow Lite (.tflite), TOSA 1.0 or 0.90 (.tosa), MLIR text of "
    "the dialect tosa (.mlir), or an OpLib graph (.xmodel)";

void add_machine_options(CLI::App& command, MachineChoice& flags);
void add_set_option(CLI::App& command, std::vector<std::string>& settings);
/// Validates that an option is a finite number of at least 0.
CLI::Validator number_from_zero();
void add_tolerance_options(CLI::App& command, ToleranceFlags& flags);
/// --threads: host threads for one command.
void add_threads_option(CLI::App& command, int& threads);
/// --no-fusion, -O: optimisations in plans.
void add_effort_options(CLI::App& command, planning::PlanEffort& effort);
/// --plan-cache.
void add_plan_cache_option(CLI::App& command, std::string& folder);
/// Returns e.g. "search budget spent ..."; empty if the budget was sufficient.
std::string search_text(const planning::SearchSpent& spent);
/// The graph file, --input, and the options of its reader.
void add_graph_options(CLI::App& command, GraphChoice& choice);
/// --function, --shape, --rounding.
void add_reader_options(CLI::App& command, ReaderFlags& flags);
/// --jobs, -j: number of processes; 0 means one per core of the host.
void add_jobs_option(CLI::App& command, int& jobs);
int process_count(int jobs);
/// --commands: the account of every command.
void add_command_log_option(CLI::App& command, std::string& path);
/// --record-data, --record-limit.
void add_record_data_options(CLI::App& command, trace::ObserverOptions& options);
/// --sanitize: off, fast, full.
void add_sanitize_option(CLI::App& command, std::string& sanitize);
/// --strict.
void add_strict_option(CLI::App& command, bool& strict);
/// --energy: energy by component in the text report.
void add_energy_option(CLI::App& command, bool& table);
/// --record, --record-crc, --timeline, --vcd, --commands.
void add_observer_options(CLI::App& command, trace::ObserverOptions& options);

}  // namespace okksim::sim::cli
