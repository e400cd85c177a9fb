// SPDX-License-Identifier: Apache-2.0
// .xmodel files: accepted and refused contents, and names of values.
#include <algorithm>
#include <memory>

#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/graph/sample_xmodels.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace sim::graph;
using xmodel::ElementKind;
using xmodel::ElementType;

constexpr ElementType kFloat32{ElementKind::kFloat, 32};
constexpr ElementType kFloat64{ElementKind::kFloat, 64};
constexpr ElementType kInt64{ElementKind::kInt, 64};

Graph read(const XmodelWriter& file, const ReadOptions& options = {}) {
    const auto bytes = std::make_shared<const std::vector<std::uint8_t>>(file.bytes());
    Graph graph = read_graph(std::as_bytes(std::span(*bytes)), bytes, "net.xmodel", options);
    validate_graph(graph);
    return graph;
}

std::size_t count(const Graph& graph, OpCode op) {
    std::size_t result = 0;
    for (const Operator& each : graph.main().operators) result += each.op == op ? 1 : 0;
    return result;
}

/// x -> a Relu of the specification (N, C, H, W) -> a pool of files in use (N, H, W, C).
XmodelWriter mixed() {
    XmodelWriter file;
    file.node("Input", "x", {}, {}, {kFloat32, {1, 4, 6, 8}});
    file.node("Relu", "r", {{"input", {"x"}}}, {}, {kFloat32, {1, 4, 6, 8}});
    file.node("maxpool2d", "p", {{"input", {"r"}}},
              {{"kernel", Shape{3, 2}}, {"stride", Shape{3, 2}}}, {kFloat32, {1, 2, 2, 8}});
    return file;
}

