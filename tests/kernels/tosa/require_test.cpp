// SPDX-License-Identifier: Apache-2.0
// REQUIRE conditions that depend on data (kernels/REQUIRE.md): at the limit an operator gives its
// result, one step beyond it a fault. On the reference machine and a small one.
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "tests/kernels/tosa/operator_run.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using kernels::DeviceTensor;
using tosa::Attributes;
using tosa::DType;
using tosa::NoAttributes;
using tosa::OpCode;
using Dims = std::vector<std::int32_t>;
using Values = std::vector<std::int64_t>;

constexpr std::int64_t kMost32 = INT32_MAX;
constexpr std::int64_t kLeast32 = INT32_MIN;
constexpr std::int64_t kMost48 = (std::int64_t{1} << 47) - 1;
constexpr std::int64_t kLeast48 = -(std::int64_t{1} << 47);

struct Operand {
    DType type;
    Dims dims;
    Values values;
};
Operand vector(DType type, const Values& values) {
    return {type, {static_cast<std::int32_t>(values.size())}, values};
}
Operand scalar(DType type, std::int64_t value) { return {type, {1}, {value}}; }

/// An operator and what it works on.
struct Trial {
    OpCode op;
    Attributes attributes;
    std::vector<Operand> inputs;
    DType out;
    Dims dims;
};

std::int64_t sign_extended(DType type, std::int64_t bits) {
    const int unused = 64 - 8 * kernels::stored_bytes(type);
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(bits) << unused) >> unused;
}

/// The output's values, or nothing when the operator called them unpredictable.
std::optional<Values> outcome(const Trial& trial, int lanes, int local_bytes) {
    KernelMachine machine(lanes, local_bytes, 64 * 1024 * 1024);
    OperatorRun run(machine);
    std::vector<DeviceTensor> inputs;
    for (const Operand& operand : trial.inputs) {
        inputs.push_back(run.tensor(operand.type, operand.dims));
        run.write(inputs.back(), operand.values);
    }
    const DeviceTensor output = run.tensor(trial.out, trial.dims);
    try {
        run.run(trial.op, trial.attributes, inputs, {output});
    } catch (const std::exception& fault) {
        CHECK_THAT(fault.what(), Catch::Contains("REQUIRE(") && Catch::Contains("unpredictable"));
        return std::nullopt;
    }
    Values values = run.read(output);
    for (auto& value : values) value = sign_extended(trial.out, value);
    return values;
}

void check_unpredictable(const Trial& trial) {
    INFO(tosa::op_name(trial.op));
    CHECK(!outcome(trial, 64, 512 * 1024));
    CHECK(!outcome(trial, 8, 32 * 1024));
}
void check_result(const Trial& trial, const Values& expected) {
    INFO(tosa::op_name(trial.op));
    CHECK(outcome(trial, 64, 512 * 1024) == expected);
    CHECK(outcome(trial, 8, 32 * 1024) == expected);
}

/// An element-wise operator on two single elements.
Trial binary(OpCode op, DType type, std::int64_t a, std::int64_t b, DType out,
             const Attributes& attributes = NoAttributes{}) {
    return {op, attributes, {scalar(type, a), scalar(type, b)}, out, {1}};
}
Trial unary(OpCode op, DType type, std::int64_t a, DType out) {
    return {op, NoAttributes{}, {scalar(type, a)}, out, {1}};
}

}  // namespace

TEST_CASE("sums, differences and signs of int32 fit", "[require]") {
    const auto i32 = DType::kI32;
    check_result(binary(OpCode::kAdd, i32, kMost32 - 1, 1, i32), {kMost32});
    check_unpredictable(binary(OpCode::kAdd, i32, kMost32, 1, i32));
    check_result(binary(OpCode::kAdd, i32, kLeast32 + 1, -1, i32), {kLeast32});
    check_unpredictable(binary(OpCode::kAdd, i32, kLeast32, -1, i32));
    check_result(binary(OpCode::kSub, i32, -1, kMost32, i32), {kLeast32});
    check_unpredictable(binary(OpCode::kSub, i32, -2, kMost32, i32));
    check_result(binary(OpCode::kSub, i32, -1, kLeast32, i32), {kMost32});
    check_unpredictable(binary(OpCode::kSub, i32, 0, kLeast32, i32));
    check_result(unary(OpCode::kAbs, i32, kLeast32 + 1, i32), {kMost32});
    check_unpredictable(unary(OpCode::kAbs, i32, kLeast32, i32));
    const auto negate = [](std::int64_t value) {
        return Trial{OpCode::kNegate,
                     NoAttributes{},
                     {scalar(DType::kI32, value), scalar(DType::kI32, 0), scalar(DType::kI32, 0)},
                     DType::kI32,
                     {1}};
    };
    check_result(negate(kLeast32 + 1), {kMost32});
    check_unpredictable(negate(kLeast32));
}

