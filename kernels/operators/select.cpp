// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.7.1: SELECT.
#include "kernels/pointwise/pointwise.h"
#include "kernels/prim/integer.h"

namespace okksim::kernels {

/// SELECT: every type, by bits.
void select_kernel(const OperatorCall& call) {
    run_pointwise(call, {.inputs = {{call.inputs[0], WordForm::kBits},
                                    {call.inputs[1], WordForm::kBits},
                                    {call.inputs[2], WordForm::kBits}},
                         .output = call.outputs[0],
                         .output_form = WordForm::kBits,
                         .planes = prim::kSelectPlanes,
                         .body = [](const PointwiseTile& tile) {
                             prim::select(tile.output, tile.inputs[0], tile.inputs[1],
                                          tile.inputs[2], tile.scratch);
                         }});
}

}  // namespace okksim::kernels
