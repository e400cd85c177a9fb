// SPDX-License-Identifier: Apache-2.0
// The gate reports a slow-down of 3 %, a changed result, a missing kernel or a damaged file, with a
// reason.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>

#include "isa/base/errors.h"
#include "models/mcu/mcu_params.h"
#include "sim/execution/random_input.h"
#include "sim/graph/validate/validate.h"
#include "sim/lab/gate/baseline.h"
#include "sim/lab/gate/operator_graph.h"
#include "sim/study/gate/compare_baselines.h"
#include "sim/study/gate/filter_file.h"
#include "sim/study/gate/time_record.h"
#include "tests/support/catch.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

/// Two folders that live as long as the test.
struct Folders {
    Folders() {
        std::string name = (fs::temp_directory_path() / "okksim-gate-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        root = name;
        fs::create_directory(root / "base");
        fs::create_directory(root / "new");
    }
    ~Folders() {
        std::error_code ignored;
        fs::remove_all(root, ignored);
    }
    fs::path base() const { return root / "base"; }
    fs::path next() const { return root / "new"; }
    fs::path root;
};

/// x + 1 for a vector; `seed_offset` inputs are drawn before, so that x changes.
GateCase vector_add(int seed_offset) {
    return {"vector_add", [seed_offset] {
                OperatorGraph graph;
                for (int i = 0; i < seed_offset; ++i) graph.weights(DType::kFp32, {1});
                const auto x = graph.input(DType::kFp32, {4096});
                graph.op(OpCode::kAdd, tosa::NoAttributes{}, {x, x}, DType::kFp32, {4096});
                return graph.finish();
            }};
}

CaseComparison compare_one(const Folders& folders, double threshold = 0.02) {
    const auto cases = compare_baselines(folders.base(), folders.next(), threshold);
    REQUIRE(cases.size() == 1);
    return cases[0];
}

bool mentions(const CaseComparison& comparison, const std::string& words) {
    for (const std::string& reason : comparison.reasons) {
        if (reason.find(words) != std::string::npos) return true;
    }
    return false;
}

}  // namespace

TEST_CASE("gate/all cases are legal graphs with names of their own") {
    std::set<std::string> names;
    std::size_t networks = 0;
    for (const GateCase& gate_case : gate_cases()) {
        CAPTURE(gate_case.name);
        CHECK(names.insert(gate_case.name).second);
        networks += gate_case.name.starts_with("network_") ? 1 : 0;
        const GateGraph graph = gate_case.build();
        CHECK_NOTHROW(graph::validate_graph(graph.graph));
        CHECK(graph.inputs.size() == graph.graph.main().inputs.size());
    }
    CHECK(networks >= 3);
    CHECK(names.size() - networks >= 30);
}

TEST_CASE("gate/the same run is the same, byte by byte") {
    const Folders folders;
    const Machine machine = load_machine("bm1684");
    record_case(vector_add(0), machine, folders.base());
    record_case(vector_add(0), machine, folders.next());
    const CaseComparison comparison = compare_one(folders, 0.0);
    CHECK(comparison.verdict == Verdict::kSame);
    CHECK(comparison.base_us == comparison.new_us);
}

TEST_CASE("gate/a slow-down of 3 % fails at 2 %, passes at 4 %, and is explained") {
    const Folders folders;
    record_case(vector_add(0), load_machine("bm1684"), folders.base());
    const double base_us = load_time_record(folders.base() / "vector_add.time.trace").simulated_us;
    // The last three commands wait only for the processor: the whole slow-down is theirs.
    const double clock_mhz = 500.0;
    const Machine base_machine = load_machine("bm1684");
    REQUIRE(base_machine.params.mcu->clock_mhz == clock_mhz);
    const auto extra = static_cast<int>(0.03 * base_us * clock_mhz) + 1;
    const Machine slower = load_machine(
        "bm1684",
        {"mcu.poll_cycles=" + std::to_string(base_machine.params.mcu->poll_cycles + extra)});
    record_case(vector_add(0), slower, folders.next());
    const CaseComparison comparison = compare_one(folders);
    CHECK(comparison.verdict == Verdict::kSlower);
    CHECK(comparison.change() >= 0.03);
    CHECK(mentions(comparison, "another machine"));
    CHECK(mentions(comparison, "MCU busy"));
    CHECK(compare_one(folders, comparison.change() + 0.001).verdict == Verdict::kSame);
    CHECK(compare_one(folders, comparison.change() - 0.001).verdict == Verdict::kSlower);
    CHECK_FALSE(passes(comparison.verdict));
}

