// SPDX-License-Identifier: Apache-2.0
// Differential tests of the neural-network commands against the element-by-element reference, for
// every SIMD target of the host, with one and two threads.
#include <hwy/targets.h>

#include <string>

#include "models/bdc/layers/convolution.h"
#include "models/bdc/layers/depthwise.h"
#include "models/bdc/layers/matmul.h"
#include "models/bdc/layers/max_pool.h"
#include "tests/models/bdc/layer_cases.h"
#include "tests/models/bdc/layer_reference.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

// Calls `body(name)` with each vector instruction set that the host and the build support.
template <typename Body>
void on_every_target(const Body& body) {
    for (const std::uint32_t target : hwy::SupportedAndGeneratedTargets()) {
        hwy::SetSupportedTargetsForTest(target);
        body(std::string(hwy::TargetName(target)));
    }
    hwy::SetSupportedTargetsForTest(0);
}

struct Machine {
    std::int32_t lanes;
    std::int64_t bytes_per_lane;
};
constexpr Machine kMachines[] = {{4, 32768}, {16, 16384}, {64, 16384}};

// Runs `cases` random commands on each machine; every third one with NaN, infinities and denormals.
template <typename Make, typename Execute, typename Reference>
void run_differential(int cases, const Make& make, const Execute& execute,
                      const Reference& reference) {
    models::LanePool one_thread(1);
    models::LanePool two_threads(2);
    for (const Machine& machine : kMachines) {
        models::LocalMemory memory(small_machine(machine.lanes, machine.bytes_per_lane));
        for (int i = 0; i < cases; ++i) {
            LayerCases random(static_cast<std::uint32_t>(i) + 1000, machine.lanes,
                              machine.bytes_per_lane);
            const auto operands = make(random);
            random.fill(memory, i % 3 == 0);
            on_every_target([&](const std::string& target) {
                models::LanePool& pool = i % 2 == 0 ? one_thread : two_threads;
                const std::string difference = compare_on_copies(
                    memory, [&](models::LocalMemory& local) { execute(operands, local, pool); },
                    [&](models::LocalMemory& local) { reference(operands, local); });
                INFO("lanes " << machine.lanes << " case " << i << " target " << target);
                REQUIRE(difference == "");
            });
        }
    }
}

// Moves the output onto the input, or half a vector past its start, so that both overlap.
template <typename Operands>
Operands overlap(Operands operands, LayerCases& cases) {
    const std::uint32_t shift = cases.chance(50) ? 0 : 128;
    operands.output_addr.value = operands.input_addr.value / 128 * 128 + shift;
    return operands;
}

}  // namespace

TEST_CASE("convolution equals the definition") {
    run_differential(
        150, [](LayerCases& cases) { return cases.convolution(); }, models::execute_convolution,
        reference_convolution);
}

TEST_CASE("convolution of operands larger than any scratch memory equals the definition") {
    // With zero strides, one pair stands for 4095 x 4096 x 4 weights: 67,158,000 packed floats.
    models::LocalMemory memory(small_machine(64, 32768));
    LayerCases random(7, 64, 32768);
    random.fill(memory, false);
    isa::Convolution operands;
    operands.input_shape = {1, 4095, 2, 2};
    operands.output_c = 4095;
    operands.kernel_h = operands.kernel_w = 2;
    operands.input_stride = {0, 1, 64, 1};
    operands.kernel_stride = {0, 3, 0, 1};
    operands.stride = operands.dilation = {1, 1};
    operands.input_addr = {16384};
    operands.weight_addr = {20480};
    models::LanePool pool(2);
    REQUIRE(
        compare_on_copies(
            memory,
            [&](models::LocalMemory& local) { models::execute_convolution(operands, local, pool); },
            [&](models::LocalMemory& local) { reference_convolution(operands, local); }) == "");
}

TEST_CASE("convolutions of any number of panels equal the definition") {
    // Panels of 16 pixels form tiles of at most eight panels. A tile of a single panel joins the
    // one before: 25 panels are two tiles of eight and one of nine.
    models::LocalMemory memory(small_machine(8, 65536));
    LayerCases random(3, 8, 65536);
    random.fill(memory, false);
    models::LanePool pool(1);
    for (std::int32_t panels = 1; panels <= 26; ++panels) {
        isa::Convolution operands;
        operands.input_shape = {1, 10, 3, 16 * panels - 13};
        operands.output_c = 5;
        operands.kernel_h = 3;
        operands.kernel_w = 1;
        operands.input_stride = isa::aligned_stride(0, operands.input_shape, 32, 8, 128);
        operands.kernel_stride =
            isa::compact_stride(0, isa::weight_2ic_shape(10, operands.output_c, 3, 1), 8);
        operands.stride = operands.dilation = {1, 1};
        operands.input_addr = {16384};
        operands.weight_addr = {32768};
        CAPTURE(panels);
        CHECK(compare_on_copies(
                  memory,
                  [&](models::LocalMemory& local) {
                      models::execute_convolution(operands, local, pool);
                  },
                  [&](models::LocalMemory& local) { reference_convolution(operands, local); }) ==
              "");
    }
}

