// SPDX-License-Identifier: Apache-2.0
// Open dimensions of MLIR text and the shapes that users give (--input NAME=SHAPE).
#include "isa/errors.h"
#include "isa/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Matchers::Contains;
using Shapes = std::map<std::string, Shape>;

Graph read(const std::string& text, const Shapes& shapes) {
    ReadOptions options;
    for (const auto& [name, shape] : shapes) options.given_inputs.push_back(name);
    options.input_shape = [&shapes](const std::string& name) -> std::optional<Shape> {
        const auto shape = shapes.find(name);
        if (shape == shapes.end()) return std::nullopt;
        return shape->second;
    };
    const auto owner = std::make_shared<const std::string>(text);
    Graph graph = read_graph(std::as_bytes(std::span(*owner)), owner, "net.mlir", options);
    check_input_shapes(graph, shapes);
    validate_graph(graph);
    return graph;
}

Shape output_shape(const Graph& graph) {
    return graph.main().tensors[graph.main().outputs[0]].shape;
}

constexpr const char* kOneInput = R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = tosa.abs %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}
)";

TEST_CASE("open dimensions are those of the inputs' shapes") {
    CHECK(output_shape(read(kOneInput, {{"x", {5, 3}}})) == Shape{5, 3});
}

TEST_CASE("a dimension follows the same one of an operand, or else the only size there is") {
    // Each input has its own size: a result takes that of the operand it is made of.
    const std::string two = R"(func.func @main(%x: tensor<?x3xf32>, %y: tensor<3x?xf32>)
    -> (tensor<?x3xf32>, tensor<3x?xf32>) {
  %0 = tosa.abs %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = tosa.abs %y : (tensor<3x?xf32>) -> tensor<3x?xf32>
  return %0, %1 : tensor<?x3xf32>, tensor<3x?xf32>
}
)";
    const Graph graph = read(two, {{"x", {5, 3}}, {"y", {3, 7}}});
    CHECK(output_shape(graph) == Shape{5, 3});
    CHECK(graph.main().tensors[graph.main().outputs[1]].shape == Shape{3, 7});
    // TRANSPOSE moves the open dimension to another place.
    const std::string moved = R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<3x?xf32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
)";
    CHECK(output_shape(read(moved, {{"x", {5, 3}}})) == Shape{3, 5});
}

TEST_CASE("a size that does not follow is found by validation") {
    // The only open size is 5; CONCAT of the input with itself has 10, which it says itself, and
    // TILE has 10, which it does not.
    const std::string joined = R"(func.func @main(%x: tensor<3x?xf32>) -> tensor<?x3xf32> {
  %0 = tosa.concat %x, %x {axis = 1 : i32} : (tensor<3x?xf32>, tensor<3x?xf32>) -> tensor<3x?xf32>
  %1 = tosa.transpose %0 {perms = array<i32: 1, 0>} : (tensor<3x?xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}
)";
    CHECK(output_shape(read(joined, {{"x", {3, 5}}})) == Shape{10, 3});
    const std::string tiled = R"(func.func @main(%x: tensor<3x?xf32>) -> tensor<3x?xf32> {
  %s = tosa.const_shape {values = dense<[1, 2]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.tile %x, %s : (tensor<3x?xf32>, !tosa.shape<2>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
)";
    CHECK_THROWS_AS(read(tiled, {{"x", {3, 5}}}), ProgramFault);
}

TEST_CASE("without shapes open dimensions are refused at their place, with what to do") {
    try {
        read(kOneInput, {});
        FAIL("was read");
    } catch (const GraphTextError& error) {
        CHECK(error.problems().size() == 1);
        CHECK(error.problems()[0].line == 1);
        CHECK_THAT(error.what(), Contains("--input x=SHAPE") && Contains("tosa-infer-shapes"));
    }
}

TEST_CASE("shapes that do not fit are refused by name") {
    CHECK_THROWS_WITH(read(kOneInput, {{"x", {5, 4}}}),
                      Contains("--input x") && Contains("[5,4]") && Contains("[?,3]"));
    CHECK_THROWS_WITH(read(kOneInput, {{"x", {5, 3}}, {"z", {1}}}),
                      Contains("--input z") && Contains("it has: x"));
}

TEST_CASE("names of inputs that do not exist are told with those that do") {
    CHECK_THROWS_WITH(read(kOneInput, {{"X", {5, 3}}}),
                      Contains("--input X: the model has no such input; it has: x"));
    const std::string closed =
        "func.func @main(%image: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  return %image : tensor<2xf32>\n}\n";
    CHECK_THROWS_WITH(read(closed, {{"imgae", {2}}}),
                      Contains("it has: image") && Contains("did you mean \"image\"?"));
}

