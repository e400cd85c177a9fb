// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/epilogue.h"

#include <algorithm>

#include "isa/base/errors.h"
#include "kernels/call/constant_values.h"
#include "kernels/conv/feature_maps.h"

namespace okksim::kernels::conv {
namespace {

OperatorCall call_of(const Follower& follower) {
    return {follower.op, follower.attributes, follower.inputs, {&follower.output, 1}};
}

SumScale scale_of(std::span<const Follower> followers, const ReadValues& read) {
    const OperatorCall rescale = call_of(followers[0]);
    const tosa::DType type = followers[0].output.type;
    SumScale scale{read_factors(rescale, read), scale_rounding(rescale),
                   scale_output(rescale, type, read), scaled_form(rescale, type)};
    OKKSIM_CHECK(input_zero_point(rescale, read) == 0);
    for (const Follower& clamp : followers.subspan(1)) {
        const auto& limits = std::get<tosa::ClampAttributes>(*clamp.attributes);
        scale.output.low = std::max(scale.output.low, integer_value(limits.min_val, type));
        scale.output.high = std::min(scale.output.high, integer_value(limits.max_val, type));
    }
    return scale;
}

}  // namespace

prim::Rescale SumScale::plan(bool in_parts, std::int32_t first, std::int32_t count,
                             const Lanes& lanes) const {
    const auto own = per_channel() ? std::span(factors).subspan(static_cast<std::size_t>(first),
                                                                static_cast<std::size_t>(count))
                                   : std::span(factors);
    return {in_parts ? prim::ValueForm::kInt32 : prim::ValueForm::kFloat24, own, rounding, output,
            lanes};
}

bool is_scaled(const OperatorCall& call) {
    return !call.followers.empty() && call.followers.front().op == tosa::OpCode::kRescale;
}

Epilogue epilogue_of(const OperatorCall& call, const ReadValues& read) {
    Epilogue epilogue;
    if (call.followers.empty()) return epilogue;
    epilogue.prepared = call.prepared;
    if (is_scaled(call)) {
        if (read) epilogue.scale = scale_of(call.followers, read);
    } else {
        epilogue.program = TileProgram(call.followers);
        for (const DeviceTensor& tensor : epilogue.program.stored()) {
            epilogue.stored.push_back(feature_maps(tensor));
        }
    }
    return epilogue;
}

}  // namespace okksim::kernels::conv
