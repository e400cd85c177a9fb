// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.4.1: CLAMP.
#include "kernels/call/constant_values.h"
#include "kernels/pointwise/float_pointwise.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

/// i8 and i16: the fixed-point unit clamps packed elements.
void clamp_integer(const OperatorCall& call, const tosa::ClampAttributes& attributes) {
    const tosa::DType type = call.inputs[0].type;
    const int low = integer_value(attributes.min_val, type);
    const int high = integer_value(attributes.max_val, type);
    const auto clamp = type == tosa::DType::kI8 ? prim::raw::bytes_clamp : prim::raw::halves_clamp;
    run_pointwise(call, {.inputs = {{call.inputs[0], WordForm::kPacked}},
                         .output = call.outputs[0],
                         .output_form = WordForm::kPacked,
                         .body = [&](const PointwiseTile& tile) {
                             clamp(tile.output, tile.inputs[0], low, high);
                         }});
}

}  // namespace

/// CLAMP: i8, i16 and floating point.
void clamp_kernel(const OperatorCall& call) {
    if (tosa::is_floating_point(call.inputs[0].type)) {
        run_float_pointwise(call);
    } else {
        clamp_integer(call, call.attributes_as<tosa::ClampAttributes>());
    }
}

}  // namespace okksim::kernels