TEST_CASE("gate/another result fails whatever the time") {
    const Folders folders;
    const Machine machine = load_machine("bm1684");
    record_case(vector_add(0), machine, folders.base());
    record_case(vector_add(1), machine, folders.next());
    const CaseComparison comparison = compare_one(folders, 1.0);
    CHECK(comparison.base_us == comparison.new_us);
    CHECK(comparison.verdict == Verdict::kChanged);
    CHECK(mentions(comparison, "output"));
}

TEST_CASE("gate/a command that wrote other data fails when outputs and times are the same") {
    const Folders folders;
    const Machine machine = load_machine("bm1684");
    record_case(vector_add(0), machine, folders.base());
    GateCase other = vector_add(0);
    other.build = [] {
        GateGraph graph = vector_add(0).build();
        const graph::HostTensor& x = graph.inputs.at(0);
        graph.inputs.at(0) = execution::random_input(x.type, x.shape, 99);
        return graph;
    };
    record_case(other, machine, folders.next());
    // The outputs' hashes are in the record of times.
    fs::copy_file(folders.base() / "vector_add.time.trace",
                  folders.next() / "vector_add.time.trace", fs::copy_options::overwrite_existing);
    const CaseComparison comparison = compare_one(folders, 1.0);
    CHECK(comparison.verdict == Verdict::kChanged);
    CHECK_FALSE(passes(comparison.verdict));
    CHECK(mentions(comparison, "first data that differs"));
}

TEST_CASE("gate/what passes is the same, faster or new") {
    const std::pair<Verdict, bool> verdicts[] = {
        {Verdict::kSame, true},     {Verdict::kFaster, true},   {Verdict::kSlower, false},
        {Verdict::kChanged, false}, {Verdict::kMissing, false}, {Verdict::kAdded, true},
        {Verdict::kDamaged, false}};
    for (const auto& [verdict, expected] : verdicts) {
        CAPTURE(verdict_name(verdict));
        CHECK(passes(verdict) == expected);
    }
}

TEST_CASE("gate/a folder with a filter is compared with the cases that it selects") {
    const Folders folders;
    const Machine machine = load_machine("bm1684");
    GateCase other = vector_add(0);
    other.name = "other";
    record_case(vector_add(0), machine, folders.base());
    record_case(other, machine, folders.base());
    // The filter belongs to a folder without cases; a later one adds to it.
    FilterFile(folders.next()).begin("^vector");
    record_case(vector_add(0), machine, folders.next());
    auto cases = compare_baselines(folders.base(), folders.next(), 0.02);
    REQUIRE(cases.size() == 2);
    CHECK(cases[0].verdict == Verdict::kLeftOut);
    CHECK(passes(cases[0].verdict));
    CHECK(cases[1].verdict == Verdict::kSame);
    CHECK(comparison_text(cases, 0.02).find("1 passed, 0 failed, 1 left out") != std::string::npos);
    // A case that the filter selects is missing.
    FilterFile(folders.next()).begin("other");
    CHECK(compare_baselines(folders.base(), folders.next(), 0.02)[0].verdict == Verdict::kMissing);
    // A folder with all cases keeps them when some are recorded again.
    FilterFile(folders.base()).begin("other");
    CHECK(FilterFile(folders.base()).selects("vector_add"));
    std::ofstream(folders.next() / "baseline.filters", std::ios::app) << "x\n";
    CHECK_THROWS_AS(compare_baselines(folders.base(), folders.next(), 0.02), ConfigError);
}