TEST_CASE("convolutions of more images than are worked on at a time equal the definition") {
    // A group is 256 x 1024 packed floats: three images of 8 x 64 x 128 with the gaps between their
    // planes. Two of five images remain.
    models::LocalMemory memory(small_machine(8, 262144));
    LayerCases random(11, 8, 262144);
    random.fill(memory, false);
    isa::Convolution operands;
    operands.input_shape = {5, 8, 64, 128};
    operands.output_c = 3;
    operands.kernel_h = operands.kernel_w = 1;
    operands.input_stride = {64, 8192, 128, 1};  // images overlap: they are only read
    operands.kernel_stride =
        isa::compact_stride(0, isa::weight_2ic_shape(8, operands.output_c, 1, 1), 8);
    operands.stride = operands.dilation = {1, 1};
    operands.weight_addr = {60 * 1024};
    operands.output_addr = {64 * 1024};
    models::LanePool pool(1);
    CHECK(
        compare_on_copies(
            memory,
            [&](models::LocalMemory& local) { models::execute_convolution(operands, local, pool); },
            [&](models::LocalMemory& local) { reference_convolution(operands, local); }) == "");
}

TEST_CASE("matmul equals the definition") {
    run_differential(
        150, [](LayerCases& cases) { return cases.matmul(); }, models::execute_matmul,
        reference_matmul);
}

TEST_CASE("the last columns of a matrix may end with the memory") {
    // Each of two lanes has 31 columns. In the second lane, the second panel of 16 columns begins
    // at column 17 of a row of 32 words. Whole panels therefore cannot be read at the end of
    // memory.
    constexpr std::int32_t kBytes = 4096;
    models::LocalMemory memory(small_machine(2, kBytes));
    LayerCases random(1, 2, kBytes);
    random.fill(memory, false);
    isa::MatrixMultiply operands{};
    operands.left_rows = 2;
    operands.left_cols = operands.left_cols_per_channel = 3;
    operands.right_cols = 62;
    operands.right_cols_per_channel = 31;
    operands.output_addr = {1024};
    operands.left_addr = {0};
    operands.right_addr = {kBytes - 3 * 128};
    models::LanePool pool(1);
    on_every_target([&](const std::string& target) {
        INFO(target);
        CHECK(
            compare_on_copies(
                memory,
                [&](models::LocalMemory& local) { models::execute_matmul(operands, local, pool); },
                [&](models::LocalMemory& local) { reference_matmul(operands, local); }) == "");
    });
}

TEST_CASE("depthwise convolution equals the definition") {
    run_differential(
        150, [](LayerCases& cases) { return cases.depthwise(); }, models::execute_depthwise,
        reference_depthwise);
}

TEST_CASE("average pool equals the definition") {
    run_differential(
        100, [](LayerCases& cases) { return cases.pool(); },
        [](const isa::Pool& operands, models::LocalMemory& memory, models::LanePool& pool) {
            models::execute_average_pool(operands, memory, pool);
        },
        reference_average_pool);
}

TEST_CASE("scaled average pool equals the definition") {
    run_differential(
        100, [](LayerCases& cases) { return cases.scaled_pool(); },
        [](const isa::PoolScaled& operands, models::LocalMemory& memory, models::LanePool& pool) {
            models::execute_average_pool(operands, memory, pool);
        },
        reference_scaled_pool);
}

TEST_CASE("max pool equals the definition") {
    run_differential(
        100, [](LayerCases& cases) { return cases.pool(); }, models::execute_max_pool,
        reference_max_pool);
}

TEST_CASE("windows that leave a map on its right side alone are padded there") {
    // Five windows of a row, two apart: the last one begins at column 8 of 9.
    constexpr std::int32_t kBytes = 4096;
    models::LocalMemory memory(small_machine(4, kBytes));
    LayerCases random(1, 4, kBytes);
    random.fill(memory, false);
    models::LanePool pool(1);
    isa::Depthwise operands{};
    operands.output_addr = {1024};
    operands.weight_addr = {2048};
    operands.input_shape = {1, 4, 5, 9};
    operands.kernel_h = operands.kernel_w = 3;
    operands.padding.right = 2;
    operands.stride = {1, 2};
    operands.dilation = {1, 1};
    on_every_target([&](const std::string& target) {
        INFO(target);
        CHECK(compare_on_copies(
                  memory,
                  [&](models::LocalMemory& local) {
                      models::execute_depthwise(operands, local, pool);
                  },
                  [&](models::LocalMemory& local) { reference_depthwise(operands, local); }) == "");
    });
}

