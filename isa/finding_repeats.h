// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "isa/finding.h"

namespace okksim {

/// Of how many launches each finding is one, by its text: reports tell it with the first of them.
class FindingRepeats {
 public:
    /// The findings of one launch.
    void add(const std::vector<Finding>& findings);
    /// Of how many launches it is; 0 from the second time on that it is asked for.
    int take(const Finding& finding);

 private:
    std::map<std::string, int> counts_;
};

/// findings_text() of what `repeats` has not told yet, as "3 x warning ...".
std::string findings_text(const std::vector<Finding>& findings, std::string_view indent,
                          FindingRepeats& repeats);

}  // namespace okksim
