// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>

namespace okksim::sim::execution {

/// What --filter selects: names in which the regular expression occurs; all when it is empty.
class CaseFilter {
 public:
    /// ConfigError when the text is no regular expression.
    explicit CaseFilter(const std::string& text);

    bool selects(const std::string& name) const { return std::regex_search(name, pattern_); }

 private:
    std::regex pattern_;
};

}  // namespace okksim::sim::execution
