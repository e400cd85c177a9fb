// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.5 and 2.8: operators on two tensors that broadcast to the output.
#include <algorithm>
#include <limits>

#include "isa/base/errors.h"
#include "kernels/call/violations.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/pointwise/float_pointwise.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/prim/elementary.h"
#include "kernels/prim/float_ops.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::Scratch;
using tosa::DType;
using tosa::OpCode;

struct Operands {
    const LocalTensor& dst;
    const LocalTensor& a;
    const LocalTensor& b;
    Scratch& scratch;
    const OperatorCall& call;
};

/// A condition on the operands or the result. `find` runs after the body. It sets the sign bit of
/// `hit`, a plane of dst's shape, if the condition does not hold; other bits do not matter.
struct Condition {
    void (*find)(const LocalTensor& hit, const Operands& operands);
    const char* argument;
    const char* rule;
};

struct BinaryOperator {
    OpCode op;
    bool is_float;  ///< the row for floating-point inputs
    void (*body)(const Operands& operands);
    int planes;
    const Condition* condition = nullptr;
    WordForm form = WordForm::kValue;  ///< of the inputs
};

// ---- Conditions ----

/// Operands of equal sign whose sum has the other sign.
void find_sum_overflow(const LocalTensor& hit, const Operands& o) {
    Scratch::Frame frame(o.scratch);
    const LocalTensor other = frame.plane(o.dst.shape);
    prim::raw::bit_xor(hit, o.a, o.dst);
    prim::raw::bit_xor(other, o.b, o.dst);
    prim::raw::bit_and(hit, hit, other);
}

/// Operands of different sign whose difference has the second one's sign.
void find_difference_overflow(const LocalTensor& hit, const Operands& o) {
    Scratch::Frame frame(o.scratch);
    const LocalTensor other = frame.plane(o.dst.shape);
    prim::raw::bit_xor(hit, o.a, o.b);
    prim::raw::bit_xor(other, o.a, o.dst);
    prim::raw::bit_and(hit, hit, other);
}

void find_wide_shift(const LocalTensor& hit, const Operands& o) {
    const auto bits = static_cast<std::uint32_t>(8 * stored_bytes(o.call.inputs[1].type));
    prim::raw::bit_and(hit, o.b, ~(bits - 1));
    prim::raw::select_equal(hit, hit, 0, prim::kSignBit);
    prim::raw::bit_xor(hit, hit, prim::kSignBit);
}

/// Zero divisors, and the smallest number divided by -1.
void find_bad_quotient(const LocalTensor& hit, const Operands& o) {
    Scratch::Frame frame(o.scratch);
    const LocalTensor other = frame.plane(o.dst.shape);
    prim::raw::select_equal(hit, o.a, prim::kSignBit, prim::kSignBit);
    prim::raw::select_equal(other, o.b, prim::kAllOnes, prim::kSignBit);
    prim::raw::bit_and(hit, hit, other);
    prim::raw::select_equal(other, o.b, 0, prim::kSignBit);
    prim::raw::bit_or(hit, hit, other);
}

/// Bases below zero, zero to a power that is not positive, and operands that are NaN or infinite.
/// Denormal numbers count as zero, which the specification allows. Takes two planes.
void find_bad_power(const LocalTensor& hit, const Operands& o) {
    Scratch::Frame frame(o.scratch);
    const LocalTensor other = frame.plane(o.dst.shape);
    const LocalTensor exponent = frame.plane(o.dst.shape);
    constexpr float kLeast = std::numeric_limits<float>::min();
    prim::raw::select_less(hit, o.a, kLeast, prim::kSignBit);
    prim::raw::select_less(other, o.a, 0.0f, prim::kSignBit);
    prim::raw::select_less(exponent, o.b, kLeast, prim::kSignBit);
    prim::raw::bit_or(other, other, exponent);
    prim::raw::bit_and(hit, hit, other);
    // NaN if an operand is not finite: its highest exponent bit moves to the sign.
    prim::raw::multiply(other, o.a, 0.0f);
    prim::raw::multiply_add(other, o.b, 0.0f);
    prim::raw::shift_left(other, other, 1);
    prim::raw::bit_or(hit, hit, other);
}

