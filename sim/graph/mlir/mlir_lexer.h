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

/// Some editors write it at the beginning of UTF-8 texts.
inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct MlirToken {
    MlirTokenKind kind = MlirTokenKind::kEnd;
    std::size_t at = 0;
    std::string_view text;
};

/// The tokens of MLIR text, with one token of lookahead. Comments and white space separate tokens.
class MlirLexer {
 public:
    /// A byte order mark at the beginning is skipped.
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
    /// Takes the token, or throws SyntaxBreak with the error "expected ...".
    void expect(std::string_view text, std::string_view purpose = "");
    MlirToken expect_kind(MlirTokenKind kind, std::string_view what);
    [[noreturn]] void unexpected(std::string_view expected);

    /// Returns the text from the current token on, for parts that are not tokens (dimensions, lists
    /// of numbers). resume() continues at a later position.
    std::string_view rest() const { return text_.substr(token_.at); }
    std::string_view text() const { return text_; }
    void resume(std::size_t at) {
        next_ = at;
        advance();
    }
    /// Reads at another position during its lifetime, such as the definition of an alias.
    /// Afterwards, also after an error, the lexer continues at the old position.
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
    /// Items at which parsing may resume after an error.
    enum class Level { kModuleItems, kOperations };
    /// Recovers after an error in a statement that begins at `start`, or if it is unsupported.
    /// Skips the whole statement if its brackets match. Otherwise continues at the next line that
    /// looks like an item of `level`.
    void recover(std::size_t start, Level level);
    /// Moves from a position in a function's header to the '{' of its body. Returns false if there
    /// is none.
    bool find_body(std::size_t from);
    /// Always continues at the next line that looks like an item of `level`.
    void skip_lines(Level level) { skip_lines_from(std::max(next_, token_.at), level); }
    TextReport& report() { return report_; }

 private:
    void advance();
    bool begins_line(std::size_t at) const;
    bool begins_results() const;
    bool begins_statement(Level level) const;
    bool skip_statement(std::size_t start, Level level);
    void skip_lines_from(std::size_t reached, Level level);
    /// Reports a character that cannot be part of a token.
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

/// Returns the bytes of a string token. \xx are hexadecimal digits; \n \t \" \\ as usual.
std::string unquoted(std::string_view token);
/// Returns the name of a symbol token: @name or @"name".
std::string symbol_name(std::string_view token);

}  // namespace okksim::sim::graph
