// SPDX-License-Identifier: Apache-2.0
// A gate judges by limits and by its baseline, and explains changes by causes and source lines.
#include "sim/study/gate/gate_judge.h"

#include <fstream>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/study/gate/baseline_files.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/trace/account.h"
#include "tests/support/catch.h"

namespace okksim::sim::gate {
namespace {

constexpr double kUs = 100;

/// One engine that is busy, and waits `dram_us` for DRAM, in a run of `us`.
TimeRecord record(double us = kUs, double dram_us = 20) {
    TimeRecord record;
    record.name = "scale";
    record.machine = "bm1684";
    record.machine_hash = "0123456789abcdef";
    record.simulated_us = us;
    EngineTime engine{"BDC", {}, {{"copy", us - dram_us}}};
    for (std::size_t i = 0; i < trace::kCauses; ++i) {
        const auto cause = static_cast<trace::Cause>(i);
        const double time = cause == trace::Cause::kBusy              ? us - dram_us
                            : cause == trace::Cause::kMemoryBandwidth ? dram_us
                                                                      : 0;
        engine.by_cause.emplace_back(trace::cause_name(cause), time);
    }
    record.engines = {engine};
    record.outputs = {{"out 1", "00000000000000aa"}};
    record.totals = {12, 4096, 7.5};
    record.lines = {{"scale.c:10", "load(x);", 4, 20}, {"scale.c:11", "multiply(x);", 8, us - 20}};
    return record;
}

GateTask task(const GateLimits& limits = {}) {
    GateTask task;
    task.name = "scale";
    task.workload.name = "scale";
    task.workload.what.kernel = "k.so";
    task.workload.limits = limits;
    task.workload.threshold = 0.02;
    return task;
}

GateOutcome outcome(const TimeRecord& record) {
    GateOutcome outcome;
    outcome.record = record;
    return outcome;
}

CaseComparison judge_one(const GateTask& task, const GateOutcome& outcome,
                         const std::optional<std::filesystem::path>& base = {}) {
    const auto cases = judge_tasks({task}, {outcome}, base);
    REQUIRE(cases.size() == 1);
    return cases[0];
}

bool mentions(const CaseComparison& comparison, const std::string& words) {
    for (const std::string& reason : comparison.reasons) {
        if (reason.find(words) != std::string::npos) return true;
    }
    return false;
}

/// A folder with the record of `base`.
class Baseline {
 public:
    explicit Baseline(const TimeRecord& base = record()) {
        CHECK(write_baseline({outcome(base)}, folder_.path()) == 1);
    }
    CaseComparison against(const TimeRecord& next, const GateLimits& limits = {}) const {
        return judge_one(task(limits), outcome(next), folder_.path());
    }
    const std::filesystem::path& path() const { return folder_.path(); }

