// SPDX-License-Identifier: Apache-2.0
// Pools whose windows or rows do not fit a lane, and both storage orders, against plain loops.
#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/features.h"
#include "kernels/pool/pool_planner.h"
#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"
#include "tests/support/stored_tensor.h"

namespace {

using namespace okksim;
using namespace okksim::tests;
using kernels::DeviceTensor;
using tosa::DType;
using tosa::OpCode;
using Values = std::vector<std::int64_t>;

struct Pool {
    std::array<std::int32_t, 2> kernel, stride;
    std::array<std::int32_t, 4> pad;
    std::array<std::int32_t, 4> input;  ///< N, H, W, C

    std::array<std::int32_t, 4> output() const {
        return {input[0], (input[1] + pad[0] + pad[1] - kernel[0]) / stride[0] + 1,
                (input[2] + pad[2] + pad[3] - kernel[1]) / stride[1] + 1, input[3]};
    }
};

/// Calls body(flat output, elements of its window).
template <typename Body>
void for_each_window(const Pool& pool, const Values& data, const Body& body) {
    const auto out = pool.output();
    std::size_t at = 0;
    for (int n = 0; n < out[0]; ++n) {
        for (int oy = 0; oy < out[1]; ++oy) {
            for (int ox = 0; ox < out[2]; ++ox) {
                for (int c = 0; c < out[3]; ++c, ++at) {
                    Values window;
                    for (int ky = 0; ky < pool.kernel[0]; ++ky) {
                        const int y = oy * pool.stride[0] - pool.pad[0] + ky;
                        for (int kx = 0; kx < pool.kernel[1]; ++kx) {
                            const int x = ox * pool.stride[1] - pool.pad[2] + kx;
                            if (y < 0 || y >= pool.input[1] || x < 0 || x >= pool.input[2])
                                continue;
                            window.push_back(data[static_cast<std::size_t>(
                                ((n * pool.input[1] + y) * pool.input[2] + x) * pool.input[3] +
                                c)]);
                        }
                    }
                    body(at, window);
                }
            }
        }
    }
}

const std::vector<Pool> kPools{
    // Windows of more elements than a lane of 16 KiB holds.
    {{200, 100}, {1, 1}, {0, 0, 0, 3}, {1, 200, 100, 3}},
    {{90, 70}, {3, 5}, {10, 80, 69, 1}, {1, 30, 60, 2}},
    // Rows longer than a lane.
    {{1, 8192}, {1, 1}, {0, 0, 2, 8191}, {1, 1, 150, 3}},
    {{2, 3}, {1, 2}, {1, 0, 1, 1}, {1, 3, 6001, 1}},
    {{4096, 1}, {4096, 1}, {0, 0, 0, 0}, {1, 8192, 1, 2}},
    // Strides beyond the window.
    {{2, 2}, {50, 70}, {0, 0, 0, 0}, {2, 102, 142, 5}},
    // More channels than one command accepts.
    {{2, 2}, {2, 2}, {0, 0, 0, 0}, {1, 2, 2, 5000}},
};

template <typename Check>
void run(OpCode op, DType type, const tosa::Attributes& attributes, const Pool& pool,
         const Values& data, std::array<std::int32_t, 2> zero_points, bool channel_first,
         OperatorRun& operators, const Check& check) {
    const auto order = channel_first ? std::vector<int>{0, 3, 1, 2} : std::vector<int>{0, 1, 2, 3};
    const auto out = pool.output();
    const auto input = operators.tensor(type, {pool.input.begin(), pool.input.end()}, order);
    const auto output = operators.tensor(type, {out.begin(), out.end()}, order);
    operators.write(input, data);
    std::vector<DeviceTensor> inputs{input};
    if (op == OpCode::kAvgPool2d) {
        for (const std::int32_t zero : zero_points) {
            inputs.push_back(operators.tensor(type, {1}));
            operators.write(inputs.back(), {zero});
        }
    }
    operators.run(op, attributes, inputs, {output});
    const Values got = operators.read(output);
    std::size_t wrong = 0;
    for_each_window(pool, data, [&](std::size_t at, const Values& window) {
        if (!check(window, got[at])) ++wrong;
    });
    CAPTURE(pool.kernel, pool.stride, pool.pad, pool.input, channel_first);
    CHECK(wrong == 0);
}

Values random_elements(const Pool& pool, std::int64_t low, std::int64_t high,
                       RandomSource& random) {
    Values data;
    const std::int64_t count =
        std::int64_t{pool.input[0]} * pool.input[1] * pool.input[2] * pool.input[3];
    for (std::int64_t i = 0; i < count; ++i) data.push_back(random.between(low, high));
    return data;
}

/// Sections 2.3.2 and 4.5.5.
std::int64_t mean(std::int64_t sum, std::int64_t count) {
    int k = 0;
    while ((std::int64_t{1} << k) < count) ++k;
    const std::int64_t multiplier = (((std::int64_t{1} << 30) + 1) << k) / count;
    const int shift = 30 + k;
    return (sum * multiplier + (std::int64_t{1} << (shift - 1))) >> shift;
}

}  // namespace

