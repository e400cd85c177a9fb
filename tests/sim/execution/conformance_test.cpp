// SPDX-License-Identifier: Apache-2.0
// A test that okksim conformance reports as passed was read, run and compared, and nothing else was
// written.
#include "sim/execution/conformance.h"

#include <fstream>
#include <new>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/temporary_folder.h"
#include "sim/execution/malformed_texts.h"
#include "sim/execution/process_pool.h"
#include "sim/graph/builder.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/npy.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/sim/graph/sample_xmodels.h"
#include "tests/support/catch.h"
#include "tests/support/golden_dir.h"

namespace okksim::sim::execution {
namespace {

namespace fs = std::filesystem;
using graph::DType;

/// y = x + x for two floats; illegal unless the result has two elements.
void write_graph(const fs::path& file, const graph::Shape& result = {2}) {
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2}, "x");
    builder.output(
        builder.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {x, x}, DType::kFp32, result));
    graph::save_graph(builder.finish(), file);
}

void write_floats(const fs::path& file, const std::vector<float>& values) {
    graph::write_npy(file, "<f4", {static_cast<std::int64_t>(values.size())},
                     std::as_bytes(std::span(values)));
}

std::string output_name(const fs::path& graph_file) {
    const graph::Graph graph = graph::load_graph(graph_file);
    return graph.main().tensors[graph.main().outputs.at(0)].name;
}

/// A tree with one test, "t", that passes: y = x + x for x = (1, 2).
class Tree {
 public:
    Tree() {
        fs::create_directories(test());
        write_graph(test() / "test.tosa");
        write_floats(test() / "x.npy", {1, 2});
        write_floats(test() / "expected.npy", {2, 4});
        describe("false", "y.npy");
    }

    void describe(const std::string& failure, const std::string& output_file) const {
        std::ofstream(test() / "desc.json")
            << R"({"tosa_file": "test.tosa", "ifm_name": ["x"], "ifm_file": ["x.npy"],)"
            << R"("expected_failure": )" << failure << R"(, "ofm_name": [")"
            << output_name(test() / "test.tosa") << R"("], "ofm_file": [")" << output_file
            << R"("], "oracle": {"expected_file": ["expected.npy"]}})";
    }
    fs::path test() const { return folder_.path() / "tree" / "t"; }
    fs::path root() const { return folder_.path() / "tree"; }
    fs::path out() const { return folder_.path() / "out"; }

    std::vector<CaseResult> run() const {
        ConformanceOptions options;
        options.tree = root();
        options.out = out();
        options.machine = load_machine("bm1684");
        return run_conformance(options, [](std::size_t, std::size_t) {});
    }
    CaseResult run_one() const {
        const auto results = run();
        REQUIRE(results.size() == 1);
        return results[0];
    }

 private:
    TemporaryFolder folder_;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("conformance/a task whose memory is used up ends all tasks with that error") {
    const auto run = [](std::size_t short_of_memory) {
        return run_in_processes(
            3, 2,
            [&](std::size_t index) -> std::string {
                if (index == short_of_memory) throw std::bad_alloc();
                return std::to_string(index);
            },
            [](std::size_t) {});
    };
    CHECK(run(3).at(2) == "2");
    CHECK_THROWS_AS(run(0), std::bad_alloc);
    CHECK_THROWS_AS(run(2), std::bad_alloc);
}

TEST_CASE("conformance/a graph that is run and judged passes") {
    const Tree tree;
    const CaseResult result = tree.run_one();
    INFO(result.detail);
    CHECK(result.status == CaseStatus::kPassed);
    CHECK(fs::exists(tree.out() / "t" / "y.npy"));
    write_floats(tree.test() / "expected.npy", {2, 5});
    CHECK(tree.run_one().status == CaseStatus::kFailed);
}

TEST_CASE("conformance/a graph that must be refused passes when its content is") {
    const Tree tree;
    tree.describe("true", "y.npy");
    CHECK(contains(tree.run_one().detail, "accepted, but must be refused"));
    write_graph(tree.test() / "test.tosa", {3});  // x + x has two elements
    CHECK(tree.run_one().status == CaseStatus::kPassed);
    CHECK(fs::exists(tree.out() / "t" / "REJECTED"));
    // Damaged, empty and unknown files: the original graph is unknown.
    write_graph(tree.test() / "test.tosa");
    fs::resize_file(tree.test() / "test.tosa", fs::file_size(tree.test() / "test.tosa") / 2);
    CHECK(tree.run_one().status == CaseStatus::kFailed);
    write_graph(tree.test() / "test.tosa");
    tree.describe(R"("MALFORMED: half of a file")", "y.npy");  // what this test is about
    fs::resize_file(tree.test() / "test.tosa", fs::file_size(tree.test() / "test.tosa") / 2);
    CHECK(tree.run_one().status == CaseStatus::kPassed);
    std::ofstream(tree.test() / "test.tosa") << "no graph";
    CHECK(tree.run_one().status == CaseStatus::kFailed);
}

