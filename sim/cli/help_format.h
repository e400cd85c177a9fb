// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace okksim::sim::cli {

/// Formats help in the width of the terminal: options with the names of their values, descriptions,
/// defaults and ranges; commands in groups.
class HelpFormat : public CLI::Formatter {
 public:
    /// `width` is the number of columns of a line.
    explicit HelpFormat(std::size_t width);

    std::string make_option_name(const CLI::Option* option, bool is_place) const override;
    std::string make_option(const CLI::Option* option, bool is_place) const override;
    /// Puts one empty line between groups.
    std::string make_help(const CLI::App* app, std::string name,
                          CLI::AppFormatMode mode) const override;
    std::string make_option_desc(const CLI::Option* option) const override;
    std::string make_description(const CLI::App* app) const override;
    std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
    /// Returns one line per command; the command's own help has the details.
    std::string make_subcommand(const CLI::App* sub) const override;

 private:
    std::string wrapped(const std::string& text, std::size_t indent) const;

    std::size_t width_;
};

}  // namespace okksim::sim::cli
