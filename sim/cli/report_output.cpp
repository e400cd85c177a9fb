// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report_output.h"

#include <fmt/format.h>

#include "isa/base/errors.h"

namespace okksim::sim::cli {
namespace {

constexpr const char* kToTerminal = "-";

std::string help_of(const std::string& what) {
    return what + ", instead of text; with =FILE: to a file, in addition to the text";
}

}  // namespace

void add_json_option(CLI::App& command, ReportForms& forms, const std::string& what) {
    command.add_flag("--json{-}", forms.json, help_of(what));
}

void add_csv_option(CLI::App& command, ReportForms& forms, const std::string& what) {
    command.add_flag("--csv{-}", forms.csv, help_of(what));
}

ReportOutput::ReportOutput(const ReportForms& forms) {
    open("--json", forms.json, json_);
    open("--csv", forms.csv, csv_);
}

void ReportOutput::open(const char* flag, const std::vector<std::string>& paths, Places& places) {
    for (const std::string& path : paths) {
        const bool is_terminal = path == kToTerminal;
        if (is_terminal && is_taken_) {
            throw ConfigError(flag, "standard output takes only one report; name a file: " +
                                        std::string(flag) + "=FILE");
        }
        is_taken_ = is_taken_ || is_terminal;
        places.emplace_back(std::string(flag) + " " + path, is_terminal ? "" : path);
    }
}

void ReportOutput::write(Places& places, std::string_view text) {
    for (OutputFile& place : places) {
        if (place) {
            place << text;
            place.commit();
        } else {
            fmt::print("{}", text);
        }
    }
}

}  // namespace okksim::sim::cli
