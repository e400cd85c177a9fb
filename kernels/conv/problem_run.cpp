// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/problem_run.h"

#include "kernels/call/computing.h"
#include "kernels/conv/bias_parts.h"
#include "kernels/conv/channel_round.h"
#include "kernels/conv/epilogue_run.h"
#include "kernels/conv/step_runner.h"

namespace okksim::kernels::conv {

bool run_round(const Problem& problem, const SumRule& rule, const Tiling& tiling) {
    charge(OwnWork::kRound);
    const Lanes& lanes = tiling.lanes;
    Room room = room_for(problem, rule, lanes, okk_local_mem_size_per_npu());
    prim::Scratch scratch(room.range.next(), room.machine.local_bytes, lanes);
    BiasParts bias(problem.bias, problem.output_channels, room.bias, lanes.count);
    bias.load(scratch);
    if (rule.upper_bias_as_float()) bias.upper_half_to_float();
    const EpilogueRun epilogue(problem, rule, room.epilogue, lanes.count);
    epilogue.load();
    return StepRunner(problem, rule, tiling, room.range, bias, epilogue, lanes).run();
}

bool run(const Problem& problem, const ProblemPlan& plan) {
    bool violated = false;
    for (const RoundPlan& round : plan.rounds) {
        violated |=
            run_round(channels_of(problem, round.first, round.count), round.rule, round.tiling);
    }
    return violated;
}

}  // namespace okksim::kernels::conv
