// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// What subcommands write.
namespace okksim::sim::cli {

/// Text to standard output. On a terminal that wants it (NO_COLOR, TERM), verdicts have a colour.
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
