// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/float_pointwise.h"

#include <algorithm>
#include <memory>

#include "isa/errors.h"
#include "kernels/pointwise/fusion.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/tile_program.h"

namespace okksim::kernels {

PointwiseOperator float_operator(const OperatorCall& call) {
    const std::optional<FloatBody> body =
        float_body(call.op, *call.attributes, call.inputs[0].type);
    OKKSIM_CHECK(body.has_value());
    const auto program = std::make_shared<const TileProgram>(call.followers);
    PointwiseOperator op;
    for (int i = 0; i < leading_operands(call.op); ++i) {
        op.inputs.push_back({call.inputs[static_cast<std::size_t>(i)]});
    }
    const std::size_t own = op.inputs.size();
    for (const DeviceTensor& tensor : program->stored()) op.inputs.push_back({tensor});
    op.output = call.outputs[0];
    op.planes = std::max(body->planes, program->planes());
    op.body = [run = body->run, program, own](const PointwiseTile& tile) {
        run(tile.output, tile.inputs.first(own), tile.scratch);
        program->run(tile.output, tile.inputs.subspan(own), tile.scratch);
    };
    return op;
}

void run_float_pointwise(const OperatorCall& call) { run_pointwise(call, float_operator(call)); }

}  // namespace okksim::kernels
