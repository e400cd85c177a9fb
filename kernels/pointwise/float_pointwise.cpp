// SPDX-License-Identifier: Apache-2.0
#include "kernels/pointwise/float_pointwise.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "isa/base/errors.h"
#include "kernels/pointwise/fusion.h"
#include "kernels/pointwise/half_commands.h"
#include "kernels/pointwise/pointwise.h"
#include "kernels/pointwise/pointwise_planner.h"
#include "kernels/pointwise/tile_program.h"
#include "kernels/transfer/half_element.h"

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

std::optional<PointwiseOperator> FloatOperator::of_halves(const Lanes& lanes) const {
    const DeviceTensor& output = call_.outputs[0];
    if (!lanes.has(isa::Feature::kHalfMac) || !is_half(output.type)) return {};
    if (!call_.followers.empty()) return {};
    const HalfCommand command = half_command(call_.op, *call_.attributes, output.type);
    if (!command) return {};
    const auto own = static_cast<std::size_t>(leading_operands(call_.op));
    PointwiseOperator op;
    op.output = output;
    op.output_form = WordForm::kPacked;
    for (const DeviceTensor& tensor : call_.inputs.first(own)) {
        if (tensor.dims != output.dims || tensor.type != output.type) return {};
        op.inputs.push_back({tensor, WordForm::kPacked});
    }
    op.body = [this, command, own](const PointwiseTile& tile) {
        dim4 shape = tile.output.shape;  // words of two elements
        shape.w *= 2;
        std::array<local_addr_t, kMostHalfOperands> from{};
        for (std::size_t i = 0; i < own; ++i) from[i] = tile.inputs[i].address;
        command(tile.output.address, std::span(from).first(own), shape,
                half_element(call_.outputs[0].type));
    };
    return op;
}

PointwiseOperator FloatOperator::pointwise(const Lanes& lanes) const {
    if (std::optional<PointwiseOperator> halves = of_halves(lanes)) return *std::move(halves);
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
    const PointwisePlan& plan = call.decisions->take("tiles", [&](Host& host) {
        return plan_pointwise(work.pointwise(lanes_of(host.machine())), host);
    });
    run_pointwise(work.pointwise(plan.lanes), plan);
}

}  // namespace okksim::kernels
