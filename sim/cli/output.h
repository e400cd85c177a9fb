// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

/// What subcommands write.
namespace okksim::sim::cli {

/// A text to standard output or standard error, with what names of foreign files might do to a
/// terminal made visible (isa/printable.h). Whatever a subcommand prints goes through here.
void write_out(std::string_view text);
void print_error(std::string_view text);

/// write_out() of what people read: on a terminal, lines are no longer than it is wide. A table
/// must come whole.
void write_text(std::string_view text);

/// Whether a line of so many letters does not fit on the terminal that reads standard output.
bool is_wider_than_terminal(std::size_t letters);

/// write_text() of a format.
template <typename... Values>
void format_out(fmt::format_string<Values...> format, Values&&... values) {
    write_text(fmt::format(format, std::forward<Values>(values)...));
}

/// write_text(). On a terminal that wants it (NO_COLOR, TERM), verdicts have a colour.
void print_verdicts(std::string_view text);

/// "12/80 tests" on standard error while a terminal looks on; gone at the end.
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
