// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/operator_problem.h"

#include <utility>

#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "kernels/call/prepared_space.h"
#include "kernels/call/violations.h"
#include "kernels/conv/byte_planner.h"
#include "kernels/conv/epilogue.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/conv/problem_planner.h"
#include "kernels/conv/problem_run.h"
#include "kernels/conv/tile_search.h"
#include "kernels/planning/decisions.h"

namespace okksim::kernels::conv {

ZeroPoint zero_point_of(const DeviceTensor& operand) {
    if (tosa::is_floating_point(operand.type)) return {};
    return {&operand, std::nullopt};
}

namespace {

/// Largest magnitude of a bias, from its type if its values are unknown.
std::int64_t largest_bias(const DeviceTensor& bias) {
    if (!tosa::is_integer(bias.type)) return 0;
    constexpr std::int64_t kI48 = std::int64_t{1} << 47;
    constexpr std::int64_t kI32 = std::int64_t{1} << 31;
    return bias.largest.value_or(bias.type == tosa::DType::kI48 ? kI48 : kI32);
}

/// Replaces operands by prepared constants.
void use_prepared(Problem& problem, const OperatorCall& call, const PreparedLayout& layout) {
    if (layout.bias) {
        problem.bias.prepared = true;
        problem.bias.address = call.prepared;
        problem.bias.part_stride = call.inputs[2].count();
    }
    if (layout.weights) {
        problem.weights.prepared = true;
        problem.weights.address = call.prepared + layout.weights_offset;
    }
}

}  // namespace

Problem convolution_problem(const OperatorCall& call, const PreparedLayout& layout) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& weight = call.inputs[1];
    const DeviceTensor& bias = call.inputs[2];
    const DeviceTensor& output = call.outputs[0];
    Problem problem;
    problem.images = input.dims[0];
    problem.input_channels = input.dims[static_cast<std::size_t>(input.rank - 1)];
    problem.output_channels = output.dims[static_cast<std::size_t>(output.rank - 1)];
    problem.input = feature_maps(input);
    problem.output = feature_maps(output);
    problem.weights.address = weight.address;
    problem.weights.type = weight.type;
    problem.bias = {.present = true,
                    .address = bias.address,
                    .type = bias.type,
                    .stride = bias.dims[0] == 1 ? 0 : bias.strides[0],
                    .largest = largest_bias(bias)};
    problem.input_zero = zero_point_of(call.inputs[3]);
    problem.weight_zero = zero_point_of(call.inputs[4]);
    use_prepared(problem, call, layout);
    return problem;
}

namespace {

/// Decisions about an operator.
struct WayPlan {
    int way = 0;
    PreparedLayout layout;
    std::vector<ProblemPlan> problems;

    std::uint64_t argument_words() const {
        return 1 + kernels::argument_words(layout) + kernels::argument_words(problems);
    }
};

/// Alternatives for preparing the operands, in the order in which they are tried.
std::vector<PreparedLayout> layouts_of(const OperatorCall& call) {
    if (call.prepared == 0) return {{}};
    const PreparedLayout most = most_prepared(call);
    if (!most.weights) return {most};
    PreparedLayout stored_weights = most;
    stored_weights.weights = false;
    stored_weights.bytes = most.weights_offset;
    return {most, stored_weights};
}

/// Planner: takes the value of a zero point if it is known.
void know(ZeroPoint& zero, Host& host) {
    if (zero.operand == nullptr) return;
    if (const auto values = host.values(*zero.operand)) zero.value = values->front();
}

/// Firmware: reads the value of a zero point.
void read(ZeroPoint& zero) {
    if (zero.operand != nullptr) zero.value = zero_point(*zero.operand);
}

/// Assigns offsets in prepared memory to the rows of scales.
void place_scales(WayPlan& plan) {
    for (ProblemPlan& problem : plan.problems) {
        for (RoundPlan& round : problem.rounds) {
            if (!round.rule.scale) continue;
            round.rule.scale_offset =
                take_prepared(plan.layout.bytes, 4 * round.rule.scale->constants().size());
        }
    }
}

/// True if biases and weights can be packed before the run.
bool has_constants(const OperatorCall& call) {
    constexpr std::size_t kBias = 2;
    return call.inputs.size() > kBias && call.inputs[1].constant && call.inputs[kBias].constant;
}

/// Plans with commands on bytes. Returns nothing if no way supports them for all its problems.
std::optional<WayPlan> plan_with_bytes(const OperatorCall& call, int ways, const PutAs& put_as,
                                       const Epilogue& epilogue, Host& host) {
    constexpr std::size_t kBias = 2;
    const auto is_packed = [&](const Problem& problem) { return problem.bias.present; };
    const bool constant = has_constants(call);
    std::optional<WayPlan> best;
    Duration least = Duration::max();
    for (int way = 0; way < ways; ++way) {
        WayPlan candidate{way, {}, {}};
        Duration time{};
        bool has_all = true;
        for (Problem problem : put_as(way, {})) {
            know(problem.input_zero, host);
            know(problem.weight_zero, host);
            if (!call.followers.empty()) problem.epilogue = &epilogue;
            std::optional<BytePlan> bytes;
            if (is_packed(problem) ? constant : problem.weights.of_each_image()) {
                bytes = plan_bytes(problem, call.prepared, host);
            }
            has_all = bytes.has_value();
            if (!has_all) break;
            bytes->prepared = take_prepared(candidate.layout.bytes, bytes->packed_bytes);
            if (is_packed(problem)) {
                bytes->weight_offset =
                    static_cast<std::int64_t>(problem.weights.address - call.inputs[1].address);
                bytes->bias_offset =
                    static_cast<std::int64_t>(problem.bias.address - call.inputs[kBias].address);
            }
            time += bytes->time;
            candidate.problems.push_back({{}, std::move(bytes), {}, time});
        }
        if (!has_all || time >= least) continue;
        least = time;
        best = std::move(candidate);
    }
    return best;
}

/// Plans with images and rows over the lanes. Returns nothing if some problem does not support it.
std::optional<WayPlan> plan_with_folds(const OperatorCall& call, const PutAs& put_as, Host& host,
                                       Duration& time) {
    if (!may_fold(call)) return std::nullopt;
    WayPlan candidate;
    time = {};
    for (const Problem& problem : put_as(0, {})) {
        std::optional<FoldedPlan> folded = plan_folded(problem, call.prepared, host);
        if (!folded) return std::nullopt;
        folded->prepared = take_prepared(candidate.layout.bytes, folded->packed_bytes());
        folded->weight_offset =
            static_cast<std::int64_t>(problem.weights.address - call.inputs[1].address);
        folded->bias_offset =
            static_cast<std::int64_t>(problem.bias.address - call.inputs[2].address);
        time += folded->time;
        candidate.problems.push_back({{}, {}, std::move(folded), time});
    }
    return candidate;
}

WayPlan plan_fastest(const OperatorCall& call, int ways, const PutAs& put_as, Host& host) {
    const Epilogue epilogue = epilogue_of(call, [&](const DeviceTensor& tensor) {
        auto values = host.values(tensor);
        OKKSIM_CHECK(values.has_value());  // operators whose factors are not constant cannot be
                                           // followers
        return *std::move(values);
    });
    if (auto plan = plan_with_bytes(call, ways, put_as, epilogue, host)) return *std::move(plan);
    WayPlan best;
    Duration least = Duration::max();
    for (const PreparedLayout& layout : layouts_of(call)) {
        for (int way = 0; way < ways; ++way) {
            WayPlan candidate{way, layout, {}};
            Duration time{};
            for (Problem problem : put_as(way, layout)) {
                know(problem.input_zero, host);
                know(problem.weight_zero, host);
                if (!call.followers.empty()) problem.epilogue = &epilogue;
                candidate.problems.push_back(plan(problem, host, left_of(least, time)));
                time += candidate.problems.back().time;
                if (time >= least) break;
            }
            if (time >= least) continue;
            least = time;
            best = std::move(candidate);
        }
    }
    place_scales(best);
    Duration folded_time{};
    if (auto folded = plan_with_folds(call, put_as, host, folded_time);
        folded && folded_time < least) {
        return *std::move(folded);
    }
    return best;
}

}  // namespace

