// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace okksim::isa {

/// Splits one line of a listing into its parts; skips blanks and a comment at the end. Reading
/// methods throw AssemblyError, which names the expected part, when the line has something else.
class LineScanner {
 public:
    /// A position in the line, for messages about a part that was already read.
    using Mark = std::size_t;

    LineScanner(std::string_view line, int line_number)
        : line_(line.substr(0, line.find('#'))), line_number_(line_number) {}

    /// True when nothing but blanks is left.
    bool at_end();
    /// True when a letter or underscore comes next.
    bool at_identifier();
    Mark mark();

    /// Takes the character when it comes next.
    bool accept(char c);
    void expect(char c);
    /// Letters, digits and underscores, not starting with a digit.
    std::string_view identifier(std::string_view expected);
    /// Identifier with one dot; the part after the dot may start with a digit.
    std::string_view mnemonic();
    /// Decimal or 0x number of at most 64 bits.
    std::uint64_t number(std::string_view expected);
    /// Number, or a minus and a number, that fits into 32 bits as signed or unsigned.
    std::uint32_t word(std::string_view expected);
    /// Bits of a decimal float ("1.5", "-inf") or of a 0x bit pattern.
    std::uint32_t float_bits();

    [[noreturn]] void fail(const std::string& expected) { fail_at(mark(), expected); }
    [[noreturn]] void fail_at(Mark mark, const std::string& expected);

 private:
    void skip_blanks();
    char peek() const { return position_ < line_.size() ? line_[position_] : '\0'; }

    std::string_view line_;
    int line_number_;
    std::size_t position_ = 0;
};

}  // namespace okksim::isa
