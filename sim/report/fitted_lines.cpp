// SPDX-License-Identifier: Apache-2.0
#include "sim/report/fitted_lines.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace okksim::sim::report {
namespace {

constexpr std::size_t kContinued = 6;  ///< indent of a continuation line
/// Limits for tables: lines with fewer common gaps between columns are not a table. A line that
/// keeps a smaller share of a table's gaps, or of their width, does not belong to it.
constexpr std::size_t kLeastGaps = 2;
constexpr double kKeptGaps = 0.6;
constexpr double kKeptBlanks = 0.35;

using Letters = std::vector<std::string_view>;  ///< characters of a line; one column each

Letters letters_of(std::string_view line) {
    Letters letters;
    for (std::size_t at = 0; at < line.size();) {
        std::size_t end = at + 1;
        while (end < line.size() && (static_cast<std::uint8_t>(line[end]) & 0xC0) == 0x80) ++end;
        letters.push_back(line.substr(at, end - at));
        at = end;
    }
    while (!letters.empty() && letters.back() == " ") letters.pop_back();
    return letters;
}

std::string joined(const Letters& letters, std::size_t from, std::size_t to) {
    std::string text;
    for (std::size_t i = from; i < std::min(to, letters.size()); ++i) text += letters[i];
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

/// Columns that are blank in all lines.
class Gaps {
 public:
    explicit Gaps(const Letters& line) { add(line); }

    void add(const Letters& line) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (i >= blank_.size()) blank_.push_back(true);
            if (line[i] != " ") blank_[i] = false;
        }
    }
    bool operator[](std::size_t column) const { return blank_[column]; }
    std::size_t width() const { return blank_.size(); }
    std::size_t blanks(std::size_t width) const {
        return static_cast<std::size_t>(
            std::count(blank_.begin(), blank_.begin() + static_cast<std::ptrdiff_t>(width), true));
    }
    /// Returns the number of runs of blanks after other columns, within the first `width` columns.
    std::size_t count(std::size_t width) const {
        std::size_t runs = 0;
        for (std::size_t i = 1; i < width; ++i) runs += blank_[i] && !blank_[i - 1] ? 1 : 0;
        return runs;
    }

 private:
    std::vector<bool> blank_;
};

/// Wraps a line at words.
std::string folded(const Letters& letters, std::size_t width) {
    std::size_t indent = 0;
    while (indent < letters.size() && letters[indent] == " ") ++indent;
    std::string text;
    std::size_t from = 0, before = 0;  // indent of this line
    while (letters.size() - from + before > width) {
        const std::size_t room = width - before;
        std::size_t end = from + room;
        const std::size_t least = from + (from == 0 ? indent : 0);
        while (end > least && letters[end] != " ") --end;
        if (end == least) {  // a word that is longer than a line stays whole
            end = from + room;
            while (end < letters.size() && letters[end] != " ") ++end;
        }
        text += std::string(before, ' ') + joined(letters, from, end) + "\n";
        from = end;
        while (from < letters.size() && letters[from] == " ") ++from;
        before = std::min(indent + 2, width / 2);
        if (from == letters.size()) return text;
    }
    return text + std::string(before, ' ') + joined(letters, from, letters.size()) + "\n";
}

/// Lines with common gaps.
class Table {
 public:
    explicit Table(Letters first) : gaps_(first) { lines_.push_back(std::move(first)); }

    /// Adds the line if it is a row of the table; returns whether it is.
    bool takes(const Letters& line) {
        Gaps narrower = gaps_;
        narrower.add(line);
        const auto part = [](double share, std::size_t whole) {
            return static_cast<std::size_t>(std::ceil(share * static_cast<double>(whole)));
        };
        const std::size_t width = gaps_.width();
        const std::size_t least = std::max(kLeastGaps, part(kKeptGaps, gaps_.count(width)));
        if (narrower.count(width) < least) return false;
        if (narrower.blanks(width) < part(kKeptBlanks, gaps_.blanks(width))) return false;
        gaps_ = narrower;
        lines_.push_back(line);
        return true;
    }

    std::string text(std::size_t width) {
        const bool is_table = lines_.size() > 1;
        for (std::size_t gap = is_table ? 2 : 0; gap > 0 && gaps_.width() > width; --gap) {
            squeeze(gap);
        }
        const std::size_t end = is_table ? last_gap(width) : 0;
        std::string text;
        for (const Letters& line : lines_) {
            if (line.size() <= width) {
                text += joined(line, 0, line.size()) + "\n";
            } else if (end == 0) {
                text += folded(line, width);
            } else {
                const std::string rest =
                    std::string(kContinued, ' ') + joined(line, end, line.size());
                text += joined(line, 0, end) + "\n" + folded(letters_of(rest), width);
            }
        }
        return text;
    }

 private:
    /// Limits every gap of all lines to `most` blanks.
    void squeeze(std::size_t most) {
        std::vector<bool> keeps(gaps_.width(), true);
        for (std::size_t i = 0, run = 0; i < gaps_.width(); ++i) {
            run = gaps_[i] ? run + 1 : 0;
            keeps[i] = run <= most;
        }
        for (Letters& line : lines_) {
            Letters kept;
            for (std::size_t i = 0; i < line.size(); ++i) {
                if (keeps[i]) kept.push_back(line[i]);
            }
            line = kept;
        }
        gaps_ = Gaps(lines_.front());
        for (const Letters& line : lines_) gaps_.add(line);
    }

    /// Returns the end of the last gap within a line of this width, or 0.
    std::size_t last_gap(std::size_t width) const {
        for (std::size_t i = std::min(width + 1, gaps_.width() - 1); i > 1; --i) {
            if (gaps_[i - 1] && !gaps_[i]) return joined_width(i) == 0 ? 0 : i;
        }
        return 0;
    }
    /// Returns the number of columns before `end` that are not gaps.
    std::size_t joined_width(std::size_t end) const {
        std::size_t used = 0;
        for (std::size_t i = 0; i < end; ++i) used += gaps_[i] ? 0 : 1;
        return used;
    }

    std::vector<Letters> lines_;
    Gaps gaps_;
};

}  // namespace

std::string fitted_lines(std::string_view text, std::size_t width) {
    std::string fitted;
    std::vector<Table> tables;  // empty, or the current table
    const auto finish = [&] {
        if (!tables.empty()) fitted += tables.front().text(width);
        tables.clear();
    };
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) break;
        const Letters line = letters_of(text.substr(0, end));
        text.remove_prefix(end + 1);
        if (line.empty()) {
            finish();
            fitted += "\n";
        } else if (tables.empty() || !tables.front().takes(line)) {
            finish();
            tables.emplace_back(line);
        }
    }
    finish();
    return fitted + std::string(text);
}

}  // namespace okksim::sim::report
