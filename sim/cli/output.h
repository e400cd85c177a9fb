// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// Output of subcommands.
namespace okksim::sim::cli {

/// Write a text to standard output or standard error. Control characters become visible, because
/// names of foreign files may contain them (isa/base/printable.h). Subcommands print only through
/// these functions.
void write_out(std::string_view text);
void print_error(std::string_view text);

/// Writes text for readers: on a terminal, lines are at most as long as its width. A table must be
/// in one text.
void write_text(std::string_view text);

/// True if standard output is a terminal with fewer columns than `letters`.
bool is_wider_than_terminal(std::size_t letters);

/// Calls write_text() with a formatted text.
template <typename... Values>
void format_out(fmt::format_string<Values...> format, Values&&... values) {
    write_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Calls write_text(). Verdicts have colours on a terminal that supports them (NO_COLOR, TERM).
void print_verdicts(std::string_view text);

/// Clears the line of a terminal.
inline constexpr const char* kClearLine = "\r\033[K";

/// Shows progress, e.g. "12/80 tests", if standard error is a terminal; erases it at the end.
class Progress {
 public:
    explicit Progress(std::string unit);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(std::size_t done, std::size_t all) const;

 private:
    std::string unit_;
    bool is_watched_;
};

}  // namespace okksim::sim::cli
