// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kernels/call/tensor.h"
#include "sim/planning/plan.h"
#include "sim/pricing/known_memory.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::planning {

/// The decisions about a call, and its cost.
struct CallPlan {
    pricing::PlannedCall planned;
    StepCost cost;
};

/// Plans of calls on one machine. Calls with equal keys are planned once.
class CallPlans {
 public:
    /// Returns the plan of an equal call, or nullptr.
    const CallPlan* find(const std::string& key) const {
        const auto found = plans_.find(key);
        return found == plans_.end() ? nullptr : &found->second;
    }
    const CallPlan& add(const std::string& key, CallPlan plan) {
        return plans_.insert_or_assign(key, std::move(plan)).first->second;
    }
    std::size_t size() const { return plans_.size(); }

 private:
    std::map<std::string, CallPlan> plans_;
};

/// Returns a key of everything that decisions about a call may depend on. It covers operator,
/// attributes, operands except addresses, followers, and the values of constants that control code
/// reads.
std::string call_key(const kernels::OperatorCall& call, const pricing::KnownMemory& known);

}  // namespace okksim::sim::planning
