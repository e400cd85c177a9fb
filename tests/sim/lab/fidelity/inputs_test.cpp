// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/inputs.h"

#include "tests/sim/lab/fidelity/recorded_fills.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using sim::fidelity::read_inputs;
namespace fs = std::filesystem;

TEST_CASE("Inputs are told apart by names and contents, wherever they lie") {
    const tests::RecordedKernels folder("inputs");
    fs::create_directories(folder.path / "traces");
    folder.write("traces/b", "2");
    folder.write("traces/a", "1");
    folder.write("c", "3");
    const auto inputs = read_inputs({folder.path / "traces", folder.path / "c"});
    CHECK(inputs.files == 3);
    CHECK(read_inputs({folder.path / "c", folder.path / "traces"}).hash == inputs.hash);
    CHECK(read_inputs({folder.path / "traces"}).hash != inputs.hash);
    CHECK(read_inputs({folder.path / "traces", folder.path / "missing"}).files == 2);

    folder.write("traces/a", "9");
    CHECK(read_inputs({folder.path / "traces", folder.path / "c"}).hash != inputs.hash);
    folder.write("traces/a", "1");
    CHECK(read_inputs({folder.path / "traces", folder.path / "c"}).hash == inputs.hash);
    // Bytes that move from one file to the next change the hash.
    folder.write("traces/a", "12");
    folder.write("traces/b", "");
    CHECK(read_inputs({folder.path / "traces", folder.path / "c"}).hash != inputs.hash);
}

}  // namespace
