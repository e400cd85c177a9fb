// SPDX-License-Identifier: Apache-2.0
#include "isa/base/json_problem.h"

#include <string_view>

#include "isa/base/printable.h"

namespace okksim {

std::string json_problem(const std::exception& error) {
    std::string_view text = error.what();
    // The library's texts begin with "[json.exception.parse_error.101] ".
    constexpr std::string_view kEndOfKind = "] ";
    if (const auto end = text.find(kEndOfKind); text.starts_with("[json.") && end != text.npos) {
        text.remove_prefix(end + kEndOfKind.size());
    }
    constexpr std::string_view kSyntax = "parse error at ";
    if (text.starts_with(kSyntax)) {
        text.remove_prefix(kSyntax.size());
        return "it is no JSON at " + std::string(text.substr(0, text.find(':')));
    }
    constexpr std::string_view kType = "type must be ";
    const auto but = text.find(", but is ");
    if (text.starts_with(kType) && but != text.npos) {
        return "a value is of type " + std::string(text.substr(but + 9)) + " and must be of type " +
               std::string(text.substr(kType.size(), but - kType.size()));
    }
    constexpr std::string_view kNotFound = " not found";
    if (text.starts_with("key ") && text.ends_with(kNotFound)) {
        text.remove_suffix(kNotFound.size());
        return "the " + printable(std::string(text)) + " is missing";
    }
    return "a value has the wrong type";
}

}  // namespace okksim
