// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/gate/sweep_suite.h"

namespace okksim::sim::gate {

const std::vector<GateSweep>& gate_sweeps() {
    // The axes vary lanes and memory, which limit planning, and DRAM, which limits some schedules.
    // The networks are small: a machine takes about ten milliseconds.
    static const std::string machines = R"(
[[axis]]
parameter = "chip.lanes"
values = [16, 32, 64]
[[axis]]
parameter = "chip.local_memory_bytes"
values = ["64KiB", "256KiB"]
[[axis]]
bundle = "dram"
values = [{ "dram.read_bytes_per_nanosecond" = 16, "dram.write_bytes_per_nanosecond" = 16 },
          { "dram.read_bytes_per_nanosecond" = 64, "dram.write_bytes_per_nanosecond" = 64 }]
)";
    const auto network = [](const std::string& keys) {
        return "objectives = [\"us\", \"energy_j\", \"area_mm2\"]\n[[workload]]\n" + keys +
               machines;
    };
    static const std::vector<GateSweep> sweeps{
        {"sweep_mobilenet_v2_int8",
         network("zoo = \"mobilenet_v2\"\nprecision = \"int8\"\nsize = 64\nwidth = 0.25\n")},
        {"sweep_resnet18_fp32", network("zoo = \"resnet18\"\nprecision = \"fp32\"\nsize = 64\n")}};
    return sweeps;
}

}  // namespace okksim::sim::gate
