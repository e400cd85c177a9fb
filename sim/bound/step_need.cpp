// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/step_need.h"

#include <algorithm>
#include <utility>

namespace okksim::sim::bound {

void drop_worse(std::vector<StepNeed>& needs) {
    const auto no_worse = [](const StepNeed& a, const StepNeed& b) {
        return a.engines <= b.engines && a.end_as_first <= b.end_as_first &&
               a.issue.commands <= b.issue.commands &&
               a.issue.instructions <= b.issue.instructions && a.issue.steps <= b.issue.steps &&
               a.issue.sections <= b.issue.sections && a.last_command <= b.last_command &&
               a.begin.instructions <= b.begin.instructions;
    };
    std::vector<StepNeed> kept;
    for (const StepNeed& need : needs) {
        const auto is_no_better = [&](const StepNeed& other) { return no_worse(other, need); };
        if (std::ranges::any_of(kept, is_no_better)) continue;
        std::erase_if(kept, [&](const StepNeed& other) { return no_worse(need, other); });
        kept.push_back(need);
    }
    needs = std::move(kept);
}

}  // namespace okksim::sim::bound