TEST_CASE("conformance/a graph that breaks another rule than its test names fails") {
    const Tree tree;
    write_graph(tree.test() / "test.tosa", {3});  // x + x has two elements
    const auto name_kind = [&](const std::string& kind) {
        tree.describe("true", "y.npy");
        std::ifstream file(tree.test() / "desc.json");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        text.insert(text.rfind("\"oracle\": {") + 11, "\"error_if\": \"" + kind + "\", ");
        text.insert(1, "\"expected_failure_desc\": \"the words of the test\", ");
        std::ofstream(tree.test() / "desc.json") << text;
        return tree.run_one();
    };
    for (const char* const kind : {"DimensionMismatch", "RankMismatch", "KindOfTheFuture"}) {
        CAPTURE(kind);
        CHECK(name_kind(kind).status == CaseStatus::kPassed);
    }
    for (const char* const kind : {"AxisLargerRank", "WrongInputType", "WrongInputList",
                                   "InputZeroPointNotZero", "PadSmallerZero"}) {
        CAPTURE(kind);
        const CaseResult result = name_kind(kind);
        CHECK(result.status == CaseStatus::kFailed);
        CHECK(contains(result.detail, kind));
        CHECK(contains(result.detail, "the words of the test"));
        CHECK(contains(result.detail, "broadcast_shape"));
    }
}

TEST_CASE("conformance/the compliance data is about the tensor") {
    const Tree tree;
    const auto with = [&](const std::string& keys) {
        tree.describe("false", "y.npy");
        std::ifstream file(tree.test() / "desc.json");
        std::string text((std::istreambuf_iterator<char>(file)), {});
        const std::string name = output_name(tree.test() / "test.tosa");
        text.insert(1,
                    R"("meta": {"compliance": {"tensors": {")" + name + "\": {" + keys + "}}}}, ");
        std::ofstream(tree.test() / "desc.json") << text;
        return tree.run_one();
    };
    CHECK(with(R"("mode": "EXACT", "data_type": "FP32", "shape": [2])").status ==
          CaseStatus::kPassed);
    const std::pair<const char*, const char*> wrong[] = {
        {R"("mode": "EXACT", "data_type": "FP32", "shape": [2, 1])", "shape is [2,1]"},
        {R"("mode": "EXACT", "data_type": "FP16", "shape": [2])", "data_type is fp16_t"},
        {R"("mode": "EXACT", "data_type": "INT32", "shape": [2])", "data_type is i32_t"},
        {R"("mode": "EXACT", "data_type": "FP32", "shape": "2")", "must be of type array"},
        {R"("mode": 3, "data_type": "FP32", "shape": [2])", "must be of type string"}};
    for (const auto& [keys, why] : wrong) {
        CAPTURE(keys);
        const CaseResult result = with(keys);
        CHECK(result.status == CaseStatus::kFailed);
        CHECK(contains(result.detail, why));
        CHECK_FALSE(contains(result.detail, "json.exception"));
    }
}

TEST_CASE("conformance/a graph that was not read is not refused") {
    const Tree tree;
    tree.describe("true", "y.npy");
    fs::remove(tree.out() / "t" / "REJECTED");
    fs::remove(tree.test() / "test.tosa");
    const CaseResult missing = tree.run_one();
    CHECK(missing.status == CaseStatus::kFailed);
    CHECK(contains(missing.detail, "not found"));
    CHECK_FALSE(fs::exists(tree.out() / "t" / "REJECTED"));
    // A folder at the graph's path, and a missing input, also say nothing about the graph.
    fs::create_directory(tree.test() / "test.tosa");
    CHECK(tree.run_one().status == CaseStatus::kFailed);
    fs::remove(tree.test() / "test.tosa");
    write_graph(tree.test() / "test.tosa");
    fs::remove(tree.test() / "x.npy");
    CHECK(tree.run_one().status == CaseStatus::kFailed);
}

TEST_CASE("conformance/twins are the other forms of a graph") {
    const Tree tree;
    ConformanceOptions options;
    options.tree = tree.root();
    options.machine = load_machine("bm1684");
    options.twins = true;
    const CaseResult result = run_case(tree.test(), options);
    INFO(result.detail);
    CHECK(result.status == CaseStatus::kPassed);
    // A tree of texts; one is another graph with the same result: x + x with one more operator.
    graph::GraphBuilder builder;
    const auto x = builder.input(DType::kFp32, {2}, "x");
    const auto sum =
        builder.add(tosa::OpCode::kAdd, tosa::NoAttributes{}, {x, x}, DType::kFp32, {2});
    builder.output(
        builder.add(tosa::OpCode::kIdentity, tosa::NoAttributes{}, {sum}, DType::kFp32, {2}));
    const fs::path texts = tree.root().parent_path() / "texts";
    fs::create_directories(texts / "t");
    write_file((texts / "t" / "test.mlir").string(), graph::write_mlir(builder.finish()));
    options.graphs = texts;
    CHECK(contains(run_case(tree.test(), options).detail, "as the test's own file: takes"));
    options.twins = false;
    CHECK(run_case(tree.test(), options).status == CaseStatus::kPassed);
}

