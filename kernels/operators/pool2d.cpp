// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.3.2 and 2.3.8: AVG_POOL2D and MAX_POOL2D.
#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "kernels/call/violations.h"
#include "kernels/pool/pool_means.h"
#include "kernels/pool/pool_planner.h"
#include "kernels/pool/pool_runner.h"
#include "kernels/pool/pool_windows.h"
#include "kernels/prim/integer.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {
namespace {

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
namespace raw = prim::raw;

using Maps = std::span<const LocalTensor>;

struct AverageDecision {
    PoolMeans means;
    PoolPlan plan;
    std::optional<WindowTiles> windows;  ///< replaces the plan

    std::uint64_t argument_words() const {
        return windows ? 5 + windows->argument_words()
                       : means.argument_words() + plan.argument_words();
    }
};

PoolOperator average(const OperatorCall& call, const PoolMeans& means, WordForm in_form,
                     WordForm out_form) {
    PoolOperator op{Combiner(means.sum, NanMode::kPropagate),
                    pool_shape(call, call.attributes_as<tosa::AvgPool2dAttributes>()),
                    call.inputs[0],
                    in_form,
                    call.outputs[0],
                    out_form,
                    {}};
    op.stages.map_address = call.prepared;
    return op;
}

PoolOperator float_average(const OperatorCall& call, const PoolMeans& means) {
    PoolOperator op = average(call, means, WordForm::kValue, WordForm::kValue);
    if (means.scale != 1.0f) {
        op.stages.adapt = [down = 1.0f / means.scale](const LocalTensor& words, Scratch&) {
            raw::multiply(words, words, down);
        };
    }
    const float factor = means.factors.front();
    op.stages.weight = (means.factors.size() > 1 ? 1.0f : factor) / means.scale;
    if (means.factors.size() > 1) {
        op.stages.maps = 1;
        op.stages.finish = [](const LocalTensor& words, Maps maps, Scratch&) {
            raw::multiply(words, words, maps.front());
        };
    } else if (factor != 1.0f) {
        op.stages.finish = [factor](const LocalTensor& words, Maps, Scratch&) {
            raw::multiply(words, words, factor);
        };
    }
    return op;
}

/// Integer means: the specification's apply_scale_32 with reciprocal_scale of the number of valid
/// elements.
PoolOperator integer_average(const OperatorCall& call, const PoolMeans& means, const Lanes& lanes,
                             std::int64_t input_zero, std::int64_t output_zero) {
    PoolOperator op = average(call, means, means.in_float ? WordForm::kFloat : WordForm::kValue,
                              WordForm::kFloat);
    prim::Rescale rescale =
        mean_rescale(means, call.inputs[0].type, static_cast<std::int32_t>(output_zero), lanes);
    op.stages.planes = std::max(rescale.planes(), prim::kAddPlanes);
    op.stages.maps = rescale.constant_rows();
    const auto shift = static_cast<std::int32_t>(-input_zero);
    if (shift != 0 && means.in_float) {
        op.stages.adapt = [shift](const LocalTensor& words, Scratch&) {
            raw::add(words, words, static_cast<float>(shift));
        };
    } else if (shift != 0) {
        op.stages.adapt = [shift](const LocalTensor& words, Scratch& scratch) {
            prim::add_int32(words, words, shift, scratch);
        };
    }
    op.stages.finish = [shared = std::make_shared<const prim::Rescale>(std::move(rescale))](
                           const LocalTensor& words, Maps maps, Scratch& scratch) {
        shared->run(words, words, maps, scratch);
    };
    return op;
}

/// `zero(tensor)`: returns the value of a zero point.
template <typename Zero>
PoolOperator average_of(const OperatorCall& call, const PoolMeans& means, const Lanes& lanes,
                        const Zero& zero) {
    if (tosa::is_floating_point(call.inputs[0].type)) return float_average(call, means);
    return integer_average(call, means, lanes, zero(call.inputs[1]), zero(call.inputs[2]));
}

AverageDecision decide_average(const OperatorCall& call, Host& host) {
    AverageDecision decision;
    decision.means = pool_means(call);
    const PoolOperator op =
        average_of(call, decision.means, lanes_of(host.machine()), [&](const DeviceTensor& zero) {
            const auto values = host.values(zero);
            // Zero points other than 0 need more commands.
            return values ? values->front() : 1;
        });
    decision.plan = plan_pool(op, host);
    decision.windows = plan_pool_windows(op, decision.plan, host);
    return decision;
}

}  // namespace

void avg_pool2d_kernel(const OperatorCall& call) {
    const AverageDecision& decision =
        call.decisions->take("tiles", [&](Host& host) { return decide_average(call, host); });
    if (decision.windows) {
        return run_window_tiles(Combiner(decision.means.sum, NanMode::kPropagate),
                                *decision.windows,
                                {call.outputs[0].address, call.inputs[0].address});
    }
    if (!tosa::is_floating_point(call.inputs[0].type)) {
        charge(OwnWork::kRescale);
        charge(OwnWork::kScaleFactor, decision.means.scales.size());
    }
    if (run_pool(average_of(call, decision.means, decision.plan.lanes, zero_point),
                 decision.plan)) {
        throw_unpredictable(call, "input", "the sum of some window",
                            "c >= minimum_s<acc_t>() && c <= maximum_s<acc_t>()");
    }
}

void max_pool2d_kernel(const OperatorCall& call) {
    const auto& attributes = call.attributes_as<tosa::MaxPool2dAttributes>();
    const bool is_float = tosa::is_floating_point(call.inputs[0].type);
    const WordForm form = is_float ? WordForm::kValue : WordForm::kFloat;
    const Combination maximum = is_float ? Combination::kFloatMaximum : Combination::kPlainMaximum;
    const PoolOperator op{Combiner(maximum, nan_mode(attributes.nan_mode)),
                          pool_shape(call, attributes),
                          call.inputs[0],
                          form,
                          call.outputs[0],
                          form,
                          {},
                          !is_float};
    run_pool(op, call.decisions->take("tiles", [&](Host& host) { return plan_pool(op, host); }));
}

}  // namespace okksim::kernels
