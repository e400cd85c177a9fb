// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/check/comparison_rules.h"
#include "sim/graph/graph.h"
#include "sim/machine/machine.h"
#include "sim/planning/machine_plan.h"
#include "sim/trace/run_observers.h"

/// Options that several subcommands share.
namespace okksim::sim::cli {

/// --machine and --set.
struct MachineChoice {
    std::string machine = "bm1684";
    std::vector<std::string> settings;

    /// ConfigError when file, key or value does not fit.
    Machine load() const { return load_machine(machine, settings); }
};

/// --relative and --absolute.
struct ToleranceFlags {
    double relative = 0;
    double absolute = 0;

    /// Equal unless one of the two was given.
    check::Rule rule() const;
};

/// A graph file, and what the user says of it: --function, --input NAME=SHAPE.
struct GraphChoice {
    std::string model;
    std::string function;
    std::vector<std::string> inputs;

    /// Reads it and prints the reader's warnings. ConfigError when an option does not fit.
    graph::Graph load(bool without_weights = false) const;
};

/// "1x224x224x3" as a shape; nothing when the text is another.
std::optional<graph::Shape> parse_shape(std::string_view text);
/// Throws the ConfigError about an input that is given twice.
[[noreturn]] void refuse_second_input(const std::string& name);
/// Both sides of the last '='. ConfigError with `form` for other texts.
std::pair<std::string, std::string> split_input(const std::string& text, const char* form);

/// Help of an argument that is a graph file.
inline constexpr const char* kGraphFileHelp =
    "graph file: TOSA 1.0 or 0.90 (.tosa), text of the MLIR dialect tosa (.mlir), or operators of "
    "OpLib "
    "(.xmodel)";

void add_machine_options(CLI::App& command, MachineChoice& flags);
void add_set_option(CLI::App& command, std::vector<std::string>& settings);
/// Of an option: a finite number of at least 0, so that no sign wraps and no limit is none.
CLI::Validator number_from_zero();
void add_tolerance_options(CLI::App& command, ToleranceFlags& flags);
/// --threads: host threads for one command.
void add_threads_option(CLI::App& command, int& threads);
/// --no-fusion, -O: what plans may do to be faster.
void add_effort_options(CLI::App& command, planning::PlanEffort& effort);
/// --plan-cache.
void add_plan_cache_option(CLI::App& command, std::string& folder);
/// "search budget spent ..."; empty when it was not.
std::string search_text(const planning::SearchSpent& spent);
/// The graph file, --function, --input NAME=SHAPE.
void add_graph_options(CLI::App& command, GraphChoice& choice);
/// --function: which function of a text.
void add_function_option(CLI::App& command, std::string& function);
/// --jobs, -j: processes, of which 0 is one per core of the host.
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
/// --energy: what energy goes into, in the report for people.
void add_energy_option(CLI::App& command, bool& table);
/// --record, --record-crc, --timeline, --vcd, --commands.
void add_observer_options(CLI::App& command, trace::ObserverOptions& options);

}  // namespace okksim::sim::cli
