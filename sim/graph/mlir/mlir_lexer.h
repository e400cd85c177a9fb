// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/graph/mlir/mlir_problem.h"

namespace okksim::sim::graph {

enum class MlirTokenKind : std::uint8_t {
    kEnd,
    kWord,        ///< abs, tosa.abs, i32, true
    kValue,       ///< %name, with the sign
    kSymbol,      ///< @name or @"name", with the sign
    kBlock,       ///< ^name, with the sign
    kAttribute,   ///< #name, with the sign
    kType,        ///< !name, with the sign
    kNumber,      ///< 12, -3, 0x1F, 1.5e+3
    kString,      ///< with its quotes
    kPunctuation  ///< one character, or -> {-# #-}
};

/// What some editors put in front of texts in UTF-8.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct MlirToken {
    MlirTokenKind kind = MlirTokenKind::kEnd;
    std::size_t at = 0;
    std::string_view text;
};

/// Tokens of MLIR text, one ahead. Comments and white space separate tokens.
class MlirLexer {
 public:
    /// A byte order mark in front is passed over.
    MlirLexer(std::string_view text, TextReport& report) : text_(text), report_(report) {
        if (text.starts_with(kByteOrderMark)) next_ = kByteOrderMark.size();
        advance();
    }

    const MlirToken& token() const { return token_; }
    MlirToken take() {
        const MlirToken taken = token_;
        advance();
        return taken;
    }
    bool at(std::string_view text) const {
        return token_.text == text && token_.kind != MlirTokenKind::kString;
    }
    bool accept(std::string_view text) {
        if (!at(text)) return false;
        advance();
        return true;
    }
    /// Takes the token, or ends the parse with "expected ...".
    void expect(std::string_view text, std::string_view purpose = "");
    MlirToken expect_kind(MlirTokenKind kind, std::string_view what);
    [[noreturn]] void unexpected(std::string_view expected);

    /// The text from here on, for what is not made of tokens (dimensions, lists of numbers);
    /// resume() goes on at a position behind it.
    std::string_view rest() const { return text_.substr(token_.at); }
    std::string_view text() const { return text_; }
    void resume(std::size_t at) {
        next_ = at;
        advance();
    }
    /// Reads somewhere else for as long as it lives, and then, also after an error there, goes on
    /// where it was: the definition of an alias.
    class Detour {
     public:
        Detour(MlirLexer& lexer, std::size_t at) : Detour(lexer) { lexer.resume(at); }
        ~Detour() {
            lexer_.next_ = next_;
            lexer_.token_ = token_;
        }
        Detour(const Detour&) = delete;
        Detour& operator=(const Detour&) = delete;

     private:
        explicit Detour(MlirLexer& lexer)
            : lexer_(lexer), next_(lexer.next_), token_(lexer.token_) {}

        MlirLexer& lexer_;
        std::size_t next_;
        MlirToken token_;
    };
    /// What may be read next after an error.
    enum class Level { kModuleItems, kOperations };
    /// After an error in what begins at `start`, or when that is not read: goes behind it as a
    /// whole where its brackets match, otherwise to the next line that looks like one of these.
    void recover(std::size_t start, Level level);
    /// Goes from a place in the head of a function to the '{' of its body; false when there is
    /// none.
    bool find_body(std::size_t from);
    /// To that line in any case.
    void skip_lines(Level level) { skip_lines_from(std::max(next_, token_.at), level); }
    TextReport& report() { return report_; }

 private:
    void advance();
    bool begins_line(std::size_t at) const;
    bool begins_results() const;
    bool begins_statement(Level level) const;
    bool skip_statement(std::size_t start, Level level);
    void skip_lines_from(std::size_t reached, Level level);
    /// Reports what can be no token.
    void check_character(std::size_t at) const;
    void skip_space();
    std::size_t scan_word(std::size_t from) const;
    std::size_t scan_number(std::size_t from) const;
    std::size_t scan_string(std::size_t from);

    std::string_view text_;
    TextReport& report_;
    std::size_t next_ = 0;
    MlirToken token_;
    bool can_skip_ = true;  ///< brackets have matched so far
};

/// The bytes that a string token stands for; \xx are hexadecimal digits, \n \t \" \\ as usual.
std::string unquoted(std::string_view token);
/// The name that a symbol token stands for: @name or @"name".
std::string symbol_name(std::string_view token);

}  // namespace okksim::sim::graph
