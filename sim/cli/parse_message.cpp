// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/parse_message.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "sim/cli/grammar.h"

namespace okksim::sim::cli {
namespace {

/// Returns the text before `mark`, and the text after it; nothing if `mark` is not in the text.
std::optional<std::pair<std::string, std::string>> split(std::string_view text,
                                                         std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return std::nullopt;
    return std::pair(std::string(text.substr(0, at)), std::string(text.substr(at + mark.size())));
}

/// Returns the innermost command that the arguments name.
const CLI::App& command_of(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* command = &app;
    for (const std::string& argument : arguments) {
        const auto named = command->get_subcommands(
            [&](const CLI::App* inner) { return inner->get_name() == argument; });
        if (!named.empty()) command = named.front();
    }
    return *command;
}

/// Returns "okksim trace show".
std::string full_name(const CLI::App& command) {
    const CLI::App* outer = command.get_parent();
    return outer == nullptr ? "okksim" : full_name(*outer) + " " + command.get_name();
}

/// Returns e.g. "COUNT": the kind of value that a flag takes.
std::string value_of(const CLI::App& command, const std::string& flag) {
    const CLI::Option* option = command.get_option_no_throw(flag);
    if (option == nullptr) return "a value";
    const std::string text = option->get_option_text();
    const std::size_t begin = text.find_first_not_of(" [=");
    return begin == std::string::npos ? "a value" : text.substr(begin, text.find(']') - begin);
}

/// Returns the rule that the arguments break. The texts of CLI11 are those of its version 2.
std::string rule_of(const CLI::App& command, const CLI::ParseError& error,
                    const std::string& advice) {
    const std::string text = error.what();
    const std::string& kind = error.get_name();
    if (kind == "RequiredError") {
        const auto missing = split(text, " is required");
        const bool is_command = !missing || missing->first == "A subcommand";
        return is_command ? "no command is given" : missing->first + ": is missing";
    }
    if (const auto extra = split(text, "not expected: ")) {
        const std::string& words = extra->second;
        if (words.find("--") == std::string::npos) return words + ": more than the command takes";
        return words + ": no flag of this command" + advice;
    }
    if (const auto parts = split(text, " excludes "); parts && kind == "ExcludesError") {
        return fmt::format("{}: cannot be combined with {}; leave out one of them", parts->first,
                           parts->second);
    }
    if (const auto parts = split(text, " requires "); parts && kind == "RequiresError") {
        return fmt::format("{}: needs {}; give both", parts->first, parts->second);
    }
    if (const auto parts = split(text, "Could not convert: "); parts && kind == "ConversionError") {
        const auto value = split(parts->second, " = ");
        const std::string flag = value ? value->first : parts->second;
        return fmt::format("{}: \"{}\" is not of the form {}", flag, value ? value->second : "",
                           value_of(command, flag));
    }
    if (const auto parts = split(text, ": "); parts && kind == "ArgumentMismatch") {
        return fmt::format("{}: has no value; give {}", parts->first,
                           value_of(command, parts->first));
    }
    return text;
}

}  // namespace

std::string parse_message(const CLI::App& app, const CLI::ParseError& error,
                          const std::vector<std::string>& arguments) {
    const CLI::App& command = command_of(app, arguments);
    const std::string name = full_name(command);
    const std::string help =
        command.get_parent() == nullptr
            ? "`okksim help` lists the commands"
            : "`okksim help" + name.substr(std::string("okksim").size()) + "` lists the arguments";
    return fmt::format("{}: {}; {}\n", name, rule_of(command, error, suggestion(app, arguments)),
                       help);
}

}  // namespace okksim::sim::cli
