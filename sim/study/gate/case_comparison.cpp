// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/case_comparison.h"

namespace okksim::sim::gate {

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
        case Verdict::kSame: return "same";
        case Verdict::kFaster: return "faster";
        case Verdict::kSlower: return "SLOWER";
        case Verdict::kMoved: return "MOVED";
        case Verdict::kChanged: return "CHANGED";
        case Verdict::kMissing: return "MISSING";
        case Verdict::kAdded: return "added";
        case Verdict::kDamaged: return "DAMAGED";
        case Verdict::kLeftOut: return "left out";
        case Verdict::kWithin: return "ok";
        case Verdict::kLimit: return "LIMIT";
        case Verdict::kFault: return "FAULT";
        case Verdict::kError: return "ERROR";
    }
    return "unknown";
}

bool passes(Verdict verdict) {
    return verdict == Verdict::kSame || verdict == Verdict::kFaster || verdict == Verdict::kAdded ||
           verdict == Verdict::kLeftOut || verdict == Verdict::kWithin;
}

}  // namespace okksim::sim::gate