TEST_CASE("quotients exist", "[require]") {
    const auto i32 = DType::kI32;
    check_result(binary(OpCode::kIntdiv, i32, kLeast32 + 1, -1, i32), {kMost32});
    check_unpredictable(binary(OpCode::kIntdiv, i32, kLeast32, -1, i32));
    check_result(binary(OpCode::kIntdiv, i32, 7, 1, i32), {7});
    check_unpredictable(binary(OpCode::kIntdiv, i32, 7, 0, i32));
}

TEST_CASE("shift amounts lie within their type", "[require]") {
    const tosa::ArithmeticRightShiftAttributes round{true};
    for (const DType type : {DType::kI8, DType::kI16, DType::kI32}) {
        const int bits = 8 * kernels::stored_bytes(type);
        const auto all = [&](std::int64_t amount) {
            return std::vector<Trial>{
                binary(OpCode::kArithmeticRightShift, type, 1, amount, type, round),
                binary(OpCode::kLogicalLeftShift, type, 2, amount, type),
                binary(OpCode::kLogicalRightShift, type, 1, amount, type)};
        };
        for (const Trial& trial : all(bits - 1)) check_result(trial, {0});
        for (const Trial& trial : all(bits)) check_unpredictable(trial);
        for (const Trial& trial : all(-1)) check_unpredictable(trial);
    }
}

TEST_CASE("shifted products fit int32", "[require]") {
    const auto multiply = [](std::int64_t a, std::int64_t b, std::int64_t shift) {
        Trial trial = binary(OpCode::kMul, DType::kI32, a, b, DType::kI32);
        trial.inputs.push_back(scalar(DType::kI8, shift));
        return trial;
    };
    // Shift 1: (2^32 - 2 + 1) >> 1 = 2^31 - 1, (2^32 - 1 + 1) >> 1 = 2^31.
    check_result(multiply(2, kMost32, 1), {kMost32});
    check_unpredictable(multiply(3, 1431655765, 1));
    // (-2^32 + 1) >> 1 = -2^31, (-2^32 - 2 + 1) >> 1 = -2^31 - 1.
    check_result(multiply(2, kLeast32, 1), {kLeast32});
    check_unpredictable(multiply(-6, 715827883, 1));
    // Shift 16: the least product that rounds up to 2^31 is 2^47 - 2^15.
    check_result(multiply(65536, kMost32, 16), {kMost32});
    check_unpredictable(multiply(8355840, 16843009, 16));
    // Shift 31: 2^62 >> 31 = 2^31; (2^62 - 2^31 + 2^30) >> 31 = 2^31 - 1.
    check_result(multiply(kLeast32, kLeast32 + 1, 31), {kMost32});
    check_unpredictable(multiply(kLeast32, kLeast32, 31));
    // From shift 32 on every product fits: 2^62 >> 32.
    check_result(multiply(kLeast32, kLeast32, 32), {1 << 30});
    // Without a shift the low 32 bits are the result.
    check_result(multiply(65536, 65536, 0), {0});
    check_unpredictable(multiply(1, 1, 64));
    check_unpredictable(multiply(1, 1, -1));
}

