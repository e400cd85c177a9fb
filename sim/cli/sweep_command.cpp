// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <memory>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/cli/timed_progress.h"
#include "sim/graph/folder.h"
#include "sim/machine/provenance.h"
#include "sim/study/sweep/answers.h"
#include "sim/study/sweep/cluster_job.h"
#include "sim/study/sweep/machine_rows.h"
#include "sim/study/sweep/point_comparison.h"
#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/sweep_run.h"
#include "sim/trace/account_report.h"

namespace okksim::sim::cli {
namespace {

struct SweepFlags {
    std::string spec;
    std::string store;
    std::vector<std::string> merged;
    std::string shard;
    std::string sql;
    std::string front;
    std::vector<std::uint64_t> compared;
    bool status = false;
    bool yes = false;
    bool slurm = false;
    int jobs = 0;
    ReportForms report;
};

/// Parses e.g. "2/8": the second of eight shards.
sweep::Shard shard_from(const std::string& text) {
    sweep::Shard shard;
    if (text.empty()) return shard;
    const char* end = text.data() + text.size();
    const auto first = std::from_chars(text.data(), end, shard.index);
    const bool has_slash = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
    const auto second =
        has_slash ? std::from_chars(first.ptr + 1, end, shard.count) : std::from_chars_result{};
    if (!has_slash || second.ec != std::errc() || second.ptr != end || shard.index < 1 ||
        shard.index > shard.count) {
        throw ConfigError("--shard " + text, "expected I/N, from 1/N to N/N");
    }
    --shard.index;
    return shard;
}

/// Returns "NAME.sqlite" next to the specification; the name contains a shard's number.
std::filesystem::path store_path(const SweepFlags& flags, const sweep::SweepSpec& spec) {
    if (!flags.store.empty()) return flags.store;
    std::string name = spec.name;
    if (!flags.shard.empty()) {
        const sweep::Shard shard = shard_from(flags.shard);
        name += fmt::format("-{}-of-{}", shard.index + 1, shard.count);
    }
    return spec.folder / (name + ".sqlite");
}

std::string csv_line(const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        line += (i == 0 ? "" : ",") + trace::csv_field(cells[i]);
    }
    return line + "\n";
}

void print_status(sweep::PointStore& store) {
    for (const sweep::StoredSweep& sweep : store.sweeps()) {
        format_out("{}: {} of {} points, {} failed{}\n", sweep.name, sweep.finished, sweep.points,
                   sweep.failed,
                   sweep.is_spoiled    ? "; changed after it was stored"
                   : sweep.deleted > 0 ? "; points were deleted"
                                       : "");
    }
}

/// Names rows of the store that were changed since they were computed.
void print_spoiled(const std::filesystem::path& path, const std::vector<std::string>& rows,
                   const char* advice) {
    constexpr std::size_t kShown = 5;
    for (std::size_t i = 0; i < std::min(rows.size(), kShown); ++i) {
        print_error(fmt::format("okksim: {}: {}; {}\n", path.string(), rows[i], advice));
    }
    if (rows.size() <= kShown) return;
    print_error(
        fmt::format("okksim: {}: {} more rows like these\n", path.string(), rows.size() - kShown));
}

/// Writes the machines of the Pareto front as files for --machine.
void write_front(const std::string& folder, const sweep::PointTable& table) {
    const std::vector<sweep::MachineRow> rows = sweep::machine_rows(table);
    graph::make_folder(folder);
    const Machine& base = table.base();
    const MachineFamily family = MachineFamily::of_text(dump_machine(base), base.name);
    int number = 0;
    for (const std::size_t row : sweep::front_of(rows)) {
        std::vector<std::string> settings;
        for (const auto& [path, value] : rows[row].settings) {
            if (!sweep::is_of_run(path)) settings.push_back(path + '=' + value);
        }
        const auto file = std::filesystem::path(folder) / fmt::format("front-{}.toml", ++number);
        Machine machine = family.with(settings);
        machine.overrides.insert(machine.overrides.begin(), base.overrides.begin(),
                                 base.overrides.end());
        write_file(file.string(), dump_machine(machine));
    }
}

void compare(const std::vector<std::uint64_t>& numbers, ReportOutput& output,
             const sweep::PointTable& table) {
    const auto comparison = sweep::compare_points(table, numbers[0], numbers[1]);
    if (output.wants_json()) output.write_json(sweep::comparison_json(table, comparison));
    if (output.wants_text()) {
        write_out(sweep::comparison_text(table, comparison));
        format_out("{}\n", provenance_text(table.base()));
    }
}

/// Returns the exit code: a report on spoiled points is incomplete.
int spoiled_code(const std::filesystem::path& path, const sweep::StoredSweep& sweep,
                 const sweep::PointTable& table) {
    std::vector<std::string> rows;
    std::size_t unchecked = 0;
    for (const sweep::StoredPoint& point : table.points()) {
        unchecked += point.is_unchecked ? 1 : 0;
        if (!point.is_spoiled) continue;
        rows.push_back(fmt::format("point {} is {}", point.number, point.result.failure));
    }
    print_spoiled(path, rows, "the report leaves it out");
    if (unchecked > 0) {
        print_error(
            fmt::format("okksim: {}: {} points of an older okksim have no checksum. Only "
                        "contradictions are noticed; start the sweep again to compute them "
                        "anew\n",
                        path.string(), unchecked));
    }
    if (sweep.deleted > 0) {
        print_error(fmt::format("okksim: {}: {}\n", path.string(), sweep::deleted_text(sweep)));
    }
    return rows.empty() && sweep.deleted == 0 ? kSuccess : kUsage;
}

/// Returns the exit code: answers leave failed workloads out, and scripts must notice.
int workloads_code(const sweep::PointTable& table) {
    return table.failed_workloads().empty() ? kSuccess : kDifferences;
}

void report(const SweepFlags& flags, ReportOutput& output, const sweep::PointTable& table) {
    if (!flags.compared.empty()) return compare(flags.compared, output, table);
    if (!flags.front.empty()) write_front(flags.front, table);
    if (output.wants_csv()) output.write_csv(table.csv());
    if (output.wants_json()) output.write_json(table.json());
    if (output.wants_text()) {
        write_text(sweep::answers_text(table));
        format_out("{}\n", provenance_text(table.base()));
    }
}

bool is_store(const std::string& path) {
    return std::filesystem::path(path).extension() == ".sqlite";
}

void check_other_store(const std::string& other, const std::filesystem::path& store) {
    std::error_code missing;
    if (std::filesystem::equivalent(other, store, missing)) {
        throw ConfigError("--merge " + other, "is the store itself");
    }
    (void)sweep::PointStore(other, sweep::PointStore::Access::kRead).sweep();
}

int ask(const SweepFlags& flags, const std::filesystem::path& path) {
    if (!flags.merged.empty()) {
        // Rejects files that are not stores before any change.
        for (const std::string& other : flags.merged) check_other_store(other, path);
        sweep::PointStore store(path, sweep::PointStore::Access::kWrite);
        for (const std::string& other : flags.merged) store.merge(other);
    }
    sweep::PointStore store(path, sweep::PointStore::Access::kRead);
    if (flags.status) {
        print_status(store);
        return kSuccess;
    }
    if (!flags.sql.empty()) {
        store.query(flags.sql, [](std::vector<std::string> cells) { write_out(csv_line(cells)); });
        return kSuccess;
    }
    ReportOutput output(flags.report);
    if (output.wants_text() && flags.compared.empty()) print_status(store);
    const sweep::StoredSweep asked = store.sweep();
    const sweep::PointTable table(store, asked);
    report(flags, output, table);
    const int spoiled = spoiled_code(path, asked, table);
    return spoiled == kSuccess ? workloads_code(table) : spoiled;
}

/// Computes the shards on a cluster and merges them.
void run_shards(const SweepFlags& flags, const sweep::SweepSpec& spec,
                const std::filesystem::path& path) {
    if (spec.sampling == sweep::Sampling::kSearch) {
        throw ConfigError("--slurm",
                          "mode = \"search\" chooses points by earlier results, so it has no "
                          "shards; run it on one node, with -j");
    }
    const std::filesystem::path file = std::filesystem::absolute(flags.spec);
    const sweep::ClusterSweep cluster{spec, file, std::filesystem::canonical("/proc/self/exe"),
                                      std::filesystem::absolute(path).parent_path(),
                                      flags.jobs > 0 ? flags.jobs : 1};
    const std::vector<int> missing =
        sweep::run_on_cluster(cluster, [](const std::string& line) { print_error(line + "\n"); });
    sweep::PointStore store(path, sweep::PointStore::Access::kWrite);
    for (int shard = 1; shard <= spec.slurm.shards; ++shard) {
        const std::filesystem::path part = cluster.store(shard);
        if (std::filesystem::exists(part)) store.merge(part);
    }
    if (!missing.empty()) {
        throw ConfigError("--slurm", fmt::format("shards {} are not finished; see their logs ({} "
                                                 "...). Start the sweep again to submit them again",
                                                 sweep::array_text(missing),
                                                 cluster.log(missing.front()).string()));
    }
}

/// Rejects options that a query ignores, so that the user notices them.
void refuse_unanswered(const SweepFlags& flags) {
    struct Given {
        const char* flag;
        bool is_given;
    };
    const auto refuse = [](const Given& asked, std::initializer_list<Given> others) {
        for (const Given& other : others) {
            if (!asked.is_given || !other.is_given) continue;
            throw ConfigError(
                asked.flag,
                fmt::format("cannot be combined with {}; drop one of them", other.flag));
        }
    };
    const Given status{"--status", flags.status}, sql{"--sql", !flags.sql.empty()};
    const Given compared{"--compare", !flags.compared.empty()};
    const Given front{"--front", !flags.front.empty()};
    const Given csv{"--csv", !flags.report.csv.empty()}, json{"--json", !flags.report.json.empty()};
    refuse(status, {csv, json, front, compared, sql});
    refuse(sql, {csv, json, front, compared});
    refuse(compared, {csv, front});
    refuse({"a store, whose points are computed,", is_store(flags.spec)},
           {{"--shard", !flags.shard.empty()}, {"--slurm", flags.slurm}});
}

/// Returns the exit code. A design space may contain machines that no network fits, but needs at
/// least one other machine.
int judge(const sweep::SweepOutcome& outcome, const sweep::StoredSweep& result,
          const sweep::PointTable& table, const std::filesystem::path& path) {
    if (outcome.lost > 0) {
        print_error(
            fmt::format("okksim: {}: {} points were not computed, because the host ran out of "
                        "memory or processes died. Start the sweep again with a smaller -j\n",
                        path.string(), outcome.lost));
        return kUsage;
    }
    if (result.finished == 0 || result.failed < result.finished) return workloads_code(table);
    print_error(fmt::format(
        "okksim: {}: all {} points failed; `okksim sweep {} --csv` prints the reasons\n",
        path.string(), result.failed, path.string()));
    return kUsage;
}

int run(const SweepFlags& flags) {
    refuse_unanswered(flags);
    const bool asks = flags.status || !flags.sql.empty() || !flags.merged.empty();
    // Queries end with the first signal, because they change nothing.
    if (is_store(flags.spec)) return ask(flags, flags.spec);
    const sweep::SweepSpec spec = sweep::read_sweep(flags.spec);
    const std::filesystem::path path = store_path(flags, spec);
    if (asks && !flags.slurm) return ask(flags, path);
    const StopRequest stop;
    if (flags.slurm) {
        run_shards(flags, spec, path);
        return ask(flags, path);
    }
    ReportOutput output(flags.report);
    sweep::PointStore store(path, sweep::PointStore::Access::kWrite);
    TimedProgress progress("points");
    sweep::SweepOptions options;
    options.jobs = process_count(flags.jobs);
    options.shard = shard_from(flags.shard);
    if (flags.yes) options.most_points = UINT64_MAX;
    options.progress = [&](std::uint64_t done, std::uint64_t todo) { progress.show(done, todo); };
    const sweep::SweepOutcome outcome = sweep::run_sweep(spec, store, options);
    print_spoiled(path, outcome.spoiled, "the point is computed anew");
    if (output.wants_text()) {
        format_out("{}: {} points, {} computed now ({} failed), {} were in {}{}\n", spec.name,
                   outcome.points, outcome.computed, outcome.failed, outcome.taken, path.string(),
                   outcome.stopped ? "; stopped early: start it again to continue" : "");
    }
    const sweep::StoredSweep result = store.sweep(outcome.sweep);
    const sweep::PointTable table(store, result);
    report(flags, output, table);
    return judge(outcome, result, table, path);
}

}  // namespace

