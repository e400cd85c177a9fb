// SPDX-License-Identifier: Apache-2.0
// CUSTOM operators run kernels of a library that is loaded at run time.
#include <bit>
#include <cstdlib>
#include <cstring>

#include "firmware/launch/kernel_registry.h"
#include "firmware/okk.h"
#include "firmware/okk_custom.h"
#include "isa/base/errors.h"
#include "sim/device/kernel_library.h"
#include "sim/execution/executor.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "tests/sim/execution/fp32_tensors.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using Catch::Contains;
using graph::GraphBuilder;
using Values = std::vector<float>;

/// Runs a validated graph of one fp32 input and one fp32 output.
Values run(const graph::Graph& graph, const Values& input) {
    graph::validate_graph(graph);
    Simulation simulation(load_machine("bm1684", {"chip.lanes=8", "chip.local_memory_bytes=4096"}),
                          {});
    const auto plan =
        planning::plan_for_machine(graph, simulation.machine(), planning::PlanOptions{});
    execution::GraphExecutor executor(graph, plan, simulation);
    const graph::Block& main = graph.main();
    executor.set_input(0, tests::fp32_tensor(main.tensors[main.inputs[0]].shape, input));
    const auto report = executor.run();
    if (report.fault) throw ProgramFault(*report.fault);
    return tests::fp32_values(executor.output(0));
}

/// A graph that applies a custom operator between two additions of 1.
graph::Graph custom_graph(const std::string& domain, const std::string& name, std::int64_t size,
                          std::vector<std::uint8_t> attributes) {
    GraphBuilder b;
    const auto one = b.constant({1}, {1.0F});
    const auto x = b.input(DType::kFp32, {size});
    const auto y = b.add(OpCode::kAdd, NoAttributes{}, {x, one}, DType::kFp32, {size});
    const auto z = b.add(OpCode::kCustom, CustomAttributes{name, domain, std::move(attributes)},
                         {y}, DType::kFp32, {size});
    b.output(b.add(OpCode::kAdd, NoAttributes{}, {z, one}, DType::kFp32, {size}));
    return b.finish();
}

std::vector<std::uint8_t> float_bytes(float value) {
    std::vector<std::uint8_t> bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
}

void load_example() {
    const char* path = std::getenv("OKKSIM_CUSTOM_LIBRARY");
    REQUIRE(path != nullptr);
    const KernelLibrary library(path);
    CHECK(library.kernel("leaky_relu") != nullptr);
}

void transposing_kernel(const void* args) {
    // Copies row-major [1,H,W,C] to [H,W,C]: shows that the input's storage is as documented.
    const okk_custom_tensor_t* input = okk_custom_input(args, 0);
    const okk_custom_tensor_t* output = okk_custom_output(args, 0);
    OKKERNEL_ASSERT(input->rank == 4 && output->rank == 3);
    OKKERNEL_ASSERT(input->dims[3] == output->dims[2] && input->dims[5] == 1);
    okk_initialize();
    okk_parallel_start();  // left open: the runner ends it
    const dim4 shape{1, 1, 1, static_cast<int>(okk_custom_count(input))};
    okk_gdma_32bit_cpy_S2S(output->addr, input->addr, &shape, nullptr, nullptr);
}

void crashing_kernel(const void*) {
    okk_initialize();
    OKKERNEL_ASSERT(false && "as intended");
}

}  // namespace

TEST_CASE("a custom operator runs a kernel of a library") {
    load_example();
    // 8 lanes of 4096 bytes hold four buffers of 256 words. 4100 elements are two whole tiles of
    // 2048 and a remainder that is no multiple of the lanes.
    Values input, wanted;
    for (int i = 0; i < 4100; ++i) {
        input.push_back(static_cast<float>(i % 7 - 4));
        const float y = input.back() + 1;
        wanted.push_back((y > 0 ? y : 0.25F * y) + 1);
    }
    CHECK(run(custom_graph("okk", "leaky_relu", 4100, float_bytes(0.25F)), input) == wanted);
    CHECK(run(custom_graph("okk", "leaky_relu", 3, float_bytes(0.5F)), {-5, 0, 1}) ==
          Values{-1, 2, 3});
}

TEST_CASE("what is wrong with a custom operator is reported") {
    load_example();
    const Values input{1, 2, 3};
    CHECK_THROWS_WITH(run(custom_graph("com.example", "leaky_relu", 3, {}), input),
                      Contains("com.example") && Contains("domain"));
    CHECK_THROWS_WITH(run(custom_graph("okk", "leaky_rellu", 3, {}), input),
                      Contains("leaky_rellu") && Contains("did you mean \"leaky_relu\""));
    // The kernel itself reports the missing slope.
    CHECK_THROWS_WITH(run(custom_graph("okk", "leaky_relu", 3, {}), input),
                      Contains("okk_custom_attribute_bytes"));
    firmware::KernelRegistry::instance().add("crashing", &crashing_kernel);
    CHECK_THROWS_WITH(run(custom_graph("okk", "crashing", 3, {}), input), Contains("as intended"));
    CHECK_THROWS_AS(KernelLibrary("no_such_library.so"), ConfigError);
}

TEST_CASE("custom kernels see tensors in row-major order") {
    firmware::KernelRegistry::instance().add("flatten", &transposing_kernel);
    GraphBuilder b;
    const auto image = b.input(DType::kFp32, {1, 1, 2, 2});
    // RESIZE leaves its result channel first.
    const auto resized =
        b.add(OpCode::kResize, ResizeAttributes{ResizeMode::kNearestNeighbor},
              {image, b.shape_value({1, 1, 2, 1}), b.shape_value({0, 0}), b.shape_value({0, 1})},
              DType::kFp32, {1, 1, 4, 2});
    b.output(b.add(OpCode::kCustom, CustomAttributes{"flatten", "okk", {}}, {resized}, DType::kFp32,
                   {1, 4, 2}));
    // Scale 2/1: positions 0, 1/2, 1, 3/2, halves rounded up.
    CHECK(run(b.finish(), {1, 10, 3, 30}) == Values{1, 10, 3, 30, 3, 30, 3, 30});
}
