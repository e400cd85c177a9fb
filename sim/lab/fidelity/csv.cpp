// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "isa/base/errors.h"
#include "sim/trace/line_source.h"

namespace okksim::sim::fidelity {
namespace {

/// Splits a line into cells. Two quotes inside a quoted cell are one quote.
std::vector<std::string> split(std::string_view line, const std::string& where) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    if (quoted) throw ConfigError(where, "a quote is not closed");
    return cells;
}

template <typename Number>
bool parse(const std::string& text, Number& number) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end;
}

}  // namespace

CsvTable CsvTable::read(const std::filesystem::path& path) {
    CsvTable table;
    table.path_ = path;
    trace::LineSource lines(path);
    while (const auto line = lines.next()) {
        if (line->empty()) continue;
        auto cells = split(*line, lines.where());
        if (table.names_.empty()) {
            for (std::string& name : cells) name = name.substr(0, name.find('('));
            table.names_ = std::move(cells);
            continue;
        }
        if (cells.size() != table.names_.size()) {
            throw ConfigError(lines.where(),
                              fmt::format("the row has {} cells, but the table has {} columns",
                                          cells.size(), table.names_.size()));
        }
        table.rows_.push_back(std::move(cells));
        table.lines_.push_back(lines.line());
    }
    if (table.names_.empty()) throw ConfigError(path.string(), "has no row of column names");
    if (table.rows_.empty()) {
        throw ConfigError(path.string(), "has no row below the column names; give the whole table");
    }
    return table;
}

std::size_t CsvTable::column(std::string_view name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (names_[i] == name) return i;
    }
    throw ConfigError(path_.string(), fmt::format("has no column \"{}\"", name));
}

void CsvTable::bad_cell(std::size_t row, std::size_t column, const char* rule) const {
    throw ConfigError(
        fmt::format("{}:{}", path_.string(), lines_[row]),
        fmt::format("{} is \"{}\"; it must be {}", names_[column], text(row, column), rule));
}

std::int64_t CsvTable::integer(std::size_t row, std::size_t column) const {
    std::int64_t value = 0;
    if (!parse(text(row, column), value)) bad_cell(row, column, "an integer");
    return value;
}

double CsvTable::number(std::size_t row, std::size_t column) const {
    double value = 0;
    if (!parse(text(row, column), value) || !std::isfinite(value)) {
        bad_cell(row, column, "a number");
    }
    return value;
}

}  // namespace okksim::sim::fidelity
