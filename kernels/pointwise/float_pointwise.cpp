// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/float_pointwise.h"

#include <algorithm>
#include <utility>

#include "isa/errors.h"
#include "kernels/pointwise/fusion.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/tile_program.h"

namespace okksim::kernels {
namespace {

FloatBody body_of(const OperatorCall& call) {
    std::optional<FloatBody> body = float_body(call.op, *call.attributes, call.inputs[0].type);
    OKKSIM_CHECK(body.has_value());
    return *std::move(body);
}

}  // namespace

FloatOperator::FloatOperator(const OperatorCall& call)
    : call_(call), body_(body_of(call)), program_(call.followers) {}

PointwiseOperator FloatOperator::pointwise() const {
    const auto own = static_cast<std::size_t>(leading_operands(call_.op));
    PointwiseOperator op;
    for (const DeviceTensor& tensor : call_.inputs.first(own)) op.inputs.push_back({tensor});
    for (const DeviceTensor& tensor : program_.stored()) op.inputs.push_back({tensor});
    op.output = call_.outputs[0];
    op.planes = std::max(body_.planes, program_.planes());
    op.body = [this, own](const PointwiseTile& tile) {
        body_.run(tile.output, tile.inputs.first(own), tile.scratch);
        program_.run(tile.output, tile.inputs.subspan(own), tile.scratch);
    };
    return op;
}

void run_float_pointwise(const OperatorCall& call) {
    const FloatOperator work(call);
    run_pointwise(call, work.pointwise());
}

}  // namespace okksim::kernels
