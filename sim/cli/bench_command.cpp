// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/stop_request.h"
#include "sim/check/test_case.h"
#include "sim/cli/commands.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/lab/bench/bench.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::cli {
namespace {

void print_figure(const bench::Figure& figure) {
    // Rows come one by one, so on a narrow terminal all rows must break at the same column.
    constexpr std::size_t kRowWidth = 118;
    const char* const between = is_wider_than_terminal(kRowWidth) ? "\n " : "";
    print_verdicts(fmt::format(
        "{:<56} {}{:>11.1f} {:<28} {} {:<8} {}{}\n", figure.name, between, figure.value,
        figure.unit, figure.lower_is_better ? "<=" : ">=", fmt::format("{:g}", figure.target),
        figure.met() ? "met"
        : figure.exceeds_limit()
            ? "NO LIMIT: the value that it is compared with was not measured well"
            : "MISSED",
        figure.note.empty() ? "" : "  (" + figure.note + ")"));
    std::fflush(stdout);
}

/// Returns a row per value. After a signal, a last row without a value marks the incomplete report,
/// even if there are no values.
nlohmann::ordered_json figures_json(const std::vector<bench::Figure>& figures,
                                    const Machine& machine) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    const auto add = [&](nlohmann::ordered_json row, const std::string& name = {}) {
        json.push_back(std::move(row));
        add_provenance(json.back(), name.empty() ? machine : load_machine(name));
    };
    for (const bench::Figure& figure : figures) {
        add({{"name", figure.name},
             {"value", figure.value},
             {"unit", figure.unit},
             {"target", figure.target},
             {"met", figure.met()},
             {"note", figure.note}},
            figure.machine);
    }
    if (StopRequest::signal() != 0) {
        add({{"name", "stopped"},
             {"value", nullptr},
             {"unit", ""},
             {"target", nullptr},
             {"met", nullptr},
             {"note", "the values that would follow were not measured"}});
    }
    return json;
}

}  // namespace

void add_bench_command(CLI::App& app, int& exit_code) {
    struct Flags {
        bool quick = false;
        std::string vectors;
        ReportForms report;
        bool strict = false;
    };
    auto flags = std::make_shared<Flags>();
    CLI::App* command = app.add_subcommand(
        "bench",
        "Measure the simulator's speed on one thread and compare it with the project's limits.\n"
        "It times whole networks, and commands as shares of the host's own limits in the same "
        "run.\n"
        "Example:\n"
        "  okksim bench --quick --strict");
    command->add_flag("--quick", flags->quick, "fewer rounds, for CI");
    command->add_option("--vectors", flags->vectors,
                        "also time this tree of TOSA vectors (see okksim conformance)");
    command->add_flag("--strict", flags->strict, "exit code 1 if a limit is missed");
    add_json_option(*command, flags->report, "the values as JSON");
    command->callback([flags, &exit_code] {
        const StopRequest stop;
        if (!flags->vectors.empty()) check::note_tests(flags->vectors);
        ReportOutput report(flags->report);
        const auto figures =
            bench::run_bench({flags->quick, flags->vectors}, [&](const bench::Figure& figure) {
                if (report.wants_text()) print_figure(figure);
            });
        const Machine machine = load_machine(builtin_machines().front());
        if (report.wants_json()) {
            report.write_json(firmware::host::json_text(figures_json(figures, machine)));
        }
        if (report.wants_text()) format_out("{}\n", provenance_text(machine));
        const bool met = std::all_of(figures.begin(), figures.end(),
                                     [](const bench::Figure& figure) { return figure.met(); });
        exit_code = met || !flags->strict ? kSuccess : kDifferences;
    });
}

}  // namespace okksim::sim::cli