// All vectors are run by okksim conformance --twins, make test-long among others.
TEST_CASE("conformance/public vectors give the same in every form", "[golden]") {
    const auto golden = tests::needed_golden_dir();
    if (!golden) return;
    ConformanceOptions options;
    options.machine = load_machine("bm1684");
    options.twins = true;
    options.jobs = 2;
    const auto check = [&](const char* tree, const char* filter) {
        options.tree = *golden / tree;
        options.filter = filter;
        std::size_t passed = 0;
        for (const CaseResult& result : run_conformance(options, [](std::size_t, std::size_t) {})) {
            INFO(tree << "/" << result.path << ": " << result.detail);
            CHECK(result.status != CaseStatus::kFailed);
            passed += result.status == CaseStatus::kPassed ? 1 : 0;
        }
        CHECK(passed > 0);
    };
    check("tosa", "^(cast|concat|cond_if|e2e|pad|rescale|variable|while_loop)/");
    check("tosa090", "");
    check("mlir_programs", "");
    check("oplib", "");
    options.graphs = *golden / "mlir";
    check("tosa", "^(conv2d|resize|select|table|variable|while_loop)/");
}

// Models of packages are not in the vectors: those tests are skipped without OKKSIM_MODELS_DIR.
TEST_CASE("conformance/public models of ONNX and TensorFlow Lite", "[golden]") {
    const auto golden = tests::needed_golden_dir();
    if (!golden) return;
    ConformanceOptions options;
    options.machine = load_machine("bm1684");
    options.twins = true;  // also as text and as a file of TOSA 1.0
    options.jobs = 2;
    const auto failures = [&](const char* tree) {
        options.tree = *golden / tree;
        std::vector<std::string> failed;
        for (const CaseResult& result : run_conformance(options, [](std::size_t, std::size_t) {})) {
            if (result.status == CaseStatus::kFailed) failed.push_back(result.path);
        }
        std::sort(failed.begin(), failed.end());
        return failed;
    };
    // These expect sums of uint8 and int8 products that saturate at 16 bits in the CPU of the
    // oracle.
    CHECK(failures("onnx") ==
          std::vector<std::string>{"microsoft/ms_dynquant_matmul", "quantised/qlinearconv_pc"});
    // The expectations contradict the rules of SEMANTICS.md: bytes are not requantised, and data
    // outside the FlatBuffer is not read.
    CHECK(failures("tflite") == std::vector<std::string>{"concatenation/concat_u8_scales",
                                                         "container/container_external_buffer"});
}

TEST_CASE("conformance/a test without an output has nothing to pass") {
    const Tree tree;
    std::ofstream(tree.test() / "desc.json")
        << R"({"tosa_file": "test.tosa", "expected_failure": false, "ifm_name": ["x"],)"
        << R"( "ifm_file": ["x.npy"]})";
    const CaseResult result = tree.run_one();
    CHECK(result.status == CaseStatus::kFailed);
    CHECK(contains(result.detail, "names no output"));
}

TEST_CASE("conformance/outputs go below --out and nowhere else") {
    const Tree tree;
    const fs::path outside = tree.root().parent_path() / "outside.npy";
    for (const std::string& name :
         {std::string("../../outside.npy"), outside.string(), std::string(".."), std::string(),
          std::string("expected.npy"), std::string("x.npy"), std::string("test.tosa"),
          std::string("REJECTED"), std::string("sub/../../../outside.npy")}) {
        CAPTURE(name);
        tree.describe("false", name);
        const CaseResult result = tree.run_one();
        CHECK(result.status == CaseStatus::kFailed);
        CHECK(contains(result.detail, "ofm_file"));
        CHECK_FALSE(fs::exists(outside));
    }
}

TEST_CASE("conformance/links are followed once or named") {
    const Tree tree;
    const fs::path elsewhere = tree.root().parent_path() / "elsewhere";
    fs::create_directories(elsewhere / "deep");
    fs::copy(tree.test(), elsewhere / "deep" / "u", fs::copy_options::recursive);
    fs::create_directory_symlink(elsewhere, tree.root() / "linked");
    fs::create_directory_symlink(tree.root(), tree.root() / "t" / "round");
    fs::create_directory_symlink(tree.test(), tree.root() / "again");
    fs::create_directory_symlink("/", tree.root() / "above");  // it holds the tree, and all else
    fs::create_symlink("loop", tree.root() / "loop");
    fs::create_symlink("gone", tree.root() / "dangling");
    const auto results = tree.run();
    std::string paths;
    for (const CaseResult& result : results) paths += result.path + " ";
    CHECK(paths == "above dangling linked/deep/u loop t ");
    for (const std::size_t i : {0, 1, 3}) CHECK(results[i].status == CaseStatus::kFailed);
    for (const std::size_t i : {2, 4}) CHECK(results[i].status == CaseStatus::kPassed);
    CHECK(fs::exists(tree.out() / "linked" / "deep" / "u" / "y.npy"));
}

