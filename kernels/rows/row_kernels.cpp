// SPDX-License-Identifier: Apache-2.0
#include "kernels/rows/row_kernels.h"

#include "kernels/call/computing.h"
#include "kernels/call/violations.h"
#include "kernels/planning/decisions.h"
#include "kernels/rows/float_row_planner.h"
#include "kernels/rows/float_row_run.h"
#include "kernels/rows/row_planner.h"
#include "kernels/rows/row_run.h"

namespace okksim::kernels::rows {

void row_group_kernel(const OperatorCall& call) {
    const RowPlan& plan =
        call.decisions->take("rows", [&](Host& host) { return plan_rows(call, host); });
    const int words = static_cast<int>(plan.violation_words);
    if (words > 0) clear_violations(plan.violations, words, plan.lanes);
    run_rows(call, plan, INT64_MAX);
    if (words > 0 && any_violation(plan.violations, words, plan.lanes)) {
        throw_unpredictable(call, "an operator that shares the kernel", "some element",
                            "results fit int32_t and shifts are 0 to 31");
    }
}

void float_row_group_kernel(const OperatorCall& call) {
    const FloatRowPlan& plan =
        call.decisions->take("rows", [&](Host& host) { return plan_float_rows(call, host); });
    charge(OwnWork::kCall);
    constexpr std::uint64_t kAddressWords = 2;
    std::uint64_t addresses = 1;
    for (const FloatRowValue& value : plan.program.values) addresses += value.stored ? 1 : 0;
    charge(OwnWork::kArgumentWord, kAddressWords * addresses);
    charge_commands();
    run_float_rows(call, plan, INT64_MAX);
    end_charging_commands();
}

}  // namespace okksim::kernels::rows
