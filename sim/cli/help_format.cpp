// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/help_format.h"

#include <algorithm>

#include "isa/base/text_stream.h"
#include "sim/cli/command_groups.h"

namespace okksim::sim::cli {

HelpFormat::HelpFormat(std::size_t width) : width_(width) {
    constexpr std::size_t kNames = 28;
    column_width(kNames);
}

std::string HelpFormat::make_option_name(const CLI::Option* option, bool is_place) const {
    if (is_place) return option->get_name(true, false);
    std::string names;
    for (const std::string& name : option->get_snames()) names += ", -" + name;
    for (const std::string& name : option->get_lnames()) names += ", --" + name;
    return names.substr(2);
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_place) const {
    TextWriter out;
    CLI::detail::format_help(
        out, make_option_name(option, is_place) + (is_place ? "" : option->get_option_text()),
        make_option_desc(option), get_column_width());
    return out.str();
}

std::string HelpFormat::make_help(const CLI::App* app, std::string name,
                                  CLI::AppFormatMode mode) const {
    return CLI::detail::find_and_replace(CLI::Formatter::make_help(app, std::move(name), mode),
                                         "\n\n\n", "\n\n");
}

std::string HelpFormat::make_option_desc(const CLI::Option* option) const {
    std::string text = option->get_description();
    const auto add = [&](const std::string& more) { text += " (" + more + ")"; };
    if (option->get_required() && !option->get_positional()) add("required");
    if (!option->get_default_str().empty()) add("default: " + option->get_default_str());
    if (!option->get_envname().empty()) add("environment: " + option->get_envname());
    return wrapped(text, get_column_width());
}

std::string HelpFormat::make_description(const CLI::App* app) const {
    return wrapped(app->get_description() + "\n", 0);
}

std::string HelpFormat::make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const {
    if (app->get_parent() != nullptr) return CLI::Formatter::make_subcommands(app, mode);
    std::string text;
    for (const CommandGroup& group : command_groups()) {
        text += "\n" + std::string(group.title) + ":\n";
        for (const char* name : group.commands) text += make_subcommand(app->get_subcommand(name));
    }
    return text;
}

std::string HelpFormat::make_subcommand(const CLI::App* sub) const {
    std::string text = sub->get_description();
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::size_t end =
        std::min({text.find(". "), text.find(": "), text.find(" - "), text.find(" (")});
    std::string first = text.substr(0, end);
    if (!first.empty() && first.back() == '.') first.pop_back();
    TextWriter out;
    CLI::detail::format_help(out, sub->get_display_name(true), wrapped(first, get_column_width()),
                             get_column_width());
    return out.str();
}

/// Returns lines of at most `width_` columns, including `indent`. Consecutive lines form one
/// paragraph; indented lines stay unchanged.
std::string HelpFormat::wrapped(const std::string& text, std::size_t indent) const {
    constexpr std::size_t kLeast = 20;
    const std::size_t room = width_ > indent + kLeast ? width_ - indent : kLeast;
    TextReader lines(text);
    std::string out, line;
    std::size_t column = 0;  // 0: at the start of a line
    while (std::getline(lines, line)) {
        if (line.starts_with("  ")) {
            out += (column > 0 ? "\n" : "") + line + "\n";
            column = 0;
            continue;
        }
        TextReader words(line);
        for (std::string word; words >> word; column += word.size()) {
            if (column > 0 && column + 1 + word.size() > room) {
                out += '\n';
                column = 0;
            } else if (column > 0) {
                out += ' ';
                ++column;
            }
            out += word;
        }
    }
    return column > 0 && text.ends_with('\n') ? out + '\n' : out;
}

}  // namespace okksim::sim::cli