constexpr char kFits[] = "c >= minimum_s<in_t>() && c <= maximum_s<in_t>()";
constexpr Condition kSumFits{find_sum_overflow, "output", kFits};
constexpr Condition kDifferenceFits{find_difference_overflow, "output", kFits};
constexpr Condition kShiftFits{find_wide_shift, "input2", "0 <= value2 && value2 < bits of in_t"};
constexpr Condition kQuotientFits{find_bad_quotient, "input2", "value2 != 0 and the result fits"};
constexpr Condition kPowerDefined{find_bad_power, "input1",
                                  "value1 >= 0 && (value1 > 0 || value2 > 0), both finite"};
constexpr int kConditionPlanes = 2;  // the hits and the planes of the conditions, except POW's
static_assert(prim::kPowPlanes >= kConditionPlanes + 1);

// ---- Bodies ----

template <void (*kFunction)(const LocalTensor&, const LocalTensor&, const LocalTensor&)>
void plain(const Operands& o) {
    kFunction(o.dst, o.a, o.b);
}
template <void (*kFunction)(const LocalTensor&, const LocalTensor&, const LocalTensor&, Scratch&)>
void scratched(const Operands& o) {
    kFunction(o.dst, o.a, o.b, o.scratch);
}

void shift_right_arithmetic(const Operands& o) {
    const bool round = o.call.attributes_as<tosa::ArithmeticRightShiftAttributes>().round;
    prim::shift_right_arithmetic_int32(o.dst, o.a, o.b, round, o.scratch);
}
void equal_int32(const Operands& o) { prim::equal_bits(o.dst, o.a, o.b, 1); }
void equal_float(const Operands& o) { prim::equal_float(o.dst, o.a, o.b, 1, o.scratch); }
void greater_int32(const Operands& o) { prim::greater_int32(o.dst, o.a, o.b, 1, o.scratch); }
void greater_float(const Operands& o) { prim::raw::select_greater(o.dst, o.a, o.b, 1); }
void greater_equal_int32(const Operands& o) {
    prim::greater_equal_int32(o.dst, o.a, o.b, 1, o.scratch);
}
void greater_equal_float(const Operands& o) {
    prim::greater_equal_float(o.dst, o.a, o.b, 1, o.scratch);
}
void add_int32(const Operands& o) { prim::add_int32(o.dst, o.a, o.b, o.scratch); }

constexpr bool kInteger = false;
constexpr bool kFloat = true;

