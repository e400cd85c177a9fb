// SPDX-License-Identifier: Apache-2.0
#include "sim/check/check_tree.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "isa/base/errors.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace okksim::sim::check {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

template <typename T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <typename T>
void write(const fs::path& path, const std::string& descr, const graph::Shape& shape,
           const std::vector<T>& values) {
    fs::create_directories(path.parent_path());
    graph::write_npy(path, descr, shape, bytes_of(values));
}

graph::NpyArray array(const std::string& descr, const graph::Shape& shape,
                      std::vector<std::byte> bytes) {
    auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const std::span<const std::byte> view(*owner);
    return {descr, 0, shape, view, owner};
}

class Folder {
 public:
    Folder()
        : path(fs::temp_directory_path() /
               ("okksim_check_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
        fs::create_directories(path);
    }
    ~Folder() { fs::remove_all(path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    fs::path path;
};

TEST_CASE("integers of every width are compared as wholes, to the last one") {
    // The difference is in the last element, and there in the highest byte.
    const auto fails = [](graph::DType type, const char* descr, auto last) {
        const std::vector<decltype(last)> zeros{0, 0, 0}, one{0, 0, last};
        const auto got = graph::make_host_tensor(type, {3}, bytes_of(one));
        const CheckResult result =
            compare(got, array(descr, {3}, bytes_of(zeros)), nullptr, ExactRule{});
        return !result.passed && result.failures == 1 && result.first &&
               result.first->index == graph::Shape{2};
    };
    CHECK(fails(graph::DType::kI4, "|i1", std::int8_t{-8}));
    CHECK(fails(graph::DType::kI8, "|i1", std::int8_t{-128}));
    CHECK(fails(graph::DType::kI16, "<i2", std::int16_t{-32768}));
    CHECK(fails(graph::DType::kI32, "<i4", std::int32_t{1} << 30));
    CHECK(fails(graph::DType::kI48, "<i8", std::int64_t{1} << 46));
}

TEST_CASE("what has no elements has not been compared") {
    const auto none = graph::make_host_tensor(graph::DType::kFp32, {0, 3}, {});
    const CheckResult result = compare(none, array("<f4", {0, 3}, {}), nullptr, ExactRule{});
    CHECK_FALSE(result.passed);
    CHECK(result.text().find("no elements") != std::string::npos);
}

TEST_CASE("a result says where, how much and by which rule") {
    const auto got = graph::make_host_tensor(graph::DType::kFp32, {2, 3},
                                             bytes_of<float>({1, 2, 3, 4, 5.5F, 8}));
    const auto reference = array("<f8", {2, 3}, bytes_of<double>({1, 2, 3, 4, 5, 6}));
    const CheckResult result = compare(got, reference, nullptr, ToleranceRule{0.0, 0.25});
    CHECK_FALSE(result.passed);
    CHECK(result.failures == 2);
    REQUIRE(result.first);
    CHECK(result.first->index == graph::Shape{1, 1});
    REQUIRE(result.worst);
    CHECK(result.worst->index == graph::Shape{1, 2});
    CHECK_THAT(result.text(), Contains("2 of 6") && Contains("[1,1] is 5.5") &&
                                  Contains("4.75 to 5.25") && Contains("[1,2] is 8") &&
                                  Contains("tolerance"));
    const auto other = array("<f8", {3, 2}, bytes_of<double>({1, 2, 3, 4, 5, 6}));
    CHECK_THAT(compare(got, other, nullptr, ExactRule{}).text(),
               Contains("shape [2,3] instead of [3,2]"));
    const auto wrong = array("<i4", {2, 3}, bytes_of<std::int32_t>({1, 2, 3, 4, 5, 6}));
    CHECK_THROWS_AS(compare(got, wrong, nullptr, ExactRule{}), ConfigError);
    CHECK_THROWS_WITH(compare(got, reference, nullptr, DotProductRule{}), Contains("bounds"));
}

TEST_CASE("integers are compared exactly, inexact rescale between its limits") {
    const auto got =
        graph::make_host_tensor(graph::DType::kI8, {3}, bytes_of<std::int8_t>({1, -100, 3}));
    const auto same = array("|i1", {3}, bytes_of<std::int8_t>({1, -100, 3}));
    const auto low = array("|i1", {3}, bytes_of<std::int8_t>({1, -101, 4}));
    const auto high = array("|i1", {3}, bytes_of<std::int8_t>({1, -99, 5}));
    CHECK(compare(got, same, nullptr, ExactRule{}).passed);
    CHECK_THAT(compare(got, same, nullptr, ExactRule{}).text(), !Contains("largest error"));
    CHECK(compare(got, low, nullptr, ExactRule{}).failures == 2);
    const CheckResult limits = compare(got, low, &high, RescaleInexactRule{false});
    CHECK(limits.failures == 1);
    CHECK(limits.first->allowed == "4 to 5");
    // Read as unsigned, -100 is 156: within 155 to 157 either way, but not below 127.
    const auto large = array("|i1", {3}, bytes_of<std::int8_t>({1, 127, 3}));
    CHECK(compare(got, same, &large, RescaleInexactRule{true}).failures == 1);
    CHECK(compare(got, same, &large, RescaleInexactRule{false}).passed);
}

TEST_CASE("the dot product rule looks at the whole tensor") {
    // fp16, bound 2048: one unit of error is 1. Two elements, each 3 units off.
    const auto got = graph::make_host_tensor(graph::DType::kFp32, {2}, bytes_of<float>({13, 13}));
    const auto reference = array("<f8", {2}, bytes_of<double>({10, 10}));
    // fp32: half a unit is 2^-24, so a bound of 2^24 gives units of 1.
    const auto bounds = array("<f8", {2}, bytes_of<double>({16777216, 16777216}));
    // Sum of squares 18: allowed 9 * 2; sum 6: allowed sqrt(10 * 9 * 2) = 13.4.
    CHECK(compare(got, reference, &bounds, DotProductRule{3, 4.0, 9.0}).passed);
    CHECK_THAT(compare(got, reference, &bounds, DotProductRule{1, 4.0, 8.9}).text(),
               Contains("vary too much"));
    // A sum of squares of 18 <= 2 * V needs V >= 9, at which two elements cannot reach the bias
    // limit. With ten elements of error 3, the squares are 90 <= 10 * 9. The sum of 30 exceeds
    // sqrt(10 * 9 * 10) = 30 only by rounding.
    const std::vector<float> many(11, 13.0F);
    const auto eleven = graph::make_host_tensor(graph::DType::kFp32, {11}, bytes_of(many));
    const auto tens = array("<f8", {11}, bytes_of(std::vector<double>(11, 10.0)));
    const auto wide = array("<f8", {11}, bytes_of(std::vector<double>(11, 16777216.0)));
    // Sum 33 > sqrt(10 * 9 * 11) = 31.5; squares 99 <= 99.
    CHECK_THAT(compare(eleven, tens, &wide, DotProductRule{4, 4.0, 9.0}).text(),
               Contains("biased"));
    CHECK(compare(eleven, tens, &wide, DotProductRule{2, 4.0, 9.0}).passed);
}

TEST_CASE("the sum of errors is judged for test sets 3 to 5, up to its limit") {
    // Ten elements of error 3: sum 30 = sqrt(10 * 9 * 10), squares 90 = 9 * 10: both just allowed.
    // At a variance of 8.99, sqrt(899) = 29.98 is less than 30, and 89.9 less than 90.
    const auto judge = [](std::size_t count, float got, int set, double variance) {
        const auto shape = graph::Shape{static_cast<std::int32_t>(count)};
        const auto tensor = graph::make_host_tensor(graph::DType::kFp32, shape,
                                                    bytes_of(std::vector<float>(count, got)));
        const auto tens = array("<f8", shape, bytes_of(std::vector<double>(count, 10.0)));
        const auto units = array("<f8", shape, bytes_of(std::vector<double>(count, 16777216.0)));
        return compare(tensor, tens, &units, DotProductRule{set, 4.0, variance}).text();
    };
    CHECK_THAT(judge(10, 13.0F, 3, 9.0), Contains("passed"));
    CHECK_THAT(judge(10, 7.0F, 3, 9.0), Contains("passed"));
    CHECK_THAT(judge(10, 13.0F, 2, 8.99), Contains("vary too much"));
    for (const int set : {3, 4, 5}) {
        // Eleven: sum 33 > sqrt(10 * 9 * 11) = 31.5, squares 99 = 9 * 11.
        CHECK_THAT(judge(11, 13.0F, set, 9.0), Contains("biased"));
        CHECK_THAT(judge(11, 7.0F, set, 9.0), Contains("biased"));
    }
    for (const int set : {0, 1, 2, 6}) CHECK_THAT(judge(11, 13.0F, set, 9.0), Contains("passed"));
}

TEST_CASE("the worst element is the one with the largest error, wherever it is") {
    const auto reference = array("<f8", {3}, bytes_of<double>({1, 1, 1}));
    const auto worst = [&](const std::vector<float>& values) {
        const auto got = graph::make_host_tensor(graph::DType::kFp32, {3}, bytes_of(values));
        return compare(got, reference, nullptr, ToleranceRule{0.0, 0.25}).worst.value().index;
    };
    CHECK(worst({9, 2, 1}) == graph::Shape{0});
    CHECK(worst({2, 9, 5}) == graph::Shape{1});
    CHECK(worst({1, 2, -9}) == graph::Shape{2});
    CHECK(worst({1, 2, 2}) == graph::Shape{1});  // of equal ones the first
    // Integers below the range are reported with the lower limit.
    const auto got = graph::make_host_tensor(graph::DType::kI8, {2}, bytes_of<std::int8_t>({1, 9}));
    const auto low = array("|i1", {2}, bytes_of<std::int8_t>({3, 3}));
    const auto high = array("|i1", {2}, bytes_of<std::int8_t>({5, 5}));
    const CheckResult limits = compare(got, low, &high, RescaleInexactRule{false});
    CHECK(limits.first.value().wanted == "3");
    CHECK(limits.worst.value().wanted == "5");
    // -2 is 5 away from 3, 7 only 4.
    const auto around =
        graph::make_host_tensor(graph::DType::kI8, {2}, bytes_of<std::int8_t>({-2, 7}));
    CHECK(compare(around, low, nullptr, ExactRule{}).worst.value().got == "-2");
    // Read as unsigned, -2 is 254: above 3 to 5, and much further away than 9.
    const auto wrapped =
        graph::make_host_tensor(graph::DType::kI8, {2}, bytes_of<std::int8_t>({9, -2}));
    CHECK(compare(wrapped, low, &high, RescaleInexactRule{true}).worst.value().wanted == "5");
    CHECK(compare(wrapped, low, &high, RescaleInexactRule{true}).worst.value().got == "254");
}

TEST_CASE("plain trees are compared file by file") {
    const Folder folder;
    const fs::path out = folder.path / "out";
    const fs::path expected = folder.path / "expected";
    write<float>(expected / "a" / "x.npy", "<f4", {2}, {1, 2});
    write<std::int32_t>(expected / "y.npy", "<i4", {1}, {7});
    write<float>(expected / "z.npy", "<f4", {1}, {7});
    write<float>(out / "a" / "x.npy", "<f4", {2}, {1, 3});
    write<std::int32_t>(out / "y.npy", "<i4", {1}, {7});
    const TreeVerdict verdict = check_trees(out, expected);
    REQUIRE(verdict.files.size() == 3);
    CHECK(verdict.failures() == 2);
    CHECK(verdict.files[0].path == "a/x.npy");
    CHECK_THAT(verdict.files[0].text, Contains("[1] is 3, expected 2"));
    CHECK(verdict.files[1].passed);
    CHECK_THAT(verdict.files[2].text, Contains("missing"));
    CHECK(check_trees(out, expected, ToleranceRule{0.5, 0.0}).failures() == 1);
    CHECK_THROWS_AS(check_trees(out, folder.path / "none"), ConfigError);
}

TEST_CASE("outputs that nobody expects fail, what lies beside the expected ones does not") {
    const Folder folder;
    const fs::path out = folder.path / "out";
    const fs::path expected = folder.path / "expected";
    write<float>(expected / "t" / "y.npy", "<f4", {1}, {1});
    for (const char* name : {"y.npy", "more.npy", "deep/more.npy"}) {
        write<float>(out / "t" / name, "<f4", {1}, {1});
    }
    std::ofstream(out / "t" / "log.txt") << "no array";
    const TreeVerdict verdict = check_trees(out, expected);
    REQUIRE(verdict.files.size() == 3);
    CHECK(verdict.files[0].path == "t/deep/more.npy");
    CHECK_THAT(verdict.files[1].text, Contains("no such output is expected"));
    CHECK(verdict.failures() == 2);
    // A test's inputs are in the folder of its outputs when a tree is compared with itself.
    std::ofstream(expected / "t" / "desc.json") << R"({"tosa_file": "test.tosa",
        "expected_failure": false, "ifm_name": [], "ifm_file": [], "ofm_name": ["y"],
        "ofm_file": ["y.npy"], "oracle": {"op": "ADD", "expected_file": ["e.npy"]}})";
    write<float>(expected / "t" / "e.npy", "<f4", {1}, {1});
    write<float>(expected / "t" / "more.npy", "<f4", {1}, {9});
    CHECK(check_trees(out, expected).failures() == 1);
}

void write_text(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
}

TEST_CASE("test folders are judged by their own rules") {
    const Folder folder;
    const fs::path expected = folder.path / "expected";
    const fs::path out = folder.path / "out";
    write_text(expected / "exp" / "t" / "desc.json", R"({"tosa_file": "test.tosa",
        "expected_failure": false, "ifm_name": ["a"], "ifm_file": ["a.npy"],
        "ofm_name": ["r"], "ofm_file": ["out.npy"],
        "meta": {"compliance": {"tensors": {"r": {"mode": "ULP", "data_type": "FP32", "shape": [1],
            "ulp_info": {"ulp": 2}}}}},
        "oracle": {"op": "RSQRT", "expected_file": ["e.npy"], "precise_file": ["p.npy"]}})");
    write_text(expected / "bad" / "desc.json", R"({"tosa_file": "test.tosa",
        "expected_failure": "Wrong rank"})");
    write<double>(expected / "exp" / "t" / "p.npy", "<f8", {1}, {1.0});
    // 2^-22 is two units at 1.
    write<float>(out / "exp" / "t" / "out.npy", "<f4", {1}, {1.0F + 0x1p-22F});
    TreeVerdict verdict = check_trees(out, expected);
    REQUIRE(verdict.files.size() == 2);
    CHECK(verdict.files[0].path == "bad/REJECTED");
    CHECK_THAT(verdict.files[0].text, Contains("must be refused: Wrong rank"));
    CHECK(verdict.files[1].passed);
    write_text(out / "bad" / "REJECTED", "");
    write<float>(out / "exp" / "t" / "out.npy", "<f4", {1}, {1.0F + 0x1p-21F});
    verdict = check_trees(out, expected);
    CHECK(verdict.files[0].passed);
    CHECK_FALSE(verdict.files[1].passed);
}

