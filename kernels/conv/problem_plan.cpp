// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/problem_plan.h"

#include "kernels/planning/decisions.h"

namespace okksim::kernels::conv {

std::uint64_t RoundPlan::argument_words() const {
    return 2 + rule.argument_words() + kernels::argument_words(tiling);
}

std::uint64_t ProblemPlan::argument_words() const {
    return kernels::argument_words(rounds) + (bytes ? bytes->argument_words() : 0) +
           (folded ? folded->argument_words() : 0);
}

}  // namespace okksim::kernels::conv