TEST_CASE("AVG_POOL2D of int8 and int16 is exact for windows of any size") {
    for (const bool is_short : {false, true}) {
        const DType type = is_short ? DType::kI16 : DType::kI8;
        const std::int64_t high = is_short ? 32767 : 127;
        const std::array<std::int32_t, 2> zeros =
            is_short ? std::array<std::int32_t, 2>{0, 0} : std::array<std::int32_t, 2>{-128, 5};
        RandomSource random(11);
        for (const Pool& pool : kPools) {
            KernelMachine machine(4, 16 * 1024);
            OperatorRun operators(machine);
            const tosa::AvgPool2dAttributes attributes{pool.kernel, pool.stride, pool.pad,
                                                       DType::kI32};
            // Large values of one sign: sums beyond 2^24.
            const Values data = random_elements(pool, high / 2, high, random);
            run(OpCode::kAvgPool2d, type, attributes, pool, data, zeros, random.one_in(2),
                operators, [&](const Values& window, std::int64_t got) {
                    std::int64_t sum = 0;
                    for (const std::int64_t value : window) sum += value - zeros[0];
                    const auto count = static_cast<std::int64_t>(window.size());
                    const std::int64_t wanted =
                        std::clamp(mean(sum, count) + zeros[1], -high - 1, high);
                    const auto bits = is_short ? wanted & 0xFFFF : wanted & 0xFF;
                    return got == bits;
                });
        }
    }
}

TEST_CASE("MAX_POOL2D covers windows of any size") {
    // Includes commands for stored integers, which take at most 15 padding elements per edge.
    const std::uint32_t int8_mac = isa::feature_bit(isa::Feature::kInt8Mac);
    const auto [type, groups] =
        GENERATE_COPY(table<DType, std::uint32_t>({{DType::kFp32, 0},
                                                   {DType::kI16, 0},
                                                   {DType::kI8, 0},
                                                   {DType::kI16, int8_mac},
                                                   {DType::kI8, int8_mac}}));
    const auto value_of = [type = type](std::int64_t bits) {
        if (type == DType::kI8) return static_cast<float>(static_cast<std::int8_t>(bits));
        if (type == DType::kI16) return static_cast<float>(static_cast<std::int16_t>(bits));
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    };
    RandomSource random(12);
    std::vector<Pool> pools = kPools;
    pools.push_back({{3, 2}, {2, 3}, {2, 1, 1, 2}, {2, 20, 37, 9}});
    pools.push_back({{16, 17}, {15, 1}, {15, 0, 14, 15}, {1, 61, 40, 5}});
    pools.push_back({{17, 3}, {1, 16}, {16, 0, 0, 0}, {1, 9, 51, 6}});  // beyond a command's limits
    for (const Pool& pool : pools) {
        KernelMachine machine(4, 16 * 1024, 1024 * 1024, groups);
        OperatorRun operators(machine);
        const tosa::MaxPool2dAttributes attributes{pool.kernel, pool.stride, pool.pad,
                                                   tosa::NanPropagationMode::kPropagate};
        Values data = random_elements(pool, -32768, 32767, random);
        for (std::int64_t& value : data) {
            value = type == DType::kFp32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                         : value & (type == DType::kI8 ? 0xFF : 0xFFFF);
        }
        run(OpCode::kMaxPool2d, type, attributes, pool, data, {}, random.one_in(2), operators,
            [&](const Values& window, std::int64_t got) {
                float wanted = -40000.0f;
                for (const std::int64_t bits : window) wanted = std::max(wanted, value_of(bits));
                return value_of(got) == wanted;
            });
    }
}

TEST_CASE("maxima of integers are one command a tile up to its zeros and steps") {
    isa::MachineShape machine = small_machine(4, 16 * 1024);
    const auto is_packed = [&](std::int32_t stride, std::int32_t pad) {
        const std::int32_t height = 20, kernel = 17;
        kernels::PoolOperator op{
            kernels::Combiner(kernels::Combination::kPlainMaximum,
                              kernels::prim::NanMode::kPropagate),
            {{kernel, 1},
             {stride, 1},
             {pad, 0},
             {height, 5},
             {(height + pad - kernel) / stride + 1, 5}},
            stored_tensor(DType::kI8, {1, height, 5, 3}, {0, 1, 2, 3}, machine.global_start),
            kernels::WordForm::kFloat,
            {},
            kernels::WordForm::kFloat,
            {},
            true};
        op.output = stored_tensor(DType::kI8, {1, op.shape.output[0], 5, 3}, {0, 1, 2, 3},
                                  machine.global_start + 4096);
        return kernels::pool_candidates(op, machine).front().packed;
    };
    CHECK_FALSE(is_packed(1, 0));
    machine.features |= isa::feature_bit(isa::Feature::kInt8Mac);
    CHECK(is_packed(15, 15));
    CHECK_FALSE(is_packed(16, 15));
    CHECK_FALSE(is_packed(15, 16));
}