TEST_CASE("gate/a case that cannot be written keeps its former pair of files") {
    const Folders folders;
    const Machine machine = load_machine("bm1684");
    record_case(vector_add(0), machine, folders.base());
    record_case(vector_add(0), machine, folders.next());
    // The second file cannot be written, because a folder has its temporary name.
    fs::create_directories(folders.next() / "vector_add.time.trace.unfinished" / "x");
    CHECK_THROWS_AS(record_case(vector_add(1), machine, folders.next()), ConfigError);
    CHECK(compare_one(folders).verdict == Verdict::kSame);
    CHECK_FALSE(fs::exists(folders.next() / "vector_add.func.trace.unfinished"));
}

TEST_CASE("gate/missing, added and damaged kernels are told apart") {
    const Folders folders;
    const Machine machine = load_machine("bm1684");
    GateCase other = vector_add(0);
    other.name = "other";
    record_case(vector_add(0), machine, folders.base());
    record_case(other, machine, folders.next());
    auto cases = compare_baselines(folders.base(), folders.next(), 0.02);
    REQUIRE(cases.size() == 2);
    CHECK(cases[0].verdict == Verdict::kMissing);
    CHECK(cases[1].verdict == Verdict::kAdded);
    // An added record must be complete; one without its times is damaged.
    std::ofstream(folders.next() / "other.time.trace") << "{}";
    CHECK(compare_baselines(folders.base(), folders.next(), 0.02)[1].verdict == Verdict::kDamaged);
    fs::remove(folders.next() / "other.time.trace");
    CHECK(compare_baselines(folders.base(), folders.next(), 0.02)[1].verdict == Verdict::kDamaged);
    record_case(other, machine, folders.next());
    record_case(vector_add(0), machine, folders.next());
    std::ofstream(folders.next() / "vector_add.time.trace") << "{}";
    cases = compare_baselines(folders.base(), folders.next(), 0.02);
    CHECK(cases[0].verdict == Verdict::kDamaged);
    CHECK_FALSE(passes(cases[0].verdict));
    CHECK_THROWS_AS(compare_baselines(folders.base(), folders.root, 0.02), ConfigError);
}

// Time and outputs stay equal; only the attribution of time to causes changes.
TEST_CASE("gate/a time record whose causes do not add up is damaged") {
    const Folders folders;
    record_case(vector_add(0), load_machine("bm1684"), folders.base());
    record_case(vector_add(0), load_machine("bm1684"), folders.next());
    const fs::path path = folders.next() / "vector_add.time.trace";
    const TimeRecord record = load_time_record(path);
    REQUIRE(record.engines.size() > 1);
    const auto expect_damaged = [&](const TimeRecord& changed, const std::string& words) {
        save_time_record(changed, path);
        const CaseComparison comparison = compare_one(folders);
        CHECK(comparison.verdict == Verdict::kDamaged);
        CHECK(mentions(comparison, words));
    };
    TimeRecord changed = record;
    changed.engines[0].by_cause.at(1).second += 1;
    expect_damaged(changed, record.engines[0].engine + "'s causes");
    changed = record;
    changed.engines[1].by_class.at(0).second += 1;
    expect_damaged(changed, record.engines[1].engine + "'s kinds of work");
    save_time_record(record, path);
    CHECK(compare_one(folders).verdict == Verdict::kSame);
}

TEST_CASE("gate/records of another case, or of nothing, are damaged on both sides") {
    const Folders folders;
    for (const fs::path& folder : {folders.base(), folders.next()}) {
        record_case(vector_add(0), load_machine("bm1684"), folder);
    }
    const std::string file = std::string("vector_add") + kTimeEnd;
    TimeRecord record = load_time_record(folders.base() / file);
    const char* what = "";
    SECTION("of another case") {
        record.name = "vector_sub";
        what = "vector_sub";
    }
    SECTION("of nothing") {
        record.engines.clear();
        what = "no times of an engine";
    }
    SECTION("of another machine than the commands") {
        record.machine_hash = "0123456789abcdef";
        what = "its commands are of machine bm1684";
    }
    SECTION("of no output") {
        record.outputs.clear();
        what = "no hash";
    }
    SECTION("of an output without a hash") {
        record.outputs.at(0).hash.clear();
        what = "no hash";
    }
    for (const fs::path& folder : {folders.base(), folders.next()}) {
        save_time_record(record, folder / file);
    }
    const CaseComparison comparison = compare_one(folders);
    CHECK(comparison.verdict == Verdict::kDamaged);
    CHECK(mentions(comparison, what));
}

