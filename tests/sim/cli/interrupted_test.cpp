// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM: every command that gathers results reports those gathered so far, and says
// so.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/graph/builder.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/sim/cli/shell.h"
#include "tests/support/catch.h"
#include "tests/support/golden_addition.h"

namespace okksim::tests {
namespace {

namespace graph = sim::graph;
using graph::DType;
using nlohmann::json;

/// A shell process that replaces itself with the program.
class Running {
 public:
    Running(const Program& program, const std::string& line) : child_(fork()) {
        if (child_ != 0) return;
        const std::string command = "cd " + program.folder().string() +
                                    " && P=" OKKSIM_PROGRAM " K=" OKKSIM_CLI_KERNELS "; exec " +
                                    line + " 2> .err > .out" +
                                    (contains(line, "<") ? "" : " < /dev/null");
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
        _exit(127);
    }

    bool ended() {
        if (!is_over_) is_over_ = waitpid(child_, &status_, WNOHANG) == child_;
        return is_over_;
    }
    void send(int signal) const { kill(child_, signal); }
    /// True if the program runs by now, with a handler for the signal.
    bool catches(int signal) const {
        std::ifstream status("/proc/" + std::to_string(child_) + "/status");
        bool is_program = false;
        for (std::string line; std::getline(status, line);) {
            is_program = is_program || line == "Name:\tokksim";
            if (!line.starts_with("SigCgt:")) continue;
            return is_program &&
                   (std::stoull(line.substr(line.find('\t') + 1), nullptr, 16) >> (signal - 1) &
                    1) != 0;
        }
        return false;
    }
    /// Returns the exit code; 128 + N after signal N, as shells count.
    int exit_code() {
        if (!is_over_) waitpid(child_, &status_, 0);
        is_over_ = true;
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
    }

 private:
    pid_t child_;
    int status_ = 0;
    bool is_over_ = false;
};

/// Waits until the condition holds; returns false if the program ends first.
template <typename Condition>
bool wait_until(Running& running, const Condition& is_so) {
    while (!is_so()) {
        if (running.ended()) return is_so();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
}

/// Runs the command with its report in first.json. Sends the signal as soon as that file is begun.
/// By then, the program waits for a reader of the pipe that its second report goes to.
int interrupted(const Program& program, const std::string& command, int signal) {
    shell(program, "rm -f gate first.json; mkfifo gate");
    Running running(program, "$P " + command + " --json=first.json --json=gate");
    if (!wait_until(running, [&] { return leftovers(program) > 0; })) return -1;
    running.send(signal);
    std::ifstream gate(program.folder() / "gate");
    const std::string second(std::istreambuf_iterator<char>(gate), {});
    const int code = running.exit_code();
    CHECK(second == program.read("first.json"));
    CHECK(leftovers(program) == 0);
    return code;
}

/// Writes a graph of one custom operator.
void write_custom_model(const Program& program, const std::string& kernel) {
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2, 3}, "x");
    const auto y = builder.tensor(DType::kFp32, {2, 3}, "y");
    builder.add_with_outputs(tosa::OpCode::kCustom, tosa::CustomAttributes{kernel, "okk", {}}, {x},
                             {y});
    builder.output(y);
    graph::save_graph(builder.finish(), program.folder() / "model.tosa");
}

/// Runs the model and ends it with a signal once its kernel has begun.
void check_custom_ends(const Program& program, const std::string& flags, int signal) {
    shell(program, "rm -f spins");
    Running running(program,
                    "$P run model.tosa --library $K --json --timeline t.json --csv=t.csv" + flags);
    REQUIRE(
        wait_until(running, [&] { return std::filesystem::exists(program.folder() / "spins"); }));
    running.send(signal);
    CHECK(running.exit_code() == 128 + signal);
    const json report = json::parse(program.read(".out"));
    CHECK(contains(report.at("stopped").get<std::string>(), "arrived"));
    CHECK(contains(report.at("fault").at("rule").get<std::string>(), "asked to end"));
    CHECK(json::parse(program.read("t.json")).contains("traceEvents"));
    CHECK(contains(program.read("t.csv"), "operator"));
    CHECK(leftovers(program) == 0);
}

}  // namespace

TEST_CASE("cli/a plan that a signal ends does not say that files are complete") {
    const Program program;
    REQUIRE(shell(program, "$P zoo resnet18 --size 64 -o big") == 0);
    Running running(program, "$P run --no-data big/model.tosa");
    REQUIRE(wait_until(running, [&] { return running.catches(SIGTERM); }));
    running.send(SIGTERM);
    CHECK(running.exit_code() == 128 + SIGTERM);
    const std::string text = program.read(".err");
    CHECK(contains(text, "ended by SIGTERM before there was anything to report"));
    CHECK_FALSE(contains(text, "complete"));
    CHECK(program.read(".out").empty());
}