TEST_CASE("types without a rank follow from the shapes of the inputs") {
    const std::string text = R"(func.func @main(%x: tensor<*xf32>, %y: tensor<1x4xf32>)
    -> tensor<*xf32> {
  %0 = tosa.add %x, %y : (tensor<*xf32>, tensor<1x4xf32>) -> tensor<*xf32>
  %1 = tosa.reduce_sum %0 {axis = 1 : i32} : (tensor<*xf32>) -> tensor<*xf32>
  %2 = tosa.concat %1, %1 {axis = 0 : i32} : (tensor<*xf32>, tensor<*xf32>) -> tensor<*xf32>
  %3 = tosa.transpose %2 {perms = array<i32: 1, 0>} : (tensor<*xf32>) -> tensor<*xf32>
  %s = tosa.const_shape {values = dense<[2, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %4 = tosa.reshape %3, %s : (tensor<*xf32>, !tosa.shape<2>) -> tensor<*xf32>
  return %4 : tensor<*xf32>
}
)";
    // [3,4] + [1,4] = [3,4], summed [3,1], twice [6,1], turned [1,6], in two rows [2,3].
    CHECK(output_shape(read(text, {{"x", {3, 4}}})) == Shape{2, 3});
    CHECK_THROWS_WITH(read(text, {}), Contains("no rank") && Contains("--input x=SHAPE"));
    const std::string pool =
        "func.func @main(%x: tensor<*xf32>) -> tensor<*xf32> {\n"
        "  %0 = tosa.max_pool2d %x {kernel = array<i64: 1, 1>, stride = array<i64: 1, 1>, pad = "
        "array<i64: 0, 0, 0, 0>} : (tensor<*xf32>) -> tensor<*xf32>\n"
        "  return %0 : tensor<*xf32>\n}\n";
    CHECK_THROWS_WITH(read(pool, {{"x", {1, 2, 2, 1}}}),
                      Contains("no rank ('*') that follows from its operands"));
}

TEST_CASE("variables with an open shape are refused with what helps there") {
    const std::string text =
        "module {\n  tosa.variable @v : tensor<?xf32>\n" + std::string(kOneInput) + "}\n";
    try {
        read(text, {{"x", {5, 3}}});
        FAIL("was read");
    } catch (const GraphTextError& error) {
        REQUIRE(error.problems().size() == 1);
        CHECK_THAT(error.problems()[0].message,
                   Contains("variable @v") && Contains("no input") && Contains("declaration"));
    }
}

TEST_CASE("constants have no open dimensions") {
    CHECK_THROWS_WITH(read("func.func @main() -> tensor<2xi8> {\n"
                           "  %c = \"tosa.const\"() <{values = dense<1> : tensor<?xi8>}> : () -> "
                           "tensor<2xi8>\n  return %c : tensor<2xi8>\n}\n",
                           {}),
                      Contains("constant is open"));
}

TEST_CASE("a shape's -1 is what is left, and RESHAPE says the shape of its result") {
    const std::string text = R"(func.func @main(%x: tensor<?x4xf32>) -> tensor<?xf32> {
  %s = tosa.const_shape {values = dense<-1> : tensor<1xindex>} : () -> !tosa.shape<1>
  %0 = tosa.reshape %x, %s : (tensor<?x4xf32>, !tosa.shape<1>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
)";
    const Graph graph = read(text, {{"x", {6, 4}}});
    CHECK(output_shape(graph) == Shape{24});
    REQUIRE(graph.warnings.size() == 1);
    CHECK_THAT(graph.warnings[0], Contains("net.mlir:3:25") && Contains("-1 is read as 24"));
    // Nothing is left where it does not divide, or is not the only one.
    for (const char* values : {"[-1, 5]", "[-1, -1]", "[-1, 0]"}) {
        const std::string wrong =
            std::string(R"(func.func @main(%x: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %s = tosa.const_shape {values = dense<)") +
            values + R"(> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.reshape %x, %s : (tensor<6x4xf32>, !tosa.shape<2>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
)";
        CHECK_THROWS_AS(read(wrong, {}), ProgramFault);
    }
}

TEST_CASE("an open size that no input has is to be written") {
    const std::string text = R"(func.func @main(%x: tensor<2x4x4x1xf32>) -> tensor<2x?x4x1xf32> {
  %s = tosa.const_shape {values = dense<[0, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  %0 = tosa.slice %x, %s, %s : (tensor<2x4x4x1xf32>, !tosa.shape<4>, !tosa.shape<4>) -> tensor<2x?x4x1xf32>
  return %0 : tensor<2x?x4x1xf32>
}
)";
    CHECK_THROWS_WITH(read(text, {}),
                      Contains("write this one in the text") && !Contains("--input"));
}

}  // namespace
}  // namespace okksim::sim::graph
