// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/sweep_figures.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/lab/bench/host_limits.h"
#include "sim/study/sweep/design.h"
#include "sim/study/sweep/workload.h"

namespace okksim::sim::bench {
namespace {

/// Targets of the project: seconds for a thousand points of ResNet-50 on two cores.
constexpr double kFixedSeconds = 2;
constexpr double kPlannedSeconds = 60;   // -O0
constexpr double kGroupedSeconds = 300;  // the default effort

/// Points per process, for a thousand points in two processes.
constexpr double kPointsPerProcess = 500;

/// Sweeps over machines of one shape and of different shapes.
constexpr const char* kClocks = R"(
mode = "sobol"
points = 64
[[workload]]
zoo = "resnet50"
[[axis]]
parameter = "bdc.clock_mhz"
range = { from = 300, to = 900 }
[[axis]]
parameter = "gdma.clock_mhz"
range = { from = 300, to = 900 }
[[axis]]
parameter = "dram.read_bytes_per_nanosecond"
range = { from = 16, to = 64 }
)";
constexpr const char* kShapes = R"(
[[axis]]
parameter = "chip.lanes"
values = [16, 32, 64, 128]
[[axis]]
parameter = "chip.local_memory_bytes"
values = ["128KiB", "256KiB", "512KiB", "1MiB"]
)";

/// Seconds per point, and the number of measured points.
struct PointTime {
    double seconds = 0;
    std::size_t points = 0;
};

PointTime time_points(const std::string& text, const sweep::RunChoice& choice,
                      std::size_t most_points) {
    const MachineFamily family("bm1684");
    const Machine base = family.with({});
    const sweep::SweepSpec spec = sweep::parse_sweep(text, "bench", base);
    const auto points = sweep::Design(spec, base).points();
    const auto workload = sweep::make_workload(spec.workloads[0], {}, choice, base);
    const std::size_t count = std::min(points.size(), most_points);
    const double start = thread_seconds();
    for (std::size_t i = 0; i < count; ++i) {
        std::vector<std::string> settings;
        for (const auto& [path, value] : points[i]) settings.push_back(path + '=' + value);
        (void)workload->run(family.with(settings));
    }
    return {(thread_seconds() - start) / static_cast<double>(count), count};
}

}  // namespace

void measure_sweeps(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const auto tell = [&](const char* name, const PointTime& time, double bar) {
        done({name, time.seconds * kPointsPerProcess, "s", bar, true,
              fmt::format("{:.2f} ms a point, {} measured", time.seconds * 1e3, time.points)});
    };
    const std::string shapes = std::string(kClocks) + kShapes;
    tell("1,000 points of ResNet-50, fixed plan, two cores",
         time_points(kClocks, {.planning = sweep::Planning::kFixed}, 64), kFixedSeconds);
    tell("1,000 points of ResNet-50, planned at -O0, two cores",
         time_points(shapes, {.effort = 0}, options.quick ? 16 : 64), kPlannedSeconds);
    tell("1,000 points of ResNet-50, planned, two cores",
         time_points(shapes, {.effort = 1}, options.quick ? 8 : 64), kGroupedSeconds);
}

}  // namespace okksim::sim::bench
