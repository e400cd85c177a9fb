// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <optional>

#include "isa/base/input_file.h"
#include "isa/base/output_file.h"
#include "sim/machine/provenance.h"
#include "sim/trace/account_report.h"
#include "sim/trace/line_profile.h"

namespace okksim::sim::trace {
namespace {

using models::Picoseconds;

/// Number of source lines printed around each active line; longer inactive stretches are left out.
constexpr std::size_t kContext = 3;

constexpr const char* kHowToGetLines =
    "no line numbers: compile the kernels with -g (and without stripping) to get lines\n";

std::string percent(Picoseconds part, Picoseconds whole) {
    if (part.value == 0 || whole.value == 0) return "";
    return fmt::format("{:.2f}",
                       100 * static_cast<double>(part.value) / static_cast<double>(whole.value));
}

std::string columns(const LineAccount& line, Picoseconds span) {
    const Picoseconds stalled = line.stalled();
    const bool stalls = stalled.value > 0;
    std::string occupied;
    for (std::size_t engine = 0; engine < line.time.size(); ++engine) {
        occupied += fmt::format("{:>7} ", percent(line.occupied(engine), span));
    }
    return fmt::format("{}{:>10} {:<14} {:>9} {:>9}", occupied,
                       stalls ? fmt::format("{:.3f}", stalled.microseconds()) : "",
                       stalls ? cause_name(line.main_stall()) : "",
                       line.commands == 0 ? "" : fmt::format("{}", line.commands),
                       line.dram.total() == 0
                           ? ""
                           : fmt::format("{:.3f}", static_cast<double>(line.dram.total()) * 1e-6));
}

std::vector<std::string> source_of(const std::string& file) {
    std::vector<std::string> lines;
    if (may_have_no_end(file)) return lines;
    std::ifstream stream(file);
    stream.exceptions(std::ios::badbit);  // e.g. no memory for a line
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

using Lines = std::vector<LineAccount>::const_iterator;

/// Appends a file's source with the account of each line.
void annotate(std::string& out, Lines begin, Lines end, Picoseconds span) {
    const std::vector<std::string> source = source_of(begin->place.file);
    LineAccount nothing;
    nothing.time.resize(begin->time.size());
    const std::string blank = columns(nothing, span);
    out += begin->place.file + (source.empty() ? " (cannot be read)\n" : "\n");
    const auto print = [&](const std::string& left, std::size_t number) {
        const std::string text = number <= source.size() ? source[number - 1] : "";
        out += fmt::format("{} |{:>5}  {}\n", left, number, text);
    };
    std::size_t next = 1;
    for (Lines line = begin; line != end; ++line) {
        const std::size_t number = line->place.line;
        const std::size_t from = number > kContext ? number - kContext : 1;
        if (from > next && next > 1) out += blank + " |  ...\n";
        if (!source.empty()) {
            for (std::size_t i = std::max(from, next); i < number; ++i) print(blank, i);
        }
        print(columns(*line, span), number);
        next = number + 1;
        const std::size_t limit = std::min(number + kContext, source.size());
        const std::size_t until =
            line + 1 == end ? limit : std::min(limit, (line + 1)->place.line - 1);
        for (; next <= until; ++next) print(blank, next);
    }
}

}  // namespace

std::string line_text(const LineProfile& profile) {
    const std::vector<LineAccount> lines = profile.lines();
    const Picoseconds span = profile.span();
    std::string engines;
    for (const ListedEngine& engine : profile.engines()) {
        engines += fmt::format("{:>7} ", engine.name + " %");
    }
    std::string out =
        fmt::format("{:.3f} us in {} launch{}, by line\n{}{:>10} {:<14} {:>9} {:>9}\n",
                    span.microseconds(), profile.launches(), profile.launches() == 1 ? "" : "es",
                    engines, "stalled us", "mostly by", "commands", "DRAM MB");
    bool has_lines = false;
    for (Lines begin = lines.begin(); begin != lines.end();) {
        const Lines end = std::find_if(begin, lines.end(), [&](const LineAccount& line) {
            return line.place.file != begin->place.file;
        });
        if (begin->place.file.empty()) {
            for (Lines line = begin; line != end; ++line) {
                out += columns(*line, span) + " | " + line->place.text() + "\n";
            }
        } else {
            annotate(out, begin, end, span);
            has_lines = true;
        }
        begin = end;
    }
    if (!has_lines) out += kHowToGetLines;
    return out;
}

nlohmann::ordered_json line_json(const LineProfile& profile, const Machine& machine) {
    nlohmann::ordered_json json{{"launches", profile.launches()},
                                {"simulated_us", profile.span().microseconds()},
                                {"lines", nlohmann::ordered_json::array()}};
    for (const LineAccount& line : profile.lines()) {
        nlohmann::ordered_json row{{"file", line.place.file},
                                   {"line", line.place.line},
                                   {"function", line.place.function},
                                   {"module", line.place.module},
                                   {"offset", line.place.offset},
                                   {"commands", line.commands},
                                   {"operations", line.operations},
                                   {"dram_bytes_read", line.dram.read},
                                   {"dram_bytes_written", line.dram.written},
                                   {"us_by_cause", nlohmann::ordered_json::object()}};
        for (std::size_t engine = 0; engine < line.time.size(); ++engine) {
            nlohmann::ordered_json& causes = row["us_by_cause"][profile.engines()[engine].name];
            for (std::size_t cause = 0; cause < kCauses; ++cause) {
                causes[cause_name(static_cast<Cause>(cause))] =
                    line.time[engine][cause].microseconds();
            }
        }
        json["lines"].push_back(std::move(row));
    }
    add_provenance(json, machine);
    return json;
}

std::string line_csv(const LineProfile& profile, const Machine& machine) {
    std::string out =
        "file,line,function,module,offset,commands,operations,dram_bytes_read,dram_bytes_written" +
        account_column_names(profile.engines()) + provenance_column_names() + "\n";
    const std::string provenance = provenance_columns(machine);
    auto to = std::back_inserter(out);
    for (const LineAccount& line : profile.lines()) {
        fmt::format_to(to, "{},{},{},{},{},{},{},{},{}", csv_field(line.place.file),
                       line.place.line, csv_field(line.place.function),
                       csv_field(line.place.module), line.place.offset, line.commands,
                       line.operations, line.dram.read, line.dram.written);
        for (const auto& causes : line.time) {
            for (const Picoseconds time : causes) {
                fmt::format_to(to, ",{:.6f}", time.microseconds());
            }
        }
        out += provenance + "\n";
    }
    return out;
}

void write_lines(const LineProfile& profile, const Machine& machine, const std::string& path) {
    OutputFile file(path);
    if (path.ends_with(".json")) {
        file << line_json(profile, machine)
                    .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
             << '\n';
    } else {
        file << (path.ends_with(".csv") ? line_csv(profile, machine) : line_text(profile));
    }
    file.commit();
}

}  // namespace okksim::sim::trace
