// SPDX-License-Identifier: Apache-2.0
// Packed commands that read their own results: element by element, in order.
#include "models/bdc/bdc_semantics.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::models {

TEST_CASE("a packed sum over its own results counts up word by word") {
    constexpr std::uint32_t kOnes = 0x01010101;
    constexpr std::int32_t kWords = 37;  // more than any machine's vector, and no multiple of one
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

TEST_CASE("a packed sum of other width over its own operand goes word by word") {
    constexpr std::int32_t kWords = 37;
    constexpr int kPlane = 64;  // from elements 0 and 1 to elements 2 and 3 of 16 bits
    constexpr int kOperand = 100;
    // The results' first words are 30 words after the operand's, their second ones 24 after. The
    // last elements read the first results.
    const int result = GENERATE(kOperand + 30, kOperand + 24 - kPlane);
    LocalMemory memory(tests::small_machine(1, 65536));
    LanePool pool;
    std::vector<std::uint32_t> expected(300);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = 0x01030507u * static_cast<std::uint32_t>(i);
        *memory.words(0, 4 * static_cast<std::int64_t>(i)) = expected[i];
    }
    constexpr std::uint32_t kOther = 0x0B0D1113;
    std::fill_n(memory.words(0, 4096), kWords, kOther);
    isa::FixedBinary sum;
    sum.src0_addr = {4 * kOperand};
    sum.src1_addr = {4096};
    sum.dst_addr = {static_cast<std::uint32_t>(4 * result)};
    sum.shape = {4, 1, 1, kWords};
    sum.dst_stride = {kPlane, 1, 1, 1};
    sum.src0_stride = sum.src1_stride = {1, 1, 1, 1};
    sum.op_type = isa::OpType::kU8U8ToU16;
    execute_bdc(isa::Command::make(isa::Opcode::bdc_fixed_point_packed_add, sum), memory, pool);
    for (int i = 0; i < kWords; ++i) {
        const std::uint32_t word = expected[static_cast<std::size_t>(kOperand + i)];
        for (int plane = 0; plane < 2; ++plane) {
            const int shift = 16 * plane;
            const std::uint32_t low = (word >> shift & 0xFF) + (kOther >> shift & 0xFF);
            const std::uint32_t high =
                (word >> (shift + 8) & 0xFF) + (kOther >> (shift + 8) & 0xFF);
            expected[static_cast<std::size_t>(result + plane * kPlane + i)] = low | high << 16;
        }
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
        CAPTURE(result, i);
        CHECK(*memory.words(0, 4 * static_cast<std::int64_t>(i)) == expected[i]);
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
