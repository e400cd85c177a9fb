// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "isa/base/stop_request.h"
#include "sim/check/check_tree.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::cli {
namespace {

struct CheckFlags {
    std::string out;
    std::string expected;
    ToleranceFlags tolerance;
    ReportForms report;
    bool verbose = false;
};

nlohmann::ordered_json to_json(const check::TreeVerdict& verdict) {
    nlohmann::ordered_json json = nlohmann::ordered_json::object();
    json["passed"] = verdict.files.size() - verdict.failures();
    json["failed"] = verdict.failures();
    json["files"] = nlohmann::ordered_json::array();
    for (const check::FileVerdict& file : verdict.files) {
        json["files"].push_back(
            {{"path", file.path}, {"passed", file.passed}, {"verdict", file.text}});
    }
    return json;
}

check::TreeVerdict judge(const CheckFlags& flags) {
    if (std::filesystem::is_directory(flags.expected)) {
        return check::check_trees(flags.out, flags.expected, flags.tolerance.rule());
    }
    return {{check::check_files(flags.out, flags.expected, flags.tolerance.rule())}};
}

int run(const CheckFlags& flags) {
    const StopRequest stop;
    ReportOutput report(flags.report);
    const check::TreeVerdict verdict = judge(flags);
    if (verdict.files.empty() && StopRequest::signal() == 0) {
        throw ConfigError(flags.expected, "holds no .npy file and no desc.json to compare with");
    }
    if (report.wants_json()) {
        auto json = to_json(verdict);
        add_version(json);
        report.write_json(firmware::host::json_text(json));
    }
    if (report.wants_text()) {
        for (const check::FileVerdict& file : verdict.files) {
            if (flags.verbose || !file.passed)
                print_verdicts(fmt::format("{}: {}\n", printable(file.path), file.text));
        }
        format_out("{}\n", version_text());
        if (StopRequest::signal() != 0) format_out("{}\n", stopped_text());
        print_verdicts(fmt::format("{} passed, {} failed\n",
                                   verdict.files.size() - verdict.failures(), verdict.failures()));
    }
    return verdict.failures() == 0 ? kSuccess : kDifferences;
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<CheckFlags>();
    CLI::App* command = app.add_subcommand(
        "check",
        "Compare outputs with expected ones: two .npy files, or two trees of them.\n"
        "If a folder of EXPECTED has a desc.json, its rules decide. Other files must be equal;\n"
        "floating-point values must agree within --relative and --absolute. An unexpected output\n"
        "fails, too. Example:\n"
        "  okksim check out/ golden/ --relative 1e-5");
    command->add_option("out", flags->out, "file or tree to judge")->required();
    command->add_option("expected", flags->expected, "file or tree to compare with")->required();
    add_tolerance_options(*command, flags->tolerance);
    command->add_flag("--verbose,-v", flags->verbose,
                      "print a line for every file, also if it passes");
    add_json_option(*command, flags->report, "the verdicts as JSON");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
