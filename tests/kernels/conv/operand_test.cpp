// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/operand.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <vector>

#include "firmware/okk.h"
#include "kernels/conv/prepared_layout.h"
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

/// Firmware's words of `count` consecutive bit patterns of a type, and those of the host.
struct Widened {
    std::vector<std::uint32_t> firmware, host;
};
Widened widened(tosa::DType type, std::int32_t count, std::int64_t zero_point) {
    constexpr std::int32_t kLanes = 8;
    const int bytes = stored_bytes(type);
    std::vector<unsigned char> patterns;
    for (std::int32_t bits = 0; bits < count; ++bits) {
        for (int i = 0; i < bytes; ++i)
            patterns.push_back(static_cast<unsigned char>(bits >> 8 * i));
    }
    std::vector<std::uint32_t> words(patterns.size() / 4);
    std::memcpy(words.data(), patterns.data(), patterns.size());
    tests::KernelMachine machine(kLanes, 256 * 1024);
    const auto packed_words = static_cast<int>(words.size()) / kLanes;
    const prim::LocalTensor packed{0, {1, kLanes, 1, packed_words}, std::nullopt};
    machine.store(packed, words);
    const prim::LocalTensor result{32 * 1024, {1, kLanes, 1, count / kLanes}, std::nullopt};
    machine.run([&] {
        okk_initialize();
        prim::Scratch scratch(64 * 1024, 128 * 1024, {kLanes, 32});
        widen({&result, 1}, {packed.address, type, false}, zero_point, scratch);
    });
    Widened both{machine.load(result), {}};
    DeviceTensor values;
    values.type = type;
    values.rank = 1;
    values.dims[0] = count;
    prepare_values(values, zero_point, 0,
                   {[&](std::uint64_t address, std::uint64_t) { return &patterns[address]; },
                    [&](std::uint64_t, std::span<const std::byte> written) {
                        both.host.resize(written.size() / 4);
                        std::memcpy(both.host.data(), written.data(), written.size());
                    }});
    return both;
}

TEST_CASE("the host prepares the words that firmware computes, for every bit pattern") {
    using tosa::DType;
    for (const DType type : {DType::kI8, DType::kFp8E4M3, DType::kFp8E5M2}) {
        CAPTURE(tosa::dtype_name(type));
        const Widened words = widened(type, 256, 0);
        CHECK(words.host == words.firmware);
    }
    for (const DType type : {DType::kFp16, DType::kBf16}) {
        CAPTURE(tosa::dtype_name(type));
        const Widened words = widened(type, 65536, 0);
        CHECK(words.host == words.firmware);
    }
    for (const std::int64_t zero_point : {-128, 1, 127}) {
        const Widened words = widened(DType::kI8, 256, zero_point);
        CHECK(words.host == words.firmware);
    }
}

}  // namespace
}  // namespace okksim::kernels::conv
