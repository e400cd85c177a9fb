// SPDX-License-Identifier: Apache-2.0
// Reductions and ARGMAX over any axis of tensors in any storage order, against plain loops.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "tests/kernels/operators/operator_run.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::tests;
using kernels::DeviceTensor;
using tosa::DType;
using tosa::NanPropagationMode;
using tosa::OpCode;
using Values = std::vector<std::int64_t>;

std::vector<int> random_order(int rank, RandomSource& random) {
    std::vector<int> order(static_cast<std::size_t>(rank));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = order.size(); i > 1; --i) {
        std::swap(order[i - 1],
                  order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    }
    return order;
}

std::vector<std::int32_t> random_dims(RandomSource& random, std::int64_t most) {
    std::vector<std::int32_t> dims;
    for (std::int64_t rank = random.between(1, 6); rank > 0; --rank) {
        const std::int64_t limit = std::min<std::int64_t>(random.pick({3, 12, 70, 900}), most);
        dims.push_back(
            static_cast<std::int32_t>(random.between(1, std::max<std::int64_t>(1, limit))));
        most /= dims.back();
    }
    std::reverse(dims.begin(), dims.end());
    return dims;
}

float as_float(std::int64_t bits) { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }
std::int64_t as_bits(float value) { return std::bit_cast<std::uint32_t>(value); }

/// Calls body(flat output, values along `axis`) for every position of the reduced tensor.
template <typename Body>
void for_each_line(const Values& values, const std::vector<std::int32_t>& dims, int axis,
                   const Body& body) {
    std::size_t left = 1, right = 1;
    for (int i = 0; i < static_cast<int>(dims.size()); ++i) {
        if (i < axis) left *= static_cast<std::size_t>(dims[static_cast<std::size_t>(i)]);
        if (i > axis) right *= static_cast<std::size_t>(dims[static_cast<std::size_t>(i)]);
    }
    const auto extent = static_cast<std::size_t>(dims[static_cast<std::size_t>(axis)]);
    for (std::size_t l = 0; l < left; ++l) {
        for (std::size_t r = 0; r < right; ++r) {
            Values line;
            for (std::size_t i = 0; i < extent; ++i) {
                line.push_back(values[(l * extent + i) * right + r]);
            }
            body(l * right + r, line);
        }
    }
}

struct Reduction {
    OpCode op;
    DType type;
    tosa::Attributes attributes;
};

/// Runs the operator on random data with random storage orders; `check(line, got)` compares
/// results.
template <typename Check>
void run(OperatorRun& run, const Reduction& reduction, int axis,
         const std::vector<std::int32_t>& dims, const Values& data, RandomSource& random,
         const Check& check) {
    std::vector<std::int32_t> out_dims = dims;
    if (reduction.op == OpCode::kArgmax) {
        out_dims.erase(out_dims.begin() + axis);
    } else {
        out_dims[static_cast<std::size_t>(axis)] = 1;
    }
    const auto rank = static_cast<int>(dims.size());
    const auto out_rank = static_cast<int>(out_dims.size());
    const DType out_type = reduction.op == OpCode::kArgmax ? DType::kI32 : reduction.type;
    const DeviceTensor input = run.tensor(reduction.type, dims, random_order(rank, random));
    const DeviceTensor output = run.tensor(out_type, out_dims, random_order(out_rank, random));
    run.write(input, data);
    run.run(reduction.op, reduction.attributes, {input}, {output});
    const Values got = run.read(output);
    std::size_t wrong = 0;
    for_each_line(data, dims, axis, [&](std::size_t at, const Values& line) {
        if (!check(line, got[at])) ++wrong;
    });
    CAPTURE(dims, axis, tosa::op_name(reduction.op));
    CHECK(wrong == 0);
}

struct Size {
    int lanes;
    std::int64_t local_bytes;
};
const std::vector<Size> kSizes{{64, 64 * 1024}, {8, 32 * 1024}, {4, 16 * 1024}};

Values random_floats(std::int64_t count, bool specials, RandomSource& random) {
    Values values;
    for (std::int64_t i = 0; i < count; ++i) {
        // Few different values make ties.
        float value = static_cast<float>(random.between(-20, 20)) * 0.25f;
        if (specials && random.one_in(5)) {
            constexpr float kInfinity = std::numeric_limits<float>::infinity();
            constexpr float kSpecials[] = {kInfinity,
                                           -kInfinity,
                                           -0.0f,
                                           std::numeric_limits<float>::quiet_NaN(),
                                           std::numeric_limits<float>::max(),
                                           1e-40f,
                                           -1e-40f};
            value = kSpecials[random.below(7)];
        }
        values.push_back(as_bits(value));
    }
    return values;
}

std::int64_t count_of(const std::vector<std::int32_t>& dims) {
    std::int64_t count = 1;
    for (const std::int32_t extent : dims) count *= extent;
    return count;
}

/// True if a is before b in the order of ARGMAX (2.3.1).
bool below(float a, float b, bool ignore_nan) {
    if (std::isnan(a)) return ignore_nan && !std::isnan(b);
    if (std::isnan(b)) return !ignore_nan;
    return a < b;
}

}  // namespace

