// SPDX-License-Identifier: Apache-2.0
// The page of the operators of TensorFlow Lite comes from the rows of the reader.
// After a change, rewrite it: OKKSIM_WRITE_TFLITE_MD=1 okksim_graph_test "tflite-operators.md*".
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

enum class TfliteIntegers { kRule, kTable, kReals, kMoved, kNone, kReader, kRefused };

struct TfliteRow {
    std::string name;
    int number;
    TfliteIntegers integers;
};

const TfliteRow kTfliteRows[] = {
#define OKKSIM_TFLITE_OPERATOR(enumerator, number, name, integers, lowering) \
    {name, number, TfliteIntegers::integers},
#include "sim/graph/tflite/tflite_operators.def"
#undef OKKSIM_TFLITE_OPERATOR
};

std::string tflite_words(TfliteIntegers integers) {
    switch (integers) {
        case TfliteIntegers::kRule: return "rule of the reference kernels";
        case TfliteIntegers::kTable: return "int8: table; int16: fp32, rounded";
        case TfliteIntegers::kReals: return "fp32, rounded";
        case TfliteIntegers::kMoved: return "copied";
        case TfliteIntegers::kNone: return "";
        case TfliteIntegers::kReader: return "computed before the run, from shapes and constants";
        case TfliteIntegers::kRefused: return "refused with a reason";
    }
    return "";
}

std::string tflite_page() {
    std::string page =
        "# Operators of TensorFlow Lite\n\n"
        "The test `okksim_graph_test` generates this page from the rows of the reader. The last "
        "column says how quantised numbers are "
        "computed.\nConvolution2DTransposeBias of MediaPipe is the only custom operator that is "
        "read. "
        "Other operators and Flex operators are refused, and `okksim inspect` lists all of them. "
        "[File formats](file-formats.md) has the limits.\n\n"
        "| operator | number | quantised numbers |\n|---|---|---|\n";
    for (const TfliteRow& row : kTfliteRows) {
        page += "| " + row.name + " | " + std::to_string(row.number) + " | " +
                tflite_words(row.integers) + " |\n";
    }
    return page;
}

}  // namespace

TEST_CASE("tflite-operators.md lists the rows of the reader", "[graph][tflite]") {
    const char* source = std::getenv("OKKSIM_SOURCE_DIR");
    const std::string root = source != nullptr ? source : ".";
    const std::string path = root + "/docs/reference/tflite-operators.md";
    const std::string expected = tflite_page();
    if (std::getenv("OKKSIM_WRITE_TFLITE_MD") != nullptr) std::ofstream(path) << expected;
    std::ifstream stream(path);
    INFO("run with OKKSIM_WRITE_TFLITE_MD=1 and commit the file");
    CHECK(std::string(std::istreambuf_iterator<char>(stream), {}) == expected);
}

}  // namespace okksim::tests
