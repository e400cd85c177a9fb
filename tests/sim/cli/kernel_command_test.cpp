// SPDX-License-Identifier: Apache-2.0
// `okksim kernel`: results, reports, and the outcome of each mistake of a kernel.
#include <nlohmann/json.hpp>

#include "sim/graph/npy.h"
#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

ProgramRun launch(const Program& program, const std::string& kernel,
                  const std::string& options = "") {
    return program.run("kernel " OKKSIM_CLI_KERNELS " --launch " + kernel + " " + options);
}

void write_input(const Program& program) {
    const std::array<float, 4> values{1.0f, -2.5f, 0.0f, 1e30f};
    const auto bytes = std::as_bytes(std::span(values));
    sim::graph::write_npy(program.folder() / "x.npy", "<f4", {4}, bytes);
}

constexpr const char* kAddFlags = "--arg i32=4 --arg f32=1.5 --out y.npy:f32[4] --in x.npy";

}  // namespace

TEST_CASE("cli/a kernel's outputs are saved and its time is told") {
    const Program program;
    write_input(program);
    const ProgramRun run = launch(program, "cli_add", kAddFlags);
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "2 GDMA and 1 BDC commands"));
    CHECK_FALSE(contains(run.out, "warning"));
    const auto output = sim::graph::read_npy(program.folder() / "y.npy");
    REQUIRE(output.data.size() == 16);
    std::array<float, 4> values{};
    std::memcpy(values.data(), output.data.data(), 16);
    // Each input + 1.5; 1e30 is too large to change.
    CHECK(values == std::array<float, 4>{2.5f, -1.0f, 1.5f, 1e30f});
}

TEST_CASE("cli/the report as JSON has time, counts and no fault") {
    const Program program;
    write_input(program);
    const ProgramRun run =
        launch(program, "cli_add", std::string(kAddFlags) + " --json --repeat 2");
    CHECK(run.exit_code == 0);
    const auto json = nlohmann::json::parse(run.out);
    const auto& launches = json.is_array() ? json : json["launches"];
    REQUIRE(launches.size() == 2);
    CHECK(launches[1]["kernel"] == "cli_add");
    CHECK(launches[1]["gdma_commands"] == 2);
    CHECK(launches[1]["fault"].is_null());
    CHECK(launches[0]["simulated_us"] == launches[1]["simulated_us"]);
}

TEST_CASE("cli/a kernel that tells of no computing gets a line") {
    const Program program;
    write_input(program);
    CHECK(contains(launch(program, "cli_add", kAddFlags).out, "MCU computing: not timed"));
    CHECK_FALSE(contains(launch(program, "cli_computes").out, "MCU computing: not timed"));
    const auto json = nlohmann::json::parse(launch(program, "cli_computes", "--json").out);
    CHECK(json[0]["own_computing_timed"] == true);
    // 1000 cycles of 500 MHz.
    CHECK(json[0]["account"]["engines"]["MCU"]["us_by_cause"]["MCU computing"] == 2.0);
}

TEST_CASE("cli/a value change dump has both engines' states") {
    const Program program;
    write_input(program);
    REQUIRE(launch(program, "cli_add", std::string(kAddFlags) + " --vcd run.vcd").exit_code == 0);
    const std::string dump = program.read("run.vcd");
    CHECK(contains(dump, "$timescale"));
    CHECK(contains(dump, "busy"));
    CHECK(contains(dump, "queue_depth"));
    // Three commands start and end: at least six time stamps.
    CHECK(std::count(dump.begin(), dump.end(), '#') >= 6);
    CHECK(launch(program, "cli_add", std::string(kAddFlags) + " --vcd run.txt").exit_code == 2);
}

TEST_CASE("cli/a read of unwritten memory is a warning") {
    const Program program;
    const ProgramRun run = launch(program, "cli_reads_unwritten");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "warning (unwritten_read)"));
    CHECK(contains(run.out, "lane 0, byte 0x4000, which is uninitialised"));
}

TEST_CASE("cli/a race between the engines is a warning that shows both commands") {
    const Program program;
    const ProgramRun run = launch(program, "cli_races");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "warning (hazard)"));
    CHECK(contains(run.out, "bdc.add_C"));
    CHECK(contains(run.out, "gdma.32bit_set_C_local"));
    CHECK(contains(run.out, "lane 0, byte 0x0"));
}

TEST_CASE("cli/every mistake of a kernel is named, with its call stack and exit code 3") {
    struct Case {
        const char* kernel;
        const char* options;
        const char* message;
    };
    const Case cases[] = {
        {"cli_bad_address", "", "dst_addr"},
        {"cli_polls_in_parallel", "", "okk_poll"},
        {"cli_never_returns", "--command-budget 1000", "budget"},
        {"cli_asserts", "", "okk_npu_num() == 0"},
        {"cli_divides_by_zero", "", "division by zero"},
        {"cli_dereferences_null", "", "NULL pointer"},
        {"cli_exits", "", "exit"},
    };
    const Program program;
    for (const Case& c : cases) {
        CAPTURE(c.kernel);
        const ProgramRun run = launch(program, c.kernel, c.options);
        CHECK(run.exit_code == 3);
        CHECK(contains(run.out, "fault ("));
        CHECK(contains(run.out, c.message));
        CHECK(contains(run.out, std::string("at ") + c.kernel));
    }
}

TEST_CASE("cli/an unknown kernel and a missing library are named") {
    const Program program;
    const ProgramRun kernel = launch(program, "cli_ad");
    CHECK(kernel.exit_code == 3);
    CHECK(contains(kernel.err, "did you mean \"cli_add\"?"));
    const ProgramRun library = program.run("kernel nothing.so --launch x");
    CHECK(library.exit_code == 2);
    CHECK(contains(library.err, "nothing.so"));
}

TEST_CASE("cli/arguments that make no sense are refused") {
    const Program program;
    write_input(program);
    const ProgramRun type = launch(program, "cli_add", "--arg i33=4");
    CHECK(type.exit_code == 2);
    CHECK(contains(type.err, "i33"));
    const ProgramRun file = launch(program, "cli_add", "--in missing.npy");
    CHECK(file.exit_code == 2);
    CHECK(contains(file.err, "missing.npy"));
}

}  // namespace okksim::tests
