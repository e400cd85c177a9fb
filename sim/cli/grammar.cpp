// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/grammar.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <stdexcept>

#include "isa/base/closest_word.h"
#include "isa/base/errors.h"
#include "sim/cli/command_groups.h"
#include "sim/cli/command_module.h"
#include "sim/cli/help_format.h"

namespace okksim::sim::cli {
namespace {

constexpr const char* kMachine = "Machine";
constexpr const char* kReports = "Reports";
constexpr const char* kRecording = "Recording";
constexpr const char* kLimits = "Limits";
constexpr const char* kPictures = "Pictures as inputs";
constexpr const char* kOther = "Options";

/// An option: the name of its value in help, and its heading.
struct OptionRow {
    std::string_view flag;
    const char* value;  ///< empty: no value
    const char* group = kOther;
    std::string_view command = {};  ///< the command with this meaning; empty: all others
};

/// Every option with a value, and every flag outside the heading "other". An optional value follows
/// an equals sign.
constexpr OptionRow kOptions[] = {
    {"--absolute", "NUMBER"},
    {"--against", "DIR"},
    {"--also-fit", "SECTION.KEY=LOW:HIGH"},
    {"--arg", "TYPE=VALUE"},
    {"--batch", "COUNT"},
    {"--bgr", "", kPictures},
    {"--call-budget", "COUNT", kLimits},
    {"--check", "DIR"},
    {"--command", "COMMAND"},
    {"--command-budget", "COUNT", kLimits},
    {"--commands", "FILE", kReports},
    {"--compare", "NUMBER NUMBER"},
    {"--count", "COUNT"},
    {"--csv", "FILE", kReports},
    {"--depth", "COUNT", kLimits},
    {"--ensemble", "FILE", kReports, "fidelity"},
    {"--examples", "FILE.c"},
    {"--expect", "VALUE|FILE.npy"},
    {"--explain", "OPERATOR"},
    {"--filter", "REGEX"},
    {"--form", "FORM"},
    {"--from", "ENTRY"},
    {"--front", "DIR"},
    {"--function", "NAME"},
    {"--graphs", "DIR"},
    {"--groups", "GROUP,..."},
    {"--html", "FILE.html", kReports},
    {"--idle-seconds", "SECONDS", kLimits},
    {"--call-seconds", "SECONDS", kLimits},
    {"--in", "FILE.npy"},
    {"--input", "NAME=FILE", kOther, "run"},
    {"--input", "NAME=FILE.npy"},
    {"--jobs", "COUNT"},
    {"--json", "FILE", kReports},
    {"--junit", "FILE", kReports},
    {"--labels", "FILE", kReports},
    {"--launch", "KERNEL"},
    {"--layout", "nchw|nhwc", kPictures},
    {"--library", "FILE.so"},
    {"--keep-local", ""},
    {"--keep-values", "FILE.json", kRecording},
    {"--lines", "FILE", kReports},
    {"--machine", "NAME|FILE", kMachine},
    {"--markdown", "FILE", kReports},
    {"--mean", "R,G,B", kPictures},
    {"--merge", "FILE.sqlite"},
    {"--most", "COUNT", kLimits},
    {"--operators", "", kReports},
    {"--optimise", "LEVEL"},
    {"--out", "FILE.npy:TYPE[D0,...]", kOther, "kernel"},
    {"--out", "FILE", kOther, "asm"},
    {"--out", "FILE", kOther, "convert"},
    {"--out", "FILE.html", kOther, "report"},
    {"--out", "DIR"},
    {"--parameter", "SECTION.KEY=VALUE,..."},
    {"--plan", "FILE.json"},
    {"--plan-cache", "DIR"},
    {"--plan-candidates", "COUNT", kLimits},
    {"--plan-seconds", "SECONDS", kLimits},
    {"--pointer-share", "SHARE", kLimits},
    {"--precision", "TYPE"},
    {"--record", "FILE", kRecording},
    {"--record-crc", "", kRecording},
    {"--record-data", "", kRecording},
    {"--record-limit", "BYTES", kRecording},
    {"--reference", "FILE"},
    {"--relative", "NUMBER"},
    {"--repeat", "COUNT"},
    {"--resize", "crop|fit|stretch", kPictures},
    {"--rounding", "double|single"},
    {"--sanitize", "off|fast|full"},
    {"--scale", "R,G,B", kPictures},
    {"--script", "FILE"},
    {"--seed", "NUMBER"},
    {"--set", "SECTION.KEY=VALUE", kMachine},
    {"--shape", "NAME=SHAPE"},
    {"--shard", "I/N"},
    {"--silicon", "DIR"},
    {"--size", "COUNT"},
    {"--sql", "QUERY"},
    {"--store", "FILE.sqlite"},
    {"--svg", "FILE.svg", kReports},
    {"--sweep", "NAME"},
    {"--threads", "COUNT"},
    {"--threshold", "SHARE"},
    {"--timeline", "FILE", kReports},
    {"--top", "COUNT", kReports},
    {"--values", "FILE.json"},
    {"--vcd", "FILE.vcd", kReports},
    {"--vectors", "DIR"},
    {"--verbose", "", kReports},
    {"--width", "COUNT", kLimits, "why"},
    {"--width", "SHARE"},
    {"--write", "DIR"},
};

const OptionRow* find_row(const CLI::App& command, const CLI::Option& option) {
    for (const std::string& name : option.get_lnames()) {
        for (const OptionRow& row : kOptions) {
            const bool is_here = row.command.empty() || row.command == command.get_name();
            if (row.flag.substr(2) == name && is_here) return &row;
        }
    }
    return nullptr;
}

void name_values(CLI::App& command) {
    for (CLI::Option* option : command.get_options()) {
        const OptionRow* row = find_row(command, *option);
        if (row != nullptr) {
            const bool may_be_left = option->get_expected_max() == 0;
            if (*row->value != '\0') {
                option->option_text((may_be_left ? "[=" : " ") + std::string(row->value) +
                                    (may_be_left ? "]" : ""));
            }
            option->group(row->group);
        }
        const bool has_value = !option->get_positional() && option->get_expected_max() != 0;
        if (row == nullptr && has_value) {
            throw std::logic_error("give " + option->get_name() + " a row in kOptions");
        }
    }
    for (CLI::App* inner : command.get_subcommands({})) name_values(*inner);
}

void set_formatter(CLI::App& app, const std::shared_ptr<CLI::FormatterBase>& formatter) {
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
    for (const CommandGroup& group : command_groups()) {
        for (const char* name : group.commands) {
            // The commands of the module are absent if the program has not loaded it.
            const auto found =
                app.get_subcommands([&](CLI::App* one) { return one->get_name() == name; });
            OKKSIM_CHECK(!found.empty() || is_module_command(name));
            for (CLI::App* command : found) command->group(group.title);
        }
    }
    for (const CLI::App* command : app.get_subcommands({})) {
        OKKSIM_CHECK(command->get_group() != "Subcommands");  // it is in no group
    }
    name_values(app);
    set_formatter(app, std::make_shared<HelpFormat>(terminal_width()));
}

void refuse_unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* command = &app;
    for (const std::string& argument : arguments) {
        const std::vector<std::string> names = command_names(*command);
        if (argument.starts_with('-') || names.empty()) continue;
        const CLI::App* inner = find_command(*command, argument);
        if (inner == nullptr) {
            if (command == &app && is_module_command(argument)) {
                throw ConfigError(argument,
                                  "is not in this build of `make run`; `make build` adds it");
            }
            const std::string outer = command == &app ? "" : " " + command->get_name();
            throw ConfigError(argument, "is no command" + did_you_mean(argument, names) +
                                            "; `okksim" + outer + " --help` lists them");
        }
        command = inner;
    }
}

std::string suggestion(const CLI::App& app, const std::vector<std::string>& arguments) {
    const CLI::App* command = &app;
    for (const std::string& argument : arguments) {
        if (!argument.starts_with('-')) {
            const CLI::App* inner = find_command(*command, argument);
            if (inner != nullptr) command = inner;
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
