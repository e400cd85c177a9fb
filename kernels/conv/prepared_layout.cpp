// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/prepared_layout.h"

#include "kernels/call/prepared_space.h"
#include "kernels/conv/element_types.h"

namespace okksim::kernels::conv {
namespace {

bool is_convolution(tosa::OpCode op) {
    return op == tosa::OpCode::kConv2d || op == tosa::OpCode::kConv3d ||
           op == tosa::OpCode::kDepthwiseConv2d || op == tosa::OpCode::kTransposeConv2d;
}

}  // namespace

int bias_parts(tosa::DType type) {
    return type == tosa::DType::kI32 ? 2 : type == tosa::DType::kI48 ? 3 : 1;
}

PreparedLayout most_prepared(const OperatorCall& call) {
    PreparedLayout layout;
    if (!is_convolution(call.op)) return layout;
    const DeviceTensor& weight = call.inputs[1];
    const DeviceTensor& bias = call.inputs[2];
    const DeviceTensor& weight_zero_point = call.inputs[4];
    if (bias.constant && bias.type != tosa::DType::kFp32) {
        layout.bias = true;
        take_prepared(layout.bytes,
                      static_cast<std::uint64_t>(bias.count() * bias_parts(bias.type) * 4));
    }
    layout.weights_offset = layout.bytes;
    if (weight.constant && weight_zero_point.constant && is_narrow(weight.type)) {
        layout.weights = true;
        take_prepared(layout.bytes, static_cast<std::uint64_t>(weight.count() * 4));
    }
    return layout;
}

bool may_fold(const OperatorCall& call) {
    return call.op == tosa::OpCode::kDepthwiseConv2d && call.followers.empty() &&
           call.inputs[0].type == tosa::DType::kFp32 && call.inputs[1].constant &&
           call.inputs[2].constant;
}

}  // namespace okksim::kernels::conv