void add_sweep_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<SweepFlags>();
    CLI::App* command = app.add_subcommand(
        "sweep",
        "Run workloads on many machines, keep the results in a store, and report what they show.\n"
        "A file names the workloads and the parameters to vary (sim/study/sweep/README.md). An "
        "interrupted\n"
        "sweep continues when it is started again. Examples:\n"
        "  okksim sweep lanes.toml\n"
        "  okksim sweep lanes.sqlite --csv=points.csv\n"
        "  okksim sweep lanes.sqlite --compare 0 7\n"
        "  okksim sweep lanes.toml --shard 3/16");
    command->add_option("spec", flags->spec, "FILE.toml, or a store: FILE.sqlite")->required();
    command->add_option("--store", flags->store,
                        "the store's file; default: NAME.sqlite next to the specification");
    command->add_option("--shard", flags->shard,
                        "every N-th point from the I-th on, in a separate store");
    command->add_option("--merge", flags->merged, "add the points of this store, then report")
        ->allow_extra_args(false);
    command->add_flag("--slurm", flags->slurm,
                      "submit the shards of [slurm] as a job array, wait, resubmit killed ones, "
                      "and merge the results; all nodes must see the folder");
    command->add_flag("--status", flags->status, "print the progress of the store's sweeps");
    command->add_option("--sql", flags->sql, "print the rows of a query as CSV");
    command->add_option(
        "--front", flags->front,
        "write the machines of the Pareto front to this folder, as files for --machine");
    command
        ->add_option("--compare", flags->compared,
                     "compare two points, given by their numbers: their metrics, and the causes of "
                     "every engine's time")
        ->expected(2)
        ->check(number_from_zero());
    command->add_flag("--yes", flags->yes, "compute all points, however many");
    add_jobs_option(*command, flags->jobs);
    add_json_option(*command, flags->report);
    add_csv_option(*command, flags->report, "a row per point, as CSV");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
