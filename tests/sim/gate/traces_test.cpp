// SPDX-License-Identifier: Apache-2.0
// The folder traces/ holds what every kernel and network of the gate does today on the reference
// machine, byte for byte: commands, results, times. A change of it comes with new traces, by
// `okksim baseline -o traces`.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/gate/baseline.h"
#include "tests/support/catch.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

std::string bytes_of(const fs::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

/// Holds the cases of which `selects` is true against their traces; returns how many there are.
template <typename Selects>
int hold_against_traces(const Selects& selects) {
    const char* source = std::getenv("OKKSIM_SOURCE_DIR");
    const fs::path traces = fs::path(source != nullptr ? source : "../../..") / "traces";
    INFO("run from the source tree or set OKKSIM_SOURCE_DIR: " << traces);
    REQUIRE(fs::exists(traces));
    std::string name = (fs::temp_directory_path() / "okksim-traces-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    const fs::path folder = name;
    const Machine machine = load_machine("bm1684");
    int held = 0;
    for (const GateCase& gate_case : gate_cases()) {
        if (!selects(gate_case.name)) continue;
        record_case(gate_case, machine, folder);
        for (const char* end : {kFunctionalEnd, kTimeEnd}) {
            const std::string file = gate_case.name + end;
            INFO(file << ": `okksim baseline -o DIR`, then `okksim compare traces DIR` says why");
            const bool same = bytes_of(folder / file) == bytes_of(traces / file);
            CHECK(same);
        }
        ++held;
    }
    fs::remove_all(folder);
    return held;
}

bool is_network(const std::string& name) { return name.starts_with("network_"); }

TEST_CASE("Kernels issue, compute and take what their traces hold") {
    CHECK(hold_against_traces([](const std::string& name) { return !is_network(name); }) > 40);
}

TEST_CASE("Networks issue, compute and take what their traces hold") {
    CHECK(hold_against_traces(is_network) == 4);
}

}  // namespace
}  // namespace okksim::sim::gate
