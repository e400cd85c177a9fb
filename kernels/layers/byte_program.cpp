// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/byte_program.h"

#include <algorithm>

namespace okksim::kernels::layers {

int ByteProgram::planes() const {
    switch (kind) {
        case ByteProgramKind::kScaled: return 0;
        case ByteProgramKind::kSettled: return 2;
        case ByteProgramKind::kFunction:
            return pieces.empty() ? static_cast<int>(factors.size()) - 1 : 2;
        case ByteProgramKind::kSettledPair: return 3;
    }
    __builtin_unreachable();
}

namespace {

float clamped(const ByteProgram& program, float value) {
    if (!program.clamps) return value;
    return std::min(std::max(value, program.low), program.high);
}

/// Maps' values times factors, and a constant.
float weighed(std::span<const float> values, std::span<const float> factors, float constant) {
    float sum = values[0] * factors[0];
    if (values.size() > 1) {
        const float product = values[1] * factors[1];
        sum = sum + product;
    }
    return constant == 0 ? sum : sum + constant;
}

float settled_pair(const ByteProgram& program, std::span<const float> values) {
    const float sum = weighed(values, program.factors, program.constant);
    const float first = rounded(clamped(program, sum));
    const float left = (sum - first) + weighed(values, program.rests, program.rests[2]);
    return first + (left > 0.0f ? 1.0f : 0.0f) + program.shift;
}

}  // namespace

float function_value(const ByteProgram& program, std::span<const float> values) {
    if (program.kind == ByteProgramKind::kSettledPair) return settled_pair(program, values);
    float sum = weighed(values, program.factors, program.constant);
    for (const BytePiece& piece : program.pieces) {
        const float product = std::max(values[0], piece.knot) * piece.slope;
        sum = sum + product;
    }
    return rounded(clamped(program, sum)) + program.shift;
}

}  // namespace okksim::kernels::layers
