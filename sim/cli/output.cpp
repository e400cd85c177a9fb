// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "isa/base/printable.h"
#include "sim/cli/grammar.h"
#include "sim/report/fitted_lines.h"

namespace okksim::sim::cli {
namespace {

constexpr const char* kGood = "\033[32m";
constexpr const char* kBad = "\033[31m";
constexpr const char* kPlain = "\033[0m";

/// A verdict word in a report.
struct VerdictWord {
    std::string_view word;
    const char* colour;
    bool is_counted;  ///< only after a positive number
};

constexpr VerdictWord kVerdictWords[] = {
    {"pass", kGood, false},  {"met", kGood, false},     {"passed", kGood, true},
    {"FAIL", kBad, false},   {"MISSED", kBad, false},   {"failed", kBad, true},
    {"fault", kBad, false},  {"warning:", kBad, false}, {"differs", kBad, false},
    {"slower", kBad, false}, {"missing", kBad, false},  {"NOT", kBad, false},
};

/// See https://no-color.org: NO_COLOR counts if it is set and not empty.
bool wants_colour() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == '\0') &&
           (terminal == nullptr || std::string_view(terminal) != "dumb");
}

bool is_number_above_0(std::string_view word) {
    return !word.empty() && word != "0" &&
           std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

const char* colour_of(std::string_view word, std::string_view before) {
    while (!word.empty() && (word.back() == ',' || word.back() == ';')) word.remove_suffix(1);
    for (const VerdictWord& verdict : kVerdictWords) {
        if (word == verdict.word && (!verdict.is_counted || is_number_above_0(before))) {
            return verdict.colour;
        }
    }
    return nullptr;
}

std::string coloured(std::string_view text) {
    std::string out;
    std::string_view before;
    while (!text.empty()) {
        const std::size_t blanks = std::min(text.find_first_not_of(" \n"), text.size());
        out += text.substr(0, blanks);
        text.remove_prefix(blanks);
        const std::string_view word = text.substr(0, text.find_first_of(" \n"));
        const char* colour = colour_of(word, before);
        if (colour != nullptr) out += colour;
        out += word;
        if (colour != nullptr) out += kPlain;
        text.remove_prefix(word.size());
        before = word;
    }
    return out;
}

/// Returns printable text, fitted to the terminal's width. If standard output is not a terminal,
/// its lines stay unchanged.
std::string text_for_reader(std::string_view text) {
    const std::string safe = printable_lines(text);
    return isatty(STDOUT_FILENO) == 0 ? safe : report::fitted_lines(safe, terminal_width());
}

}  // namespace

void write_out(std::string_view text) { fmt::print("{}", printable_lines(text)); }

void print_error(std::string_view text) { fmt::print(stderr, "{}", printable_lines(text)); }

void write_text(std::string_view text) { fmt::print("{}", text_for_reader(text)); }

bool is_wider_than_terminal(std::size_t letters) {
    return isatty(STDOUT_FILENO) != 0 && letters > terminal_width();
}

void print_verdicts(std::string_view text) {
    const std::string fitted = text_for_reader(text);
    fmt::print("{}", wants_colour() ? coloured(fitted) : fitted);
}

Progress::Progress(std::string unit)
    : unit_(std::move(unit)), is_watched_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
    if (is_watched_) std::fputs(kClearLine, stderr);
}

void Progress::show(std::size_t done, std::size_t all) const {
    if (is_watched_) fmt::print(stderr, "{}{}/{} {}", kClearLine, done, all, unit_);
}

}  // namespace okksim::sim::cli
