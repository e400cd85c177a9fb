// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/older_spellings.h"

#include <string_view>

namespace okksim::sim::cli {
namespace {

/// An old name of a command's flag.
struct OlderSpelling {
    std::string_view command;  ///< empty: any command
    std::string_view flag;
    std::string_view today;
    bool joins_value;  ///< FLAG VALUE is now FLAG=VALUE; FLAG alone has another meaning
};

constexpr OlderSpelling kOlderSpellings[] = {
    {"run", "--stats", "--json", true},     {"run", "--csv", "--csv", true},
    {"fidelity", "--json", "--json", true}, {"plan", "--output", "--json", true},
    {"plan", "--out", "--json", true},      {"plan", "-o", "--json", true},
    {"", "--output", "--out", false},
};

/// An old name of a command, and the arguments that stand for it today.
constexpr std::string_view kOlderCommand = "coverage";
constexpr std::string_view kCommandToday[] = {"inspect", "--no-time"};

const OlderSpelling* find(std::string_view command, std::string_view flag) {
    for (const OlderSpelling& older : kOlderSpellings) {
        if (older.flag == flag && (older.command.empty() || older.command == command)) {
            return &older;
        }
    }
    return nullptr;
}

bool is_value(const std::string& argument) { return argument == "-" || !argument.starts_with('-'); }

}  // namespace

std::vector<std::string> in_current_spelling(const std::vector<std::string>& arguments) {
    std::vector<std::string> result;
    if (arguments.empty()) return result;
    const bool is_older = arguments.front() == kOlderCommand;
    if (is_older) result.assign(std::begin(kCommandToday), std::end(kCommandToday));
    for (std::size_t i = is_older ? 1 : 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const std::size_t equals = std::min(argument.find('='), argument.size());
        const OlderSpelling* older = find(arguments.front(), argument.substr(0, equals));
        if (older == nullptr) {
            result.push_back(argument);
            continue;
        }
        std::string today = std::string(older->today) + argument.substr(equals);
        const bool has_value = equals < argument.size();
        if (older->joins_value && !has_value && i + 1 < arguments.size() &&
            is_value(arguments[i + 1])) {
            today += "=" + arguments[++i];
        }
        result.push_back(std::move(today));
    }
    return result;
}

}  // namespace okksim::sim::cli
