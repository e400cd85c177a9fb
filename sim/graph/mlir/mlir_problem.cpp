// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_problem.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {

// Characters shown of a longer line.
constexpr std::size_t kMostShown = 100;
constexpr std::size_t kMostWarnings = 20;

}  // namespace

TextReport::LineColumn TextReport::locate(std::size_t at) {
    at = std::min(at, text_.size());
    LineColumn where = at >= last_at_ ? last_ : LineColumn{};
    std::size_t from = at >= last_at_ ? last_at_ : 0;
    // Stops at the position, as a line may be as long as the file.
    const std::string_view before = text_.substr(0, at);
    for (std::size_t next = before.find('\n', from); next != std::string_view::npos;
         next = before.find('\n', from)) {
        ++where.line;
        from = next + 1;
        where.line_start = from;
    }
    where.column = at - where.line_start + 1;
    last_ = where;
    last_at_ = at;
    return where;
}

std::string TextReport::place(std::size_t at) {
    const LineColumn where = locate(at);
    return file_ + ":" + std::to_string(where.line) + ":" + std::to_string(where.column);
}

std::string TextReport::excerpt(const LineColumn& where) const {
    std::string_view line = text_.substr(where.line_start);
    line = line.substr(0, where.column + kMostShown);
    line = line.substr(0, line.find('\n'));
    std::size_t caret = where.column - 1;
    if (line.size() > kMostShown) {
        const std::size_t begin = caret > kMostShown / 2 ? caret - kMostShown / 2 : 0;
        line = line.substr(begin, kMostShown);
        caret -= begin;
    }
    std::string shown;
    for (const char c : line) {
        shown += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? ' ' : c;
    }
    return "  " + shown + "\n  " + std::string(caret, ' ') + "^";
}

std::string TextReport::problem_text(std::size_t at, const std::string& message) {
    return place(at) + ": error: " + message + "\n" + excerpt(locate(at));
}

void TextReport::tell(std::size_t at, const std::string& message) {
    if (++count_ > kMostProblems) return;
    const LineColumn where = locate(at);
    problems_.push_back({where.line, where.column, message});
    report_ += "\n" + problem_text(at, message);
}

void TextReport::error(std::size_t at, const std::string& message) {
    // An alias is read for each use, so its errors may repeat.
    if (std::find(errors_at_.begin(), errors_at_.end(), at) != errors_at_.end()) return;
    if (!aside_.empty()) return tell_aside(at, message);
    if (errors_at_.size() < kMostProblems) errors_at_.push_back(at);
    if (damages_.size() < kMostProblems) damages_.push_back(problem_text(at, message));
    tell(at, message);
}

void TextReport::tell_aside(std::size_t at, const std::string& message) {
    ++aside_count_;
    warning(at, aside_ + message);
}

void TextReport::stop(std::size_t at, const std::string& message) {
    aside_.clear();
    error(at, message);
    finish();
    throw SyntaxBreak{};  // finish() does not return
}

void TextReport::unread(std::size_t at, const std::string& what, const std::string& message) {
    if (!aside_.empty()) return tell_aside(at, message);
    const auto [position, is_new] = unread_positions_.emplace(what, unread_.size());
    if (is_new) unread_.push_back({what, place(at), 0});
    ++unread_[position->second].count;
    tell(at, message);
}

void TextReport::warning(std::size_t at, const std::string& message) {
    if (warnings_.size() < kMostWarnings) warnings_.push_back(place(at) + ": warning: " + message);
}

void TextReport::finish() const {
    if (problems_.empty()) return;
    std::string text = counted(count_, "error") + report_;
    if (count_ > problems_.size()) {
        text += "\n(the first " + std::to_string(problems_.size()) + " are shown)";
    }
    throw GraphTextError(file_, text, problems_,
                         damages_.empty() ? FileProblem::kUnsupported : FileProblem::kDamaged,
                         unread_, damages_);
}

std::string counted(std::uint64_t count, const char* what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace okksim::sim::graph
