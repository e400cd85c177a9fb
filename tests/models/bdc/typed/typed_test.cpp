// SPDX-License-Identifier: Apache-2.0
// Random commands of the groups beyond the API reference against the slow reference. They cover
// every SIMD target, one and two threads, machines of 3, 4 and 16 lanes and all start lanes.
#include <hwy/targets.h>

#include <cstring>
#include <string>

#include "isa/disassembler.h"
#include "isa/features.h"
#include "isa/rules.h"
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

/// Returns the first difference between the model's and the reference's memory; empty if there is
/// none.
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

/// Runs model and reference on the same memory and compares the results.
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
            const bool is_vectors = row.timing == isa::TimingClass::kIntConvolution ||
                                    row.timing == isa::TimingClass::kHalfConvolution ||
                                    row.timing == isa::TimingClass::kHalfDepthwise;
            if (!is_vectors) break;
        }
        hwy::SetSupportedTargetsForTest(0);
    }
}

}  // namespace

TEST_CASE("commands with element types equal the reference") {
    int rows = 0;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (row.data != isa::DataType::kTyped || row.engine != isa::Engine::kBdc) continue;
        for (const std::int32_t lanes : {3, 4, 16}) run_random(row, machine_of(lanes), 250);
        ++rows;
    }
    CHECK(rows == 37);  // 36 of the groups, and bdc.32bit_select
}

TEST_CASE("a convolution of 16 bits whose weights repeat themselves takes no room for them") {
    // 4092 input channels, 64 output channels and a kernel of 32 x 33 give 1.1 GB of weights. They
    // repeat one unit of 1, 2, 3, 4 in every lane.
    constexpr std::int32_t kLanes = 64, kChannels = 4092, kHeight = 32, kWidth = 33;
    isa::MachineShape machine = small_machine(kLanes, std::int64_t{256} * 1024);
    machine.features = isa::kAllFeatures;
    models::LocalMemory memory(machine);
    isa::HalfConvolution form{};
    form.input_addr = {0};
    form.input_shape = {1, kChannels, kHeight, kWidth};
    form.weight_addr = {192 * 1024};
    form.output_addr = {200 * 1024};
    form.output_c = 64;
    form.kernel_h = kHeight;
    form.kernel_w = kWidth;
    form.stride = form.dilation = {1, 1};
    form.input_type = isa::ElementType::kFp16;
    form.output_type = isa::ElementType::kFp32;
    constexpr std::uint16_t kOne = 0x3C00, kWeights[] = {0x3C00, 0x4000, 0x4200, 0x4400};
    for (std::int32_t lane = 0; lane < kLanes; ++lane) {
        for (std::int64_t at = 0; at < 192 * 1024; at += 2) {
            std::memcpy(memory.at(lane, at), &kOne, sizeof kOne);
        }
        std::memcpy(memory.at(lane, 192 * 1024), kWeights, sizeof kWeights);
    }
    const auto command = isa::Command::make(isa::Opcode::bdc_half_conv2d, form);
    const auto violation = isa::check(command, machine, true);
    if (violation) FAIL(violation->argument << " " << violation->value << " " << violation->rule);
    models::LanePool pool(1);
    models::execute_bdc(command, memory, pool);
    // 10 for every four channels and position, less than 2^24: exact in any order.
    constexpr float kSum = 10.0f * kChannels / 4 * kHeight * kWidth;
    for (std::int32_t lane = 0; lane < kLanes; ++lane) {
        CHECK(*memory.floats(lane, 200 * 1024) == kSum);
    }
}

}  // namespace okksim::tests
