// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/random_case.h"

#include <cmath>

#include "tests/reference/tosa/case_maker.h"

namespace okksim::tests {

using reference::float_format;

sim::check::DotProductRule dot_rule(std::int64_t terms, DType accumulator, DType out, bool bias) {
    const double narrower = float_format(accumulator).fraction - float_format(out).fraction;
    const double ksb =
        std::ceil(static_cast<double>(terms) / std::exp2(narrower / 2.0)) + (bias ? 1.0 : 0.0);
    return {0, 2.0 * ksb, 1.6 * ksb};
}

void CaseMaker::make_operator() {
    switch (op_) {
        case OpCode::kArgmax:
        case OpCode::kReduceAll:
        case OpCode::kReduceAny:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kReduceProduct:
        case OpCode::kReduceSum: make_reduction(); return;
        case OpCode::kAvgPool2d:
        case OpCode::kMaxPool2d: make_pool(); return;
        case OpCode::kConv2d:
        case OpCode::kConv3d:
        case OpCode::kDepthwiseConv2d:
        case OpCode::kTransposeConv2d: make_convolution(); return;
        case OpCode::kMatmul: make_matmul(); return;
        case OpCode::kFft2d:
        case OpCode::kRfft2d: make_fourier(); return;
        case OpCode::kClamp: make_clamp(); return;
        case OpCode::kSelect: make_select(); return;
        case OpCode::kTable: make_table(); return;
        case OpCode::kCast: make_cast(); return;
        case OpCode::kRescale: make_rescale(); return;
        case OpCode::kResize: make_resize(); return;
        case OpCode::kGather:
        case OpCode::kScatter: make_gather(); return;
        case OpCode::kConcat: make_concat(); return;
        case OpCode::kPad:
        case OpCode::kReshape:
        case OpCode::kReverse:
        case OpCode::kSlice:
        case OpCode::kTile:
        case OpCode::kTranspose: make_layout(); return;
        case OpCode::kErf:
        case OpCode::kSigmoid:
        case OpCode::kTanh:
        case OpCode::kAbs:
        case OpCode::kBitwiseNot:
        case OpCode::kCeil:
        case OpCode::kClz:
        case OpCode::kCos:
        case OpCode::kExp:
        case OpCode::kFloor:
        case OpCode::kLog:
        case OpCode::kLogicalNot:
        case OpCode::kNegate:
        case OpCode::kReciprocal:
        case OpCode::kRsqrt:
        case OpCode::kSin:
        case OpCode::kIdentity: make_unary(); return;
        default: make_binary();
    }
}

const std::vector<OpCode>& random_operators() {
    static const std::vector<OpCode> operators = [] {
        std::vector<OpCode> all;
        for (int i = 1; i <= tosa::kOpCodeCount; ++i) {
            const auto op = static_cast<OpCode>(i);
            const bool skipped = op == OpCode::kConst || op == OpCode::kConstShape ||
                                 op == OpCode::kCustom || op == OpCode::kCondIf ||
                                 op == OpCode::kWhileLoop || op == OpCode::kVariable ||
                                 op == OpCode::kVariableRead || op == OpCode::kVariableWrite;
            if (!skipped) all.push_back(op);
        }
        return all;
    }();
    return operators;
}

RandomCase make_random_case(OpCode op, RandomSource& random, std::int64_t scale) {
    return CaseMaker(op, random, scale).make();
}

}  // namespace okksim::tests
