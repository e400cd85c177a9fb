// SPDX-License-Identifier: Apache-2.0
// ONNX files: forms of the container, inputs, functions, control flow, and what is refused.
#include <filesystem>
#include <fstream>
#include <memory>

#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/npy.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/graph/onnx_run.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace sim::graph;
using namespace onnx;
using Catch::Matchers::Contains;

GraphMessage relu_graph() {
    GraphMessage graph;
    graph.input("x", {3}).add("Relu", {"x"}, {"y"}).output("y");
    return graph;
}

std::vector<double> run_one(const std::string& file, const std::vector<double>& x) {
    return run(file, {x}).at(0).values;
}

/// An operand (1,) that an inner graph adds to its input.
Message branch(std::string_view op, const std::string& result) {
    GraphMessage graph;
    graph.add(op, {"x"}, {result}).output(result);
    return graph.bytes();
}

}  // namespace

TEST_CASE("ONNX: fields in any order, split messages, packed numbers", "[graph][onnx]") {
    const std::vector<double> x{-1, 0, 2}, relu{0, 0, 2};
    CHECK(run_one(model(relu_graph()), x) == relu);

    // The graph comes in two pieces, before the version; unknown fields are skipped.
    GraphMessage first, second;
    first.input("x", {3}).add("Relu", {"x"}, {"y"});
    second.output("y");
    const std::string split = bytes_field(7, first.bytes()) + integer_field(1, 8) +
                              bytes_field(7, second.bytes()) + opset_field(8, "ai.onnx", 17) +
                              real_field(20, 1.5F) + bytes_field(23, "unknown");
    CHECK(run_one(split, x) == relu);

    // Typed fields: packed dimensions and float_data one by one.
    const Message packed = bytes_field(1, std::string_view("\x03", 1)) + integer_field(2, kFloat) +
                           bytes_field(8, "w") + real_field(4, 1) + real_field(4, 2) +
                           real_field(4, 3);
    GraphMessage sum;
    sum.input("x", {3}).weight(packed).add("Add", {"x", "w"}, {"y"}).output("y");
    CHECK(run_one(model(sum), x) == std::vector<double>{0, 2, 5});
}

TEST_CASE("ONNX: initializers that are inputs have default values", "[graph][onnx]") {
    GraphMessage graph;
    graph.input("x", {3}).input("w", {3}).weight("w", {3}, std::vector<float>{10, 20, 30});
    graph.add("Add", {"x", "w"}, {"y"}).output("y");
    const Graph read = read_model(model(graph, 17, {}, 3));
    CHECK(read.main().inputs.size() == 1);
    CHECK(run_one(model(graph, 17, {}, 3), {1, 2, 3}) == std::vector<double>{11, 22, 33});
}

TEST_CASE("ONNX: nodes in any order; a cycle is refused", "[graph][onnx]") {
    GraphMessage late;
    late.input("x", {3}).add("Relu", {"a"}, {"y"}).add("Neg", {"x"}, {"a"}).output("y");
    CHECK(run_one(model(late), {-1, 0, 2}) == std::vector<double>{1, 0, 0});

    GraphMessage cycle;
    cycle.input("x", {3}).add("Add", {"x", "b"}, {"a"}).add("Neg", {"a"}, {"b"}).output("b");
    CHECK_THAT(refusal(model(cycle)), Contains("cycle"));
    GraphMessage twice;
    twice.input("x", {3}).add("Neg", {"x"}, {"y"}).add("Relu", {"x"}, {"y"}).output("y");
    CHECK_THAT(refusal(model(twice)), Contains("assigns each name once"));
}

TEST_CASE("ONNX: functions are inlined with their attributes", "[graph][onnx]") {
    // f(a; k) = Concat(a, a; axis = k).
    const Message function =
        bytes_field(1, "f") + bytes_field(4, "a") + bytes_field(5, "b") + bytes_field(6, "k") +
        bytes_field(7, node("Concat", {"a", "a"}, {"b"}, {reference_attribute("axis", "k", 2)})) +
        opset_field(9, "", 17) + bytes_field(10, "own");
    GraphMessage graph;
    graph.input("x", {1, 2});
    graph.add("f", {"x"}, {"y"}, {attribute("k", std::int64_t{1})}, "own").output("y");
    const std::string file = model(graph, 17, bytes_field(25, function) + opset_field(8, "own", 1));
    CHECK(run_one(file, {3, 4}) == std::vector<double>{3, 4, 3, 4});

    const Message endless = bytes_field(1, "g") + bytes_field(4, "a") + bytes_field(5, "b") +
                            bytes_field(7, node("g", {"a"}, {"b"}, {}, "own")) +
                            opset_field(9, "own", 1) + bytes_field(10, "own");
    GraphMessage calls;
    calls.input("x", {2}).add("g", {"x"}, {"y"}, {}, "own").output("y");
    CHECK_THAT(refusal(model(calls, 17, bytes_field(25, endless) + opset_field(8, "own", 1))),
               Contains("nested too deeply"));
}