TEST_CASE("conformance/a list of malformed texts names files below it, and is a list of texts") {
    const TemporaryFolder folder;
    ConformanceOptions options;
    options.tree = folder.path() / "tree";
    options.out = folder.path() / "out";
    options.machine = load_machine("bm1684");
    fs::create_directory(options.tree);
    std::ofstream(folder.path() / "outside.mlir") << "no module";
    const auto run = [&](const std::string& list) {
        std::ofstream(options.tree / kMalformedList) << list;
        return run_conformance(options, [](std::size_t, std::size_t) {});
    };
    CHECK_THROWS_WITH(run(R"([{"program": "../outside.mlir"}])"),
                      Catch::Contains("leaves the folder"));
    CHECK_THROWS_AS(run(R"([{"program": "/etc/passwd"}])"), ConfigError);
    CHECK_THROWS_AS(run(R"([{"program": 3}])"), ConfigError);
    CHECK_FALSE(fs::exists(folder.path() / "outside.mlir" / "REJECTED"));
}

namespace {

/// A test of Relu with one file per vocabulary; the file in N, H, W, C gets the input transposed.
void write_relu_test(const fs::path& folder, const graph::xmodel::ElementType& type,
                     const char* oplib = "Relu", const char* xir = "relu") {
    fs::create_directories(folder);
    const auto write = [&](const char* file, const char* input, const char* relu,
                           const graph::Shape& shape) {
        okksim::tests::XmodelWriter writer;
        writer.node(input, "x", {}, {}, {type, shape});
        writer.node(relu, "r", {{"input", {"x"}}}, {}, {type, shape});
        const auto bytes = writer.bytes();
        write_file((folder / file).string(),
                   {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    };
    write("a.xmodel", "Input", oplib, {1, 2, 1, 3});
    write("b.xmodel", "data", xir, {1, 1, 3, 2});
    std::ofstream(folder / "desc.json")
        << R"({"operator": "Relu", "inputs": [{"name": "x", "file": "x.npy"}],)"
        << R"("output": {"name": "r", "file": "y.npy"}, "compare": {"mode": "exact"},)"
        << R"("xmodel": {"oplib": "a.xmodel", "xir": "b.xmodel"}})";
}

}  // namespace

TEST_CASE("conformance/operators of .xmodel files run in both of their forms") {
    using graph::xmodel::ElementKind;
    const TemporaryFolder folder;
    ConformanceOptions options;
    options.tree = folder.path() / "tree";
    options.out = folder.path() / "out";
    options.machine = load_machine("bm1684");
    const fs::path relu = options.tree / "relu", real = options.tree / "real";
    write_relu_test(relu, {ElementKind::kInt, 64});
    const std::vector<std::int64_t> x{5, -1, 1LL << 40, -(1LL << 50), 7, -3};
    const std::vector<std::int64_t> y{5, 0, 1LL << 40, 0, 7, 0};
    graph::write_npy(relu / "x.npy", "<i8", {1, 2, 1, 3}, std::as_bytes(std::span(x)));
    graph::write_npy(relu / "y.npy", "<i8", {1, 2, 1, 3}, std::as_bytes(std::span(y)));
    write_relu_test(real, {ElementKind::kFloat, 64}, "LeakyRelu", "leaky-relu");
    const auto results = run_conformance(options, [](std::size_t, std::size_t) {});
    REQUIRE(results.size() == 4);
    // FLOAT64 arithmetic is skipped with a reason.
    CHECK(results[0].status == CaseStatus::kSkipped);
    CHECK(contains(results[0].detail, "FLOAT64 arithmetic"));
    CHECK(results[1].path == "real/xir");
    CHECK(results[2].status == CaseStatus::kPassed);
    CHECK(results[3].path == "relu/xir");
    CHECK(results[3].status == CaseStatus::kPassed);
    for (const char* file : {"relu/y.npy", "relu/xir/y.npy"}) {
        const graph::NpyArray written = graph::read_npy(*options.out / file);
        CHECK(written.shape == graph::Shape{1, 2, 1, 3});
        CHECK(std::equal(written.data.begin(), written.data.end(),
                         std::as_bytes(std::span(y)).begin()));
    }
}

}  // namespace okksim::sim::execution
