// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/fusion.h"

#include <algorithm>

#include "kernels/tiling/nd_tiles.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::kernels {
namespace {

using tosa::DType;
using tosa::OpCode;

/// Convolutions whose sums pass through conv::Epilogue.
bool is_sum(const OperatorCall& lead) {
    if (!tosa::gives_sums(tosa::operator_row(lead.op).fusion)) return false;
    // With a multiplier, channels of one problem are not adjacent.
    return lead.op != OpCode::kDepthwiseConv2d || lead.inputs[1].dims[3] == 1;
}

/// Most stored operands: the operands and the output of an element-wise operator take the others.
constexpr int kMostStored = kMaxOperands - 3;

int count_stored(const Follower& follower) {
    return static_cast<int>(
        std::count(follower.operands.begin(), follower.operands.end(), Follower::kStored));
}

bool is_float_lead(const OperatorCall& lead) {
    const bool is_float_sum =
        is_sum(lead) && tosa::operator_row(lead.op).fusion == tosa::Fusion::kSums;
    return tosa::is_floating_point(lead.outputs[0].type) &&
           (is_float_sum || has_float_body(lead.op));
}

bool same_shape(const DeviceTensor& a, const DeviceTensor& b) {
    return a.rank == b.rank && a.dims == b.dims;
}

/// True if all leading operands have the group's shape and type.
bool works_on_values(const DeviceTensor& result, const Follower& next) {
    const auto leading = static_cast<std::size_t>(leading_operands(next.op));
    if (next.operands.size() != leading || next.inputs.size() < leading) return false;
    return same_shape(next.output, result) &&
           std::all_of(next.inputs.begin(), next.inputs.begin() + static_cast<long>(leading),
                       [&](const DeviceTensor& input) {
                           return input.type == result.type && same_shape(input, result);
                       });
}

bool rescales_sums(const OperatorCall& lead, const Follower& next) {
    if (!is_sum(lead) || lead.outputs[0].type != DType::kI32) return false;
    const bool rescales = tosa::operator_row(next.op).fusion == tosa::Fusion::kRescale;
    if (!rescales || !same_shape(next.output, lead.outputs[0])) return false;
    const auto& attributes = std::get<tosa::RescaleAttributes>(*next.attributes);
    const DType type = next.output.type;
    // A factor per channel belongs to the last dimension, which need not be the output channels.
    const bool has_one_factor = tosa::operator_row(lead.op).fusion == tosa::Fusion::kScaledSums;
    if (attributes.per_channel && has_one_factor) return false;
    return attributes.scale32 && !attributes.input_unsigned &&
           (type == DType::kI8 || type == DType::kI16 || type == DType::kI32);
}

bool clamps_rescaled(const Follower& rescale, const Follower& next) {
    const bool is_unsigned = std::get<tosa::RescaleAttributes>(*rescale.attributes).output_unsigned;
    return next.op == OpCode::kClamp && !is_unsigned && rescale.output.type != DType::kI32;
}

}  // namespace

int leading_operands(OpCode op) { return tosa::operator_row(op).leading_operands; }

bool has_float_body(OpCode op) { return tosa::operator_row(op).fusion == tosa::Fusion::kBody; }

bool can_follow(const OperatorCall& lead, std::span<const Follower> before, const Follower& next) {
    if (is_float_lead(lead)) {
        const DeviceTensor& result = lead.outputs[0];
        const bool known =
            result.type == DType::kFp32 ? has_float_body(next.op) : next.op == OpCode::kClamp;
        int stored = count_stored(next);
        for (const Follower& follower : before) stored += count_stored(follower);
        return known && next.output.type == result.type && works_on_values(result, next) &&
               stored <= kMostStored;
    }
    if (before.empty()) return rescales_sums(lead, next);
    return before.size() == 1 && before[0].op == OpCode::kRescale &&
           clamps_rescaled(before[0], next);
}

}  // namespace okksim::kernels
