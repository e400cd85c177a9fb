// SPDX-License-Identifier: Apache-2.0
#include "sim/check/check_result.h"

#include <fmt/format.h>

namespace okksim::sim::check {

namespace {

std::string mismatch_text(const Mismatch& mismatch) {
    return fmt::format("{} is {}, expected {}{}", graph::shape_text(mismatch.index), mismatch.got,
                       mismatch.wanted,
                       mismatch.allowed.empty() ? "" : " (allowed " + mismatch.allowed + ")");
}

}  // namespace

std::string CheckResult::text() const {
    if (passed) {
        return largest_error > 0.0
                   ? fmt::format("passed: largest error is {:.3g} of the allowed error, by {}",
                                 largest_error, rule)
                   : "passed: " + rule;
    }
    std::string line = "failed: ";
    if (!problem.empty()) line += problem + (failures > 0 ? "; " : "");
    if (failures > 0 && first) {
        line +=
            fmt::format("{} of {} elements, first {}", failures, elements, mismatch_text(*first));
        if (worst && worst->index != first->index) line += ", worst " + mismatch_text(*worst);
    }
    return line + ", by " + rule;
}

}  // namespace okksim::sim::check
