// SPDX-License-Identifier: Apache-2.0
// Differential tests of the neural-network commands: every SIMD target of the host, one and two
// threads, against the element-by-element reference.
#include <hwy/targets.h>

#include <string>

#include "models/bdc/convolution.h"
#include "models/bdc/matmul.h"
#include "tests/models/bdc/layer_cases.h"
#include "tests/models/bdc/layer_reference.h"
#include "tests/support/catch.h"

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

// `cases` random commands on each machine; every third with NaN, infinities and denormals.
template <typename Make, typename Execute, typename Reference>
void run_differential(int cases, const Make& make, const Execute& execute,
                      const Reference& reference) {
    models::LanePool one_thread(1);
    models::LanePool two_threads(2);
    for (const Machine& machine : kMachines) {
        models::LocalMemory memory(machine.lanes, machine.bytes_per_lane);
        for (int i = 0; i < cases; ++i) {
            LayerCases random(static_cast<std::uint32_t>(i) + 1000, machine.lanes,
                              machine.bytes_per_lane);
            const auto operands = make(random);
            random.fill(memory, i % 3 == 0);
            on_every_target([&](const std::string& target) {
                models::LanePool& pool = i % 2 == 0 ? one_thread : two_threads;
                const std::string difference = compare_on_copies(
                    memory,
                    [&](models::LocalMemory& local) { execute(operands, local, pool); },
                    [&](models::LocalMemory& local) { reference(operands, local); });
                INFO("lanes " << machine.lanes << " case " << i << " target " << target);
                REQUIRE(difference == "");
            });
        }
    }
}

// As run_differential, but all operands at one place, so that sources and output overlap.
template <typename Operands>
Operands overlapping(Operands operands) {
    operands.output_addr = operands.input_addr;
    operands.output_addr.value = operands.output_addr.value / 128 * 128;
    return operands;
}

}  // namespace

TEST_CASE("convolution equals the definition") {
    run_differential(150, [](LayerCases& cases) { return cases.convolution(); },
                     models::execute_convolution, reference_convolution);
}

TEST_CASE("matmul equals the definition") {
    run_differential(150, [](LayerCases& cases) { return cases.matmul(); },
                     models::execute_matmul, reference_matmul);
}

}  // namespace okksim::tests
