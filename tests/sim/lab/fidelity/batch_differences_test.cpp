// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/batch_differences.h"

#include "tests/sim/lab/fidelity/recorded_fills.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;

TEST_CASE("Further images are beside the sum of the convolution laws") {
    const tests::RecordedKernels folder("batches");
    const std::string what = "\"bmrt_test \"\"calculate time\"\"\"";
    folder.write("networks.csv",
                 "chip,model,precision,batch,measured_ms,ms_is,what_is_measured\n"
                 "BM1684,vgg19,fp32,1,36,per launch (whole batch)," +
                     what + "\nBM1684,vgg19,fp32,8,162,per launch (whole batch)," + what +
                     "\nBM1684,vgg19,int8,8,9,per launch (whole batch)," + what +
                     "\nBM1684X,vgg19,fp32,4,7,per launch (whole batch)," + what +
                     "\nBM1684,vgg16,fp32,1,10,per launch (whole batch)," + what + "\n");
    auto report = sim::fidelity::read_batches(folder.path / "networks.csv");
    REQUIRE(report.differences.size() == 1);
    REQUIRE(report.bounds.size() == 3);
    // (162 - 36) / 7
    CHECK(report.differences[0].silicon_ms == Approx(18));

    // The machine runs at 1 MHz with one channel per cycle, no cycles per group, and 3 cycles per
    // tap for three channels. On lanes of 16 units, a layer takes pixels / 16 * channels / 64 *
    // inputs * 9 cycles. The layers of VGG19 by image size: 224 has 3136 * (3 + 64), 112 has 784 *
    // 2 * (64 + 128). 56 has 196 * 4 * (128 + 3 * 256), 28 has 49 * 8 * (256 + 3 * 512). 14 has
    // 12.25 groups, so 13: 13 * 8 * 4 * 512.
    const auto machine = sim::load_machine(
        "bm1684",
        {"bdc.clock_mhz=1.0", "bdc.convolution_channels_per_cycle=1",
         "bdc.convolution_group_cycles=0", "bdc.convolution_fetch_cycles=3.0",
         "bdc.convolution_fetch_cycles_per_stride=0.0", "dram.read_bytes_per_nanosecond=1.0"});
    sim::fidelity::price_batches(report, machine.params);
    const double cycles =
        9.0 * (3136 * 67 + 784 * 2 * 192 + 196 * 4 * 896 + 49 * 8 * 1792 + 13 * 8 * 4 * 512);
    CHECK(report.differences[0].laws_ms == Approx(cycles * 1e-3));
    CHECK(report.bounds[1].batch == 8);
    CHECK(report.bounds[1].compute_ms == Approx(8 * cycles * 1e-3));
    // 143.67 M words (MODELS.md) at one byte per ns.
    CHECK(report.bounds[1].weights_ms == Approx(143.67 * 4).epsilon(0.001));
    CHECK_FALSE(report.bounds[1].holds());
    CHECK_FALSE(report.met());
}

}  // namespace
