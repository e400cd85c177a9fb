// SPDX-License-Identifier: Apache-2.0
// Random commands of the groups beyond the API reference against the slow reference: every SIMD
// target, one and two threads, machines of 3, 4 and 16 lanes, all start lanes.
#include <hwy/targets.h>

#include <cstring>
#include <string>

#include "isa/disassembler.h"
#include "isa/features.h"
#include "models/bdc/bdc_semantics.h"
#include "tests/models/bdc/typed/reference_numbers.h"
#include "tests/models/bdc/typed/typed_cases.h"
#include "tests/models/bdc/typed/typed_reference.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

constexpr std::int64_t kLaneBytes = 4096;

isa::MachineShape machine_of(std::int32_t lanes) {
    isa::MachineShape machine = small_machine(lanes, kLaneBytes);
    machine.features = isa::kAllFeatures;
    return machine;
}

/// Where the model's memory differs from the reference's first; empty when nowhere.
std::string difference(const models::LocalMemory& memory, LaneImage& image) {
    for (std::size_t lane = 0; lane < image.lanes().size(); ++lane) {
        const auto& expected = image.lanes()[lane];
        const auto* actual =
            reinterpret_cast<const std::uint8_t*>(memory.at(static_cast<std::int32_t>(lane), 0));
        for (std::size_t i = 0; i < expected.size(); ++i) {
            if (actual[i] == expected[i]) continue;
            return "lane " + std::to_string(lane) + " byte " + std::to_string(i) + ": " +
                   std::to_string(actual[i]) + " instead of " + std::to_string(expected[i]);
        }
    }
    return {};
}

/// Both on the same memory.
void compare(const isa::Command& command, const isa::MachineShape& machine, const LaneImage& start,
             models::LanePool& pool) {
    LaneImage image = start;
    execute_typed_reference(command, machine, image);
    models::LocalMemory memory(machine);
    start.copy_to(memory);
    models::execute_bdc(command, memory, pool);
    INFO(machine.lanes << " lanes: " << isa::disassemble_operation(command, machine));
    REQUIRE(difference(memory, image) == "");
}

void run_random(const isa::InstructionInfo& row, const isa::MachineShape& machine, int cases) {
    models::LanePool one_thread(1);
    models::LanePool two_threads(2);
    RandomSource random(static_cast<std::uint64_t>(row.opcode) +
                        1000 * static_cast<std::uint64_t>(machine.lanes));
    TypedCases maker(random, machine);
    LaneImage start(machine.lanes, machine.local_bytes);
    for (int i = 0; i < cases; ++i) {
        if (i % 4 == 0) maker.fill(start);
        const isa::Command command = maker.make(row);
        for (const std::uint32_t target : hwy::SupportedAndGeneratedTargets()) {
            hwy::SetSupportedTargetsForTest(target);
            INFO(hwy::TargetName(target));
            compare(command, machine, start, i % 2 == 0 ? one_thread : two_threads);
            if (row.timing != isa::TimingClass::kIntConvolution) break;
        }
        hwy::SetSupportedTargetsForTest(0);
    }
}

}  // namespace

TEST_CASE("commands of groups beyond the API reference equal the reference") {
    int rows = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (row.feature == isa::Feature::kBase || row.engine != isa::Engine::kBdc) continue;
        for (const std::int32_t lanes : {3, 4, 16}) run_random(row, machine_of(lanes), 250);
        ++rows;
    }
    CHECK(rows == 28);
}

}  // namespace okksim::tests