TEST_CASE("REDUCE_SUM of int32 is exact in any storage order") {
    for (const Size& size : kSizes) {
        KernelMachine machine(size.lanes, size.local_bytes);
        RandomSource random(static_cast<std::uint64_t>(size.lanes));
        for (int i = 0; i < 25; ++i) {
            OperatorRun operators(machine);
            const auto dims = random_dims(random, 20000);
            const int axis = static_cast<int>(random.below(static_cast<std::int64_t>(dims.size())));
            Values data;
            for (std::int64_t k = 0; k < count_of(dims); ++k) {
                data.push_back(random.between(-100000, 100000) & 0xFFFFFFFF);
            }
            run(operators, {OpCode::kReduceSum, DType::kI32, tosa::ReduceSumAttributes{axis}}, axis,
                dims, data, random, [](const Values& line, std::int64_t got) {
                    std::int64_t sum = 0;
                    for (const std::int64_t value : line) sum += static_cast<std::int32_t>(value);
                    return static_cast<std::int32_t>(got) == sum;
                });
        }
    }
}

TEST_CASE("ARGMAX of fp32 finds the first maximum, NaN and denormals included") {
    for (const Size& size : kSizes) {
        KernelMachine machine(size.lanes, size.local_bytes);
        RandomSource random(static_cast<std::uint64_t>(size.lanes) + 7);
        for (int i = 0; i < 25; ++i) {
            OperatorRun operators(machine);
            const auto dims = random_dims(random, 20000);
            const int axis = static_cast<int>(random.below(static_cast<std::int64_t>(dims.size())));
            const bool ignore = random.one_in(2);
            const auto mode = ignore ? NanPropagationMode::kIgnore : NanPropagationMode::kPropagate;
            const Values data = random_floats(count_of(dims), true, random);
            run(operators, {OpCode::kArgmax, DType::kFp32, tosa::ArgmaxAttributes{axis, mode}},
                axis, dims, data, random, [&](const Values& line, std::int64_t got) {
                    std::size_t best = 0;
                    for (std::size_t k = 1; k < line.size(); ++k) {
                        if (below(as_float(line[best]), as_float(line[k]), ignore)) best = k;
                    }
                    return got == static_cast<std::int64_t>(best);
                });
        }
    }
}

TEST_CASE("REDUCE_MIN of fp32 follows the NaN mode") {
    for (const Size& size : kSizes) {
        KernelMachine machine(size.lanes, size.local_bytes);
        RandomSource random(static_cast<std::uint64_t>(size.lanes) + 9);
        for (int i = 0; i < 25; ++i) {
            OperatorRun operators(machine);
            const auto dims = random_dims(random, 20000);
            const int axis = static_cast<int>(random.below(static_cast<std::int64_t>(dims.size())));
            const bool ignore = random.one_in(2);
            const auto mode = ignore ? NanPropagationMode::kIgnore : NanPropagationMode::kPropagate;
            const Values data = random_floats(count_of(dims), true, random);
            run(operators,
                {OpCode::kReduceMin, DType::kFp32, tosa::ReduceMinAttributes{axis, mode}}, axis,
                dims, data, random, [&](const Values& line, std::int64_t got) {
                    bool any_nan = false, all_nan = true;
                    float least = std::numeric_limits<float>::infinity();
                    for (const std::int64_t bits : line) {
                        const float value = as_float(bits);
                        any_nan = any_nan || std::isnan(value);
                        all_nan = all_nan && std::isnan(value);
                        if (value < least) least = value;
                    }
                    if (ignore ? all_nan : any_nan) return std::isnan(as_float(got));
                    // Denormals may count as zero (2.9.4).
                    if (std::abs(least) < std::numeric_limits<float>::min()) {
                        return std::abs(as_float(got)) < std::numeric_limits<float>::min();
                    }
                    return as_float(got) == least;
                });
        }
    }
}

TEST_CASE("A long axis with one output uses all lanes and stays exact") {
    KernelMachine machine(8, 32 * 1024);
    OperatorRun operators(machine);
    RandomSource random(3);
    // 100003 is prime: the pieces over the lanes have a remainder.
    const std::vector<std::int32_t> dims{100003};
    Values data;
    for (int k = 0; k < dims[0]; ++k) data.push_back(random.between(-20000, 20000) & 0xFFFFFFFF);
    run(operators, {OpCode::kReduceSum, DType::kI32, tosa::ReduceSumAttributes{0}}, 0, dims, data,
        random, [](const Values& line, std::int64_t got) {
            std::int64_t sum = 0;
            for (const std::int64_t value : line) sum += static_cast<std::int32_t>(value);
            return static_cast<std::int32_t>(got) == sum;
        });
}

TEST_CASE("REDUCE_PRODUCT neither overflows nor underflows on the way") {
    KernelMachine machine(8, 32 * 1024);
    OperatorRun operators(machine);
    RandomSource random(4);
    // 64 factors of 2^100 and 64 of 2^-100 in random order, times 3: the product is 3.
    Values data;
    for (int k = 0; k < 128; ++k) data.push_back(as_bits(k % 2 == 0 ? 0x1p100f : 0x1p-100f));
    for (std::size_t k = data.size(); k > 1; --k) {
        std::swap(data[k - 1],
                  data[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
    }
    data.push_back(as_bits(3.0f));
    run(operators, {OpCode::kReduceProduct, DType::kFp32, tosa::ReduceProductAttributes{0}}, 0,
        {129}, data, random, [](const Values&, std::int64_t got) { return as_float(got) == 3.0f; });
}
