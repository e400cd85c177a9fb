// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "kernels/call/tensor.h"
#include "sim/planning/plan.h"
#include "sim/pricing/known_memory.h"
#include "sim/pricing/plan_call.h"

namespace okksim::sim::planning {

/// What was decided about a call, and what it costs.
struct CallPlan {
    pricing::PlannedCall planned;
    StepCost cost;
};

/// Plans of calls on one machine. Equal calls have equal plans: they are made once.
class CallPlans {
 public:
    /// The plan of an equal call, or nullptr.
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

/// Everything that a call's decisions may depend on: operator, attributes, operands but for their
/// addresses, followers, and the values of constants that control code reads.
std::string call_key(const kernels::OperatorCall& call, const pricing::KnownMemory& known);

}  // namespace okksim::sim::planning
