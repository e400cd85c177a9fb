// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "sim/cli/commands.h"
#include "sim/cli/output.h"
#include "sim/study/sweep/report_page.h"

namespace okksim::sim::cli {
namespace {

struct ReportFlags {
    std::string store;
    std::string sweep;
    std::string out;
};

/// Returns the exit code: a page without the points that were changed in the store is incomplete.
int run(const ReportFlags& flags) {
    sweep::PointStore store(flags.store, sweep::PointStore::Access::kRead);
    const sweep::StoredSweep sweep = store.sweep(flags.sweep);
    const sweep::PointTable table(store, sweep);
    const std::string path = flags.out.empty() ? sweep.name + ".html" : flags.out;
    // A store may come from another user, so its name must not contain a path.
    if (flags.out.empty() && path != std::filesystem::path(path).filename()) {
        throw ConfigError("-o", "the sweep's name, \"" + sweep.name +
                                    "\", is no plain file name; name the page's file with -o");
    }
    write_file(path, sweep::report_page(table));
    format_out("{}: {} points, in {}\n", sweep.name, table.points().size(), path);
    const auto spoiled = std::ranges::count_if(
        table.points(), [](const sweep::StoredPoint& point) { return point.is_spoiled; });
    if (sweep.deleted > 0) {
        print_error(fmt::format("okksim: {}: {}\n", flags.store, sweep::deleted_text(sweep)));
    }
    if (spoiled == 0) return sweep.deleted > 0 ? kUsage : kSuccess;
    print_error(
        fmt::format("okksim: {}: {} points are left out, because they were changed after "
                    "they were computed; start the sweep again to compute them anew\n",
                    flags.store, spoiled));
    return kUsage;
}

}  // namespace

void add_report_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<ReportFlags>();
    CLI::App* command = app.add_subcommand("report",
                                           "Write a sweep as one HTML page: Pareto fronts, "
                                           "effects, curves, causes of time, and a table\n"
                                           "with sorting and filters. Example:\n"
                                           "  okksim report lanes.sqlite -o lanes.html");
    command->add_option("store", flags->store, "FILE.sqlite of okksim sweep")->required();
    command->add_option("--sweep", flags->sweep, "the sweep's name; default: the last sweep");
    command->add_option("-o,--out", flags->out, "the page's file; default: NAME.html");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
