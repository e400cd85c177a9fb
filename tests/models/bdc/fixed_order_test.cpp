// SPDX-License-Identifier: Apache-2.0
// Packed commands that read what they have written themselves: element by element, in order.
#include "models/bdc/bdc_semantics.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::models {

TEST_CASE("a packed sum over its own results counts up word by word") {
    constexpr std::uint32_t kOnes = 0x01010101;
    constexpr std::int32_t kWords = 37;  // more than a vector of any machine, and none whole
    LocalMemory memory(tests::small_machine(1, 65536));
    LanePool pool;
    std::fill_n(memory.words(0, 0), kWords + 1, 0u);
    std::fill_n(memory.words(0, 4096), kWords, kOnes);
    isa::FixedBinary sum;
    sum.src0_addr = {0};
    sum.src1_addr = {4096};
    sum.dst_addr = {4};  // word i + 1 = word i + 1
    sum.shape = {4, 1, 1, kWords};
    sum.dst_stride = sum.src0_stride = sum.src1_stride = {64, 64, 64, 1};
    sum.op_type = isa::OpType::kU8U8ToU8;
    execute_bdc(isa::Command::make(isa::Opcode::bdc_fixed_point_packed_add, sum), memory, pool);
    for (std::uint32_t i = 0; i <= kWords; ++i) {
        CAPTURE(i);
        CHECK(*memory.words(0, 4 * i) == i * kOnes);
    }
}

TEST_CASE("packed results in one word: the last one stays") {
    LocalMemory memory(tests::small_machine(1, 65536));
    LanePool pool;
    for (std::uint32_t i = 0; i < 5; ++i) {
        *memory.words(0, 4096 + 4 * i) = i;
        *memory.words(0, 8192 + 4 * i) = 10 * i;
    }
    isa::FixedBinary sum;
    sum.dst_addr = {0};
    sum.src0_addr = {4096};
    sum.src1_addr = {8192};
    sum.shape = {4, 1, 5, 1};
    sum.dst_stride = {1, 1, 0, 1};
    sum.src0_stride = sum.src1_stride = {5, 5, 1, 1};
    sum.op_type = isa::OpType::kU8U8ToU8;
    execute_bdc(isa::Command::make(isa::Opcode::bdc_fixed_point_packed_add, sum), memory, pool);
    CHECK(*memory.words(0, 0) == 44);
}

}  // namespace okksim::models
