// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "isa/base/output_file.h"
#include "isa/base/printable.h"

namespace okksim::sim::cli {

/// Targets of --json and --csv of a command: files, or kToTerminal.
struct ReportForms {
    std::vector<std::string> json;
    std::vector<std::string> csv;
};

/// --json[=FILE].
void add_json_option(CLI::App& command, ReportForms& forms,
                     const std::string& what = "the report as JSON");
/// --csv[=FILE].
void add_csv_option(CLI::App& command, ReportForms& forms, const std::string& what);

/// A command's report. Standard output gets the text, or one of the other forms instead; files get
/// further forms. Only requested forms are generated.
class ReportOutput {
 public:
    /// Opens the files, so that a run does not start if its report cannot be written. Also throws
    /// ConfigError if two forms share standard output.
    explicit ReportOutput(const ReportForms& forms);

    bool wants_json() const { return !json_.empty(); }
    bool wants_csv() const { return !csv_.empty(); }
    /// True if no other form uses standard output.
    bool wants_text() const { return !is_taken_; }

    /// Write a form to all its targets. Throw ConfigError if a file cannot be written.
    void write_json(std::string_view text) { write(json_, text); }
    void write_csv(std::string_view text) { write(csv_, printable_lines(text)); }

 private:
    /// An OutputFile without a file is standard output.
    using Places = std::deque<OutputFile>;

    void open(const char* flag, const std::vector<std::string>& paths, Places& places);
    static void write(Places& places, std::string_view text);

    bool is_taken_ = false;
    Places json_;
    Places csv_;
};

}  // namespace okksim::sim::cli
