// SPDX-License-Identifier: Apache-2.0
// Tests of .onnx and .tflite models: their rules, their files, and what they permit.
#include "sim/check/model_case.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "sim/check/array_compare.h"
#include "sim/check/check_tree.h"
#include "sim/check/sha256.h"
#include "tests/support/catch.h"

namespace okksim::sim::check {
namespace {

namespace fs = std::filesystem;
using Catch::Contains;

template <typename T>
graph::NpyArray array(const std::string& descr, const graph::Shape& shape,
                      const std::vector<T>& values) {
    auto owner = std::make_shared<const std::vector<T>>(values);
    return {descr, sizeof(T), shape, std::as_bytes(std::span(*owner)), owner};
}

graph::NpyArray floats(const std::vector<float>& values) {
    return array("<f4", {static_cast<std::int64_t>(values.size())}, values);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr DifferenceRule kExact{};

bool passes(const graph::NpyArray& got, const graph::NpyArray& wanted, const DifferenceRule& rule) {
    return compare_arrays(got, wanted, rule).passed;
}

TEST_CASE("an exact rule wants equal numbers of the same type") {
    CHECK(passes(floats({1, -0.0F, kNan, kInfinity}), floats({1, 0, kNan, kInfinity}), kExact));
    CHECK_FALSE(passes(floats({1}), floats({std::nextafter(1.0F, 2.0F)}), kExact));
    CHECK_FALSE(passes(floats({kInfinity}), floats({-kInfinity}), kExact));
    CHECK_FALSE(passes(floats({kNan}), floats({1}), kExact));
    CHECK_FALSE(passes(floats({1}), floats({kNan}), kExact));
    // Doubles cannot tell these integers apart.
    const std::int64_t large = (std::int64_t{1} << 53) + 1;
    CHECK_FALSE(passes(array<std::int64_t>("<i8", {1}, {large}),
                       array<std::int64_t>("<i8", {1}, {large - 1}), kExact));
    CHECK(passes(array<std::uint8_t>("|u1", {2}, {200, 0}),
                 array<std::uint8_t>("|u1", {2}, {200, 0}), kExact));
    CHECK(passes(floats({0.5F}), array<double>("<f8", {1}, {0.5}), kExact));
    const CheckResult type = compare_arrays(array<std::int8_t>("|i1", {1}, {1}),
                                            array<std::uint8_t>("|u1", {1}, {1}), kExact);
    CHECK_FALSE(type.passed);
    CHECK_THAT(type.text(), Contains("elements |i1 instead of |u1"));
    CHECK_THAT(compare_arrays(floats({1, 2}), floats({1}), kExact).text(),
               Contains("shape [2] instead of [1]"));
}

TEST_CASE("arrays without elements are equal if their shapes are") {
    const auto none = [](graph::Shape shape) { return array<float>("<f4", shape, {}); };
    CHECK(passes(none({0, 3}), none({0, 3}), kExact));
    CHECK_FALSE(passes(none({0, 3}), none({3, 0}), kExact));
}

TEST_CASE("a tolerance is absolute plus relative, for all element types") {
    // Allowed for 100: 1 + 0.01 * 100 = 2.
    const DifferenceRule rule{.relative = 0.01, .absolute = 1};
    CHECK(passes(floats({102}), floats({100}), rule));
    const CheckResult result =
        compare_arrays(floats({100, 103, 90}), floats({100, 100, 100}), rule);
    CHECK(result.failures == 2);
    CHECK(result.first->index == graph::Shape{1});
    CHECK(result.worst->index == graph::Shape{2});
    CHECK(passes(array<std::uint8_t>("|u1", {1}, {202}), array<std::uint8_t>("|u1", {1}, {200}),
                 rule));
    CHECK_FALSE(
        passes(array<std::uint8_t>("|u1", {1}, {0}), array<std::uint8_t>("|u1", {1}, {255}), rule));
    // An infinite reference allows no other value.
    CHECK_FALSE(passes(floats({1}), floats({kInfinity}), rule));
    CHECK(passes(floats({kInfinity}), floats({kInfinity}), rule));
}

TEST_CASE("a share of the elements must be nearer than the others") {
    // Quantum: all within 2, half of them equal.
    const DifferenceRule quantum{.absolute = 2, .share = 0.5};
    const auto bytes = [](std::vector<std::int8_t> values) {
        return array<std::int8_t>("|i1", {4}, values);
    };
    CHECK(passes(bytes({0, 0, 2, -2}), bytes({0, 0, 0, 0}), quantum));
    CHECK_FALSE(passes(bytes({0, 1, 2, -2}), bytes({0, 0, 0, 0}), quantum));  // a quarter is equal
    CHECK_FALSE(passes(bytes({0, 0, 0, 3}), bytes({0, 0, 0, 0}), quantum));
    // Step 1: all within 1.01, three quarters within 0.01.
    const DifferenceRule step{.absolute = 1.01, .near = 0.01, .share = 0.75};
    CHECK(passes(floats({0.005F, 0, 0, 1}), floats({0, 0, 0, 0}), step));
    CHECK_FALSE(passes(floats({0.02F, 0, 0, 1}), floats({0, 0, 0, 0}), step));
    CHECK_THAT(compare_arrays(floats({0.02F, 0, 0, 1}), floats({0, 0, 0, 0}), step).text(),
               Contains("50.0 % of the elements differ by at most 0.01, but 75.0 % must"));
}

TEST_CASE("checksums are those of FIPS 180-4") {
    const auto sum = [](std::string_view text) {
        return sha256_text(std::as_bytes(std::span(text.data(), text.size())));
    };
    // Examples of the standard, for one and for two blocks.
    CHECK(sum("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(sum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(sum("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/// A folder with one test of a model.
class ModelTest {
 public:
    explicit ModelTest(const std::string& more = "", const std::string& file = "onnx_file") {
        fs::create_directories(folder());
        std::ofstream(folder() / "desc.json")
            << R"({")" << file << R"(": "model.bin", "expected_failure": false, "ifm_name": ["x"],)"
            << R"("ifm_file": ["x.npy"], "ofm_name": ["y"], "ofm_file": ["result-0.npy"],)"
            << R"("oracle": {"expected_file": ["expected-0.npy"]},)"
            << (more.find("compare") == std::string::npos ? R"("compare": [{"mode": "exact"}])"
                                                          : R"("x": 0)")
            << more << "}";
    }
    fs::path root() const { return folder_.path() / "tree"; }
    fs::path folder() const { return root() / "t"; }
    fs::path out() const { return folder_.path() / "out"; }
    TestCase load() const { return load_test_case(folder()); }
    Rule rule() const { return load().outputs.at(0).rule; }
    /// Writes the expected output 5, and `got` as the output of a run.
    void write_values(float got) const {
        fs::create_directories(out() / "t");
        const float wanted = 5;
        graph::write_npy(folder() / "expected-0.npy", "<f4", {1},
                         std::as_bytes(std::span(&wanted, 1)));
        graph::write_npy(out() / "t" / "result-0.npy", "<f4", {1},
                         std::as_bytes(std::span(&got, 1)));
    }

 private:
    TemporaryFolder folder_;
};

bool has_model(const ModelTest& test) {
    const TestCase loaded = test.load();
    return has_model_file(loaded.graph, loaded.origin);
}
void check_model(const ModelTest& test) {
    const TestCase loaded = test.load();
    check_model_file(loaded.graph, loaded.origin);
}

DifferenceRule rule_of(const std::string& compare) {
    return std::get<DifferenceRule>(ModelTest(", \"compare\": [" + compare + "]").rule());
}

TEST_CASE("desc.json gives one rule per output of a model") {
    CHECK(rule_of(R"({"mode": "exact"})").is_exact());
    const DifferenceRule tolerance = rule_of(R"({"mode": "tolerance", "rtol": 0.1, "atol": 2})");
    CHECK(tolerance.relative == 0.1);
    CHECK(tolerance.absolute == 2);
    const DifferenceRule quantum =
        rule_of(R"({"mode": "quantum", "max_diff": 3, "min_equal": 0.9})");
    CHECK(quantum.absolute == 3);
    CHECK(quantum.near == 0);
    CHECK(quantum.share == 0.9);
    const DifferenceRule step = rule_of(R"({"mode": "step", "step": 0.5, "min_equal": 0.8})");
    CHECK(step.absolute == Approx(0.505));
    CHECK(step.near == Approx(0.005));
    CHECK(step.share == 0.8);
    CHECK_THROWS_WITH(rule_of(R"({"mode": "near"})"), Contains("unknown comparison mode \"near\""));
    CHECK_THROWS_WITH(rule_of(R"({"mode": "tolerance", "rtol": 0.1})"),
                      Contains("compare[0].atol"));
    CHECK_THROWS_WITH(rule_of(R"({"mode": "quantum", "max_diff": -1, "min_equal": 0})"),
                      Contains("max_diff"));
    CHECK_THROWS_WITH(rule_of(R"({"mode": "quantum", "max_diff": 1, "min_equal": 1.5})"),
                      Contains("min_equal"));
    CHECK_THROWS_WITH(ModelTest(R"(, "compare": [])").load(), Contains("no rule for output 0"));
    CHECK_THROWS_WITH(ModelTest(R"(, "compare": {})").load(), Contains("no rule for output 0"));
}

TEST_CASE("names that are empty or repeat are those of positions") {
    CHECK_FALSE(ModelTest().load().by_position);
    CHECK(ModelTest("", "tflite_file").load().by_position);
    const ModelTest repeated;
    std::ofstream(repeated.folder() / "desc.json")
        << R"({"onnx_file": "m", "expected_failure": true, "ifm_name": ["", ""],)"
        << R"("ifm_file": ["a.npy", "b.npy"], "ofm_name": [], "ofm_file": []})";
    CHECK(repeated.load().by_position);
}

TEST_CASE("a model of a package is where the user says") {
    const ModelTest test(R"(, "onnx_from": "npm:@scope/pack@1.2.3:dist/net.onnx")");
    CHECK_FALSE(has_model(test));
    const fs::path models = test.out() / "models";
    setenv("OKKSIM_MODELS_DIR", models.c_str(), 1);
    CHECK_FALSE(has_model(test));
    for (const char* place :
         {"net.onnx", "@scope/pack@1.2.3/dist/net.onnx", "@scope/pack/dist/net.onnx"}) {
        fs::create_directories((models / place).parent_path());
        std::ofstream(models / place) << "abc";
        CHECK(has_model(test));
        CHECK(test.load().graph == models / place);
    }
    unsetenv("OKKSIM_MODELS_DIR");
    // A file next to desc.json comes first.
    std::ofstream(test.folder() / "model.bin") << "abc";
    CHECK(test.load().graph == test.folder() / "model.bin");
}

TEST_CASE("a model file with another checksum is refused") {
    const std::string sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const ModelTest test(R"(, "meta": {"sha256": ")" + sum + R"("})");
    std::ofstream(test.folder() / "model.bin") << "abc";
    CHECK_NOTHROW(check_model(test));
    std::ofstream(test.folder() / "model.bin") << "abd";
    CHECK_THROWS_WITH(check_model(test), Contains("SHA-256") && Contains(sum));
}

TEST_CASE("a tree of outputs is judged by the rules of models") {
    const ModelTest test(R"(, "compare": [{"mode": "tolerance", "rtol": 0, "atol": 1}])");
    test.write_values(6);
    CHECK(check_trees(test.out(), test.root()).failures() == 0);
    test.write_values(7);
    CHECK(check_trees(test.out(), test.root()).failures() == 1);
    std::ofstream(test.out() / "t" / "CRASHED") << "signal";
    CHECK_THAT(check_trees(test.out(), test.root()).files.at(0).text, Contains("crashed"));
}

TEST_CASE("what a test permits may be refused or run") {
    const auto failures = [](const std::string& more, bool is_rejected) {
        const ModelTest test(more);
        test.write_values(5);
        if (is_rejected) {
            fs::remove(test.out() / "t" / "result-0.npy");
            std::ofstream(test.out() / "t" / "REJECTED") << "reason";
        }
        return check_trees(test.out(), test.root()).failures();
    };
    CHECK(failures("", true) == 1);
    CHECK(failures(R"(, "may_refuse": "its shape depends on data")", true) == 0);
    CHECK(failures(R"(, "may_refuse": "its shape depends on data")", false) == 0);
    // The missing refusal, and an output that no test expects.
    CHECK(failures(R"(, "expected_failure": true)", false) == 2);
    CHECK(failures(R"(, "expected_failure": true)", true) == 0);
    CHECK(failures(R"(, "expected_failure": true, "may_run": true)", false) == 0);
}

}  // namespace
}  // namespace okksim::sim::check
