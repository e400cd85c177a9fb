// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/base/finding.h"

namespace okksim {

/// Counts the launches that report the same finding text. Reports print a finding once, with its
/// first launch.
class FindingRepeats {
 public:
    /// Adds the findings of one launch.
    void add(const std::vector<Finding>& findings);
    /// Returns the number of launches with this finding. Returns 0 from the second call on.
    int take(const Finding& finding);

 private:
    std::map<std::string, int> counts_;
};

/// Returns findings_text() of the findings that `repeats` has not reported yet, as "3 x warning
/// ...".
std::string findings_text(const std::vector<Finding>& findings, std::string_view indent,
                          FindingRepeats& repeats);

}  // namespace okksim
