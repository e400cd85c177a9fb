// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/line_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace okksim::sim::gate {
namespace {

constexpr std::size_t kMostLines = 3;
constexpr std::size_t kLongestText = 80;  // characters of a source line in a message
constexpr double kLeastUs = 0.005;        // half of the last digit that a message shows

struct LineChange {
    std::string line, text;
    std::uint64_t before = 0, after = 0;  ///< commands
    double us = 0;

    bool has_other_commands() const { return before != after; }
};

/// Equal for the same line of two versions of a file.
std::string key_of(const LineTime& line) {
    return line.text.empty() ? line.line
                             : line.line.substr(0, line.line.rfind(':') + 1) + line.text;
}

std::vector<LineChange> changes_of(const TimeRecord& base, const TimeRecord& next) {
    std::map<std::string, LineChange> changes;
    for (const LineTime& line : next.lines) {
        LineChange& change = changes[key_of(line)];
        if (change.line.empty()) change = {line.line, line.text};
        change.after += line.commands;
        change.us += line.us;
    }
    for (const LineTime& line : base.lines) {
        LineChange& change = changes[key_of(line)];
        if (change.line.empty()) change = {line.line + " (removed)", line.text};
        change.before += line.commands;
        change.us -= line.us;
    }
    std::vector<LineChange> list;
    for (auto& [key, change] : changes) list.push_back(std::move(change));
    return list;
}

std::string words_of(const LineChange& change) {
    std::string text = fmt::format("{:+.2f} us at {}", change.us, change.line);
    if (change.has_other_commands()) {
        text += fmt::format(", {} -> {} commands", change.before, change.after);
    }
    if (change.text.empty()) return text;
    return text + ": " + change.text.substr(0, kLongestText);
}

}  // namespace

std::vector<std::string> changed_lines(const TimeRecord& base, const TimeRecord& next) {
    std::vector<std::string> words;
    if (base.lines.empty() || next.lines.empty()) return words;
    const double direction = next.simulated_us - base.simulated_us;
    std::vector<LineChange> changes = changes_of(base, next);
    std::erase_if(changes, [&](const LineChange& change) {
        const bool explains = std::abs(change.us) >= kLeastUs && change.us * direction > 0;
        return !explains && !(change.has_other_commands() && change.us * direction >= 0);
    });
    std::ranges::stable_sort(changes, std::greater{},
                             [](const LineChange& change) { return std::abs(change.us); });
    if (changes.size() > kMostLines) changes.resize(kMostLines);
    for (const LineChange& change : changes) words.push_back(words_of(change));
    return words;
}

}  // namespace okksim::sim::gate
