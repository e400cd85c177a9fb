// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/case_filter.h"

#include "isa/base/errors.h"

namespace okksim::sim::execution {

CaseFilter::CaseFilter(const std::string& text) try : pattern_(text) {
} catch (const std::regex_error& error) {
    throw ConfigError("--filter " + text,
                      std::string("is not a regular expression: ") + error.what());
}

}  // namespace okksim::sim::execution