TEST_CASE("gate/commands of another kernel, or with another time, are damaged") {
    const Folders folders;
    GateCase other = vector_add(0);
    other.name = "other";
    const std::string file = std::string("vector_add") + kFunctionalEnd;
    for (const fs::path& folder : {folders.base(), folders.next()}) {
        record_case(vector_add(0), load_machine("bm1684"), folder);
    }
    CHECK(compare_one(folders).verdict == Verdict::kSame);
    record_case(other, load_machine("bm1684"), folders.root);
    const char* what = "";
    SECTION("of another kernel") {
        fs::copy_file(folders.root / (std::string("other") + kFunctionalEnd), folders.next() / file,
                      fs::copy_options::overwrite_existing);
        what = "holds the commands of \"other\" instead of \"vector_add\"";
    }
    SECTION("with another time") {
        const fs::path times = folders.next() / (std::string("vector_add") + kTimeEnd);
        TimeRecord record = load_time_record(times);
        record.simulated_us *= 2;
        for (EngineTime& engine : record.engines) {
            for (auto& cause : engine.by_cause) cause.second *= 2;
            for (auto& kind : engine.by_class) kind.second *= 2;
        }
        save_time_record(record, times);
        what = "but its record of times has";
    }
    const CaseComparison comparison = compare_one(folders);
    CHECK(comparison.verdict == Verdict::kDamaged);
    CHECK(mentions(comparison, what));
}

TEST_CASE("gate/causes that changed places fail, from the threshold of the whole on") {
    const Folders folders;
    record_case(vector_add(0), load_machine("bm1684"), folders.base());
    record_case(vector_add(0), load_machine("bm1684"), folders.next());
    const fs::path path = folders.next() / "vector_add.time.trace";
    TimeRecord record = load_time_record(path);
    // Two waits are exchanged: the sum stays. `moved` is the share of the total that each changed
    // by.
    auto& causes = record.engines.at(0).by_cause;
    std::erase_if(causes, [](const auto& cause) { return cause.second == 0; });
    const auto is_wait = [](const auto& cause) {
        return cause.first != "busy" && cause.first != "idle";
    };
    const auto first = std::find_if(causes.begin(), causes.end(), is_wait);
    REQUIRE(first != causes.end());
    const auto second = std::find_if(first + 1, causes.end(), is_wait);
    REQUIRE(second != causes.end());
    const double moved = std::abs(first->second - second->second) / record.simulated_us;
    REQUIRE(moved > 0.001);
    TimeRecord changed = load_time_record(path);
    for (auto& cause : changed.engines[0].by_cause) {
        if (cause.first == first->first) cause.second = second->second;
        if (cause.first == second->first) cause.second = first->second;
    }
    save_time_record(changed, path);
    const CaseComparison comparison = compare_one(folders, moved - 0.0001);
    CHECK(comparison.verdict == Verdict::kChanged);
    CHECK(mentions(comparison, "but other causes of time"));
    CHECK(mentions(comparison, first->first));
    CHECK(compare_one(folders, moved + 0.0001).verdict == Verdict::kSame);
}

TEST_CASE("gate/reports name kernel, change and verdict") {
    const std::vector<CaseComparison> cases{
        {"a<b", Verdict::kSlower, 10.0, 11.0, {"+1.00 us x | y"}},
        {"c", Verdict::kSame, 5.0, 5.0, {}}};
    CHECK(comparison_text(cases, 0.02).find("+10.00%  SLOWER") != std::string::npos);
    CHECK(comparison_text(cases, 0.02).find("1 passed, 1 failed") != std::string::npos);
    CHECK(comparison_markdown(cases, 0.02).find("+1.00 us x / y") != std::string::npos);
    const std::string junit = comparison_junit(cases);
    CHECK(junit.find("failures=\"1\"") != std::string::npos);
    CHECK(junit.find("name=\"a&lt;b\"") != std::string::npos);
}

}  // namespace okksim::sim::gate
