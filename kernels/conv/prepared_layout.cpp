// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/prepared_layout.h"

#include "isa/layout.h"
#include "kernels/conv/element_types.h"
#include "kernels/prepared_constants.h"

namespace okksim::kernels {
namespace conv {
namespace {

bool is_convolution(tosa::OpCode op) {
    return op == tosa::OpCode::kConv2d || op == tosa::OpCode::kConv3d ||
           op == tosa::OpCode::kDepthwiseConv2d || op == tosa::OpCode::kTransposeConv2d;
}

/// Whether words are loaded sooner than the stored values are widened.
bool worth_widening(const DeviceTensor& weight) {
    // What the data mover reads while the control processor issues a command (reference machine).
    constexpr std::int64_t kBytesPerCommand = 100'000;
    const std::int64_t more = weight.count() * (4 - stored_bytes(weight.type));
    const bool spread = can_spread(weight.type) && weight.count() <= kMostSpread;
    return more <= kBytesPerCommand * widen_commands(weight.type, spread);
}

}  // namespace

int bias_parts(tosa::DType type) {
    return type == tosa::DType::kI32 ? 2 : type == tosa::DType::kI48 ? 3 : 1;
}

PreparedLayout prepared_layout(const OperatorCall& call) {
    PreparedLayout layout;
    if (!is_convolution(call.op)) return layout;
    const DeviceTensor& weight = call.inputs[1];
    const DeviceTensor& bias = call.inputs[2];
    const DeviceTensor& weight_zero_point = call.inputs[4];
    constexpr std::int64_t kLine = 128;
    if (bias.constant && bias.type != tosa::DType::kFp32) {
        layout.bias = true;
        layout.bytes = static_cast<std::uint64_t>(
            isa::align_up(bias.count() * bias_parts(bias.type) * 4, kLine));
    }
    if (weight.constant && weight_zero_point.constant && is_narrow(weight.type) &&
        worth_widening(weight)) {
        layout.weights = true;
        layout.weights_offset = layout.bytes;
        layout.bytes += static_cast<std::uint64_t>(isa::align_up(weight.count() * 4, kLine));
    }
    return layout;
}

}  // namespace conv

}  // namespace okksim::kernels
