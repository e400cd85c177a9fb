// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 section 2.12: RESIZE.
#include <algorithm>
#include <array>

#include "isa/base/errors.h"
#include "kernels/prim/magic.h"
#include "kernels/resize/resize_plan.h"

namespace okksim::kernels {
namespace {

/// The axes of a call, whose scale and offset are constants of the graph, and the tiles.
struct ResizeDecision {
    std::array<ResizeAxis, 2> axes;  ///< y, x
    ResizePlan plan;

    std::uint64_t argument_words() const { return 10 + plan.argument_words(); }
};

ResizeDecision decide_resize(const OperatorCall& call, Host& host) {
    const auto scale = host.values(call.inputs[1]);
    const auto offset = host.values(call.inputs[2]);
    OKKSIM_CHECK(scale && offset);  // TOSA 1.0.1, 1.11.1
    ResizeDecision decision;
    for (std::size_t i = 0; i < 2; ++i) {
        decision.axes[i] = {scale->at(2 * i), scale->at(2 * i + 1), offset->at(i),
                            call.inputs[0].dims[i + 1], call.outputs[0].dims[i + 1]};
    }
    decision.plan = plan_resize(resize_operator(call, decision.axes[0], decision.axes[1]), host);
    return decision;
}

/// Treats batches that are consecutive in memory as channels.
void merge_batches(ResizeOperator& op) {
    const std::int64_t batches = op.input.dims[0];
    const std::int64_t channels = op.input.dims[3];
    op.batches = batches;
    op.channels = channels;
    const bool dense = op.input.strides[0] == channels * op.input.strides[3] &&
                       op.output.strides[0] == channels * op.output.strides[3];
    if (batches == 1) return;
    if (channels == 1) {
        // With one channel, the channel stride has no meaning.
        op.input.strides[3] = op.input.strides[0];
        op.output.strides[3] = op.output.strides[0];
    } else if (!dense) {
        return;
    }
    op.channels = batches * channels;
    op.batches = 1;
}

}  // namespace

ResizeOperator resize_operator(const OperatorCall& call, const ResizeAxis& y, const ResizeAxis& x) {
    ResizeOperator op;
    op.input = call.inputs[0];
    op.output = call.outputs[0];
    op.y = y;
    op.x = x;
    const auto mode = call.attributes_as<tosa::ResizeAttributes>().mode;
    op.bilinear = mode == tosa::ResizeMode::kBilinear;
    op.integer = op.bilinear && !tosa::is_floating_point(op.input.type);
    const std::int64_t value_bound = op.input.type == tosa::DType::kI8 ? 1 << 7 : 1 << 15;
    op.splits_values = op.integer && value_bound * op.x.numerator > prim::kExactIntegers;
    op.sum_bound = (op.splits_values ? (1 << kValueUnit) : value_bound) * op.x.numerator;
    op.splits_sums =
        op.integer && (op.splits_values || op.sum_bound * op.y.numerator > prim::kExactIntegers ||
                       op.output.type == tosa::DType::kI48);
    op.in_form = op.bilinear ? WordForm::kFloat : WordForm::kBits;
    op.out_form = op.splits_sums ? WordForm::kValue : op.in_form;
    merge_batches(op);
    return op;
}

/// RESIZE: nearest neighbour, or bilinear with integers scaled by both numerators.
void resize_kernel(const OperatorCall& call) {
    const ResizeDecision& decision =
        call.decisions->take("tiles", [&](Host& host) { return decide_resize(call, host); });
    const auto& [y, x] = decision.axes;
    run_resize(resize_operator(call, y, x), decision.plan, INT64_MAX);
}

}  // namespace okksim::kernels
