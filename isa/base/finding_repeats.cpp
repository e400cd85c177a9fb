// SPDX-License-Identifier: Apache-2.0
#include "isa/base/finding_repeats.h"

#include <utility>

namespace okksim {

void FindingRepeats::add(const std::vector<Finding>& findings) {
    for (const Finding& finding : findings) ++counts_[findings_text({finding}, "")];
}

int FindingRepeats::take(const Finding& finding) {
    return std::exchange(counts_[findings_text({finding}, "")], 0);
}

std::string findings_text(const std::vector<Finding>& findings, std::string_view indent,
                          FindingRepeats& repeats) {
    std::string text;
    for (const Finding& finding : findings) {
        const int count = repeats.take(finding);
        if (count == 0) continue;
        const std::string one = findings_text({finding}, indent).substr(indent.size());
        text.append(indent).append(count == 1 ? "" : std::to_string(count) + " x ").append(one);
    }
    return text;
}

}  // namespace okksim
