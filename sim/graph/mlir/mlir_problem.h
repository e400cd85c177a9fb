// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

/// One thing that is wrong with a text.
struct TextProblem {
    std::size_t line = 0;    ///< from 1
    std::size_t column = 0;  ///< from 1, in bytes
    std::string message;
};

/// What is wrong with a text: up to ten problems, each with its line and a caret below it. All that
/// is not read is in GraphFileError::unread, however much else is wrong.
class GraphTextError : public GraphFileError {
 public:
    GraphTextError(const std::string& file, const std::string& text,
                   std::vector<TextProblem> problems, FileProblem kind, UnreadItems unread,
                   std::vector<std::string> damages)
        : GraphFileError(file, "", std::nullopt, text, kind, std::move(unread), std::move(damages)),
          problems_(std::move(problems)) {}
    const std::vector<TextProblem>& problems() const { return problems_; }

 private:
    std::vector<TextProblem> problems_;
};

/// Thrown by a parser after it has reported a problem and cannot go on where it is.
struct SyntaxBreak {
    bool is_unread =
        false;  ///< nothing is wrong with what begins there: it is passed over as a whole
};

/// Collects the problems and warnings of one text.
class TextReport {
 public:
    static constexpr std::size_t kMostProblems = 10;

    TextReport(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// `at` is a position in the text. The reading goes on, so that all that is not read is known;
    /// beyond the tenth, problems are counted.
    void error(std::size_t at, const std::string& message);
    /// What is well-formed, but not read.
    void unread(std::size_t at, const std::string& what, const std::string& message);
    [[noreturn]] void refuse(std::size_t at, const std::string& what, const std::string& message) {
        unread(at, what, message);
        throw SyntaxBreak{.is_unread = true};
    }
    [[noreturn]] void fatal(std::size_t at, const std::string& message) {
        error(at, message);
        throw SyntaxBreak{};
    }
    /// A problem behind which nothing can be read.
    [[noreturn]] void stop(std::size_t at, const std::string& message);
    void warning(std::size_t at, const std::string& message);
    /// Of the file, or of the part that is set aside.
    bool has_problems() const { return aside_.empty() ? count_ > 0 : aside_count_ > 0; }
    /// The next problem's message will be seen: what takes time to find out is worth it.
    bool is_heard() const { return count_ < kMostProblems; }
    /// While it lives, problems are those of a part of the text that nobody needs: they become
    /// warnings that begin with `what`. With an empty `what` nothing changes.
    class Aside {
     public:
        Aside(TextReport& report, std::string what) : report_(report) {
            report_.aside_ = std::move(what);
            report_.aside_count_ = 0;
        }
        ~Aside() { report_.aside_.clear(); }
        Aside(const Aside&) = delete;
        Aside& operator=(const Aside&) = delete;

     private:
        TextReport& report_;
    };
    /// Throws when there were errors.
    void finish() const;

    struct LineColumn {
        std::size_t line = 1;
        std::size_t column = 1;
        std::size_t line_start = 0;
    };
    /// Amortised: positions are mostly asked for in rising order.
    LineColumn locate(std::size_t at);
    /// "net.mlir:12:5".
    std::string place(std::size_t at);
    const std::string& file() const { return file_; }
    std::vector<std::string>& warnings() { return warnings_; }

 private:
    void tell(std::size_t at, const std::string& message);
    void tell_aside(std::size_t at, const std::string& message);
    std::string problem_text(std::size_t at, const std::string& message);
    std::string excerpt(const LineColumn& where) const;

    std::string_view text_;
    const std::string& file_;
    std::vector<TextProblem> problems_;
    std::vector<std::string> warnings_;
    UnreadItems unread_;
    std::unordered_map<std::string, std::size_t> unread_positions_;
    std::uint64_t count_ = 0;             ///< of problems
    std::vector<std::size_t> errors_at_;  ///< places that were told of
    std::vector<std::string> damages_;
    std::string report_;
    std::string aside_;
    std::uint64_t aside_count_ = 0;  ///< of problems in the part that is set aside
    LineColumn last_;
    std::size_t last_at_ = 0;
};

/// "1 value", "2 values".
std::string counted(std::uint64_t count, const char* what);

}  // namespace okksim::sim::graph
