// SPDX-License-Identifier: Apache-2.0
#include "isa/base/closest_word.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace okksim {
namespace {

/// Longest word, in characters, that is compared. A longer word is not a mistyped name.
constexpr std::size_t kLongestWord = 64;

/// Edit distance with exchanged neighbours (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + change});
            const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (exchanged) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::string closest_word(std::string_view word, const std::vector<std::string>& known) {
    if (word.size() > kLongestWord) return {};
    constexpr std::size_t kOneIn = 3;
    std::string best;
    std::size_t best_distance = SIZE_MAX;
    for (const std::string& other : known) {
        const std::size_t changes = distance(word, other);
        if (changes * kOneIn > std::max(word.size(), other.size())) continue;
        if (changes < best_distance) {
            best = other;
            best_distance = changes;
        }
    }
    return best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
    const std::string best = closest_word(word, known);
    return best.empty() ? "" : "; did you mean \"" + best + "\"?";
}

}  // namespace okksim
