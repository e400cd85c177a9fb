// SPDX-License-Identifier: Apache-2.0
// The folder traces/ holds the output of every kernel and network of the gate on the reference
// machine, byte for byte: commands, results, times. A deliberate change needs new traces from
// `okksim baseline -o traces`.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

#include "isa/instructions.h"
#include "sim/lab/gate/baseline.h"
#include "sim/trace/command_trace_reader.h"
#include "tests/support/catch.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

fs::path all_traces() {
    const char* source = std::getenv("OKKSIM_SOURCE_DIR");
    fs::path traces = fs::path(source != nullptr ? source : "../../..") / "traces";
    INFO("run from the source tree or set OKKSIM_SOURCE_DIR: " << traces);
    REQUIRE(fs::exists(traces));
    return traces;
}

/// A machine, and the folder of its traces in traces/.
struct Held {
    std::string machine, folder;
};
const Held kReference{"bm1684", "."}, kAllGroups{"okk-next", "okk-next"};

/// Compares the cases for which `selects` is true with their traces; returns their number.
template <typename Selects>
int hold_against_traces(const Held& traces_of, const Selects& selects) {
    const fs::path traces = all_traces() / traces_of.folder;
    std::string name = (fs::temp_directory_path() / "okksim-traces-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    const fs::path folder = name;
    const Machine machine = load_machine(traces_of.machine);
    int held = 0;
    for (const GateCase& gate_case : gate_cases()) {
        if (!selects(gate_case.name)) continue;
        record_case(gate_case, machine, folder);
        for (const char* end : {kFunctionalEnd, kTimeEnd}) {
            const std::string file = gate_case.name + end;
            INFO(file << ": `okksim baseline -o DIR --machine " << traces_of.machine
                      << "`, then `okksim compare traces DIR` says why");
            const bool same = bytes_of(folder / file) == bytes_of(traces / file);
            CHECK(same);
        }
        ++held;
    }
    fs::remove_all(folder);
    return held;
}

bool is_network(const std::string& name) { return name.starts_with("network_"); }

bool is_kernel(const std::string& name) { return !is_network(name); }

TEST_CASE("Kernels issue, compute and take what their traces hold") {
    CHECK(hold_against_traces(kReference, is_kernel) == 72);
}

TEST_CASE("Networks issue, compute and take what their traces hold") {
    CHECK(hold_against_traces(kReference, is_network) == 7);
}

TEST_CASE("On a machine with all groups kernels and networks do, too") {
    CHECK(hold_against_traces(kAllGroups, [](const std::string&) { return true; }) == 79);
}

TEST_CASE("The traces of a machine with all groups hold every instruction of groups") {
    std::set<isa::Opcode> held;
    for (const fs::directory_entry& file :
         fs::directory_iterator(all_traces() / kAllGroups.folder)) {
        if (!file.path().string().ends_with(kFunctionalEnd)) continue;
        trace::CommandTraceReader reader(file.path());
        for (trace::TraceEntry entry; reader.next(entry);) {
            if (entry.kind == trace::EntryKind::kCommand) held.insert(entry.command.opcode);
        }
    }
    // A copy within local memory, which only users' kernels issue.
    held.insert(isa::Opcode::gdma_transpose_L2L);
    for (const isa::InstructionInfo& row : isa::instructions()) {
        CAPTURE(row.name);
        CHECK((row.feature == isa::Feature::kBase || held.contains(row.opcode)));
    }
}

}  // namespace
}  // namespace okksim::sim::gate
