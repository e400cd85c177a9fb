// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "firmware/host/report_json.h"
#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "isa/base/stop_request.h"
#include "models/chip/compatibility_params.h"
#include "sim/cli/commands.h"
#include "sim/cli/common_options.h"
#include "sim/cli/output.h"
#include "sim/cli/report_output.h"
#include "sim/golden/golden_run.h"
#include "sim/machine/provenance.h"

namespace okksim::sim::cli {
namespace {

using golden::GoldenResult;
using golden::GoldenStatus;

struct GoldenFlags {
    std::string dir;
    std::string function;
    MachineChoice machine;
    bool sdk_quirks = false;
    ReportForms report;
};

const char* status_name(GoldenStatus status) {
    switch (status) {
        case GoldenStatus::kPassed: return "passed";
        case GoldenStatus::kFailed: return "failed";
        case GoldenStatus::kSkipped: return "skipped";
    }
    return "";
}

int run(const GoldenFlags& flags) {
    const StopRequest stop;
    const Machine machine = flags.machine.load();
    ReportOutput report(flags.report);
    golden::GoldenOptions options;
    options.dir = flags.dir;
    options.function = flags.function;
    options.machine = machine.params.shape();
    options.sdk_quirks = flags.sdk_quirks || machine.params.compat->sdk_quirks;
    const Progress progress("functions");
    const auto results = golden::run_golden(
        options, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
    std::size_t counts[3] = {};
    std::map<std::string, std::size_t> reasons;  // of skipped cases
    nlohmann::ordered_json cases = nlohmann::ordered_json::array();
    for (const GoldenResult& result : results) {
        ++counts[static_cast<std::size_t>(result.status)];
        cases.push_back(
            {{"id", result.id}, {"status", status_name(result.status)}, {"detail", result.detail}});
        if (result.status == GoldenStatus::kSkipped) ++reasons[result.detail];
        if (report.wants_text() && result.status == GoldenStatus::kFailed) {
            format_out("{}: {}\n", printable(result.id), result.detail);
        }
    }
    if (report.wants_json()) {
        nlohmann::ordered_json json{
            {"passed", counts[0]}, {"failed", counts[1]}, {"skipped", counts[2]}, {"cases", cases}};
        add_provenance(json, machine);
        report.write_json(firmware::host::json_text(json));
    }
    if (report.wants_text()) {
        for (const auto& [reason, count] : reasons) {
            format_out("{} skipped: {}\n", count, printable(reason));
        }
        format_out("{}\n", provenance_text(machine));
        print_verdicts(
            fmt::format("{} passed, {} failed, {} skipped\n", counts[0], counts[1], counts[2]));
    }
    if (counts[1] != 0) return kDifferences;
    if (counts[0] == 0 && StopRequest::signal() == 0) {
        throw ConfigError(flags.dir, fmt::format("nothing was checked: all {} cases were skipped",
                                                 results.size()));
    }
    return kSuccess;
}

}  // namespace

void add_golden_command(CLI::App& app, int& exit_code) {
    auto flags = std::make_shared<GoldenFlags>();
    CLI::App* command = app.add_subcommand(
        "golden",
        "Run the golden vectors of the okk functions and print each difference: case, first wrong\n"
        "element, both values. Vectors are skipped if operands are outside the documented range "
        "or\n"
        "the vendor's host model has an artefact. Vectors that contradict the API reference are\n"
        "skipped without --sdk-quirks. Example:\n"
        "  okksim golden vectors --function okk_bdc_add");
    command->add_option("dir", flags->dir, "folder with <function>.json and .bin")->required();
    command->add_option("--function", flags->function, "one function only, e.g. okk_bdc_add");
    add_machine_options(*command, flags->machine);
    command->add_flag("--sdk-quirks", flags->sdk_quirks,
                      "follow the vendor's kit where it contradicts the API reference");
    add_json_option(*command, flags->report, "the results as JSON");
    command->callback([flags, &exit_code] { exit_code = run(*flags); });
}

}  // namespace okksim::sim::cli