 private:
    TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("gate/a value at its limit passes, and one beyond fails") {
    GateLimits at;
    at.time_us = kUs;
    at.commands = 12;
    at.bytes = 4096;
    at.energy_uj = 7.5;
    CHECK(judge_one(task(at), outcome(record())).verdict == Verdict::kWithin);
    const auto fails = [&](auto GateLimits::*limit, double value, const std::string& words) {
        GateLimits beyond = at;
        beyond.*limit = value;
        const CaseComparison result = judge_one(task(beyond), outcome(record()));
        CAPTURE(words);
        CHECK(result.verdict == Verdict::kLimit);
        CHECK_FALSE(passes(result.verdict));
        CHECK(mentions(result, words));
    };
    fails(&GateLimits::time_us, 99.999, "time_us is 100, more than its limit 99.999");
    fails(&GateLimits::commands, 11, "commands is 12, more than its limit 11");
    fails(&GateLimits::bytes, 4095, "bytes is 4096, more than its limit 4095");
    fails(&GateLimits::energy_uj, 7.499, "energy_uj is 7.5, more than its limit 7.499");
}

TEST_CASE("gate/a baseline compares with itself as the same") {
    const Baseline base;
    CHECK(base.against(record()).verdict == Verdict::kSame);
    // `okksim compare` reads the folder, too.
    const auto cases = compare_baselines(base.path(), base.path(), 0.02);
    REQUIRE(cases.size() == 1);
    CHECK(cases[0].verdict == Verdict::kSame);
}

TEST_CASE("gate/a record keeps commands, bytes, energy and lines") {
    const Baseline base;
    const TimeRecord read = load_time_record(base.path() / "scale.time.trace");
    REQUIRE(read.totals);
    CHECK(read.totals->commands == 12);
    CHECK(read.totals->dram_bytes == 4096);
    CHECK(read.totals->energy_uj == 7.5);
    REQUIRE(read.lines.size() == 2);
    CHECK(read.lines[1].line == "scale.c:11");
    CHECK(read.lines[1].text == "multiply(x);");
    CHECK(read.lines[1].commands == 8);
    CHECK(read.lines[1].us == 80);
}

TEST_CASE("gate/a slower machine is explained by the cause") {
    const Baseline base;
    TimeRecord slow = record(130, 50);
    slow.machine_hash = "fedcba9876543210";
    slow.lines[0].us = 50;  // the load takes the 30 us
    slow.lines[1].us = 80;
    const CaseComparison result = base.against(slow);
    CHECK(result.verdict == Verdict::kSlower);
    CHECK(mentions(result, "another machine"));
    CHECK(mentions(result, "+30.00 us BDC waiting: DRAM bandwidth"));
    CHECK(mentions(result, "+30.00 us at scale.c:10: load(x);"));
}

TEST_CASE("gate/a changed kernel is explained by its line, also if lines have moved") {
    const Baseline base;
    TimeRecord changed = record(140);
    // A new line 10 moves the old ones, and line 12 has 4 more commands in 40 us.
    changed.lines = {{"scale.c:11", "load(x);", 4, 20}, {"scale.c:12", "multiply(x);", 12, 120}};
    changed.totals->commands = 16;
    const CaseComparison result = base.against(changed);
    CHECK(result.verdict == Verdict::kSlower);
    CHECK(mentions(result, "+40.00 us at scale.c:12, 8 -> 12 commands: multiply(x);"));
    CHECK_FALSE(mentions(result, "scale.c:11"));
    CHECK(mentions(result, "commands: 12 -> 16 (+33.33 %)"));
}

TEST_CASE("gate/other results fail, and so do results beyond their tolerance") {
    const Baseline base;
    TimeRecord other = record();
    other.outputs[0].hash = "00000000000000ab";
    const CaseComparison result = base.against(other);
    CHECK(result.verdict == Verdict::kChanged);
    CHECK(mentions(result, "output out 1 differs"));
    GateOutcome wrong = outcome(record());
    wrong.wrong = {"out 1 differs from y.npy"};
    CHECK(judge_one(task(), wrong).verdict == Verdict::kChanged);
    TemporaryFolder folder;
    CHECK(write_baseline({wrong}, folder.path()) == 0);  // a wrong result is no baseline
}

TEST_CASE("gate/a limit counts also if the baseline permits the time") {
    const Baseline base;
    GateLimits limits;
    limits.time_us = 90;
    const CaseComparison result = base.against(record(), limits);
    CHECK(result.verdict == Verdict::kLimit);
    REQUIRE(result.metrics.size() == 4);
    CHECK(result.metrics[0].base == kUs);
    CHECK(result.metrics[0].exceeds());
}

TEST_CASE("gate/faults, errors and missing workloads have verdicts of their own") {
    GateOutcome fault;
    fault.fault = "fault (bad_address): ...";
    CHECK(judge_one(task(), fault).verdict == Verdict::kFault);
    GateOutcome error;
    error.error = "x.npy: cannot be read";
    CHECK(judge_one(task(), error).verdict == Verdict::kError);
    const Baseline base;
    GateTask fresh = task();
    fresh.name = "fresh";
    CHECK(judge_one(fresh, outcome(record()), base.path()).verdict == Verdict::kAdded);
    GateFile gate;
    gate.tasks = {fresh};
    const auto missing = missing_tasks(gate, base.path());
    REQUIRE(missing.size() == 1);
    CHECK(missing[0].verdict == Verdict::kMissing);
    CHECK(missing[0].name == "scale");
    std::ofstream(base.path() / "scale.time.trace") << "{";
    CHECK(base.against(record()).verdict == Verdict::kDamaged);
}

TEST_CASE("gate/reports name workloads, limits and warnings") {
    GateLimits limits;
    limits.time_us = 90;
    GateOutcome warned = outcome(record());
    warned.warnings = {"reads <uninitialised> & \"more\""};
    const auto cases = judge_tasks({task(limits)}, {warned}, {});
    const std::string text = gate_text(cases, 0.02);
    CHECK(text.find("LIMIT") != std::string::npos);
    CHECK(text.find("warning: reads <uninitialised>") != std::string::npos);
    CHECK(text.find("0 passed, 1 failed (threshold 2.0 %)") != std::string::npos);
    const std::string junit = comparison_junit(cases, "okksim gate");
    CHECK(junit.find("<testsuite name=\"okksim gate\" tests=\"1\" failures=\"1\">") !=
          std::string::npos);
    CHECK(junit.find("<failure message=\"LIMIT time_us is 100, more than its limit 90\">") !=
          std::string::npos);
    CHECK(gate_markdown(cases, 0.02).find("| scale | - | 100.00 | - | LIMIT |") !=
          std::string::npos);
    const std::string json = comparison_json(cases, 0.02);
    CHECK(json.find("\"limit\": 90.0") != std::string::npos);
    CHECK(json.find("\"warnings\"") != std::string::npos);
}

}  // namespace okksim::sim::gate
