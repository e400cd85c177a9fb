// SPDX-License-Identifier: Apache-2.0
// Steps with their bounds in the text output of `okksim plan`.
#include <sstream>
#include <string>
#include <vector>

#include "tests/sim/cli/run_program.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

/// Returns the columns of an operator's line in the table of steps that lose most.
std::vector<std::string> step_line(const std::string& text, const std::string& step) {
    std::istringstream lines(text.substr(text.find("largest loss first")));
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> columns;
        for (std::string word; words >> word;) columns.push_back(word);
        if (columns.size() > 4 && columns[1] == step) return columns;
    }
    return {};
}

}  // namespace

// With lists, the second step's loads overlap the first step's computation. Its share of the run is
// therefore less than its time alone, to which its bound refers (docs/reference/reports.md).
TEST_CASE("A step that overlaps with its neighbours is not shown as faster than its bound") {
    const Program program;
    program.write("steps.mlir",
                  "func.func @main(%a: tensor<3x1x19x40xf32>) -> "
                  "(tensor<3x1x19x40xf32>, tensor<3x1x19x40xf32>) {\n"
                  "  %0 = tosa.tanh %a : (tensor<3x1x19x40xf32>) -> tensor<3x1x19x40xf32>\n"
                  "  %1 = tosa.add %0, %a : (tensor<3x1x19x40xf32>, tensor<3x1x19x40xf32>) -> "
                  "tensor<3x1x19x40xf32>\n"
                  "  return %0, %1 : tensor<3x1x19x40xf32>, tensor<3x1x19x40xf32>\n"
                  "}\n");
    const ProgramRun run = program.run("plan steps.mlir --set mcu.issue=lists");
    REQUIRE(run.exit_code == 0);
    const std::vector<std::string> first = step_line(run.out, "TANH");
    REQUIRE(first.size() > 4);
    REQUIRE(std::stod(first[2]) > std::stod(first[3]));
    REQUIRE(std::stod(first[4]) >= 1);
    const std::vector<std::string> second = step_line(run.out, "ADD");
    REQUIRE(second.size() > 4);
    REQUIRE(std::stod(second[2]) < std::stod(second[3]));
    REQUIRE(second[4] == "<1");
}

}  // namespace okksim::tests
