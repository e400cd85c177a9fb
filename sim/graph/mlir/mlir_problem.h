// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph {

/// An error in a text.
struct TextProblem {
    std::size_t line = 0;    ///< from 1
    std::size_t column = 0;  ///< from 1, in bytes
    std::string message;
};

/// The errors of a text: up to ten, each with its line and a caret. GraphFileError::unread lists
/// all unsupported parts, independently of other errors.
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

/// Thrown by a parser that has reported an error and cannot continue at this position.
struct SyntaxBreak {
    bool is_unread =
        false;  ///< the statement is valid but not supported, so the parser skips it as a whole
};

/// Collects the errors and warnings of one text.
class TextReport {
 public:
    static constexpr std::size_t kMostProblems = 10;

    TextReport(std::string_view text, const std::string& file) : text_(text), file_(file) {}

    /// Reports an error at a position in the text. Parsing continues, to find all unsupported
    /// parts. Errors after the tenth are only counted.
    void error(std::size_t at, const std::string& message);
    /// Reports a well-formed part that is not supported.
    void unread(std::size_t at, const std::string& what, const std::string& message);
    [[noreturn]] void refuse(std::size_t at, const std::string& what, const std::string& message) {
        unread(at, what, message);
        throw SyntaxBreak{.is_unread = true};
    }
    [[noreturn]] void fatal(std::size_t at, const std::string& message) {
        error(at, message);
        throw SyntaxBreak{};
    }
    /// Reports an error after which nothing can be parsed.
    [[noreturn]] void stop(std::size_t at, const std::string& message);
    void warning(std::size_t at, const std::string& message);
    /// True if the file has errors; within an Aside, only its part counts.
    bool has_problems() const { return aside_.empty() ? count_ > 0 : aside_count_ > 0; }
    /// True if the next error will be shown, so that an expensive message is useful.
    bool is_heard() const { return count_ < kMostProblems; }
    /// During its lifetime, errors become warnings with the prefix `what`. It is for parts of the
    /// text that will not run. An empty `what` has no effect.
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
    /// Throws if there were errors.
    void finish() const;

    struct LineColumn {
        std::size_t line = 1;
        std::size_t column = 1;
        std::size_t line_start = 0;
    };
    /// Returns line and column. Fast for positions in rising order.
    LineColumn locate(std::size_t at);
    /// Returns "net.mlir:12:5".
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
    std::uint64_t count_ = 0;             ///< of errors
    std::vector<std::size_t> errors_at_;  ///< reported positions
    std::vector<std::string> damages_;
    std::string report_;
    std::string aside_;
    std::uint64_t aside_count_ = 0;  ///< of errors in the current Aside
    LineColumn last_;
    std::size_t last_at_ = 0;
};

/// Returns "1 value", "2 values".
std::string counted(std::uint64_t count, const char* what);

}  // namespace okksim::sim::graph