TEST_CASE("an output has the type that its test says") {
    const Folder folder;
    const fs::path expected = folder.path / "expected";
    const fs::path out = folder.path / "out";
    const auto failures = [&](const std::string& type) {
        write_text(expected / "t" / "desc.json", R"({"tosa_file": "test.tosa",
            "expected_failure": false, "ifm_name": ["a"], "ifm_file": ["a.npy"],
            "ofm_name": ["r"], "ofm_file": ["out.npy"],
            "meta": {"compliance": {"tensors": {"r": {"mode": "EXACT", "data_type": ")" +
                                                     type +
                                                     R"("}}}},
            "oracle": {"op": "CAST", "expected_file": ["e.npy"], "precise_file": ["p.npy"]}})");
        write<double>(expected / "t" / "p.npy", "<f8", {1}, {1.0});
        write<float>(out / "t" / "out.npy", "<f4", {1}, {1.0F});
        return check_trees(out, expected).failures();
    };
    CHECK(failures("FP32") == 0);
    CHECK(failures("FP16") == 1);
}

TEST_CASE("variables of a test are judged like its outputs") {
    const Folder folder;
    const fs::path expected = folder.path / "expected";
    const fs::path out = folder.path / "out";
    write_text(expected / "v" / "desc.json", R"({"tosa_file": "test.tosa",
        "expected_failure": false, "ifm_name": [], "ifm_file": [],
        "variable_name": ["state"], "variable_file": ["state.npy"],
        "oracle": {"op": "VARIABLE", "variable_expected_file": ["wanted.npy"]}})");
    write<std::int32_t>(expected / "v" / "wanted.npy", "<i4", {1}, {7});
    fs::create_directories(out);
    const TreeVerdict verdict = check_trees(out, expected);
    REQUIRE(verdict.files.size() == 1);
    CHECK(verdict.failures() == 1);
    CHECK_THAT(verdict.files[0].path, Contains("state"));
}

