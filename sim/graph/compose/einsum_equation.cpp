// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/compose/einsum_equation.h"

#include <algorithm>
#include <cctype>

namespace okksim::sim::graph::compose {

namespace {

constexpr std::string_view kEllipsis = "...";

/// Splits at each separator.
std::vector<std::string> pieces(const std::string& text, char separator) {
    std::vector<std::string> result(1);
    for (const char c : text) {
        if (c == separator) {
            result.emplace_back();
        } else {
            result.back() += c;
        }
    }
    return result;
}

/// Returns the labels of a term whose ellipsis has `hidden` dimensions; reports other characters.
std::vector<Label> labels_of(const std::string& term, std::int64_t hidden, std::string& problem) {
    std::vector<Label> result;
    bool has_ellipsis = false;
    for (std::size_t i = 0; i < term.size(); ++i) {
        const auto letter = static_cast<unsigned char>(term[i]);
        if (std::isalpha(letter) != 0) {
            result.push_back(letter);
        } else if (!has_ellipsis && term.compare(i, kEllipsis.size(), kEllipsis) == 0) {
            for (std::int64_t d = hidden; d > 0; --d) result.push_back(static_cast<Label>(-d));
            has_ellipsis = true;
            i += kEllipsis.size() - 1;
        } else {
            problem = "term '" + term + "' has letters and at most one '...'";
            return {};
        }
    }
    return result;
}

bool has_ellipsis(const std::string& term) { return term.find(kEllipsis) != std::string::npos; }

void note_sizes(EinsumEquation& parsed, const std::vector<Label>& labels, const Shape& shape) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
        std::int64_t& size = parsed.sizes.emplace(labels[i], 1).first->second;
        if (shape[i] != 1 && size != 1 && shape[i] != size) {
            parsed.problem = "a label has dimensions of " + std::to_string(size) + " and " +
                             std::to_string(shape[i]);
            return;
        }
        if (shape[i] != 1) size = shape[i];
    }
}

/// Without an arrow, the result has the ellipsis and then the letters that occur once.
std::vector<Label> implied_result(const EinsumEquation& parsed) {
    std::map<Label, int> times;
    for (const auto& labels : parsed.operands) {
        for (const Label label : labels) ++times[label];
    }
    std::vector<Label> result;
    for (const auto& [label, count] : times) {
        if (label < 0 || count == 1) result.push_back(label);
    }
    return result;
}

void check_result(EinsumEquation& parsed) {
    for (std::size_t i = 0; i < parsed.result.size(); ++i) {
        const Label label = parsed.result[i];
        const bool is_repeated = std::count(parsed.result.begin(), parsed.result.end(), label) > 1;
        if (parsed.sizes.count(label) == 0 || is_repeated) {
            parsed.problem = "each label of the result is a label of an operand, and occurs once";
            return;
        }
    }
}

}  // namespace

EinsumEquation parse_einsum(std::string_view equation, const std::vector<Shape>& operands) {
    EinsumEquation parsed;
    std::string text;
    for (const char c : equation) {
        if (c != ' ') text += c;
    }
    const std::size_t arrow = text.find("->");
    const std::vector<std::string> terms = pieces(text.substr(0, arrow), ',');
    if (terms.size() != operands.size()) {
        parsed.problem = "the equation has " + std::to_string(terms.size()) + " terms for " +
                         std::to_string(operands.size()) + " operands";
        return parsed;
    }
    std::int64_t most_hidden = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto rank = static_cast<std::int64_t>(operands[i].size());
        const bool hides = has_ellipsis(terms[i]);
        const auto letters = static_cast<std::int64_t>(terms[i].size()) - (hides ? 3 : 0);
        if (hides ? letters > rank : letters != rank) {
            parsed.problem = "term '" + terms[i] + "' does not fit the rank " +
                             std::to_string(rank) + " of its operand";
            return parsed;
        }
        const std::int64_t hidden = hides ? rank - letters : 0;
        most_hidden = std::max(most_hidden, hidden);
        parsed.operands.push_back(labels_of(terms[i], hidden, parsed.problem));
        if (!parsed.problem.empty()) return parsed;
        note_sizes(parsed, parsed.operands.back(), operands[i]);
        if (!parsed.problem.empty()) return parsed;
    }
    parsed.result = arrow == std::string::npos
                        ? implied_result(parsed)
                        : labels_of(text.substr(arrow + 2), most_hidden, parsed.problem);
    if (parsed.problem.empty()) check_result(parsed);
    return parsed;
}

}  // namespace okksim::sim::graph::compose
