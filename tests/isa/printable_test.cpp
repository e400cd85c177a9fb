// SPDX-License-Identifier: Apache-2.0
// Text of foreign files reaches a terminal as letters only.
#include "isa/base/printable.h"

#include "tests/support/catch.h"

using namespace okksim;

TEST_CASE("letters of any script stay as they are") {
    // 2, 3 and 4 bytes of UTF-8: e acute, euro, a musical sign; the first and last codes of each.
    for (const std::string text :
         {"", "a b~", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9d\x84\x9e", "\xc2\xa0", "\xdf\xbf",
          "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbd", "\xf0\x90\x80\x80",
          "\xf4\x8f\xbf\xbf"}) {
        CHECK(printable(text) == text);
        CHECK(printable_lines(text) == text);
    }
}

TEST_CASE("what acts on a terminal is shown by its bytes") {
    CHECK(printable("a\033[31mb") == "a\\x1b[31mb");
    CHECK(printable(std::string("\0\a\b\r\x7f", 5)) == "\\x00\\x07\\x08\\x0d\\x7f");
    CHECK(printable("a\nb\tc") == "a\\x0ab\\x09c");
    CHECK(printable_lines("a\nb\tc\r\n") == "a\nb\tc\\x0d\n");
    CHECK(printable("\xc2\x9b"
                    "2J") == "\\xc2\\x9b2J");               // CSI in one code
    CHECK(printable("\xe2\x80\xae") == "\\xe2\\x80\\xae");  // right to left
    CHECK(printable("\xe2\x80\xa8") == "\\xe2\\x80\\xa8");  // a line's end
    CHECK(printable("\xe2\x81\xa6") == "\\xe2\\x81\\xa6");  // another isolated direction
}

TEST_CASE("bytes that are no UTF-8 are shown one by one") {
    CHECK(printable("\x9b") == "\\x9b");
    CHECK(printable("\xc3") == "\\xc3");  // cut off
    CHECK(printable("\xc3"
                    "a") ==
          "\\xc3"
          "a");
    CHECK(printable("\xc1\xbf") == "\\xc1\\xbf");  // longer than need be
    CHECK(printable("\xe0\x9f\xbf") == "\\xe0\\x9f\\xbf");
    CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a pair
    CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last
    CHECK(printable("\xff\xc3\xa9") == "\\xff\xc3\xa9");
}