constexpr BinaryOperator kOperators[] = {
    {OpCode::kAdd, kInteger, add_int32, prim::kAddPlanes, &kSumFits},
    {OpCode::kArithmeticRightShift, kInteger, shift_right_arithmetic,
     prim::kShiftRightArithmeticPlanes, &kShiftFits},
    {OpCode::kBitwiseAnd, kInteger, plain<prim::raw::bit_and>, 0, nullptr, WordForm::kBits},
    {OpCode::kBitwiseOr, kInteger, plain<prim::raw::bit_or>, 0, nullptr, WordForm::kBits},
    {OpCode::kBitwiseXor, kInteger, plain<prim::raw::bit_xor>, 0, nullptr, WordForm::kBits},
    {OpCode::kIntdiv, kInteger, scratched<prim::divide_int32>, prim::kDividePlanes, &kQuotientFits},
    {OpCode::kLogicalAnd, kInteger, plain<prim::raw::bit_and>, 0, nullptr, WordForm::kBits},
    {OpCode::kLogicalLeftShift, kInteger, plain<prim::shift_left_int32>, 0, &kShiftFits},
    {OpCode::kLogicalRightShift, kInteger, scratched<prim::shift_right_logical_int32>,
     prim::kShiftRightPlanes, &kShiftFits, WordForm::kUnsigned},
    {OpCode::kLogicalOr, kInteger, plain<prim::raw::bit_or>, 0, nullptr, WordForm::kBits},
    {OpCode::kLogicalXor, kInteger, plain<prim::raw::bit_xor>, 0, nullptr, WordForm::kBits},
    {OpCode::kMaximum, kInteger, scratched<prim::maximum_int32>, prim::kMinMaxInt32Planes},
    {OpCode::kMinimum, kInteger, scratched<prim::minimum_int32>, prim::kMinMaxInt32Planes},
    {OpCode::kPow, kFloat, scratched<prim::pow_float>, prim::kPowPlanes, &kPowerDefined},
    {OpCode::kSub, kInteger, scratched<prim::subtract_int32>, prim::kSubtractPlanes,
     &kDifferenceFits},
    {OpCode::kEqual, kInteger, equal_int32, 0},
    {OpCode::kEqual, kFloat, equal_float, prim::kFloatComparePlanes},
    {OpCode::kGreater, kInteger, greater_int32, prim::kCompareInt32Planes},
    {OpCode::kGreater, kFloat, greater_float, 0},
    {OpCode::kGreaterEqual, kInteger, greater_equal_int32, prim::kCompareInt32Planes},
    {OpCode::kGreaterEqual, kFloat, greater_equal_float, prim::kFloatComparePlanes},
};

const BinaryOperator& operator_of(OpCode op, bool is_float) {
    for (const BinaryOperator& row : kOperators) {
        if (row.op == op && row.is_float == is_float) return row;
    }
    OKKSIM_CHECK(false);
}

void check(const Condition& condition, const Operands& operands, const LocalTensor& violations) {
    Scratch::Frame frame(operands.scratch);
    const LocalTensor hit = frame.plane(operands.dst.shape);
    condition.find(hit, operands);
    prim::raw::bit_or(violations, violations, hit);
}

bool broadcasts(const DeviceTensor& input, const DeviceTensor& output) {
    return input.dims != output.dims;
}

PointwiseOperator binary_operator(const OperatorCall& call, const BinaryOperator& row) {
    const DeviceTensor& output = call.outputs[0];
    PointwiseOperator op{.inputs = {{call.inputs[0], row.form}, {call.inputs[1], row.form}},
                         .output = output,
                         .planes = row.planes,
                         .checks = row.condition != nullptr,
                         .body = {}};
    if (op.checks) op.planes = std::max(op.planes, kConditionPlanes);
    const bool in_place = row.form == WordForm::kBits && !broadcasts(call.inputs[0], output) &&
                          !broadcasts(call.inputs[1], output);
    if (in_place) {
        op.inputs[0].form = op.inputs[1].form = op.output_form = WordForm::kPacked;
    }
    op.body = [&](const PointwiseTile& tile) {
        const Operands operands{tile.output, tile.inputs[0], tile.inputs[1], tile.scratch, call};
        row.body(operands);
        if (tile.violations != nullptr) check(*row.condition, operands, *tile.violations);
    };
    return op;
}

}  // namespace

/// Every operator of sections 2.5 and 2.8 except MUL and TABLE. Integers use a row of kOperators,
/// floating point uses float_body().
void binary_kernel(const OperatorCall& call) {
    const bool is_float = tosa::is_floating_point(call.inputs[0].type);
    if (is_float && float_body(call.op, *call.attributes, call.inputs[0].type)) {
        run_float_pointwise(call);
        return;
    }
    const BinaryOperator& row = operator_of(call.op, is_float);
    if (run_pointwise(call, binary_operator(call, row))) {
        throw_unpredictable(call, row.condition->argument, "some element", row.condition->rule);
    }
}

}  // namespace okksim::kernels
