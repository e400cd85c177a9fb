// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "isa/output_file.h"
#include "isa/printable.h"

namespace okksim::sim::cli {

/// Where --json and --csv of a command lead: files, or kToTerminal.
struct ReportForms {
    std::vector<std::string> json;
    std::vector<std::string> csv;
};

/// --json[=FILE].
void add_json_option(CLI::App& command, ReportForms& forms,
                     const std::string& what = "the report as JSON");
/// --csv[=FILE].
void add_csv_option(CLI::App& command, ReportForms& forms, const std::string& what);

/// A command's report: text on standard output, or instead of it one of the other forms; files
/// beside it. What is asked for is written, the rest is not made.
class ReportOutput {
 public:
    /// Opens the files, so that a run that cannot keep its report does not begin. ConfigError also
    /// when two forms would share standard output.
    explicit ReportOutput(const ReportForms& forms);

    bool wants_json() const { return !json_.empty(); }
    bool wants_csv() const { return !csv_.empty(); }
    /// Nothing else goes to standard output.
    bool wants_text() const { return !is_taken_; }

    /// Writes a form to all its places. ConfigError when a file cannot be written.
    void write_json(std::string_view text) { write(json_, text); }
    void write_csv(std::string_view text) { write(csv_, printable_lines(text)); }

 private:
    /// No file: standard output.
    using Places = std::deque<OutputFile>;

    void open(const char* flag, const std::vector<std::string>& paths, Places& places);
    static void write(Places& places, std::string_view text);

    bool is_taken_ = false;
    Places json_;
    Places csv_;
};

}  // namespace okksim::sim::cli
