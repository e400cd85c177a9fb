// SPDX-License-Identifier: Apache-2.0
// Shell completion and manual pages from CLI11's description of the commands.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "isa/base/errors.h"
#include "isa/base/text_stream.h"
#include "sim/cli/grammar.h"

namespace okksim::sim::cli {
namespace {

/// Returns the first line of a description for use in single quotes of a shell.
std::string one_line(const std::string& text, const char* unwanted) {
    std::string line = text.substr(0, text.find('\n'));
    for (char& c : line) {
        if (std::string_view(unwanted).find(c) != std::string_view::npos) c = ' ';
    }
    return line;
}

std::string bash_script(const CLI::App& app) {
    std::string cases, commands;
    const auto add_case = [&](const std::string& name, const CLI::App& command) {
        std::vector<std::string> words = flag_names(command);
        for (const CLI::App* inner : command.get_subcommands({}))
            words.push_back(inner->get_name());
        cases += fmt::format("        {}) words=\"{}\" ;;\n", name, fmt::join(words, " "));
    };
    for (const CLI::App* command : app.get_subcommands({})) {
        commands += command->get_name() + " ";
        add_case(command->get_name(), *command);
    }
    return fmt::format(R"(# bash completion of okksim, made by: okksim completion bash
_okksim() {{
    local current=${{COMP_WORDS[COMP_CWORD]}} words
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{}--help --version" -- "$current"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
        help|man) words="{}" ;;
{}    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
    case $current in -*) ;; *) COMPREPLY+=($(compgen -f -- "$current")) ;; esac
}}
complete -o filenames -F _okksim okksim
)",
                       commands, commands, cases);
}

/// Returns an option for zsh's _arguments. If a value follows, "=" is before the description.
std::string zsh_option(const CLI::Option& option) {
    const std::string& text = option.get_option_text();
    const bool is_optional = text.starts_with("[=");
    const char* follows = text.empty() ? "" : is_optional ? "=-" : "=";
    const char* value = text.empty() ? "" : is_optional ? "::value:_files" : ":value:_files";
    return fmt::format("            '*--{}{}[{}]{}' \\\n", option.get_lnames().front(), follows,
                       one_line(option.get_description(), "'[]:\\"), value);
}

std::string zsh_script(const CLI::App& app) {
    std::string commands, cases, all;
    for (const CLI::App* command : app.get_subcommands({})) all += command->get_name() + " ";
    for (const CLI::App* command : app.get_subcommands({})) {
        commands += fmt::format("        '{}:{}'\n", command->get_name(),
                                one_line(command->get_description(), "':"));
        cases += fmt::format("        {}) _arguments \\\n", command->get_name());
        for (const CLI::Option* option : command->get_options()) {
            if (option->get_group().empty() || option->get_lnames().empty()) continue;
            cases += zsh_option(*option);
        }
        std::string inner;
        for (const CLI::App* each : command->get_subcommands({})) inner += each->get_name() + " ";
        if (!inner.empty()) cases += "            '1:command:(" + inner + ")' \\\n";
        const std::string name = command->get_name();
        if (name == "help" || name == "man") {
            cases += "            '1:command:(" + all + ")' \\\n";
        }
        cases += "            '*:file:_files' ;;\n";
    }
    return fmt::format(R"(#compdef okksim
# zsh completion of okksim, made by: okksim completion zsh
_okksim() {{
    local -a commands
    commands=(
{}    )
    if (( CURRENT == 2 )); then
        _describe 'command' commands
        return
    fi
    (( CURRENT-- ))
    shift words
    case $words[1] in
{}    esac
}}
# Found by its name, this file is called for the first completion; sourced, it says what it completes.
if [ "$funcstack[1]" = _okksim ]; then
    _okksim "$@"
else
    compdef _okksim okksim
fi
)",
                       commands, cases);
}

/// Escapes text for roff, so that no line is a request and no hyphen becomes a dash.
std::string roff(const std::string& text) {
    std::string out;
    bool at_start = true;
    for (const char c : text) {
        if (at_start && (c == '.' || c == '\'')) out += "\\&";
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-') {
            out += "\\-";
        } else {
            out += c;
        }
        at_start = c == '\n';
    }
    return out;
}

/// Returns paragraphs; indented lines are examples and stay unchanged.
std::string roff_paragraphs(const std::string& text) {
    TextReader lines(text);
    std::string out, line;
    while (std::getline(lines, line)) {
        const bool is_example = line.starts_with("  ");
        out += is_example ? ".nf\n" + roff(line) + "\n.fi\n" : roff(line) + "\n";
    }
    return out;
}

std::string roff_options(const CLI::App& command) {
    std::string out;
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_group().empty()) continue;
        const bool is_place = option->get_positional();
        std::string names = option->get_name(is_place, !is_place);
        names = names.substr(0, names.find('{'));
        if (!is_place) names += option->get_option_text();
        out += ".TP\n.B " + roff(names) + "\n" + roff(option->get_description()) + "\n";
    }
    return out;
}

}  // namespace

std::string completion_script(const CLI::App& app, const std::string& shell) {
    if (shell == "bash") return bash_script(app);
    if (shell == "zsh") return zsh_script(app);
    throw ConfigError("completion " + shell, "is neither bash nor zsh");
}

std::string manual_page(const CLI::App& app, const CLI::App& command) {
    const bool is_program = &app == &command;
    const std::string name = is_program ? "okksim" : "okksim-" + command.get_name();
    const std::string call = is_program ? "okksim COMMAND" : "okksim " + command.get_name();
    std::string page =
        fmt::format(".TH {} 1 \"\" \"okksim {}\" \"okksim\"\n.SH NAME\n{} \\- {}\n", roff(name),
                    OKKSIM_VERSION, roff(name), roff(one_line(command.get_description(), "")));
    page += ".SH SYNOPSIS\n.B " + roff(call) + "\n[OPTIONS]";
    for (const CLI::Option* option : command.get_options()) {
        if (option->get_positional()) page += " " + roff(option->get_name(true, false));
    }
    page += "\n.SH DESCRIPTION\n" + roff_paragraphs(command.get_description());
    page += ".SH OPTIONS\n" + roff_options(command);
    for (const CLI::App* inner : command.get_subcommands({})) {
        if (is_program) continue;
        page += ".SH " + roff("okksim " + command.get_name() + " " + inner->get_name()) + "\n" +
                roff_paragraphs(inner->get_description()) + roff_options(*inner);
    }
    if (is_program) {
        page += ".SH COMMANDS\n";
        for (const CLI::App* inner : command.get_subcommands({})) {
            page += ".TP\n.B " + roff("okksim-" + inner->get_name()) + "(1)\n" +
                    roff(one_line(inner->get_description(), "")) + "\n";
        }
    }
    return page +
           ".SH EXIT STATUS\n"
           "0: no errors; 1: differences; 2: wrong flags or files, or a full disk; 3: fault of the "
           "guest program; 4: a bug of okksim. 128 + N: ended by signal N.\n";
}

}  // namespace okksim::sim::cli
