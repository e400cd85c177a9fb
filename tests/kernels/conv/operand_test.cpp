// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/operand.h"

#include <bit>
#include <cmath>
#include <vector>

#include "firmware/okk.h"
#include "tests/support/catch.h"
#include "tests/support/kernel_fixture.h"

namespace okksim::kernels::conv {
namespace {

/// Value of fp16 bits by the definition of binary16, denormals as zero.
float fp16_value(std::uint32_t bits) {
    const float sign = bits >> 15 != 0 ? -1.0f : 1.0f;
    const int exponent = static_cast<int>(bits >> 10 & 31);
    const auto fraction = static_cast<float>(bits & 1023) / 1024.0f;
    if (exponent == 0) return sign * 0.0f;
    if (exponent == 31) return fraction != 0 ? NAN : sign * INFINITY;
    return sign * std::ldexp(1.0f + fraction, exponent - 15);
}

TEST_CASE("every fp16 value but denormals widens exactly") {
    tests::KernelMachine machine(8, 256 * 1024);
    const dim4 shape{1, 8, 1, 8192};  // all 65536 patterns in ascending order
    const prim::LocalTensor packed{0, {1, 8, 1, 4096}, std::nullopt};
    std::vector<std::uint32_t> words;
    for (std::uint32_t bits = 0; bits < 65536; bits += 2) words.push_back(bits | (bits + 1) << 16);
    machine.store(packed, words);
    const prim::LocalTensor result{32 * 1024, shape, std::nullopt};
    machine.run([&] {
        okk_initialize();
        prim::Scratch scratch(64 * 1024, 128 * 1024, {8, 32});
        widen({&result, 1}, {packed.address, tosa::DType::kFp16, false}, 0, scratch);
    });
    const std::vector<std::uint32_t> got = machine.load(result);
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 65536; ++bits) {
        const float expected = fp16_value(bits);
        const auto value = std::bit_cast<float>(got[bits]);
        const bool same = std::isnan(expected) ? std::isnan(value) : value == expected;
        if (!same) ++wrong;
    }
    CHECK(wrong == 0);
}

}  // namespace
}  // namespace okksim::kernels::conv
