// SPDX-License-Identifier: Apache-2.0
// EXP and POW of fp32 values. The bound of 0.90 is 5 ulp, and that of its vectors is 1 + |x| ulp;
// the bound of 1.0 is 3 + 2 |x| ulp.
#include <array>

#include "sim/graph/tosa_v090/tosa_v090_formula.h"
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"

namespace okksim::sim::graph {

namespace {

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2High = 0x1.62e4p-1;  // 15 bits: products with the exponent are exact
constexpr double kLn2Low = 0x1.7f7d1cp-20;
/// (e^r - 1 - r) / r^2 on |r| <= ln(2) / 2, error 7e-8, as in kernels/prim/exponential.cpp.
constexpr std::array<double, 5> kTail{0x1.6d110ap-10, 0x1.120b6ep-7, 0x1.55551ap-5, 0x1.5554dcp-3,
                                      0.5};
// Beyond these the result is 0 or infinity, and the exponent remains in [-128, 128].
constexpr double kLeast = -88.6;
constexpr double kMost = 89.0;

/// Operators on the exponents, which are INT32.
class Exponents {
 public:
    Exponents(BlockBuilder& b, std::size_t rank) : b_(b), ones_(rank, 1) {}

    TensorIndex number(std::int64_t value, std::string_view role) {
        return b_.constant(DType::kI32, ones_, {value}, role);
    }
    TensorIndex binary(OpCode op, TensorIndex x, TensorIndex y, const Shape& shape,
                       std::string_view role) {
        if (op != OpCode::kArithmeticRightShift) {
            return b_.add(op, NoAttributes{}, {x, y}, DType::kI32, shape, role);
        }
        return b_.add(op, ArithmeticRightShiftAttributes{false}, {x, y}, DType::kI32, shape, role);
    }
    /// Returns 2^amount as fp32, for amounts from 0 to 30.
    TensorIndex power_of_two(TensorIndex amount, std::string_view role) {
        const Shape shape = b_.tensor(amount).shape;
        const TensorIndex bit =
            binary(OpCode::kLogicalLeftShift, number(1, "one"), amount, shape, "bit");
        return b_.add(OpCode::kCast, NoAttributes{}, {bit}, DType::kFp32, shape, role);
    }

 private:
    BlockBuilder& b_;
    Shape ones_;
};

}  // namespace

// Let x = k ln 2 + r and k = 16 h + l with 0 <= l < 16. Then e^x = e^r 2^l (2^h)^8 (2^h)^8, whose
// powers of two are exact and stay in the range of fp32.
TensorIndex precise_exponential(Formula& f, TensorIndex x) {
    BlockBuilder& b = f.block();
    const TensorIndex bounded = f.extremum<MinimumAttributes>(
        OpCode::kMinimum,
        f.extremum<MaximumAttributes>(OpCode::kMaximum, x, kLeast, "bounded_below"), kMost,
        "bounded");
    const Shape shape = b.tensor(bounded).shape;
    const TensorIndex turns = f.product(bounded, f.number(kLog2E, "log2_e"), "turns");
    const TensorIndex k = f.unary(
        OpCode::kFloor, f.binary(OpCode::kAdd, turns, f.number(0.5, "half"), "turns_up"), "k");
    TensorIndex r = f.binary(OpCode::kSub, bounded,
                             f.product(k, f.number(kLn2High, "ln2_high"), "k_high"), "rest_high");
    r = f.binary(OpCode::kSub, r, f.product(k, f.number(kLn2Low, "ln2_low"), "k_low"), "rest");
    TensorIndex tail = f.number(kTail[0], "tail");
    for (std::size_t i = 1; i < kTail.size(); ++i) {
        tail = f.binary(OpCode::kAdd, f.product(tail, r, "tail_r"), f.number(kTail[i], "tail"),
                        "tail_sum");
    }
    const TensorIndex square = f.product(f.product(tail, r, "tail_r"), r, "tail_r2");
    const TensorIndex above = f.binary(OpCode::kAdd, square, r, "above_one");
    TensorIndex power = f.binary(OpCode::kAdd, above, f.number(1.0, "one"), "power_of_rest");

    // CAST of NaN is unpredictable, so its exponent is 0; the rest is still NaN.
    const TensorIndex known = f.select(f.test(OpCode::kEqual, bounded, bounded, "is_number"), k,
                                       f.number(0.0, "zero"), "k_known");
    const TensorIndex exponent =
        b.add(OpCode::kCast, NoAttributes{}, {known}, DType::kI32, shape, "exponent");
    Exponents e(b, shape.size());
    const TensorIndex l =
        e.binary(OpCode::kBitwiseAnd, exponent, e.number(15, "fifteen"), shape, "exponent_low");
    const TensorIndex h = e.binary(OpCode::kArithmeticRightShift, exponent, e.number(4, "four"),
                                   shape, "exponent_high");
    power = f.product(power, e.power_of_two(l, "power_low"), "power_times_low");
    const TensorIndex amount = e.binary(OpCode::kAdd, h, e.number(8, "eight"), shape, "amount");
    TensorIndex high =
        f.product(e.power_of_two(amount, "power_high_256"), f.number(0x1p-8, "unit"), "power_high");
    for (const char* const role : {"power_high_2", "power_high_4", "power_high_8"}) {
        high = f.product(high, high, role);
    }
    return f.product(f.product(power, high, "power_times_high"), high, "exponential");
}

TensorIndex precise_power(Formula& f, TensorIndex x, TensorIndex y) {
    const TensorIndex logarithm = f.unary(OpCode::kLog, x, "logarithm");
    return precise_exponential(f, f.product(logarithm, y, "log_of_power"));
}

void LoweringV090::lower_exp(const OperatorV090& op) {
    require_operands(op, 1, 1);
    const Tensor& x = input(op, 0);
    if (x.type != DType::kFp32 || output(op).type != x.type || output(op).shape != x.shape) {
        return lower_plain<OpCode::kExp>(op);
    }
    Formula f(b_, DType::kFp32, x.shape.size());
    b_.add(OpCode::kIdentity, NoAttributes{}, {precise_exponential(f, op.inputs[0])}, op.outputs);
}

}  // namespace okksim::sim::graph