TEST_CASE("cli/every command that gathers results reports what there is when a signal ends it") {
    const Program program;
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o tree/net") == 0);
    REQUIRE(shell(program, "$P baseline -o base --filter add_fp32") == 0);
    REQUIRE(shell(program, "$P run tree/net/model.tosa --record net.trace") == 0);
    REQUIRE(shell(program, "mkdir -p golden timing/estimator timing/traces") == 0);
    program.write("golden/okk_bdc_add.json", golden_addition().dump());
    const float values[] = {1, 2, 3};
    program.write("golden/okk_bdc_add.bin",
                  std::string(reinterpret_cast<const char*>(values), sizeof values));
    const char* const commands[] = {"run tree/net/model.tosa",
                                    "kernel $K --launch cli_races",
                                    "golden golden",
                                    "conformance tree",
                                    "replay net.trace",
                                    "compare base base",
                                    "check tree tree",
                                    "fidelity timing",
                                    "worth tree/net/model.tosa",
                                    "bench --quick"};
    for (const std::string command : commands) {
        CAPTURE(command);
        REQUIRE(interrupted(program, command, SIGINT) == 128 + SIGINT);
        const std::string text = program.read(".out") + program.read(".err");
        CHECK(contains(text, "SIGINT"));
        const json report = json::parse(program.read("first.json"));
        const json& object = report.is_array() ? report.at(0) : report;
        CHECK(contains(object.at("stopped").get<std::string>(), "SIGINT arrived"));
        CHECK(object.at("schema_version") == 2);
        if (command.starts_with("bench")) {
            CHECK(report.size() == 1);  // no metric was complete
            CHECK(object.at("value").is_null());
            CHECK(object.at("machine") == "bm1684");
        }
    }
}

TEST_CASE("cli/a run that a signal ends has all its files") {
    const Program program;
    REQUIRE(shell(program, "$P zoo lstm --size 4 --width 0.25 -o net") == 0);
    for (const int signal : {SIGINT, SIGTERM}) {
        CHECK(interrupted(program,
                          "run net/model.tosa --timeline t.json --record r --commands c.csv"
                          " --vcd v.vcd --csv=table.csv",
                          signal) == 128 + signal);
        CHECK(json::parse(program.read("t.json")).contains("traceEvents"));
        CHECK(contains(program.read("c.csv"), "launch,kernel"));
        CHECK(contains(program.read("table.csv"), "operator"));
        CHECK(contains(program.read("v.vcd"), "$enddefinitions"));
        CHECK(shell(program, "$P trace show r") == 0);
        CHECK(shell(program, "rm t.json c.csv table.csv v.vcd r") == 0);
    }
}

TEST_CASE("cli/the first signal ends a kernel that computes without an end") {
    const Program program;
    for (const char* limit : {"", " --idle-seconds 0"}) {
        for (const int signal : {SIGINT, SIGTERM}) {
            shell(program, "rm -f spins");
            Running running(program, "$P kernel $K --launch cli_spins --json --timeline t.json" +
                                         std::string(limit));
            REQUIRE(wait_until(
                running, [&] { return std::filesystem::exists(program.folder() / "spins"); }));
            running.send(signal);
            CHECK(running.exit_code() == 128 + signal);
            const json report = json::parse(program.read(".out"));
            CHECK(report.at(0).at("bdc_commands") == 1);
            CHECK(contains(report.at(0).at("fault").at("rule").get<std::string>(), "asked to end"));
            CHECK(contains(program.read("t.json"), "cli_spins"));
        }
    }
}

TEST_CASE("cli/the first signal ends a custom operator that computes without an end") {
    const Program program;
    write_custom_model(program, "cli_spins");
    for (const char* flags : {"", " --no-data", " --sanitize=full"}) {
        for (const int signal : {SIGINT, SIGTERM}) {
            CAPTURE(flags, signal);
            check_custom_ends(program, flags, signal);
        }
    }
}

TEST_CASE("cli/the first signal ends a custom operator that waits for ever") {
    const Program program;
    write_custom_model(program, "cli_sleeps");
    check_custom_ends(program, "", SIGINT);
    check_custom_ends(program, " --no-data", SIGTERM);
}

TEST_CASE("cli/a command that has gathered nothing says so") {
    const Program program;
    REQUIRE(shell(program, "mkfifo pipe") == 0);
    // The pipe has no writer, so the program waits for input.
    const int pipe = open((program.folder() / "pipe").c_str(), O_RDWR);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        Running running(program, "$P disasm - < pipe");
        REQUIRE(wait_until(running, [&] { return running.catches(signal); }));
        running.send(signal);
        CHECK(running.exit_code() == 128 + signal);
        CHECK(contains(program.read(".err"), "okksim: ended by SIG"));
        CHECK(contains(program.read(".err"), "before there was anything to report"));
    }
    close(pipe);
}

}  // namespace okksim::tests