TEST_CASE("ONNX: open dimensions", "[graph][onnx]") {
    GraphMessage graph;
    graph.input("x", {-1, 3}, kFloat, {"batch"}).add("Relu", {"x"}, {"y"}).output("y");
    const Graph read = read_model(model(graph));
    CHECK(read.main().tensors[read.main().inputs[0]].shape == Shape{1, 3});
    REQUIRE(read.warnings.size() == 1);
    CHECK_THAT(read.warnings[0], Contains("batch"));

    GraphMessage open;
    open.input("x", {1, -1}, kFloat, {"", "width"}).add("Relu", {"x"}, {"y"}).output("y");
    CHECK_THAT(refusal(model(open)), Contains("--shape x="));
    ReadOptions options;
    options.input_shape = [](const std::string&) { return Shape{1, 5}; };
    const Graph bound = read_model(model(open), options);
    CHECK(bound.main().tensors[bound.main().outputs[0]].shape == Shape{1, 5});
}

TEST_CASE("ONNX: a condition is known, or becomes COND_IF", "[graph][onnx]") {
    const std::vector<Message> branches{graph_attribute("then_branch", branch("Neg", "t")),
                                        graph_attribute("else_branch", branch("Abs", "e"))};
    GraphMessage known;
    known.input("x", {2}).weight(tensor("c", kBool, 1, {}, {1}));
    known.add("If", {"c"}, {"y"}, branches).output("y");
    CHECK(run_one(model(known), {-1, 2}) == std::vector<double>{1, -2});

    GraphMessage open;
    open.input("x", {2}).input("c", {1}, kBool).add("If", {"c"}, {"y"}, branches).output("y");
    CHECK(run(model(open), {{-1, 2}, {1}}).at(0).values == std::vector<double>{1, -2});
    CHECK(run(model(open), {{-1, 2}, {0}}).at(0).values == std::vector<double>{1, 2});
}

TEST_CASE("ONNX: a loop is unrolled, or becomes WHILE_LOOP", "[graph][onnx]") {
    // v = v + x in each iteration; the scan output has the values of v.
    GraphMessage body;
    body.input("i", {}, kInt64).input("c", {}, kBool).input("v", {2});
    body.add("Identity", {"c"}, {"go"}).add("Add", {"v", "x"}, {"next"});
    body.output("go", kBool).output("next");
    GraphMessage rows = body;
    rows.add("Identity", {"next"}, {"row"}).output("row");

    GraphMessage known;
    known.input("x", {2}).weight("n", {}, std::vector<std::int64_t>{3});
    known.add("Loop", {"n", "", "x"}, {"y", "all"}, {graph_attribute("body", rows.bytes())});
    known.output("y").output("all");
    const auto results = run(model(known), {{1, 10}});
    CHECK(results.at(0).values == std::vector<double>{4, 40});
    CHECK(results.at(1).values == std::vector<double>{2, 20, 3, 30, 4, 40});

    GraphMessage open;
    open.input("x", {2}).input("n", {}, kInt32);
    open.add("Cast", {"n"}, {"m"}, {attribute("to", std::int64_t{kInt64})});
    open.add("Loop", {"m", "", "x"}, {"y"}, {graph_attribute("body", body.bytes())}).output("y");
    CHECK(run(model(open), {{1, 10}, {2}}).at(0).values == std::vector<double>{3, 30});
    CHECK(run(model(open), {{1, 10}, {0}}).at(0).values == std::vector<double>{1, 10});
}

TEST_CASE("ONNX: elements of inputs and outputs keep their types", "[graph][onnx]") {
    const auto passed = [](Type type, const std::vector<double>& values) {
        GraphMessage graph;
        graph.input("x", {4}, type).add("Add", {"x", "x"}, {"y"}).output("y", type);
        return run(model(graph), {values}).at(0).values;
    };
    // 2 * 200 = 400 = 144 modulo 256; 2 * 100 = 200 = -56 as int8.
    CHECK(passed(kUint8, {0, 1, 127, 200}) == std::vector<double>{0, 2, 254, 144});
    CHECK(passed(kInt8, {-1, 3, 100, -128}) == std::vector<double>{-2, 6, -56, 0});
    CHECK(passed(kInt64, {-5, 0, 7, 1 << 20}) == std::vector<double>{-10, 0, 14, 1 << 21});
    CHECK(passed(kUint16, {0, 1, 40000, 65535}) == std::vector<double>{0, 2, 14464, 65534});
}

