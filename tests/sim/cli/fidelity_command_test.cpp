// SPDX-License-Identifier: Apache-2.0
// `okksim fidelity` on a folder of a few recorded calls.
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

/// Two cases whose kernels fill local memory a few times.
void write_folder(const Program& program) {
    std::filesystem::create_directories(program.folder() / "timing" / "traces");
    std::string summary = "op,case,contestant,gdma_calls,bdc_calls,correct,best_us\n";
    for (const int number : {0, 2}) {
        std::string trace = "{\"op\":\"conv2d\",\"case\":" + std::to_string(number) +
                            ",\"params\":\"\",\"contestant\":\"A\",\"calls\":2,\"gdma_calls\":2,"
                            "\"bdc_calls\":0}\n";
        for (int i = 0; i < 2; ++i) {
            trace += "[\"okk_gdma_32bit_set_C_local\",0,\"0x0\",[1,1,1,1],null]\n";
        }
        program.write("timing/traces/conv2d_0" + std::to_string(number) + "_A.jsonl", trace);
        summary += "conv2d," + std::to_string(number) + ",A,2,0,yes,40\n";
    }
    program.write("timing/traces/summary.csv", summary);
}

TEST_CASE("cli/fidelity writes a page with a cross-validation, the same every time") {
    const Program program;
    write_folder(program);
    REQUIRE(program.run("fidelity timing --markdown one.md --json report.json").exit_code == 0);
    const std::string page = program.read("one.md");
    CHECK(contains(page, "## Cross-validation\n"));
    CHECK(contains(page, "| conv2d | 2 |"));
    CHECK(contains(page, "Recorded values: 3 files (hash "));
    const auto json = nlohmann::json::parse(program.read("report.json"));
    CHECK(json["cross_validation"]["cases"].size() == 2);
    CHECK(json["fitted"][0]["refitted"].contains("least"));
    CHECK(json["fixed"][0].contains("fixed_by"));
    // The error of cases that a fit does not see comes first.
    CHECK(page.find("## Cross-validation\n") < page.find("## (b) "));
    REQUIRE(program.run("fidelity timing --markdown two.md --jobs 1").exit_code == 0);
    CHECK(program.read("two.md") == page);

    REQUIRE(program.run("fidelity timing --quick --markdown quick.md").exit_code == 0);
    CHECK_FALSE(contains(program.read("quick.md"), "Cross-validation"));
}

TEST_CASE("cli/fidelity fits a further number when asked to") {
    const Program program;
    write_folder(program);
    const ProgramRun run = program.run(
        "fidelity timing --quick --cross-validate --also-fit chip.bank_interference=0:1");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "chip.bank_interference"));

    for (const char* wrong :
         {"chip.bank_interference", "chip.bank_interference=1", "chip.bank_interference=1:0",
          "chip.bank_interference=0:1x", "chip.nonsense=0:1"}) {
        CAPTURE(wrong);
        const ProgramRun refused = program.run(
            std::string("fidelity timing --quick --cross-validate --also-fit ") + wrong);
        CHECK(refused.exit_code == 2);
        CHECK(contains(refused.err, std::string(wrong).substr(0, 8)));
    }
    CHECK(program.run("fidelity timing --also-fit chip.bank_interference=0:1").exit_code == 2);
}

}  // namespace
}  // namespace okksim::tests