TEST_CASE("powers are defined", "[require]") {
    const auto power = [](float a, float b) {
        return binary(OpCode::kPow, DType::kFp32, std::bit_cast<std::int32_t>(a),
                      std::bit_cast<std::int32_t>(b), DType::kFp32);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float least = std::numeric_limits<float>::min();
    const std::int64_t one = std::bit_cast<std::int32_t>(1.0f);
    check_result(power(0.0f, least), {0});
    check_result(power(-0.0f, 2.0f), {0});
    check_unpredictable(power(0.0f, 0.0f));
    check_unpredictable(power(0.0f, -least));
    check_unpredictable(power(-0.0f, -1.0f));
    check_result(power(least, 0.0f), {one});
    check_unpredictable(power(-least, 2.0f));
    check_result(power(1.0f, -std::numeric_limits<float>::max()), {one});
    for (const float bad : {kInfinity, -kInfinity, nan}) {
        check_unpredictable(power(bad, 1.0f));
        check_unpredictable(power(1.0f, bad));
    }
}

TEST_CASE("NaN has no integer", "[require]") {
    const auto cast = [](float value, DType out) {
        return unary(OpCode::kCast, DType::kFp32, std::bit_cast<std::int32_t>(value), out);
    };
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const DType out : {DType::kI8, DType::kI16, DType::kI32}) {
        const std::int64_t most = (std::int64_t{1} << (8 * kernels::stored_bytes(out) - 1)) - 1;
        check_result(cast(kInfinity, out), {most});
        check_result(cast(-kInfinity, out), {-most - 1});
        check_unpredictable(cast(std::numeric_limits<float>::quiet_NaN(), out));
        check_unpredictable(cast(-std::numeric_limits<float>::quiet_NaN(), out));
    }
}

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
        // A piece of the axis holds 2^32 - 2, the sum in order goes from -2^31 to 2^31 - 2.
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

/// The operator with all products in the input channels of one output element; the bias goes to
/// the second of two channels, the first one is far from the limits.
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
    // The sum fits, whatever halves the bias has.
    p.bias = -10;
    check_sum(p, kMost32 - 10);
    p.bias = 1;
    check_sum(p, std::nullopt);
    // The sum does not fit, though it would with its bias.
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

namespace {

struct Scaling {
    DType in, out;
    bool scale32 = true;
    std::vector<std::int64_t> multipliers, shifts;
    std::int64_t output_zero = 0;
    std::int64_t input_zero = 0;
    bool double_round = false;
};

/// Values, one for each factor.
Trial rescale(const Scaling& scaling, const Values& values) {
    tosa::RescaleAttributes attributes;
    attributes.scale32 = scaling.scale32;
    attributes.rounding_mode =
        scaling.double_round ? tosa::RoundingMode::kDoubleRound : tosa::RoundingMode::kSingleRound;
    attributes.per_channel = scaling.multipliers.size() > 1;
    return {OpCode::kRescale,
            attributes,
            {vector(scaling.in, values),
             vector(scaling.scale32 ? DType::kI32 : DType::kI16, scaling.multipliers),
             vector(DType::kI8, scaling.shifts), scalar(scaling.in, scaling.input_zero),
             scalar(scaling.out, scaling.output_zero)},
            scaling.out,
            {static_cast<std::int32_t>(values.size())}};
}

}  // namespace

TEST_CASE("values that apply_scale_32 scales lie within their shift", "[require]") {
    // Shift 2: -2 .. 1. (1 * 4 + 2) >> 2 = 1, (-2 * 4 + 2) >> 2 = -2.
    for (const DType type : {DType::kI8, DType::kI16, DType::kI32}) {
        const Scaling scaling{type, DType::kI32, true, {4}, {2}};
        check_result(rescale(scaling, {1}), {1});
        check_result(rescale(scaling, {-2}), {-2});
        check_unpredictable(rescale(scaling, {2}));
        check_unpredictable(rescale(scaling, {-3}));
    }
    // Less the zero point; shift 8: -128 .. 127, and so does 2^7 * 2^8 >> 8.
    Scaling zero{DType::kI8, DType::kI32, true, {256}, {8}, 0, -1};
    check_result(rescale(zero, {126}), {127});
    check_unpredictable(rescale(zero, {127}));
    // Shift 31: -2^30 .. 2^30 - 1.
    const Scaling wide{DType::kI32, DType::kI32, true, {1 << 30}, {31}};
    check_result(rescale(wide, {(1 << 30) - 1}), {1 << 29});
    check_unpredictable(rescale(wide, {1 << 30}));
    check_result(rescale(wide, {-(1 << 30)}), {-(1 << 29)});
    check_unpredictable(rescale(wide, {-(1 << 30) - 1}));
    // Shift 32 takes every int32.
    check_result(rescale({DType::kI32, DType::kI32, true, {1 << 30}, {32}}, {kLeast32}),
                 {-(1 << 29)});
    // Every channel has its own range.
    const Scaling channels{DType::kI32, DType::kI8, true, {1, 1, 1}, {40, 10, 20}, 0, 0, true};
    check_result(rescale(channels, {kLeast32, 511, -(1 << 19)}), {0, 0, 0});
    check_unpredictable(rescale(channels, {kLeast32, 512, 0}));
    check_unpredictable(rescale(channels, {kLeast32, 0, -(1 << 19) - 1}));
}

