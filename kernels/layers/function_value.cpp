// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/function_value.h"

#include <algorithm>

#include "kernels/layers/pair_value.h"

namespace okksim::kernels::layers {

float function_value(const ByteProgram& program, std::span<const float> values) {
    if (program.kind == ByteProgramKind::kSettledPair) {
        return PairValue(program).of<ByteProgramKind::kSettledPair>(values[0], values[1]);
    }
    if (values.size() == 2) {
        return PairValue(program).of<ByteProgramKind::kFunction>(values[0], values[1]);
    }
    float sum = values[0] * program.factors[0];
    if (program.constant != 0) sum = sum + program.constant;
    for (const BytePiece& piece : program.pieces) {
        const float product = std::max(values[0], piece.knot) * piece.slope;
        sum = sum + product;
    }
    if (program.clamps) sum = std::min(std::max(sum, program.low), program.high);
    return rounded(sum) + program.shift;
}

}  // namespace okksim::kernels::layers