TEST_CASE("windows of 3 x 3 taps on maps of several vectors equal the definition") {
    // Rows of some vectors and a remainder, blocks of rows and a remainder, padding on some sides
    // or none. The cases cover in-place reads of feature maps and cases where these are impossible.
    constexpr std::int32_t kBytes = 65536;
    models::LocalMemory memory(small_machine(4, kBytes));
    LayerCases random(1, 4, kBytes);
    random.fill(memory, false);
    models::LanePool pool(1);
    isa::Pool pools{};
    isa::Depthwise depthwise{};
    const auto both = [&](const auto& set) {
        set(pools);
        set(depthwise);
    };
    both([](auto& operands) {
        operands.input_addr = {0};
        operands.output_addr = {32768};
        operands.kernel_h = operands.kernel_w = 3;
    });
    depthwise.weight_addr = {60000 / 128 * 128};
    depthwise.dilation = {1, 1};
    for (const auto& [h, w] : {std::pair{9, 8}, {9, 21}, {17, 40}, {33, 67}, {70, 67}}) {
        for (const isa::Padding& padding : {isa::Padding{0, 0, 0, 0}, isa::Padding{1, 1, 1, 1},
                                            isa::Padding{1, 0, 0, 0}, isa::Padding{0, 0, 1, 0}}) {
            for (const std::int32_t step : {1, 2}) {
                both([&, h = h, w = w](auto& operands) {
                    operands.input_shape = {1, 4, h, w};
                    operands.padding = padding;
                    operands.stride = {step, 1};
                });
                on_every_target([&](const std::string& target) {
                    INFO(target << ", " << h << " x " << w << ", padding " << padding.top << " "
                                << padding.bottom << " " << padding.left << ", stride " << step);
                    const auto same = [&](const auto& operands, const auto& run,
                                          const auto& reference) {
                        CHECK(compare_on_copies(
                                  memory,
                                  [&](models::LocalMemory& local) { run(operands, local, pool); },
                                  [&](models::LocalMemory& local) {
                                      reference(operands, local);
                                  }) == "");
                    };
                    same(depthwise, models::execute_depthwise, reference_depthwise);
                    same(pools, models::execute_max_pool, reference_max_pool);
                    same(
                        pools,
                        [](const isa::Pool& operands, models::LocalMemory& local,
                           models::LanePool& threads) {
                            models::execute_average_pool(operands, local, threads);
                        },
                        reference_average_pool);
                });
            }
        }
    }
}

TEST_CASE("threads begin with whatever channel is theirs") {
    // 16 channels on 4 lanes: the second thread begins with channel 8, the third of its lane.
    constexpr std::int32_t kBytes = 65536;
    models::LocalMemory memory(small_machine(4, kBytes));
    LayerCases random(1, 4, kBytes);
    random.fill(memory, false);
    models::LanePool two_threads(2);
    isa::Depthwise operands{};
    operands.output_addr = {32768};
    operands.weight_addr = {61440};
    operands.input_shape = {1, 16, 40, 48};  // of such planes no single thread makes all
    operands.kernel_h = operands.kernel_w = 7;
    operands.stride = operands.dilation = {1, 1};
    CHECK(compare_on_copies(
              memory,
              [&](models::LocalMemory& local) {
                  models::execute_depthwise(operands, local, two_threads);
              },
              [&](models::LocalMemory& local) { reference_depthwise(operands, local); }) == "");
}

TEST_CASE("an output over its own input gives the results of separate operands") {
    // A quarter of the lane stays free at its end, so that a moved output is still inside.
    const auto crowded = [](LayerCases& cases) { return cases.used_bytes() > 12000; };
    run_differential(
        60,
        [&](LayerCases& cases) {
            isa::Depthwise operands = cases.depthwise();
            while (crowded(cases)) operands = cases.depthwise();
            return overlap(operands, cases);
        },
        models::execute_depthwise, reference_depthwise);
    run_differential(
        60,
        [&](LayerCases& cases) {
            isa::Convolution operands = cases.convolution();
            while (crowded(cases)) operands = cases.convolution();
            return overlap(operands, cases);
        },
        models::execute_convolution, reference_convolution);
    run_differential(
        60,
        [&](LayerCases& cases) {
            isa::MatrixMultiply operands = cases.matmul();
            while (crowded(cases)) operands = cases.matmul();
            operands.output_addr = operands.right_addr;
            return operands;
        },
        models::execute_matmul, reference_matmul);
}

TEST_CASE("an output that begins before or within its input gives the results of separate ones") {
    models::LocalMemory memory(small_machine(4, 16384));
    LayerCases random(5, 4, 16384);
    random.fill(memory, false);
    models::LanePool pool(1);
    // Activations of 4 x 16 x 16 floats, 1 KiB per lane, at these distances: adjacent at both ends.
    for (const std::int32_t distance : {-1024, -1020, -512, -4, 4, 512, 1020, 1024}) {
        isa::Pool operands;
        operands.input_shape = {1, 4, 16, 16};
        operands.kernel_h = operands.kernel_w = 1;
        operands.stride = {1, 1};
        operands.input_addr = {4096};
        operands.output_addr = {static_cast<std::uint32_t>(4096 + distance)};
        CAPTURE(distance);
        CHECK(compare_on_copies(
                  memory,
                  [&](models::LocalMemory& local) {
                      models::execute_max_pool(operands, local, pool);
                  },
                  [&](models::LocalMemory& local) { reference_max_pool(operands, local); }) == "");
    }
}

}  // namespace okksim::tests
