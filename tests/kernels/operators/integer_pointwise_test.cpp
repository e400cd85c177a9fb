// SPDX-License-Identifier: Apache-2.0
// Integer and boolean operators of sections 2.4 to 2.8 against the specification's pseudo-code.
#include <cstring>

#include "tests/kernels/operators/pointwise_case.h"

namespace okksim::tests {
namespace {

using tosa::Attributes;
using tosa::DType;
using tosa::NoAttributes;
using tosa::OpCode;

using Reference = std::function<std::int64_t(const std::vector<std::int64_t>&)>;

constexpr int kRounds = 12;

RandomOperand integers(DType type) {
    return {type, [type](RandomSource& random) { return random_integer(type, random); }};
}
RandomOperand integers_between(DType type, std::int64_t low, std::int64_t high) {
    return {type, [low, high](RandomSource& random) { return random.between(low, high); }};
}
RandomOperand booleans() { return integers_between(DType::kBool, 0, 1); }

/// Compares random runs with `reference`, a function of the sign-extended operands. Only the low
/// bits of the output type are compared.
void check_exact(OpCode op, const Attributes& attributes,
                 const std::vector<RandomOperand>& operands, DType out, std::uint64_t seed,
                 const Reference& reference, const std::vector<ConstantOperand>& constants = {}) {
    RandomSource random(seed);
    for (int round = 0; round < kRounds; ++round) {
        const PointwiseRun run = run_random(op, attributes, operands, out, random,
                                            [&](const Dims&) { return constants; });
        std::size_t wrong = 0;
        std::int64_t first[2]{};
        for (std::size_t i = 0; i < run.output.size(); ++i) {
            std::vector<std::int64_t> values;
            for (std::size_t k = 0; k < operands.size(); ++k) {
                values.push_back(sign_extended(operands[k].type, run.operands[k][i]));
            }
            const std::int64_t expected = sign_extended(out, reference(values));
            const std::int64_t got = sign_extended(out, run.output[i]);
            if (expected == got || wrong++ > 0) continue;
            first[0] = expected;
            first[1] = got;
        }
        INFO(tosa::op_name(op) << " " << tosa::dtype_name(operands[0].type) << " round " << round
                               << ": expected " << first[0] << ", got " << first[1]);
        CHECK(wrong == 0);
    }
}

constexpr DType kWidths[] = {DType::kI8, DType::kI16, DType::kI32};
int bits_of(DType type) { return 8 * kernels::stored_bytes(type); }

tosa::ElementBytes element(std::int64_t value, DType type) {
    tosa::ElementBytes bytes;
    bytes.size = static_cast<std::uint32_t>(kernels::stored_bytes(type));
    std::memcpy(bytes.bytes.data(), &value, bytes.size);
    return bytes;
}

}  // namespace

TEST_CASE("sums, differences, products and quotients of integers") {
    // Half of the range avoids overflow, which the specification does not define.
    const auto half = integers_between(DType::kI32, -(1 << 30), (1 << 30) - 1);
    check_exact(OpCode::kAdd, NoAttributes{}, {half, half}, DType::kI32, 1,
                [](const auto& v) { return v[0] + v[1]; });
    check_exact(OpCode::kSub, NoAttributes{}, {half, half}, DType::kI32, 2,
                [](const auto& v) { return v[0] - v[1]; });
    const ConstantOperand no_shift{DType::kI8, {0}};
    for (const DType type : kWidths) {
        // Low 32 bits of the product.
        check_exact(OpCode::kMul, NoAttributes{}, {integers(type), integers(type)}, DType::kI32, 3,
                    [](const auto& v) { return v[0] * v[1]; }, {no_shift});
    }
    const RandomOperand divisor{DType::kI32, [](RandomSource& random) {
                                    const auto value = random_integer(DType::kI32, random);
                                    return value == 0 || value == -1 ? 3 : value;
                                }};
    check_exact(OpCode::kIntdiv, NoAttributes{}, {integers(DType::kI32), divisor}, DType::kI32, 4,
                [](const auto& v) { return v[0] / v[1]; });
}

TEST_CASE("products of int32 with shift") {
    for (const std::int64_t shift : {1, 7, 16, 30, 31, 40, 62, 63}) {
        // The shifted product must fit int32, so the factors have half of their bits.
        const std::int64_t most = shift >= 31 ? INT32_MAX : std::int64_t{1} << ((30 + shift) / 2);
        const auto factor = integers_between(DType::kI32, -most, most);
        check_exact(OpCode::kMul, NoAttributes{}, {factor, factor}, DType::kI32,
                    static_cast<std::uint64_t>(shift),
                    [shift](const auto& v) {
                        const std::int64_t round = std::int64_t{1} << (shift - 1);
                        return (v[0] * v[1] + round) >> shift;
                    },
                    {{DType::kI8, {shift}}});
    }
}

TEST_CASE("bitwise operators and shifts") {
    for (const DType type : kWidths) {
        const auto any = integers(type);
        const auto amount = integers_between(type, 0, bits_of(type) - 1);
        const std::uint64_t mask = (1ull << bits_of(type)) - 1;
        check_exact(OpCode::kBitwiseAnd, NoAttributes{}, {any, any}, type, 11,
                    [](const auto& v) { return v[0] & v[1]; });
        check_exact(OpCode::kBitwiseOr, NoAttributes{}, {any, any}, type, 12,
                    [](const auto& v) { return v[0] | v[1]; });
        check_exact(OpCode::kBitwiseXor, NoAttributes{}, {any, any}, type, 13,
                    [](const auto& v) { return v[0] ^ v[1]; });
        check_exact(OpCode::kBitwiseNot, NoAttributes{}, {any}, type, 14,
                    [](const auto& v) { return ~v[0]; });
        check_exact(OpCode::kLogicalLeftShift, NoAttributes{}, {any, amount}, type, 15,
                    [](const auto& v) {
                        return static_cast<std::int64_t>(static_cast<std::uint64_t>(v[0]) << v[1]);
                    });
        check_exact(OpCode::kLogicalRightShift, NoAttributes{}, {any, amount}, type, 16,
                    [mask](const auto& v) {
                        const std::uint64_t bits = static_cast<std::uint64_t>(v[0]) & mask;
                        return static_cast<std::int64_t>(bits >> v[1]);
                    });
        for (const bool round : {false, true}) {
            check_exact(OpCode::kArithmeticRightShift, tosa::ArithmeticRightShiftAttributes{round},
                        {any, amount}, type, 17, [round](const auto& v) {
                            const std::int64_t last = v[1] > 0 ? v[0] >> (v[1] - 1) & 1 : 0;
                            return (v[0] >> v[1]) + (round ? last : 0);
                        });
        }
    }
    check_exact(OpCode::kClz, NoAttributes{}, {integers(DType::kI32)}, DType::kI32, 18,
                [](const auto& v) {
                    std::int64_t zeros = 0;
                    for (int bit = 31; bit >= 0 && (v[0] >> bit & 1) == 0; --bit) ++zeros;
                    return zeros;
                });
}

TEST_CASE("boolean operators and select") {
    check_exact(OpCode::kLogicalAnd, NoAttributes{}, {booleans(), booleans()}, DType::kBool, 21,
                [](const auto& v) { return v[0] & v[1]; });
    check_exact(OpCode::kLogicalOr, NoAttributes{}, {booleans(), booleans()}, DType::kBool, 22,
                [](const auto& v) { return v[0] | v[1]; });
    check_exact(OpCode::kLogicalXor, NoAttributes{}, {booleans(), booleans()}, DType::kBool, 23,
                [](const auto& v) { return v[0] ^ v[1]; });
    check_exact(OpCode::kLogicalNot, NoAttributes{}, {booleans()}, DType::kBool, 24,
                [](const auto& v) { return 1 - v[0]; });
    for (const DType type : {DType::kBool, DType::kI8, DType::kI16, DType::kI32, DType::kFp16,
                             DType::kBf16, DType::kFp32}) {
        const auto value = type == DType::kBool ? booleans() : integers(type);
        check_exact(OpCode::kSelect, NoAttributes{}, {booleans(), value, value}, type, 25,
                    [](const auto& v) { return v[0] != 0 ? v[1] : v[2]; });
    }
}

TEST_CASE("comparisons and extrema of int32") {
    const auto any = integers(DType::kI32);
    check_exact(OpCode::kEqual, NoAttributes{}, {any, any}, DType::kBool, 31,
                [](const auto& v) { return v[0] == v[1]; });
    check_exact(OpCode::kGreater, NoAttributes{}, {any, any}, DType::kBool, 32,
                [](const auto& v) { return v[0] > v[1]; });
    check_exact(OpCode::kGreaterEqual, NoAttributes{}, {any, any}, DType::kBool, 33,
                [](const auto& v) { return v[0] >= v[1]; });
    check_exact(OpCode::kMaximum, tosa::MaximumAttributes{}, {any, any}, DType::kI32, 34,
                [](const auto& v) { return std::max(v[0], v[1]); });
    check_exact(OpCode::kMinimum, tosa::MinimumAttributes{}, {any, any}, DType::kI32, 35,
                [](const auto& v) { return std::min(v[0], v[1]); });
}

TEST_CASE("clamp, absolute value and negation of integers") {
    for (const DType type : {DType::kI8, DType::kI16}) {
        const std::int64_t most = (1 << (bits_of(type) - 1)) - 1;
        for (const auto& [low, high] : {std::pair{-most - 1, most}, std::pair{-5l, 17l},
                                        std::pair{most, most}, std::pair{-most - 1, -most - 1}}) {
            tosa::ClampAttributes attributes;
            attributes.min_val = element(low, type);
            attributes.max_val = element(high, type);
            check_exact(
                OpCode::kClamp, attributes, {integers(type)}, type, 41,
                [low = low, high = high](const auto& v) { return std::clamp(v[0], low, high); });
        }
        for (const auto& [in_zp, out_zp] : {std::pair{0l, 0l}, std::pair{-128l, 127l},
                                            std::pair{127l, -128l}, std::pair{-3l, 9l}}) {
            if (type != DType::kI8 && in_zp != 0) continue;
            check_exact(OpCode::kNegate, NoAttributes{}, {integers(type)}, type, 42,
                        [in_zp = in_zp, out_zp = out_zp, most](const auto& v) {
                            return std::clamp(out_zp - (v[0] - in_zp), -most - 1, most);
                        },
                        {{type, {in_zp}}, {type, {out_zp}}});
        }
    }
    const auto with_opposite = integers_between(DType::kI32, -INT32_MAX, INT32_MAX);
    check_exact(OpCode::kAbs, NoAttributes{}, {with_opposite}, DType::kI32, 43,
                [](const auto& v) { return std::abs(v[0]); });
    check_exact(OpCode::kNegate, NoAttributes{}, {with_opposite}, DType::kI32, 44,
                [](const auto& v) { return -v[0]; }, {{DType::kI32, {0}}, {DType::kI32, {0}}});
}

TEST_CASE("tables") {
    RandomSource random(51);
    Values bytes(256);
    for (auto& value : bytes) value = random.between(-128, 127);
    check_exact(OpCode::kTable, NoAttributes{}, {integers(DType::kI8)}, DType::kI8, 52,
                [&](const auto& v) { return bytes[static_cast<std::size_t>(v[0] + 128)]; },
                {{DType::kI8, bytes}});
    Values halves(513);
    for (auto& value : halves) value = random.between(-16384, 16383);  // slopes fit int16
    check_exact(OpCode::kTable, NoAttributes{}, {integers(DType::kI16)}, DType::kI32, 53,
                [&](const auto& v) {
                    const auto index = static_cast<std::size_t>((v[0] + 32768) >> 7);
                    const std::int64_t slope = halves[index + 1] - halves[index];
                    return halves[index] * 128 + slope * (v[0] & 0x7F);
                },
                {{DType::kI16, halves}});
}

namespace {

/// Fault of one run on two-element operands; empty if there is none.
std::string fault_of(OpCode op, const Attributes& attributes, DType type, const Values& a,
                     const Values& b, DType out) {
    KernelMachine machine(8, 32768);
    OperatorRun runner(machine);
    std::vector<kernels::DeviceTensor> inputs;
    for (const Values* values : {&a, &b}) {
        if (values->empty()) continue;
        inputs.push_back(runner.tensor(type, {static_cast<std::int32_t>(values->size())}));
        runner.write(inputs.back(), *values);
    }
    const auto output = runner.tensor(out, {static_cast<std::int32_t>(a.size())});
    try {
        runner.run(op, attributes, inputs, {output});
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return {};
}

}  // namespace

TEST_CASE("conditions that the specification requires are reported") {
    const auto i32 = DType::kI32;
    const auto fault = [](OpCode op, DType type, const Values& a, const Values& b) {
        return fault_of(op, NoAttributes{}, type, a, b, type);
    };
    CHECK(fault(OpCode::kAdd, i32, {0, INT32_MAX, 5}, {0, 1, 5}) != "");
    CHECK(fault(OpCode::kAdd, i32, {0, INT32_MIN, 5}, {0, -1, 5}) != "");
    CHECK(fault(OpCode::kAdd, i32, {INT32_MIN, INT32_MAX, 5}, {0, INT32_MIN, 5}) == "");
    CHECK(fault(OpCode::kSub, i32, {0, INT32_MIN, 5}, {0, 1, 5}) != "");
    CHECK(fault(OpCode::kSub, i32, {0, 0, 5}, {0, INT32_MIN, 5}) != "");
    CHECK(fault(OpCode::kSub, i32, {INT32_MIN, INT32_MAX, 5}, {-1, 1, 5}) == "");
    CHECK(fault(OpCode::kIntdiv, i32, {1, 2, 3}, {1, 0, 1}) != "");
    CHECK(fault(OpCode::kIntdiv, i32, {1, INT32_MIN, 3}, {1, -1, 1}) != "");
    CHECK(fault(OpCode::kIntdiv, i32, {INT32_MIN, 1, 3}, {1, -1, 1}) == "");
    for (const DType type : kWidths) {
        const std::int64_t bits = bits_of(type);
        for (const OpCode op : {OpCode::kLogicalLeftShift, OpCode::kLogicalRightShift}) {
            CHECK(fault(op, type, {1, 1, 1}, {0, bits - 1, 1}) == "");
            CHECK(fault(op, type, {1, 1, 1}, {0, bits, 1}) != "");
            CHECK(fault(op, type, {1, 1, 1}, {0, 1, -1}) != "");
        }
    }
    CHECK(fault(OpCode::kAbs, i32, {1, INT32_MIN, 3}, {}) != "");
    CHECK(fault(OpCode::kAbs, i32, {1, -INT32_MAX, 3}, {}) == "");
}

}  // namespace okksim::tests
