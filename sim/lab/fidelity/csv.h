// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace okksim::sim::fidelity {

/// A table of comma-separated values. The first row has the column names; cells may be quoted.
class CsvTable {
 public:
    /// Throws ConfigError with the line if the file cannot be read or a row has another number of
    /// cells than the first row.
    static CsvTable read(const std::filesystem::path& path);

    std::size_t rows() const { return rows_.size(); }
    /// Returns the index of a column. Brackets after a column's name are not part of the name.
    /// Throws ConfigError if there is no such column.
    std::size_t column(std::string_view name) const;
    const std::string& text(std::size_t row, std::size_t column) const {
        return rows_[row][column];
    }
    /// Throws ConfigError if the cell is not a number.
    std::int64_t integer(std::size_t row, std::size_t column) const;
    double number(std::size_t row, std::size_t column) const;

 private:
    [[noreturn]] void bad_cell(std::size_t row, std::size_t column, const char* rule) const;

    std::filesystem::path path_;
    std::vector<std::string> names_;
    std::vector<std::vector<std::string>> rows_;
    std::vector<std::uint64_t> lines_;  ///< line number of each row
};

}  // namespace okksim::sim::fidelity
