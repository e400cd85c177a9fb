// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/grammar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "isa/closest_word.h"
#include "isa/errors.h"

namespace okksim::sim::cli {
namespace {

/// What stands behind an option in help; options that are not here take a TEXT, a number as CLI11
/// calls it, or nothing.
constexpr std::pair<const char*, const char*> kValues[] = {{"--absolute", "NUMBER"},
                                                           {"--arg", "TYPE=VALUE"},
                                                           {"--batch", "COUNT"},
                                                           {"--check", "DIR"},
                                                           {"--command-budget", "COUNT"},
                                                           {"--commands", "FILE"},
                                                           {"--count", "COUNT"},
                                                           {"--filter", "REGEX"},
                                                           {"--from", "ENTRY"},
                                                           {"--function", "NAME"},
                                                           {"--graphs", "DIR"},
                                                           {"--idle-seconds", "SECONDS"},
                                                           {"--in", "FILE.npy"},
                                                           {"--input", "NAME=FILE.npy"},
                                                           {"--jobs", "COUNT"},
                                                           {"--junit", "FILE"},
                                                           {"--launch", "KERNEL"},
                                                           {"--library", "FILE.so"},
                                                           {"--machine", "MACHINE"},
                                                           {"--markdown", "FILE"},
                                                           {"--out", "PATH"},
                                                           {"--precision", "TYPE"},
                                                           {"--record", "FILE"},
                                                           {"--relative", "NUMBER"},
                                                           {"--repeat", "COUNT"},
                                                           {"--seed", "NUMBER"},
                                                           {"--set", "SECTION.KEY=VALUE"},
                                                           {"--silicon", "DIR"},
                                                           {"--size", "COUNT"},
                                                           {"--stats", "FILE"},
                                                           {"--threads", "COUNT"},
                                                           {"--threshold", "SHARE"},
                                                           {"--timeline", "FILE"},
                                                           {"--vcd", "FILE.vcd"},
                                                           {"--vectors", "DIR"},
                                                           {"--width", "SHARE"},
                                                           {"--csv", "FILE"},
                                                           {"--json", "FILE"},
                                                           {"--also-fit", "PARAMETER"},
                                                           {"--output", "FILE"},
                                                           {"--sanitize", "HOW"}};

/// Commands by what they are for, in the order of help.
struct Group {
    const char* title;
    std::vector<const char*> commands;
};
const Group kGroups[] = {
    {"Models", {"run", "plan", "coverage", "convert", "check", "zoo"}},
    {"Kernels", {"kernel", "isa", "asm", "disasm"}},
    {"Recordings", {"record", "replay", "why", "debug", "trace"}},
    {"Verdicts", {"conformance", "golden", "baseline", "compare", "fidelity", "bench"}},
    {"Machines", {"machine"}},
    {"Help", {"help", "completion", "man"}},
};

void name_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        if (option->get_type_size() == 0) continue;
        for (const auto& [flag, value] : kValues) {
            if (option->check_name(flag)) option->type_name(value);
        }
        if (option->get_positional()) option->type_name("");
    }
    for (CLI::App* inner : command.get_subcommands({})) name_values(*inner);
}

/// Help in the width of the terminal.
class WrappingFormatter : public CLI::Formatter {
 public:
    explicit WrappingFormatter(std::size_t width) : width_(width) {
        constexpr std::size_t kNames = 28;
        column_width(kNames);
    }

    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), get_column_width());
    }
    std::string make_description(const CLI::App* app) const override {
        return wrapped(CLI::Formatter::make_description(app), 0);
    }
    /// The list of commands has a line for each; their own help tells all.
    std::string make_subcommand(const CLI::App* sub) const override {
        std::string text = sub->get_description();
        std::replace(text.begin(), text.end(), '\n', ' ');
        const std::size_t end =
            std::min({text.find(". "), text.find(": "), text.find(" - "), text.find(" (")});
        std::string first = text.substr(0, end);
        if (!first.empty() && first.back() == '.') first.pop_back();
        std::ostringstream out;
        CLI::detail::format_help(out, sub->get_display_name(true),
                                 wrapped(first, get_column_width()), get_column_width());
        return out.str();
    }

 private:
    /// Lines of at most `width_` columns, `indent` of which are taken. Lines that follow one
    /// another are one paragraph; what is indented is left as it is.
    std::string wrapped(const std::string& text, std::size_t indent) const {
        const std::size_t room = width_ > indent + 20 ? width_ - indent : 20;
        std::istringstream lines(text);
        std::string out, line;
        std::size_t column = 0;  // 0: at the start of a line
        while (std::getline(lines, line)) {
            if (line.starts_with("  ")) {
                out += (column > 0 ? "\n" : "") + line + "\n";
                column = 0;
                continue;
            }
            std::istringstream words(line);
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

    std::size_t width_;
};

void set_formatter(CLI::App& app, const std::shared_ptr<WrappingFormatter>& formatter) {
    app.formatter(formatter);
    for (CLI::App* inner : app.get_subcommands({})) set_formatter(*inner, formatter);
}

std::vector<std::string> command_names(const CLI::App& app) {
    std::vector<std::string> names;
    for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
    return names;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands({})) {
        if (command->get_name() == name) return command;
    }
    return nullptr;
}

}  // namespace

std::size_t terminal_width() {
    constexpr std::size_t kUsual = 80, kLeast = 40, kMost = 200;
    std::size_t width = 0;
    if (const char* columns = std::getenv("COLUMNS")) width = std::strtoul(columns, nullptr, 10);
    winsize size{};
    if (width == 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) width = size.ws_col;
    return width == 0 ? kUsual : std::clamp(width, kLeast, kMost);
}

void apply_grammar(CLI::App& app) {
    for (const Group& group : kGroups) {
        for (const char* name : group.commands) app.get_subcommand(name)->group(group.title);
    }
    for (const CLI::App* command : app.get_subcommands({})) {
        OKKSIM_CHECK(command->get_group() != "Subcommands");  // it is in no group
    }
    name_values(app);
    set_formatter(app, std::make_shared<WrappingFormatter>(terminal_width()));
}

std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* command = &app;
    for (const std::string& argument : arguments) {
        if (!argument.starts_with('-')) {
            const std::vector<std::string> names = command_names(*command);
            if (names.empty()) continue;
            const CLI::App* inner = find_command(*command, argument);
            if (inner == nullptr) return did_you_mean(argument, names);
            command = inner;
            continue;
        }
        const std::string flag = argument.substr(0, argument.find('='));
        const std::vector<std::string> known = flag_names(*command);
        const bool is_known =
            !flag.starts_with("--") || std::find(known.begin(), known.end(), flag) != known.end();
        if (!is_known) return did_you_mean(flag, known);
    }
    return {};
}

std::vector<std::string> flag_names(const CLI::App& command) {
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_group().empty()) continue;  // an older spelling
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

}  // namespace okksim::sim::cli
