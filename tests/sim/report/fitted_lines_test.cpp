// SPDX-License-Identifier: Apache-2.0
#include "sim/report/fitted_lines.h"

#include "tests/support/catch.h"

namespace okksim::sim::report {

TEST_CASE("fitted_lines/what fits stays as it is") {
    const std::string text =
        "  # operator     us\n"
        "  1 CONV2D    106.9\n"
        "\n"
        "end";
    CHECK(fitted_lines(text, 19) == text);
    CHECK(fitted_lines("", 10) == "");
}

TEST_CASE("fitted_lines/gaps become narrower before anything goes to another line") {
    // 21 columns, with at most two blanks between columns: 5 + 2 + 4 + 2 + 2 = 15.
    const std::string text =
        "name      time     us\n"
        "conv         1     22\n"
        "pools       33      4\n";
    CHECK(fitted_lines(text, 15) ==
          "name   time  us\n"
          "conv      1  22\n"
          "pools    33   4\n");
    // With one blank: 13.
    CHECK(fitted_lines(text, 14) ==
          "name  time us\n"
          "conv     1 22\n"
          "pools   33  4\n");
}

TEST_CASE("fitted_lines/columns that do not fit stand below each other in the rows' second lines") {
    const std::string text =
        "name  time us bound  output\n"
        "conv     1 22 memory t1\n"
        "pools   33  4 issue  t22\n";
    // 13 letters up to "us"; "bound" would end at 20.
    CHECK(fitted_lines(text, 16) ==
          "name  time us\n"
          "      bound\n"
          "        output\n"
          "conv     1 22\n"
          "      memory t1\n"
          "pools   33  4\n"
          "      issue  t22\n");
}

TEST_CASE("fitted_lines/sentences break at blanks and lose no letter") {
    CHECK(fitted_lines("  one two three four\n", 11) == "  one two\n    three\n    four\n");
    CHECK(fitted_lines("/a/path/that/is/too/long x\n", 10) == "/a/path/that/is/too/long\n  x\n");
    // A letter of several bytes takes one column.
    CHECK(fitted_lines("\xC3\xA4\xC3\xB6\xC3\xBC \xC3\xA4\xC3\xB6\n", 6) ==
          "\xC3\xA4\xC3\xB6\xC3\xBC \xC3\xA4\xC3\xB6\n");
}

TEST_CASE("fitted_lines/a sentence below a table does not spoil its columns") {
    const std::string text =
        "name      time     us     bound\n"
        "conv         1     22    memory\n"
        "all of it takes longer than a line has room for\n";
    CHECK(fitted_lines(text, 24) ==
          "name  time  us   bound\n"
          "conv     1  22  memory\n"
          "all of it takes longer\n"
          "  than a line has room\n"
          "  for\n");
}

}  // namespace okksim::sim::report