std::string refusal(const XmodelWriter& file) {
    try {
        read(file);
    } catch (const ProgramFault& fault) {
        return fault.what();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("operators of both vocabularies share a file", "[graph][xmodel]") {
    const Graph graph = read(mixed());
    CHECK(graph.format == "OpLib / XModel");
    // Each operator interprets the dimensions in its own vocabulary: 4 rows, 6 columns, 8 channels
    // for the pool.
    CHECK(count(graph, OpCode::kTranspose) == 0);
    const Block& main = graph.main();
    REQUIRE(main.outputs.size() == 1);
    CHECK(main.tensors[main.outputs[0]].name == "p");
    CHECK(main.origin(main.operators.back()) == "p");
}

TEST_CASE("maps of the specification's operators change their order once", "[graph][xmodel]") {
    XmodelWriter file;
    file.node("Input", "x", {}, {}, {kFloat32, {1, 4, 6, 8}});
    const XmodelAttributes window{{"kernel_size", Shape{2, 2}}, {"strides", Shape{2, 2}}};
    file.node("MaxPool", "a", {{"input", {"x"}}}, window, {kFloat32, {1, 4, 3, 4}});
    file.node("Relu", "b", {{"input", {"a"}}}, {}, {kFloat32, {1, 4, 3, 4}});
    file.node("MaxPool", "c", {{"input", {"b"}}}, window, {kFloat32, {1, 4, 1, 2}});
    file.node("Output", "out", {{"input", {"c"}}}, {}, {kFloat32, {1, 4, 1, 2}});
    const Graph graph = read(file);
    CHECK(count(graph, OpCode::kTranspose) == 2);  // of the input, and of the result
    const Block& main = graph.main();
    CHECK(main.tensors[main.outputs[0]].name == "c");
    CHECK(main.tensors[main.outputs[0]].shape == Shape{1, 4, 1, 2});
}

TEST_CASE("64-bit elements are pairs of words", "[graph][xmodel]") {
    XmodelWriter file;
    file.node("Input", "x", {}, {}, {kFloat64, {2, 3}});
    file.node("DeePhiTile", "t", {{"input", {"x"}}}, {{"multiples", Shape{2, 1}}},
              {kFloat64, {4, 3}});
    const Graph graph = read(file);
    const Tensor& input = graph.main().tensors[graph.main().inputs[0]];
    CHECK(input.words == FileWords::kFloat64);
    CHECK(input.type == DType::kI32);
    CHECK(input.shape == Shape{2, 3, 2});
}

TEST_CASE("arithmetic of FLOAT64 is refused by the type's name", "[graph][xmodel]") {
    XmodelWriter file;
    file.node("Input", "x", {}, {}, {kFloat64, {2, 3}});
    file.node("LeakyRelu", "r", {{"input", {"x"}}}, {}, {kFloat64, {2, 3}});
    file.node("frobnicate", "f", {{"input", {"r"}}}, {}, {kFloat64, {2, 3}});
    try {
        read(file);
        FAIL("accepted");
    } catch (const GraphFileError& error) {
        CHECK(error.problem() == FileProblem::kUnsupported);
        REQUIRE(error.unread().size() == 2);
        CHECK(error.unread()[0].what == "LeakyRelu: FLOAT64 arithmetic");
        CHECK(error.unread()[1].what == "frobnicate: operator");
        CHECK(error.unread()[1].place == "operator f");
    }
}

TEST_CASE("attributes that an operator does not read are told of once", "[graph][xmodel]") {
    XmodelWriter file;
    const XmodelAttributes slope{{"alpha", 0.25}, {"slopy", Shape{1}}};
    file.node("Input", "x", {}, {}, {kFloat32, {2, 3}});
    file.node("LeakyRelu", "a", {{"input", {"x"}}}, slope, {kFloat32, {2, 3}});
    file.node("LeakyRelu", "b", {{"input", {"a"}}}, slope, {kFloat32, {2, 3}});
    file.node("Relu", "c", {{"input", {"b"}}}, {{"slopy", Shape{1}}}, {kFloat32, {2, 3}});
    const Graph graph = read(file);
    REQUIRE(graph.warnings.size() == 2);
    CHECK(graph.warnings[0] ==
          "net.xmodel: warning: operator a (LeakyRelu): the attribute slopy is ignored, because "
          "it changes nothing");
    CHECK_THAT(graph.warnings[1], Catch::Contains("operator c (Relu)"));
}

TEST_CASE("an Eltwise that is no sum is refused by its type", "[graph][xmodel]") {
    const auto eltwise = [](const std::string& type) {
        XmodelWriter file;
        file.node("Input", "x", {}, {}, {kFloat32, {2, 3}});
        file.node("Eltwise", "e", {{"input", {"x", "x"}}}, {{"type", type}}, {kFloat32, {2, 3}});
        return refusal(file);
    };
    CHECK(eltwise("ADD") == "accepted");
    CHECK_THAT(eltwise("MUL"),
               Catch::Contains("operator e") && Catch::Contains("eltwise of type MUL"));
}

TEST_CASE("files without weights are read for what they need", "[graph][xmodel]") {
    XmodelWriter file;
    file.node("data", "x", {}, {}, {kFloat32, {1, 4, 4, 3}});
    file.node("const", "w", {}, {}, {kFloat32, {2, 1, 1, 3}});
    file.node("conv2d", "c", {{"input", {"x"}}, {"weights", {"w"}}}, {}, {kFloat32, {1, 4, 4, 2}});
    CHECK_THAT(refusal(file),
               Catch::Contains("operator w (const)") && Catch::Contains("the file is compiled"));
    ReadOptions options;
    options.without_weights = true;
    const Graph graph = read(file, options);
    CHECK(graph.missing_weights == std::vector<std::string>{"w"});
}

TEST_CASE("broken rules name operator, attribute and value", "[graph][xmodel]") {
    XmodelWriter file;
    file.node("Input", "x", {}, {}, {kInt64, {1, 4, 4, 3}});
    file.node("Concat", "joined", {{"input", {"x", "x"}}}, {{"axis", std::int64_t{2}}},
              {kInt64, {1, 4, 8, 3}});
    const std::string text = refusal(file);
    CHECK_THAT(text,
               Catch::Contains("operator joined (Concat)") && Catch::Contains("axis is 0 or 1"));
}

TEST_CASE("operators may stand in any order, but in no circle", "[graph][xmodel]") {
    XmodelWriter file;
    file.node("relu", "b", {{"input", {"a"}}}, {}, {kFloat32, {2}});
    file.node("relu", "a", {{"input", {"x"}}}, {}, {kFloat32, {2}});
    file.node("data", "x", {}, {}, {kFloat32, {2}});
    CHECK(read(file).main().operators.size() == 2);
    XmodelWriter circle;
    circle.node("relu", "b", {{"input", {"a"}}}, {}, {kFloat32, {2}});
    circle.node("relu", "a", {{"input", {"b"}}}, {}, {kFloat32, {2}});
    CHECK_THAT(refusal(circle), Catch::Contains("depends on its own result"));
}

TEST_CASE("a container that breaks off names operator and byte", "[graph][xmodel]") {
    using Catch::Contains;
    const std::vector<std::uint8_t> whole = mixed().bytes();
    const auto refusal_of = [](std::vector<std::uint8_t> bytes) -> std::string {
        try {
            read_graph(std::as_bytes(std::span(bytes)), nullptr, "net.xmodel");
        } catch (const GraphFileError& error) {
            return error.what();
        }
        return "accepted";
    };
    // Operator x: the field's number and its length are a byte each.
    const std::size_t second = 2 + std::size_t{whole[1]};
    const auto cut = [&](std::size_t size) {
        return refusal_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    };
    CHECK_THAT(cut(second + 10), Contains("operator r: the file ends") && Contains("truncated") &&
                                     Contains("(byte " + std::to_string(second) + " of the file)"));
    CHECK_THAT(cut(whole.size() - 1), Contains("operator p: the file ends 1 byte before"));
    std::vector<std::uint8_t> damaged = whole;
    damaged[second] = 0xFF;
    CHECK_THAT(refusal_of(damaged),
               Contains("nodes[1]: no field of a .xmodel container begins here"));
    // The last field of x describes its result; its length no longer fits.
    damaged = whole;
    damaged[second - 1] = damaged[second - 2] = 0xFF;
    CHECK_THAT(refusal_of(damaged),
               Contains("operator x: the description of its result is damaged"));
}

TEST_CASE("quantising changes the type, and there and back", "[graph][xmodel]") {
    constexpr ElementType kFixed8{ElementKind::kFixed, 8};
    const auto file = [](const ElementType& between, const ElementType& end, std::int64_t bits,
                         bool is_signed) {
        XmodelWriter writer;
        writer.node("data", "x", {}, {}, {kFloat32, {1, 2, 2, 3}});
        writer.node("float2fix", "q", {{"input", {"x"}}},
                    {{"fix_point", std::int64_t{4}},
                     {"bit_width", bits},
                     {"if_signed", std::int64_t{is_signed ? 1 : 0}}},
                    {between, {1, 2, 2, 3}, 4});
        writer.node("fix2float", "r", {{"input", {"q"}}}, {}, {end, {1, 2, 2, 3}});
        return writer;
    };
    const Graph graph = read(file(kFixed8, kFloat32, 8, true));
    CHECK(graph.main().tensors[graph.main().outputs[0]].type == DType::kFp32);
    const auto quantised = std::find_if(graph.main().tensors.begin(), graph.main().tensors.end(),
                                        [](const Tensor& tensor) { return tensor.name == "q"; });
    REQUIRE(quantised != graph.main().tensors.end());
    CHECK(quantised->type == DType::kI8);
    CHECK_THAT(refusal(file(kFloat32, kFloat32, 8, true)),
               Catch::Contains("the result of this operator is XINT8"));
    CHECK_THAT(refusal(file(kFixed8, kFixed8, 8, true)),
               Catch::Contains("the result of this operator is FLOAT32"));
    // 0 to 255 and -2^15 to 2^15 - 1 are no XINT8.
    for (const auto& wide :
         {file(kFixed8, kFloat32, 8, false), file(kFixed8, kFloat32, 16, true)}) {
        CHECK_THAT(refusal(wide), Catch::Contains("is not supported"));
    }
}

TEST_CASE("outputs have names that are distinct and their own", "[graph][xmodel]") {
    XmodelWriter file;
    const tests::XmodelResult result{kFloat32, {1, 4}};
    file.node("Input", "x", {}, {}, result);
    for (const char* name : {"a", "b", "c"})
        file.node("Relu", name, {{"input", {"x"}}}, {}, result);
    file.node("Output", "first", {{"input", {"a"}}}, {}, result);
    file.node("Output", "second", {{"input", {"a"}}}, {}, result);
    file.node("Output", "third", {{"input", {"b"}}}, {}, result);
    file.node("Output", "inner", {{"input", {"c"}}}, {}, result);
    file.node("Output", "outer", {{"input", {"inner"}}}, {}, result);
    file.node("Output", "as_it_is", {{"input", {"x"}}}, {}, result);
    const Graph graph = read(file);
    std::vector<std::string> names;
    for (const TensorIndex index : graph.main().outputs) {
        names.push_back(graph.main().tensors[index].name.text());
    }
    // Two outputs of "a" keep their names; a single output is named after its source, also through
    // another output.
    CHECK(names == std::vector<std::string>{"first", "second", "b", "c", "as_it_is"});
}

}  // namespace okksim::tests
