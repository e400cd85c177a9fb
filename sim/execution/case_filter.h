// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>
#include <string>

namespace okksim::sim::execution {

/// The cases that --filter selects: names with a match of the regular expression. An empty text
/// selects all.
class CaseFilter {
 public:
    /// Throws ConfigError if the text is not a regular expression.
    explicit CaseFilter(const std::string& text);

    bool selects(const std::string& name) const { return std::regex_search(name, pattern_); }

 private:
    std::regex pattern_;
};

}  // namespace okksim::sim::execution