TEST_CASE("a bad desc.json is refused with its key") {
    const Folder folder;
    const auto load = [&folder](const std::string& text) {
        write_text(folder.path / "desc.json", text);
        return load_test_case(folder.path);
    };
    CHECK_THROWS_WITH(load("{"), Contains("desc.json") && Contains("JSON"));
    for (const char* other : {"[]", "3", "null"}) {
        CAPTURE(other);
        CHECK_THROWS_WITH(load(other), Contains("desc.json") && Contains("is not a JSON object"));
    }
    CHECK_THROWS_WITH(load("{}"), Contains("tosa_file") && Contains("missing"));
    CHECK_THROWS_WITH(load(R"({"tosa_file": 3, "expected_failure": true})"), Contains("tosa_file"));
    CHECK_THROWS_WITH(load(R"({"tosa_file": "t", "expected_failure": true,
        "ifm_name": ["a"]})"),
                      Contains("ifm_file"));
    CHECK_THROWS_WITH(load(R"({"tosa_file": "t", "expected_failure": false, "ofm_name": ["r"],
        "ofm_file": ["f"], "meta": {"compliance": {"tensors": {"r": {"mode": "ODD"}}}}})"),
                      Contains("meta.compliance.tensors.r.mode") && Contains("ODD"));
    // A negative tolerance would accept every result, or none.
    for (const char* rule : {R"("mode": "ULP", "ulp_info": {"ulp": -1})",
                             R"("mode": "RELATIVE", "relative_info": {"max": -1, "scale": 1})",
                             R"("mode": "REDUCE_PRODUCT", "reduce_product_info": {"n": -1})"}) {
        CHECK_THROWS_WITH(load(R"({"tosa_file": "t", "expected_failure": false,
            "ofm_name": ["r"], "ofm_file": ["f"],
            "meta": {"compliance": {"tensors": {"r": {"data_type": "FP32", )" +
                               std::string(rule) + "}}}}}"),
                          Contains("must be a"));
    }
    // A list of outputs and one of files must be of one length, and every output has a reference.
    const auto outputs = [&](const std::string& lists) {
        return load(R"({"tosa_file": "t", "expected_failure": false, )" + lists + "}");
    };
    CHECK_THROWS_WITH(outputs(R"("ofm_name": ["r", "s"], "ofm_file": ["f"],
        "oracle": {"expected_file": ["e"]})"),
                      Contains("ofm_file") && Contains("another length"));
    CHECK_THROWS_WITH(outputs(R"("ofm_name": ["r"], "ofm_file": ["f", "g"],
        "oracle": {"expected_file": ["e", "e"]})"),
                      Contains("ofm_file") && Contains("another length"));
    CHECK_THROWS_WITH(outputs(R"("ofm_name": ["r", "s"], "ofm_file": ["f", "g"],
        "oracle": {"expected_file": ["e"]})"),
                      Contains("expected_file") && Contains("s"));
    CHECK_THROWS_WITH(outputs(R"("ofm_name": ["r"], "ofm_file": ["f"],
        "oracle": {"expected_file": [""]})"),
                      Contains("expected_file") && Contains("r"));
    CHECK_THROWS_WITH(outputs(R"("ofm_name": [], "ofm_file": [])"), Contains("nothing to compare"));
    CHECK_THROWS_WITH(outputs(R"("ofm_name": ["r", "s"], "ofm_file": ["f", "f"],
        "oracle": {"expected_file": ["e", "e"]})"),
                      Contains("ofm_file") && Contains("another file"));
    const std::string one = R"("ofm_name": ["r"], "ofm_file": ["f"],
        "oracle": {"expected_file": ["e"], "variable_expected_file": ["v"]}, )";
    CHECK_THROWS_WITH(outputs(one + R"("variable_name": ["a", "b"], "variable_file": ["a.npy"])"),
                      Contains("variable_file"));
    CHECK_THROWS_WITH(outputs(one + R"("variable_name": ["a", "b"],
        "variable_file": ["a.npy", "b.npy"])"),
                      Contains("variable_expected_file") && Contains("b"));
    // No output may replace an input of the test: graph, references, inputs.
    for (const char* file : {"t", "e", "p", "i", "desc.json", "REJECTED"}) {
        CAPTURE(file);
        CHECK_THROWS_WITH(outputs(R"("ifm_name": ["a"], "ifm_file": ["i"], "ofm_name": ["r"],
            "ofm_file": [")" + std::string(file) +
                                  R"("], "oracle": {"expected_file": ["e"],
            "precise_file": ["p"]})"),
                          Contains("ofm_file") && Contains("another file"));
    }
    // Programs also name output files: only plain names that are not hidden are accepted.
    for (const char* name : {"../f.npy", "a/f.npy", "/f.npy", ".f.npy"}) {
        CAPTURE(name);
        CHECK_THROWS_WITH(load(R"({"program": "p.mlir", "compare": {}, "inputs": [],
            "outputs": [{"file": ")" +
                               std::string(name) + R"("}]})"),
                          Contains("no plain file name") && Contains(name));
    }
    const TestCase two = outputs(R"("ifm_name": ["a", "b"], "ifm_file": ["x", "y"],
        "ofm_name": ["r"], "ofm_file": ["f"], "oracle": {"expected_file": ["e"]})");
    REQUIRE(two.inputs.size() == 2);
    CHECK(two.inputs[0].name == "a");
    CHECK(two.inputs[1].file == folder.path / "y");
    CHECK_THROWS_AS(load_test_case(folder.path / "none"), ConfigError);
}

