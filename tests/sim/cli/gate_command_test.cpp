// SPDX-License-Identifier: Apache-2.0
// `okksim gate` runs a file of workloads; its exit codes separate differences, wrong files and
// faults.
#include <nlohmann/json.hpp>

#include "tests/sim/cli/run_program.h"
#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

/// A .npy file of four float32 values in a column.
std::string column(const float (&values)[4]) {
    return std::string("\x93NUMPY\1\0\x76\0", 10) +
           "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }" + std::string(60, ' ') +
           "\n" + std::string(reinterpret_cast<const char*>(values), sizeof values);
}

/// Writes x.npy, and a gate of the kernel cli_add, which adds 1 to 4 values.
void write_gate(const Program& program, const std::string& limits = "") {
    program.write("x.npy", column({1, 2, 3, 4}));
    program.write("gate.toml", std::string("[[workload]]\nname = \"add\"\nkernel = \"") +
                                   OKKSIM_CLI_KERNELS +
                                   "\"\nlaunch = \"cli_add\"\n"
                                   "arguments = [\"i32=4\", \"f32=1\", \"out=f32[4]\", "
                                   "\"in=x.npy\"]\n[workload.limits]\n" +
                                   limits);
}

std::string kernel(const std::string& launch, const std::string& more = "") {
    return std::string("[[workload]]\nkernel = \"") + OKKSIM_CLI_KERNELS + "\"\nlaunch = \"" +
           launch + "\"\n" + more;
}

nlohmann::json gate_json(const Program& program, const std::string& flags = "") {
    (void)program.run("gate gate.toml --json=gate.json " + flags);
    return nlohmann::json::parse(program.read("gate.json"));
}

}  // namespace

TEST_CASE("cli/gate writes a baseline, compares with it, and explains a slower machine") {
    const Program program;
    write_gate(program);
    const ProgramRun alone = program.run("gate gate.toml");
    CHECK(alone.exit_code == 0);
    CHECK(contains(alone.out, "only limits count"));
    CHECK(contains(alone.out, "has no limit and no baseline"));
    const ProgramRun written = program.run("gate gate.toml --write baseline");
    CHECK(written.exit_code == 0);
    CHECK(contains(written.out, "1 recorded in baseline"));
    const ProgramRun same = program.run("gate gate.toml");
    CHECK(same.exit_code == 0);
    CHECK(contains(same.out, "same"));
    CHECK(contains(same.out, "1 passed, 0 failed (threshold 2.0 %)"));
    // Reads of DRAM take longer; the load of x waits for them.
    const ProgramRun slow = program.run("gate gate.toml --set dram.read_latency_nanoseconds=9000");
    CHECK(slow.exit_code == 1);
    CHECK(contains(slow.out, "SLOWER"));
    CHECK(contains(slow.out, "GDMA waiting: DRAM latency"));
    CHECK(program.run("compare baseline baseline").exit_code == 0);
}

TEST_CASE("cli/gate compares results with files and tolerances") {
    const Program program;
    write_gate(program, "result = \"y.npy\"\n");
    program.write("y.npy", column({2, 3, 4, 5}));
    CHECK(program.run("gate gate.toml").exit_code == 0);
    program.write("y.npy", column({2, 3, 4, 5.5F}));
    const ProgramRun wrong = program.run("gate gate.toml");
    CHECK(wrong.exit_code == 1);
    CHECK(contains(wrong.out, "out 1 differs from y.npy"));
    // |5 - 5.5| is within 0.1 * 5.5 = 0.55.
    write_gate(program, "result = \"y.npy\"\nrelative = 0.1\n");
    CHECK(program.run("gate gate.toml").exit_code == 0);
}

TEST_CASE("cli/gate judges values at their limits") {
    const Program program;
    write_gate(program);
    const auto metrics = gate_json(program)["cases"][0]["metrics"];
    // A load, an addition and a store; four values of 4 bytes each way.
    CHECK(metrics["commands"]["value"] == 3);
    CHECK(metrics["bytes"]["value"] == 32);
    write_gate(program, "commands = 3\nbytes = 32\n");
    CHECK(program.run("gate gate.toml").exit_code == 0);
    write_gate(program, "commands = 2\n");
    const ProgramRun beyond = program.run("gate gate.toml");
    CHECK(beyond.exit_code == 1);
    CHECK(contains(beyond.out, "commands is 3, more than its limit 2"));
}

