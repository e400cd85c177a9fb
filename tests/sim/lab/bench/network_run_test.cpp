// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/network_run.h"

#include <unistd.h>

#include "isa/base/errors.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
namespace fs = std::filesystem;

/// A small network's model file, removed with the object.
class SmallNetwork {
 public:
    SmallNetwork() {
        file.name = "resnet18";
        file.options.size = 32;
        file.options.width = 0.25;
        file.path = fs::temp_directory_path() / ("bench-" + std::to_string(getpid()) + ".tosa");
        bench::write_network(file);
    }
    ~SmallNetwork() { fs::remove(file.path); }

    bench::NetworkFile file;
};

}  // namespace

TEST_CASE("a measured run tells its time, its memory and its commands") {
    const SmallNetwork network;
    const bench::NetworkRun run = bench::run_network(network.file);
    CHECK(run.seconds > 0);
    CHECK(run.simulated_ms > 0);
    CHECK(run.commands > 0);
    // The last layer alone has 1000 rows of 512 / 4 fp32 weights.
    CHECK(run.tensor_megabytes >= 1000 * 128 * 4 * 1e-6);
    // Tensors are in memory while the network runs.
    CHECK(run.peak_megabytes > run.tensor_megabytes);
}

TEST_CASE("the recorded commands take the simulated time of the run itself") {
    const SmallNetwork network;
    const bench::TimingCost cost =
        bench::measure_timing_cost(network.file, 1, [](const bench::TimingCost&) { return true; });
    CHECK(cost.replayed_ms == cost.simulated_ms);
    CHECK(cost.timing_only_ms == cost.simulated_ms);
    CHECK(cost.commands > 0);
    CHECK(cost.functional_seconds > 0);
    CHECK(cost.timed_seconds > 0);
    CHECK(cost.timing_only_seconds > 0);
}

TEST_CASE("a model that cannot be written is named") {
    bench::NetworkFile file;
    file.name = "no_such_network";
    file.path = fs::temp_directory_path() / "never-written.tosa";
    CHECK_THROWS_AS(bench::write_network(file), ConfigError);
}
