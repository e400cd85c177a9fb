// SPDX-License-Identifier: Apache-2.0
// Random element-wise, fixed-point and GDMA commands against a slow reference. They cover every
// SIMD target, one and two threads, machines of 4, 16 and 64 lanes, all start lanes and overlapping
// tensors.
#include <hwy/targets.h>

#include <cstring>
#include <string>

#include "isa/tensors.h"
#include "models/bdc/bdc_semantics.h"
#include "models/gdma/gdma_semantics.h"
#include "tests/models/bdc/element_cases.h"
#include "tests/reference/okk/okk_reference.h"
#include "tests/support/catch.h"
#include "tests/support/okk_call_commands.h"
#include "tests/support/random_values.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {
namespace {

bool is_packed(const isa::InstructionInfo& row) {
    return row.data == isa::DataType::kFixed || row.data == isa::DataType::kFixed16;
}

/// Packed commands read all batch elements of a word before they write any. The element-by-element
/// reference cannot reproduce that when tensors overlap.
bool packed_overlap(const isa::Command& command, const isa::MachineShape& machine) {
    if (!is_packed(command.info())) return false;
    const isa::TensorViews views = isa::tensor_views(command, machine);
    const isa::ByteInterval to = isa::touched_bytes(views[0], machine);
    for (int i = 1; i < views.size(); ++i) {
        const isa::ByteInterval from = isa::touched_bytes(views[i], machine);
        if (to.low < from.high && from.low < to.high) return true;
    }
    const isa::Dim4& stride = views[0].stride;
    return stride.n == 0 || stride.c == 0 || stride.h == 0 || stride.w == 0;
}

/// The model's memories and the reference's image with the same contents.
class Bench {
 public:
    Bench(std::int32_t lanes, std::int64_t local_bytes)
        : machine(small_machine(lanes, local_bytes)),
          local_(machine),
          system_(machine),
          image_(lanes, local_bytes, 0),
          start_(lanes, local_bytes, 0) {
        start_.system.push_back({machine.l2_start, std::vector<std::uint8_t>(machine.l2_bytes)});
    }

    void fill(RandomSource& random) {
        fill_random(random, start_.local);
        fill_random(random, start_.system[0].bytes);
    }

    void run_reference(const isa::Command& command) {
        image_ = start_;
        reference::execute(image_, std::string("okk_") + command.info().name,
                           call_of_command(command));
    }

    void run_model(const isa::Command& command, models::LanePool& pool) {
        for (std::int32_t lane = 0; lane < machine.lanes; ++lane) {
            std::memcpy(local_.at(lane, 0), start_.lane_at(lane, 0, machine.local_bytes),
                        static_cast<std::size_t>(machine.local_bytes));
        }
        std::memcpy(l2(), start_.system[0].bytes.data(), start_.system[0].bytes.size());
        if (command.info().engine == isa::Engine::kGdma) {
            models::execute_gdma(command, local_, system_);
        } else {
            models::execute_bdc(command, local_, pool);
        }
    }

    /// Returns the first difference between model and reference; empty if there is none.
    std::string difference() {
        for (std::int32_t lane = 0; lane < machine.lanes; ++lane) {
            const auto* actual = reinterpret_cast<const std::uint8_t*>(local_.at(lane, 0));
            const std::uint8_t* expected = image_.lane_at(lane, 0, machine.local_bytes);
            for (std::int64_t i = 0; i < machine.local_bytes; ++i) {
                if (actual[i] == expected[i]) continue;
                return "lane " + std::to_string(lane) + " byte " + std::to_string(i) + ": " +
                       std::to_string(actual[i]) + " instead of " + std::to_string(expected[i]);
            }
        }
        const bool same =
            std::memcmp(l2(), image_.system[0].bytes.data(), image_.system[0].bytes.size()) == 0;
        return same ? "" : "system memory";
    }

    isa::MachineShape machine;

 private:
    std::byte* l2() { return system_.pointer(machine.l2_start, machine.l2_bytes); }

    models::LocalMemory local_;
    models::SystemMemory system_;
    reference::Image image_;
    reference::Image start_;
};

/// Returns the command that a call of the function with strides issues (firmware/calls/issue.cpp).
isa::Command command_of_call(isa::Command command) {
    if (command.opcode == isa::Opcode::bdc_scale) command.opcode = isa::Opcode::bdc_scale_strided;
    return command;
}

std::string operands_text(const isa::Command& command) {
    std::string text = command.info().name;
    for (const std::uint32_t word : command.words) {
        text += " " + std::to_string(static_cast<std::int32_t>(word));
    }
    return text;
}

void run_random(const isa::InstructionInfo& row, Bench& bench, int cases, std::uint64_t seed) {
    models::LanePool one_thread(1);
    models::LanePool two_threads(2);
    RandomSource random(seed);
    ElementCases maker(random, bench.machine);
    for (int done = 0; done < cases;) {
        const auto command = maker.make(row);
        if (!command || packed_overlap(*command, bench.machine)) continue;
        if (done % 4 == 0) bench.fill(random);
        ++done;
        bench.run_reference(*command);
        for (const std::uint32_t target : hwy::SupportedAndGeneratedTargets()) {
            hwy::SetSupportedTargetsForTest(target);
            bench.run_model(command_of_call(*command), done % 2 == 0 ? one_thread : two_threads);
            const std::string difference = bench.difference();
            INFO(hwy::TargetName(target)
                 << ", " << bench.machine.lanes << " lanes: " << operands_text(*command));
            REQUIRE(difference == "");
            if (row.engine == isa::Engine::kGdma) break;
        }
        hwy::SetSupportedTargetsForTest(0);
    }
}

}  // namespace

TEST_CASE("element-wise and copy commands equal the reference") {
    Bench machines[] = {{4, 8192}, {16, 4096}, {64, 4096}};
    for (Bench& bench : machines) {
        for (const isa::InstructionInfo& row : isa::instructions()) {
            if (!row.is_command() || !row.is_documented() || is_layer(row)) continue;
            run_random(row, bench, 25, 1000 + static_cast<std::uint64_t>(row.opcode));
        }
    }
}

}  // namespace okksim::tests