void run_fastest(const OperatorCall& call, int ways, const PutAs& put_as) {
    const WayPlan& plan = call.decisions->take(
        "tiles", [&](Host& host) { return plan_fastest(call, ways, put_as, host); });
    const Epilogue epilogue = epilogue_of(call);
    const std::vector<Problem> problems = put_as(plan.way, plan.layout);
    ZeroPoint input = problems.front().input_zero;
    ZeroPoint weights = problems.front().weight_zero;
    read(input);
    read(weights);
    bool violated = false;
    for (std::size_t i = 0; i < problems.size(); ++i) {
        charge(OwnWork::kConvolution);
        Problem problem = problems[i];
        problem.input_zero = input;
        problem.weight_zero = weights;
        if (!call.followers.empty()) problem.epilogue = &epilogue;
        if (const auto& bytes = plan.problems[i].bytes) {
            run_bytes(problem, *bytes, call.prepared + bytes->prepared);
            continue;
        }
        if (const auto& folded = plan.problems[i].folded) {
            run_folded(problem, *folded, call.prepared + folded->prepared);
            continue;
        }
        violated |= run(problem, plan.problems[i]);
    }
    if (!violated) return;
    throw_unpredictable(call, "output", "some element",
                        "c >= minimum_s<acc_t>() && c <= maximum_s<acc_t>()");
}

PreparedLayout prepared_layout(const DecisionList& decisions) {
    const auto* plan = decisions.find<WayPlan>();
    return plan == nullptr ? PreparedLayout{} : plan->layout;
}

std::vector<const RoundPlan*> rounds_of(const DecisionList& decisions) {
    std::vector<const RoundPlan*> rounds;
    const auto* plan = decisions.find<WayPlan>();
    if (plan == nullptr) return rounds;
    for (const ProblemPlan& problem : plan->problems) {
        for (const RoundPlan& round : problem.rounds) rounds.push_back(&round);
    }
    return rounds;
}

std::vector<const FoldedPlan*> folded_plans_of(const DecisionList& decisions) {
    std::vector<const FoldedPlan*> plans;
    const auto* plan = decisions.find<WayPlan>();
    if (plan == nullptr) return plans;
    for (const ProblemPlan& problem : plan->problems) {
        if (problem.folded) plans.push_back(&*problem.folded);
    }
    return plans;
}

std::vector<const BytePlan*> byte_plans_of(const DecisionList& decisions) {
    std::vector<const BytePlan*> plans;
    const auto* plan = decisions.find<WayPlan>();
    if (plan == nullptr) return plans;
    for (const ProblemPlan& problem : plan->problems) {
        if (problem.bytes) plans.push_back(&*problem.bytes);
    }
    return plans;
}

}  // namespace okksim::kernels::conv