TEST_CASE("ONNX: external data stays in the model's folder", "[graph][onnx]") {
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / "okksim_onnx_external";
    std::filesystem::create_directories(folder);
    const auto file = [&](const std::string& location, std::int64_t offset, std::int64_t length) {
        const auto entry = [](std::string_view key, const std::string& value) {
            return bytes_field(13, bytes_field(1, key) + bytes_field(2, value));
        };
        const Message weight = integer_field(1, 2) + integer_field(2, kFloat) +
                               bytes_field(8, "w") + entry("location", location) +
                               entry("offset", std::to_string(offset)) +
                               entry("length", std::to_string(length)) + integer_field(14, 1);
        GraphMessage graph;
        graph.input("x", {2}).weight(weight).add("Add", {"x", "w"}, {"y"}).output("y");
        std::ofstream(folder / "m.onnx", std::ios::binary) << model(graph);
        return folder / "m.onnx";
    };
    std::ofstream(folder / "w.bin", std::ios::binary)
        << std::string(4, '\0') << std::string("\0\0\x80\x3f\0\0\0\x40", 8);  // 1, 2
    const Graph graph = load_graph(file("w.bin", 4, 8));
    CHECK(graph.main().operators.size() >= 1);
    const auto why = [&](const std::string& location, std::int64_t offset, std::int64_t length) {
        try {
            load_graph(file(location, offset, length));
        } catch (const ConfigError& error) {
            return std::string(error.what());
        }
        return std::string("accepted");
    };
    CHECK_THAT(why("../w.bin", 0, 8), Contains("outside the folder"));
    CHECK_THAT(why("/etc/passwd", 0, 8), Contains("outside the folder"));
    CHECK_THAT(why("none.bin", 0, 8), Contains("missing"));
    CHECK_THAT(why("w.bin", 8, 8), Contains("12 bytes"));
    CHECK_THAT(why("w.bin", 4, 4), Contains("needs 2 elements"));
    std::filesystem::create_symlink("/etc/passwd", folder / "link.bin");
    CHECK_THAT(why("link.bin", 0, 8), Contains("outside the folder"));
    std::filesystem::remove_all(folder);
}

TEST_CASE("ONNX: damaged and unsupported files are refused by name", "[graph][onnx]") {
    const std::string good = model(relu_graph());
    for (std::size_t size = 1; size < good.size(); ++size) {
        CHECK(refusal(good.substr(0, size)) != "accepted");
    }
    CHECK_THAT(refusal(model(relu_graph(), 99)), Contains("operator set 99"));
    CHECK_THAT(refusal(model(relu_graph(), 0)), Contains("operator set 0; the first one is 1"));
    GraphMessage late, early;
    late.input("x", {2}).add("Gelu", {"x"}, {"y"}).output("y");
    CHECK_THAT(refusal(model(late, 19)), Contains("exists from operator set 20 on"));
    early.input("x", {1, 1, 2, 2}).weight("s", {4}, std::vector<float>(4, 2.0F));
    early.add("Upsample", {"x", "s"}, {"y"}).output("y");
    CHECK_THAT(refusal(model(early, 10)), Contains("exists until operator set 9"));
    GraphMessage many;
    many.input("x", {3}).add("Foo", {"x"}, {"a"}).add("Bar", {"a"}, {"y"}).output("y");
    const std::string text = refusal(model(many));
    CHECK_THAT(text, Contains("Foo") && Contains("1 more"));
    GraphMessage random;
    random.input("x", {3}).add("RandomNormalLike", {"x"}, {"y"}).output("y");
    CHECK_THAT(refusal(model(random)), Contains("equal runs give equal values"));
    GraphMessage real;
    real.input("x", {3}, kDouble).add("Relu", {"x"}, {"y"}).output("y", kDouble);
    CHECK_THAT(refusal(model(real)), Contains("double"));
    GraphMessage none;
    none.input("x", {3}).add("Relu", {"x"}, {"y"});
    CHECK_THAT(refusal(model(none)), Contains("no output"));
}

}  // namespace okksim::tests
