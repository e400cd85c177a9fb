// SPDX-License-Identifier: Apache-2.0
#include "isa/line_scanner.h"

#include <bit>
#include <charconv>

#include "isa/assembly_error.h"

namespace okksim::isa {
namespace {

// Not <cctype>: the notation does not depend on the locale.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace

void LineScanner::skip_blanks() {
    while (position_ < line_.size() && is_blank(line_[position_])) ++position_;
}

bool LineScanner::at_end() {
    skip_blanks();
    return position_ == line_.size();
}

bool LineScanner::at_identifier() {
    skip_blanks();
    return is_letter(peek());
}

LineScanner::Mark LineScanner::mark() {
    skip_blanks();
    return position_;
}

bool LineScanner::accept(char c) {
    skip_blanks();
    if (position_ == line_.size() || line_[position_] != c) return false;
    ++position_;
    return true;
}

void LineScanner::expect(char c) {
    if (!accept(c)) fail(std::string("'") + c + "'");
}

std::string_view LineScanner::identifier(std::string_view expected) {
    if (!at_identifier()) fail(std::string(expected));
    const std::size_t start = position_;
    while (is_letter(peek()) || is_digit(peek())) ++position_;
    return line_.substr(start, position_ - start);
}

std::string_view LineScanner::mnemonic() {
    const Mark start = mark();
    identifier("a mnemonic such as bdc.add");
    if (peek() == '.') ++position_;
    while (is_letter(peek()) || is_digit(peek())) ++position_;
    return line_.substr(start, position_ - start);
}

std::uint64_t LineScanner::number(std::string_view expected) {
    const Mark start = mark();
    int base = 10;
    std::size_t digits = start;
    if (line_.substr(start, 2) == "0x") {
        base = 16;
        digits += 2;
    }
    std::uint64_t value = 0;
    const char* const first = line_.data() + digits;
    const auto [end, error] = std::from_chars(first, line_.data() + line_.size(), value, base);
    if (error == std::errc::result_out_of_range) fail_at(start, "a number of at most 64 bits");
    if (error != std::errc()) fail_at(start, std::string(expected));
    position_ = digits + static_cast<std::size_t>(end - first);
    if (is_letter(peek())) fail_at(start, std::string(expected));
    return value;
}

std::uint32_t LineScanner::word(std::string_view expected) {
    const Mark start = mark();
    const bool negative = accept('-');
    const std::uint64_t value = number(expected);
    if (value > (negative ? std::uint64_t{1} << 31 : UINT32_MAX)) {
        fail_at(start, std::string(expected) + " of 32 bits");
    }
    return static_cast<std::uint32_t>(negative ? 0 - value : value);
}

std::uint32_t LineScanner::float_bits() {
    const Mark start = mark();
    if (line_.substr(start, 2) == "0x") return word("the bit pattern of a float");
    float value = 0;
    const char* const first = line_.data() + start;
    const auto [end, error] = std::from_chars(first, line_.data() + line_.size(), value);
    if (error != std::errc()) fail_at(start, "a float or its 0x bit pattern");
    position_ = start + static_cast<std::size_t>(end - first);
    return std::bit_cast<std::uint32_t>(value);
}

void LineScanner::fail_at(Mark mark, const std::string& expected) {
    constexpr std::size_t kShown = 24;
    const std::string_view rest = line_.substr(mark);
    std::string found = "the line ends";
    if (!rest.empty()) {
        found =
            "found '" + std::string(rest.substr(0, kShown)) + (rest.size() > kShown ? "...'" : "'");
    }
    throw AssemblyError(line_number_, static_cast<int>(mark) + 1,
                        "expected " + expected + "; " + found);
}

}  // namespace okksim::isa
