// SPDX-License-Identifier: Apache-2.0
// REQUIRE conditions of sums: reductions, pools, convolutions, matrix products.
#include <optional>

#include "tests/kernels/operators/operator_run.h"
#include "tests/kernels/operators/require_trial.h"
#include "tests/support/catch.h"

namespace okksim::tests {

using tosa::Attributes;
using tosa::DType;
using tosa::NoAttributes;
using tosa::OpCode;
using Dims = std::vector<std::int32_t>;

namespace {

/// A sum of `extent` words along the first axis of [extent, outputs]: the line of output `at` is
/// `values`, the others are zero.
Trial sum_of(const Values& values, std::int32_t outputs, std::int32_t at) {
    const auto extent = static_cast<std::int32_t>(values.size());
    Operand input{
        DType::kI32, {extent, outputs}, Values(values.size() * static_cast<std::size_t>(outputs))};
    for (std::size_t i = 0; i < values.size(); ++i) {
        input.values[i * static_cast<std::size_t>(outputs) + static_cast<std::size_t>(at)] =
            values[i];
    }
    return {OpCode::kReduceSum, tosa::ReduceSumAttributes{0}, {input}, DType::kI32, {1, outputs}};
}
Values only(std::int64_t value, std::int32_t outputs, std::int32_t at) {
    Values values(static_cast<std::size_t>(outputs));
    values[static_cast<std::size_t>(at)] = value;
    return values;
}

/// Random words whose sums never leave int32 and whose last sum is `total`.
Values random_line(std::int32_t extent, std::int64_t total, RandomSource& random) {
    Values values(static_cast<std::size_t>(extent));
    std::int64_t sum = 0;
    for (std::size_t i = 0; i + 2 < values.size(); ++i) {
        values[i] = random.between(kLeast32, kMost32);
        if (sum + values[i] > kMost32 || sum + values[i] < kLeast32) values[i] = -values[i] / 2;
        sum += values[i];
    }
    values[values.size() - 2] = (total - sum) / 2;
    values.back() = total - sum - (total - sum) / 2;
    return values;
}

}  // namespace

TEST_CASE("sums along an axis fit int32", "[require]") {
    RandomSource random(1);
    // Extents below, between and above the limits of two and three limbs, and of one step.
    for (const std::int32_t extent : {2, 3, 33, 300, 4097, 20000}) {
        for (const std::int32_t outputs : {1, 3, 70}) {
            const auto at = static_cast<std::int32_t>(random.below(outputs));
            const auto line = [&](std::int64_t total) {
                return sum_of(random_line(extent, total, random), outputs, at);
            };
            for (const std::int64_t limit : {kMost32, kLeast32}) {
                check_result(line(limit), only(limit, outputs, at));
                check_unpredictable(line(limit + (limit > 0 ? 1 : -1)));
            }
        }
    }
}

TEST_CASE("sums of parts may leave int32 where the sum in order does not", "[require]") {
    for (const std::int32_t extent : {64, 1024, 9000}) {
        Values alternating;
        for (std::int32_t i = 0; i < extent; ++i) {
            alternating.push_back(i % 2 == 0 ? kMost32 : -kMost32);
        }
        alternating[1] += 5;
        check_result(sum_of(alternating, 1, 0), {5});
        check_result(sum_of(alternating, 90, 7), only(5, 90, 7));
        // A part of the axis holds 2^32 - 2; the ordered sum goes from -2^31 to 2^31 - 2.
        Values climbing(static_cast<std::size_t>(extent));
        climbing[0] = kLeast32;
        climbing[static_cast<std::size_t>(extent) / 2] = kMost32;
        climbing[static_cast<std::size_t>(extent) / 2 + 1] = kMost32;
        check_result(sum_of(climbing, 1, 0), {kMost32 - 1});
    }
}

namespace {

/// One window over all of [height, width]: `values` first, zeros after them.
Trial average(std::int32_t height, std::int32_t width, Values values) {
    values.resize(static_cast<std::size_t>(height) * static_cast<std::size_t>(width));
    tosa::AvgPool2dAttributes attributes;
    attributes.kernel = {height, width};
    attributes.stride = {1, 1};
    attributes.acc_type = DType::kI32;
    return {OpCode::kAvgPool2d,
            attributes,
            {{DType::kI16, {1, height, width, 1}, values},
             scalar(DType::kI16, 0),
             scalar(DType::kI16, 0)},
            DType::kI16,
            {1, 1, 1, 1}};
}
Values repeated(std::int64_t value, std::size_t count, const Values& rest) {
    Values values(count, value);
    values.insert(values.end(), rest.begin(), rest.end());
    return values;
}

}  // namespace

TEST_CASE("sums of pooling windows fit int32", "[require]") {
    // 65536 * -2^15 = -2^31; reciprocal_scale(65536) has shift 46.
    check_result(average(256, 256, repeated(-32768, 65536, {})), {-32768});
    // 257 * 256 = 65792 elements; -2^31 / 65792 = -32640.5 (exactly -32640.498), 2^31 / 65792 the
    // same.
    check_result(average(257, 256, repeated(-32768, 65536, {})), {-32640});
    check_unpredictable(average(257, 256, repeated(-32768, 65536, {-1})));
    // 65538 * 32767 = 2^31 - 2.
    check_result(average(257, 256, repeated(32767, 65538, {1})), {32640});
    check_unpredictable(average(257, 256, repeated(32767, 65538, {2})));
}

namespace {

/// A sum of products as each operator has it: input and weight values with zero points, one bias.
struct Products {
    DType input, weight, output;
    Values a, b;
    std::int64_t a_zero = 0, b_zero = 0;
    std::int64_t bias = 0;
};

/// The operator with all products in the input channels of one output element. The bias belongs to
/// the second of two channels; the first channel is far from the limits.
Trial in_channels(OpCode op, const Products& p) {
    const auto depth = static_cast<std::int32_t>(p.a.size());
    Values weights(p.b.size(), p.b_zero);
    weights.insert(weights.end(), p.b.begin(), p.b.end());
    const bool deep = op == OpCode::kConv3d;
    const Dims one = deep ? Dims{1, 1, 1} : Dims{1, 1};
    const auto dims = [&](std::int32_t first, std::int32_t last) {
        Dims all{first};
        all.insert(all.end(), one.begin(), one.end());
        all.push_back(last);
        return all;
    };
    Attributes attributes = tosa::Conv2dAttributes{{}, {1, 1}, {1, 1}, false, p.output};
    if (deep) attributes = tosa::Conv3dAttributes{{}, {1, 1, 1}, {1, 1, 1}, false, p.output};
    if (op == OpCode::kTransposeConv2d) {
        attributes = tosa::TransposeConv2dAttributes{{}, {1, 1}, false, p.output};
    }
    return {op,
            attributes,
            {{p.input, dims(1, depth), p.a},
             {p.weight, dims(2, depth), weights},
             vector(p.output, {0, p.bias}),
             scalar(p.input, p.a_zero),
             scalar(p.weight, p.b_zero)},
            p.output,
            dims(1, 2)};
}

/// The products as taps of one depthwise channel, `width` in a row.
Trial in_taps(const Products& p, std::int32_t width) {
    const auto height = static_cast<std::int32_t>(p.a.size()) / width + 1;
    Values a = p.a, b = p.b;
    a.resize(static_cast<std::size_t>(height) * static_cast<std::size_t>(width), p.a_zero);
    b.resize(a.size(), p.b_zero);
    return {OpCode::kDepthwiseConv2d,
            tosa::DepthwiseConv2dAttributes{{}, {1, 1}, {1, 1}, false, p.output},
            {{p.input, {1, height, width, 1}, a},
             {p.weight, {height, width, 1, 1}, b},
             vector(p.output, {p.bias}),
             scalar(p.input, p.a_zero),
             scalar(p.weight, p.b_zero)},
            p.output,
            {1, 1, 1, 1}};
}

Trial matmul(const Products& p) {
    const auto depth = static_cast<std::int32_t>(p.a.size());
    return {OpCode::kMatmul,
            NoAttributes{},
            {{p.input, {1, 1, depth}, p.a},
             {p.weight, {1, depth, 1}, p.b},
             scalar(p.input, p.a_zero),
             scalar(p.weight, p.b_zero)},
            p.output,
            {1, 1, 1}};
}

constexpr OpCode kChannelOps[] = {OpCode::kConv2d, OpCode::kConv3d, OpCode::kTransposeConv2d};

void check_sum(const Products& products, const std::optional<std::int64_t>& expected) {
    for (const OpCode op : kChannelOps) {
        if (expected) {
            check_result(in_channels(op, products), {0, *expected});
        } else {
            check_unpredictable(in_channels(op, products));
        }
    }
    if (expected) {
        check_result(in_taps(products, 97), {*expected});
    } else {
        check_unpredictable(in_taps(products, 97));
    }
}

}  // namespace

TEST_CASE("int8 sums with their bias fit int32", "[require]") {
    // One exact pass, several passes.
    for (const std::size_t terms : {std::size_t{2}, std::size_t{700}}) {
        Products p{DType::kI8, DType::kI8, DType::kI32, {}, {}};
        p.a.assign(terms, 127);
        p.b.assign(terms, 127);
        const auto sum = static_cast<std::int64_t>(terms) * 127 * 127;
        p.bias = kMost32 - sum;
        check_sum(p, kMost32);
        ++p.bias;
        check_sum(p, std::nullopt);
        p.a.assign(terms, -127);
        p.bias = kLeast32 + sum;
        check_sum(p, kLeast32);
        --p.bias;
        check_sum(p, std::nullopt);
    }
}

TEST_CASE("int8 sums fit int32", "[require]") {
    // Operands less their zero points are at least -255: 33025 * 255^2 = 2^31 - 1 - 33022, and
    // 33022 = 209 * 158.
    Products p{DType::kI8, DType::kI8, DType::kI32, {}, {}, 127, 127};
    p.a = repeated(-128, 33025, {127 - 209});
    p.b = repeated(-128, 33025, {127 - 158});
    check_sum(p, kMost32);
    check_result(matmul(p), {kMost32});
    // The sum fits for any split of the bias.
    p.bias = -10;
    check_sum(p, kMost32 - 10);
    p.bias = 1;
    check_sum(p, std::nullopt);
    // The sum alone does not fit, although it would with its bias.
    p.a.push_back(126);
    p.b.push_back(126);
    p.bias = -10;
    check_sum(p, std::nullopt);
    check_unpredictable(matmul(p));
}

TEST_CASE("int16 sums with their bias fit int48", "[require]") {
    Products p{DType::kI16, DType::kI8, DType::kI48, {}, {}};
    p.a.assign(9, 32767);
    p.b.assign(9, -128);
    const std::int64_t sum = std::int64_t{9} * 32767 * -128;
    p.bias = kLeast48 - sum;
    check_sum(p, kLeast48);
    --p.bias;
    check_sum(p, std::nullopt);
    p.b.assign(9, 127);
    p.bias = kMost48 - std::int64_t{9} * 32767 * 127;
    check_sum(p, kMost48);
    ++p.bias;
    check_sum(p, std::nullopt);
}

TEST_CASE("int16 matrix products fit int48", "[require]") {
    // 131071 * 2^30 + 32767^2 + 2 * 32767 = 2^47 - 2^30 + 2^30 - 2^16 + 1 + 2^16 - 2 = 2^47 - 1.
    Products p{DType::kI16, DType::kI16, DType::kI48, {}, {}};
    p.a = repeated(-32768, 131071, {32767, 2});
    p.b = repeated(-32768, 131071, {32767, 32767});
    check_result(matmul(p), {kMost48});
    p.a.push_back(1);
    p.b.push_back(1);
    check_unpredictable(matmul(p));
    // 131076 * 2^15 * (2^15 - 1) = 2^47 - 2^17.
    p.a = repeated(-32768, 131076, {-32768});
    p.b = repeated(32767, 131076, {4});
    check_result(matmul(p), {kLeast48});
    p.a.push_back(-1);
    p.b.push_back(1);
    check_unpredictable(matmul(p));
}

}  // namespace okksim::tests
