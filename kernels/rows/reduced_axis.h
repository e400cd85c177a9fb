// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <variant>

#include "kernels/call/tensor.h"

namespace okksim::kernels::rows {

/// The axis that a reduction reduces; nothing for other operators.
inline std::optional<int> reduced_axis(const Follower& member) {
    switch (member.op) {
        case tosa::OpCode::kReduceSum:
            return std::get<tosa::ReduceSumAttributes>(*member.attributes).axis;
        case tosa::OpCode::kReduceMax:
            return std::get<tosa::ReduceMaxAttributes>(*member.attributes).axis;
        case tosa::OpCode::kReduceMin:
            return std::get<tosa::ReduceMinAttributes>(*member.attributes).axis;
        default: return std::nullopt;
    }
}

}  // namespace okksim::kernels::rows
