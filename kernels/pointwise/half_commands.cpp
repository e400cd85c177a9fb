// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/half_commands.h"

#include "kernels/call/constant_values.h"

namespace okksim::kernels {
namespace {

using Addresses = std::span<const local_addr_t>;

HalfCommand arithmetic(decltype(&okk_bdc_half_add) function) {
    return [function](local_addr_t to, Addresses o, const dim4& shape, okk_element_t type) {
        function(to, o[0], o[1], &shape, nullptr, nullptr, nullptr, type, type, type);
    };
}

HalfCommand extremum(decltype(&okk_bdc_half_max) function, tosa::NanPropagationMode mode) {
    const bool keeps_nan = nan_mode(mode) == prim::NanMode::kPropagate;
    return [function, keeps_nan](local_addr_t to, Addresses o, const dim4& shape,
                                 okk_element_t type) {
        function(to, o[0], o[1], &shape, nullptr, nullptr, nullptr, type, type, type, keeps_nan);
    };
}

HalfCommand clamp(const tosa::ClampAttributes& limits, tosa::DType type) {
    const float low = float_value(limits.min_val, type);
    const float high = float_value(limits.max_val, type);
    const bool keeps_nan = nan_mode(limits.nan_mode) == prim::NanMode::kPropagate;
    return [=](local_addr_t to, Addresses o, const dim4& shape, okk_element_t element) {
        okk_bdc_half_clamp(to, o[0], low, high, &shape, nullptr, nullptr, element, element,
                           keeps_nan);
    };
}

}  // namespace

HalfCommand half_command(tosa::OpCode op, const tosa::Attributes& attributes, tosa::DType type) {
    using std::get;
    switch (op) {
        case tosa::OpCode::kAdd: return arithmetic(okk_bdc_half_add);
        case tosa::OpCode::kSub: return arithmetic(okk_bdc_half_sub);
        case tosa::OpCode::kMul: return arithmetic(okk_bdc_half_mul);
        case tosa::OpCode::kMaximum:
            return extremum(okk_bdc_half_max, get<tosa::MaximumAttributes>(attributes).nan_mode);
        case tosa::OpCode::kMinimum:
            return extremum(okk_bdc_half_min, get<tosa::MinimumAttributes>(attributes).nan_mode);
        case tosa::OpCode::kClamp: return clamp(get<tosa::ClampAttributes>(attributes), type);
        default: return {};
    }
}

}  // namespace okksim::kernels