TEST_CASE("results of apply_scale_16 and their zero points fit int32", "[require]") {
    // Shift 2, multiplier 4: the value itself; to int8 it is clamped.
    for (const DType in : {DType::kI32, DType::kI48}) {
        const Scaling same{in, DType::kI8, false, {4}, {2}};
        check_result(rescale(same, {kMost32}), {127});
        check_result(rescale(same, {kLeast32}), {-128});
        if (in == DType::kI32) continue;
        check_unpredictable(rescale(same, {kMost32 + 1}));
        check_unpredictable(rescale(same, {kLeast32 - 1}));
    }
    // The zero point is added to the result.
    const Scaling up{DType::kI32, DType::kI8, false, {4}, {2}, 127};
    check_result(rescale(up, {kMost32 - 127}), {127});
    check_unpredictable(rescale(up, {kMost32 - 126}));
    const Scaling down{DType::kI32, DType::kI8, false, {4}, {2}, -128};
    check_result(rescale(down, {kLeast32 + 128}), {-128});
    check_unpredictable(rescale(down, {kLeast32 + 127}));
    // (value * 3 + 4) >> 3 <= 2^31 - 1 up to value * 3 = 2^34 - 5: 5726623059, where 2^34 - 5 is
    // 3 * 5726623059 + 2; and >= -2^31 from value * 3 = -2^34 - 4 on: -5726623062 (-2^34 - 2).
    const Scaling third{DType::kI48, DType::kI32, false, {3}, {3}};
    check_result(rescale(third, {5726623059}), {kMost32});
    check_unpredictable(rescale(third, {5726623060}));
    check_result(rescale(third, {-5726623062}), {kLeast32});
    check_unpredictable(rescale(third, {-5726623063}));
    // Per channel: 2^47 * (2^15 - 1) >> 31 = 2^31 - 2^16; a shift of 30 takes half of that.
    const Scaling channels{DType::kI48, DType::kI16, false, {32767, 32767, 1}, {31, 30, 2}};
    check_result(rescale(channels, {kMost48, std::int64_t{1} << 46, kMost32}),
                 {32767, 32767, 32767});
    check_unpredictable(rescale(channels, {0, kMost48, 0}));
    check_unpredictable(rescale(channels, {0, 0, kMost48}));
    check_result(rescale(channels, {kLeast48, -(std::int64_t{1} << 46), kLeast32}),
                 {-32768, -32768, -32768});
}

TEST_CASE("multipliers and shifts of RESCALE are in range", "[require]") {
    for (const bool scale32 : {false, true}) {
        const auto factor = [&](std::int64_t multiplier, std::int64_t shift) {
            return rescale({DType::kI8, DType::kI8, scale32, {multiplier}, {shift}}, {1});
        };
        check_result(factor(0, 2), {0});
        check_result(factor(0, 62), {0});
        check_unpredictable(factor(-1, 10));
        check_unpredictable(factor(1, 1));
        check_unpredictable(factor(1, 63));
    }
}

TEST_CASE("slopes of tables fit int16", "[require]") {
    const auto look_up = [](std::int64_t next) {
        Values table(513);
        table[10] = -2;
        table[11] = next;
        table[12] = 1000;
        return Trial{OpCode::kTable,
                     NoAttributes{},
                     {scalar(DType::kI16, -32768), vector(DType::kI16, table)},
                     DType::kI32,
                     {1}};
    };
    check_result(look_up(32765), {0});
    check_unpredictable(look_up(32766));
}

}  // namespace okksim::tests