/// A test with one compliance entry for operator `op`; `rule` is its mode with its numbers.
std::string description(const std::string& op, const std::string& rule,
                        const std::string& inputs = "") {
    return R"({"tosa_file": "t", "expected_failure": false, )" + inputs +
           R"("ofm_name": ["r"], "ofm_file": ["f"],
               "oracle": {"op": ")" +
           op + R"(", "expected_file": ["e"]}, "meta": {"compliance": {"tensors": {"r": {
               "data_type": "FP32", )" +
           rule + "}}}}}";
}

TEST_CASE("a tolerance beyond the specification is refused with its key") {
    const Folder folder;
    struct Row {
        const char* op;
        const char* mode;
        const char* info;
        const char* key;
        const char* most;
        const char* more;
    };
    const Row rows[] = {
        {"ADD", "ULP", "ulp_info", "ulp", "0.5", "0.75"},
        {"ADD", "ULP", "ulp_info", "ulp", "0.5", "1e300"},
        {"RSQRT", "ULP", "ulp_info", "ulp", "2", "2.5"},
        {"", "ULP", "ulp_info", "ulp", "5", "5.5"},
        {"", "ULP", "ulp_info", "ulp", "5", "1e30"},
        {"EXP", "ABS_ERROR", "abs_error_info", "base_bound", "3", "4"},
        {"TANH", "ABS_ERROR", "abs_error_info", "base_bound", "12", "1e300"},
        {"LOG", "ABS_ERROR", "abs_error_info", "lower_bound", "0.5", "1e300"},
        {"EXP", "ABS_ERROR", "abs_error_info", "lower_bound", "0", "0.5"},
        {"SIN", "ABS_ERROR", "abs_error_info", "normal_divisor", "2", "3"},
        {"SIN", "ABS_ERROR", "abs_error_info", "max_compare", "3.69e-38", "1e-30"},
        {"EXP", "ABS_ERROR", "abs_error_info", "bound_as_magnitude", "false", "true"},
        {"CONV2D", "DOT_PRODUCT", "dot_product_info\": {\"s\": 0, \"abs_bound\": 2", "ksb", "1",
         "1e15"},
        {"CONV2D", "DOT_PRODUCT", "dot_product_info\": {\"s\": 0, \"ksb\": 3", "abs_bound", "6",
         "7"},
        {"CONV2D", "DOT_PRODUCT", "dot_product_info\": {\"s\": 0, \"ksb\": 3",
         "variance_error_bound", "4.8", "5"},
        {"RESIZE", "RELATIVE", "relative_info\": {\"max\": 1", "scale", "0.006", "0.0061"},
        {"RESIZE", "RELATIVE", "relative_info\": {\"max\": 1, \"scale\": 0", "ulp_bound", "20",
         "1e30"},
        {"RESIZE", "RELATIVE", "relative_info\": {\"scale\": 0", "max", "3.4e38", "1e39"},
        {"REDUCE_PRODUCT", "REDUCE_PRODUCT", "reduce_product_info", "n", "4", "1000000000"},
    };
    for (const Row& row : rows) {
        const auto load = [&](const char* value) {
            const std::string info = row.info;
            const bool is_open = info.find('{') != std::string::npos;
            write_text(folder.path / "desc.json",
                       description(row.op, R"("mode": ")" + std::string(row.mode) + R"(", ")" +
                                               info + (is_open ? ", \"" : "\": {\"") + row.key +
                                               "\": " + value + "}"));
            return load_test_case(folder.path);
        };
        INFO(row.op << ' ' << row.key << ' ' << row.more);
        CHECK_NOTHROW(load(row.most));
        if (std::string(row.key) == "ksb") continue;
        CHECK_THROWS_WITH(load(row.more), Contains(std::string(row.key)) &&
                                              Contains("meta.compliance.tensors.r") &&
                                              Contains("specification"));
    }
    // Graphs of several operators.
    const auto tolerance = [&](const char* numbers) {
        write_text(folder.path / "desc.json",
                   R"({"tosa_file": "t", "expected_failure": false, "ofm_name": ["r"],
                       "ofm_file": ["f"], "oracle": {"expected_file": ["e"]}, "tolerance": {)" +
                       std::string(numbers) + "}}");
        return load_test_case(folder.path);
    };
    CHECK_NOTHROW(tolerance(R"("rtol": 0.03, "atol": 3.4e33)"));
    CHECK_THROWS_WITH(tolerance(R"("rtol": 1)"), Contains("tolerance.rtol"));
    CHECK_THROWS_WITH(tolerance(R"("rtol": -0.1)"), Contains("tolerance.rtol"));
    CHECK_THROWS_WITH(tolerance(R"("atol": 1e300)"), Contains("tolerance.atol"));
}

TEST_CASE("a product has at most as many factors as an axis of its input") {
    const Folder folder;
    write<float>(folder.path / "x.npy", "<f4", {2, 3}, {1, 2, 3, 4, 5, 6});
    const auto load = [&](const char* n) {
        write_text(folder.path / "desc.json",
                   description("REDUCE_PRODUCT",
                               R"("mode": "REDUCE_PRODUCT", "reduce_product_info": {"n": )" +
                                   std::string(n) + "}",
                               R"("ifm_name": ["x"], "ifm_file": ["x.npy"], )"));
        return load_test_case(folder.path);
    };
    CHECK_NOTHROW(load("3"));
    CHECK_THROWS_WITH(load("4"), Contains("reduce_product_info.n") && Contains("0 to 3"));
}

TEST_CASE("a rule of another operator, or one that judges nothing, is refused") {
    const Folder folder;
    write<float>(folder.path / "x.npy", "<f4", {1, 2, 3}, {1, 2, 3, 4, 5, 6});
    const auto load = [&](const char* op, const char* rule) {
        write_text(folder.path / "desc.json",
                   description(op, rule, R"("ifm_name": ["x"], "ifm_file": ["x.npy"], )"));
        return load_test_case(folder.path);
    };
    const char* product = R"("mode": "REDUCE_PRODUCT", "reduce_product_info": {"n": 2})";
    const char* sum = R"("mode": "DOT_PRODUCT", "dot_product_info": {"s": 0, "ksb": 3})";
    CHECK_NOTHROW(load("MATMUL", sum));
    CHECK_THROWS_WITH(load("ADD", sum), Contains("r.mode") && Contains("dot products"));
    CHECK_THROWS_WITH(load("ADD", product), Contains("r.mode") && Contains("REDUCE_PRODUCT"));
    CHECK_THROWS_WITH(load("MAXIMUM", R"("mode": "ULP", "ulp_info": {"ulp": 1})"),
                      Contains("ulp_info.ulp"));
    // Six elements and a bias.
    CHECK_NOTHROW(
        load("MATMUL", R"("mode": "DOT_PRODUCT", "dot_product_info": {"s": 0, "ksb": 7})"));
    CHECK_THROWS_WITH(
        load("MATMUL", R"("mode": "DOT_PRODUCT", "dot_product_info": {"s": 0, "ksb": 8})"),
        Contains("dot_product_info.ksb"));
    CHECK_THROWS_WITH(
        load("MATMUL", R"("mode": "DOT_PRODUCT", "dot_product_info": {"s": 9, "ksb": 3})"),
        Contains("dot_product_info.s"));
}

TEST_CASE("bounds that contradict the reference or judge nothing are refused") {
    const auto got = graph::make_host_tensor(graph::DType::kFp32, {2}, bytes_of<float>({9, 9}));
    const auto judge = [&](const std::vector<double>& bounds, const Rule& rule) {
        const auto reference = array("<f8", {2}, bytes_of<double>({1, 2}));
        const auto limits = array("<f8", {2}, bytes_of(bounds));
        return compare(got, reference, &limits, rule);
    };
    const double nan = std::nan("");
    const double infinity = std::numeric_limits<double>::infinity();
    for (const Rule& rule : {Rule(DotProductRule{0, 4.0, 9.0}),
                             Rule(AbsErrorRule{1.0, 0.0, 1.0, false, std::nullopt})}) {
        CHECK_FALSE(judge({3, 3}, rule).passed);
        CHECK_THROWS_WITH(judge({3, nan}, rule), Contains("bounds_file") && Contains("nan"));
        CHECK_THROWS_WITH(judge({-3, 3}, rule), Contains("bounds_file") && Contains("-3"));
        CHECK_THROWS_WITH(judge({infinity, infinity}, rule), Contains("judges nothing"));
    }
    // A sum of magnitudes is not less than the sum.
    CHECK_THROWS_WITH(judge({3, 1.5}, DotProductRule{0, 4.0, 9.0}), Contains("at least"));
    CHECK_THROWS_WITH(judge({3, 3}, FloatSpecialRule{}), Contains("FP_SPECIAL"));
}

TEST_CASE("the compliance data describes the tensor that is judged") {
    const Folder folder;
    const fs::path out = folder.path / "out";
    write<float>(folder.path / "e", "<f4", {2}, {1, 2});
    write<float>(out / "f", "<f4", {2}, {1, 2});
    const auto text = [&](const char* type, const char* shape) {
        write_text(folder.path / "desc.json",
                   R"({"tosa_file": "t", "expected_failure": false, "ofm_name": ["r"],
                       "ofm_file": ["f"], "oracle": {"expected_file": ["e"]}, "meta": {
                       "compliance": {"tensors": {"r": {"mode": "EXACT", "data_type": ")" +
                       std::string(type) + R"(", "shape": )" + shape + "}}}}}");
        const TestCase test = load_test_case(folder.path);
        return check_output(test.outputs.front(), graph::make_host_tensor(graph::DType::kFp32, {2},
                                                                          bytes_of<float>({1, 2})))
            .text();
    };
    CHECK_THAT(text("FP32", "[2]"), Contains("passed"));
    CHECK_THAT(text("FP32", "[1, 2]"),
               Contains("failed") && Contains("tensors.r.shape is [1,2]") && Contains("[2]"));
    CHECK_THAT(text("FP16", "[2]"),
               Contains("failed") && Contains("tensors.r.data_type is fp16") && Contains("fp32"));
}

TEST_CASE("the golden references meet their own rules", "[golden]") {
    const auto golden = tests::needed_golden_dir();
    if (!golden) return;
    for (const auto& folder : find_test_cases(*golden / "tosa")) {
        const TestCase test = load_test_case(folder);
        for (const TestOutput& output : test.outputs) {
            INFO(folder);
            // The reference model's result in the output's type.
            const CheckResult result =
                check_output_file(output, folder / ("expected-" + output.name + ".npy"));
            INFO(result.text());
            CHECK(result.passed);
        }
    }
}

/// Moves one value away from zero or towards it by `steps` units of its bit pattern.
std::vector<std::byte> disturbed(const graph::HostTensor& tensor, std::uint64_t index, int steps) {
    std::vector<std::byte> bytes(tensor.data.begin(), tensor.data.end());
    const std::size_t size = graph::host_element_bytes(tensor.type);
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + index * size, size);
    bits += static_cast<std::uint64_t>(steps);
    std::memcpy(bytes.data() + index * size, &bits, size);
    return bytes;
}

TEST_CASE("a disturbed golden integer output is found", "[golden]") {
    const auto golden = tests::needed_golden_dir();
    if (!golden) return;
    std::size_t checked = 0;
    for (const auto& folder : find_test_cases(*golden / "tosa")) {
        const TestCase test = load_test_case(folder);
        for (const TestOutput& output : test.outputs) {
            if (!output.type || !graph::is_integer(*output.type) ||
                !std::holds_alternative<ExactRule>(output.rule)) {
                continue;
            }
            const auto expected = graph::to_host_tensor(graph::read_npy(output.reference),
                                                        *output.type, output.reference.string());
            const std::uint64_t last = *graph::element_count(expected.shape) - 1;
            const auto got =
                graph::make_host_tensor(*output.type, expected.shape, disturbed(expected, last, 1));
            const CheckResult result = check_output(output, got);
            CHECK(result.failures == 1);
            ++checked;
        }
    }
    CHECK(checked > 0);
}

}  // namespace
}  // namespace okksim::sim::check
