// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace okksim {

/// Returns the problem of a JSON file in words of okksim. The texts of the library name its own
/// functions and error numbers.
inline std::string json_problem(const nlohmann::json::exception& error) {
    if (const auto* syntax = dynamic_cast<const nlohmann::json::parse_error*>(&error)) {
        return "the text is no valid JSON at byte " + std::to_string(syntax->byte);
    }
    constexpr int kNoSuchIndex = 401, kNoSuchKey = 403;
    const std::string_view text = error.what();
    const auto between = [&](std::string_view before, std::string_view after) {
        const std::size_t start = text.find(before);
        if (start == std::string_view::npos) return std::string();
        const std::string_view rest = text.substr(start + before.size());
        return std::string(rest.substr(0, rest.find(after)));
    };
    if (error.id == kNoSuchKey) {
        const std::string key = between("key '", "' not found");
        if (!key.empty()) return "the key \"" + key + "\" is missing";
    }
    if (error.id == kNoSuchIndex) return "a list has too few values";
    const std::string wanted = between("type must be ", ", but is ");
    const std::string found = between("but is ", "\n");
    if (wanted.empty() || found.empty()) return "a value has a wrong type";
    return "a value must be a JSON " + wanted + ", and not " + found;
}

}  // namespace okksim