TEST_CASE("cli/gate ends with 2 for a wrong file and with 3 for a fault of a kernel") {
    const Program program;
    write_gate(program, "comands = 3\n");
    const ProgramRun key = program.run("gate gate.toml");
    CHECK(key.exit_code == 2);
    CHECK(contains(key.err, "gate.toml:7:1: workload.limits.comands"));
    CHECK(contains(key.err, "did you mean \"commands\"?"));
    CHECK(program.run("gate no.toml").exit_code == 2);
    write_gate(program);
    CHECK(program.run("gate gate.toml --against none").exit_code == 2);
    CHECK(program.run("gate gate.toml --filter none").exit_code == 2);
    program.write("gate.toml", kernel("cli_dereferences_null"));
    const ProgramRun fault = program.run("gate gate.toml --junit gate.xml");
    CHECK(fault.exit_code == 3);
    CHECK(contains(fault.out, "FAULT"));
    CHECK(contains(program.read("gate.xml"), "<failure message=\"FAULT "));
    program.write("gate.toml", kernel("cli_reads_unwritten"));
    const ProgramRun warned = program.run("gate gate.toml");
    CHECK(warned.exit_code == 0);
    CHECK(contains(warned.out, "warning: "));
    program.write("gate.toml", kernel("cli_reads_unwritten", "strict = true\n"));
    CHECK(program.run("gate gate.toml").exit_code == 3);
    // `okksim kernel` has the same exit code for a kernel that the library does not register.
    program.write("gate.toml", kernel("no_such_kernel"));
    CHECK(program.run("gate gate.toml").exit_code == 3);
}

TEST_CASE("cli/gate runs networks, traces and sweeps") {
    const Program program;
    program.write("lanes.toml",
                  "[[workload]]\nzoo = \"lstm\"\nsize = 4\nwidth = 0.25\n"
                  "[[axis]]\nparameter = \"chip.lanes\"\nvalues = [32, 64]\n");
    const std::string net = "zoo = \"lstm\"\nsize = 4\nwidth = 0.25\n";
    REQUIRE(program.run("zoo lstm --size 4 --width 0.25 -o net").exit_code == 0);
    REQUIRE(program.run("run net/model.tosa --record net.trace --out net/right").exit_code == 0);
    program.write(
        "gate.toml",
        "[[workload]]\nname = \"zoo\"\nmachine = [\"bm1684\", \"okk-next\"]\n" + net +
            "[[workload]]\nname = \"graph\"\ngraph = \"net/model.tosa\"\n"
            "limits.result = \"net/right\"\n"
            "[[workload]]\ntrace = \"net.trace\"\n[[workload]]\nsweep = \"lanes.toml\"\n");
    const ProgramRun written = program.run("gate gate.toml --write baseline");
    INFO(written.out << written.err);
    CHECK(written.exit_code == 0);
    CHECK(contains(written.out, "5 recorded in baseline"));
    CHECK(program.run("gate gate.toml").exit_code == 0);
    const ProgramRun slow = program.run("gate gate.toml --set mcu.clock_mhz=100");
    INFO(slow.out);
    CHECK(slow.exit_code == 1);
    CHECK(contains(slow.out, "0 passed, 5 failed"));
    const ProgramRun part = program.run("gate gate.toml --filter zoo -j1");
    CHECK(part.exit_code == 0);
    CHECK(contains(part.out, "2 passed, 0 failed, 3 left out by --filter"));
    program.write("gate.toml", "[[workload]]\ntrace = \"net.trace\"\n");
    const ProgramRun missing = program.run("gate gate.toml");
    CHECK(missing.exit_code == 1);
    CHECK(contains(missing.out, "has no such workload; delete"));
}

}  // namespace okksim::tests
