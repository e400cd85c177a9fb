// SPDX-License-Identifier: Apache-2.0
// Open dimensions of MLIR text, and shapes given by users (--input NAME=SHAPE).
#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;
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

TEST_CASE("a dimension has the size that its own operand gives it") {
    // Each input has a different size: a result takes the size of its operand.
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
    // TRANSPOSE moves the open dimension to another axis.
    const std::string moved = R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<3x?xf32> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<?x3xf32>) -> tensor<3x?xf32>
  return %0 : tensor<3x?xf32>
}
)";
    CHECK(output_shape(read(moved, {{"x", {5, 3}}})) == Shape{3, 5});
}

TEST_CASE("sizes follow from attributes and constants") {
    // CONCAT of 5 and 5, and TILE of 5 twice.
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
    CHECK(output_shape(read(tiled, {{"x", {3, 5}}})) == Shape{3, 10});
}

/// Shape of the result of an operation on the input %x and on the constants of `constants`. The
/// text is read once with open dimensions and once without a rank.
Shape result_of(const Shape& input, const std::string& constants, const std::string& operation,
                const std::string& more_operands, const std::string& more_types,
                std::size_t result_rank) {
    const auto type = [](std::size_t rank) {
        std::string text = "tensor<";
        for (std::size_t i = 0; i < rank; ++i) text += "?x";
        return text + "f32>";
    };
    const auto text = [&](const std::string& in, const std::string& out) {
        return "func.func @main(%x: " + in + ") -> " + out + " {\n" + constants + "  %r = \"tosa." +
               operation.substr(0, operation.find(' ')) + "\"(%x" + more_operands + ")" +
               operation.substr(operation.find(' ')) + " : (" + in + more_types + ") -> " + out +
               "\n  return %r : " + out + "\n}\n";
    };
    const Shape shape =
        output_shape(read(text(type(input.size()), type(result_rank)), {{"x", input}}));
    CHECK(output_shape(read(text("tensor<*xf32>", "tensor<*xf32>"), {{"x", input}})) == shape);
    return shape;
}

constexpr const char* kZero =
    "  %z = \"tosa.const\"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>\n";

std::string list_constant(const std::string& name, const std::string& values, int count) {
    const std::string n = std::to_string(count);
    return "  %" + name + " = \"tosa.const_shape\"() <{values = dense<" + values + "> : tensor<" +
           n + "xindex>}> : () -> !tosa.shape<" + n + ">\n";
}

TEST_CASE("windows give the sizes of their results") {
    const std::string pool =
        " <{kernel = array<i64: 2, 3>, stride = array<i64: 2, 1>, pad = array<i64: 0, 0, 1, 1>}>";
    // (8 - 2) / 2 + 1 = 4; (9 + 2 - 3) / 1 + 1 = 9.
    CHECK(result_of({1, 8, 9, 3}, "", "max_pool2d" + pool, "", "", 4) == Shape{1, 4, 9, 3});
    const std::string average = pool.substr(0, pool.size() - 2) + ", acc_type = f32}>";
    CHECK(result_of({1, 8, 9, 3}, kZero, "avg_pool2d" + average, ", %z, %z",
                    ", tensor<1xf32>, tensor<1xf32>", 4) == Shape{1, 4, 9, 3});
    const auto weights = [](const std::string& type) {
        return kZero + ("  %w = \"tosa.const\"() <{values = dense<0.5> : " + type + "}> : () -> " +
                        type + "\n");
    };
    const std::string conv =
        " <{acc_type = f32, pad = array<i64: 0, 0, 1, 1>, stride = array<i64: 2, 1>, dilation = "
        "array<i64: 1, 2>}>";
    const auto types = [](const std::string& type) {
        return ", " + type + ", tensor<1xf32>, tensor<1xf32>, tensor<1xf32>";
    };
    // (8 - 2) / 2 + 1 = 4; (9 + 2 - ((3 - 1) * 2 + 1)) + 1 = 7; 4 output channels, or 3 * 2.
    CHECK(result_of({1, 8, 9, 3}, weights("tensor<4x2x3x3xf32>"), "conv2d" + conv,
                    ", %w, %z, %z, %z", types("tensor<4x2x3x3xf32>"), 4) == Shape{1, 4, 7, 4});
    CHECK(result_of({1, 8, 9, 3}, weights("tensor<2x3x3x2xf32>"), "depthwise_conv2d" + conv,
                    ", %w, %z, %z, %z", types("tensor<2x3x3x2xf32>"), 4) == Shape{1, 4, 7, 6});
    const std::string deep =
        " <{acc_type = f32, pad = array<i64: 0, 0, 0, 0, 1, 1>, stride = array<i64: 1, 2, 1>, "
        "dilation = array<i64: 1, 1, 2>}>";
    CHECK(result_of({1, 5, 8, 9, 3}, weights("tensor<4x3x2x3x3xf32>"), "conv3d" + deep,
                    ", %w, %z, %z, %z", types("tensor<4x3x2x3x3xf32>"), 5) == Shape{1, 3, 4, 7, 4});
    // (8 - 1) * 2 + 0 - 1 + 2 = 15; (9 - 1) * 1 + 1 + 1 + 3 = 13.
    const std::string transposed =
        " <{acc_type = f32, out_pad = array<i64: 0, -1, 1, 1>, stride = array<i64: 2, 1>}>";
    CHECK(result_of({1, 8, 9, 3}, weights("tensor<4x2x3x3xf32>"), "transpose_conv2d" + transposed,
                    ", %w, %z, %z, %z", types("tensor<4x2x3x3xf32>"), 4) == Shape{1, 15, 13, 4});
}

TEST_CASE("lists of numbers give the sizes of results") {
    const std::string scales = list_constant("s", "[4, 2, 4, 2]", 4) +
                               list_constant("o", "[0, 0]", 2) + list_constant("b", "[2, 2]", 2);
    // ((6 - 1) * 4 - 0 + 2) / 2 + 1 = 12.
    CHECK(result_of({1, 6, 6, 3}, scales, "resize <{mode = NEAREST_NEIGHBOR}>", ", %s, %o, %b",
                    ", !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>", 4) == Shape{1, 12, 12, 3});
    CHECK(result_of({4, 3}, kZero + list_constant("s", "[1, 2, 0, 3]", 4), "pad ", ", %s, %z",
                    ", !tosa.shape<4>, tensor<1xf32>", 2) == Shape{7, 6});
    CHECK(result_of({4, 3}, list_constant("s", "[2, 3]", 2), "tile ", ", %s", ", !tosa.shape<2>",
                    2) == Shape{8, 9});
    const std::string part = list_constant("s", "[1, 0]", 2) + list_constant("n", "[2, 3]", 2);
    CHECK(result_of({4, 3}, part, "slice ", ", %s, %n", ", !tosa.shape<2>, !tosa.shape<2>", 2) ==
          Shape{2, 3});
    const std::string rows =
        "  %i = \"tosa.const\"() <{values = dense<1> : tensor<2x5xi32>}> : () -> tensor<2x5xi32>\n";
    CHECK(result_of({2, 4, 3}, rows, "gather ", ", %i", ", tensor<2x5xi32>", 3) == Shape{2, 5, 3});
    // Half of 8 and one; both results.
    const std::string spectrum = R"(func.func @main(%x: tensor<?x4x8xf32>) -> tensor<?x?x?xf32> {
  %r, %i = tosa.rfft2d %x : (tensor<?x4x8xf32>) -> (tensor<?x?x?xf32>, tensor<?x?x?xf32>)
  return %i : tensor<?x?x?xf32>
}
)";
    CHECK(output_shape(read(spectrum, {{"x", {2, 4, 8}}})) == Shape{2, 4, 5});
    const std::string most = R"(func.func @main(%x: tensor<?x3xf32>) -> tensor<?xi32> {
  %r = tosa.argmax %x {axis = 1 : i32} : (tensor<?x3xf32>) -> tensor<?xi32>
  return %r : tensor<?xi32>
}
)";
    CHECK(output_shape(read(most, {{"x", {5, 3}}})) == Shape{5});
}

TEST_CASE("regions have the sizes of the values that they get and give") {
    // Two inputs of different sizes; the regions capture %y, the larger one.
    const std::string text =
        R"(func.func @main(%c: tensor<i1>, %x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "tosa.cond_if"(%c, %x) ({
  ^bb0(%a: tensor<?xf32>):
    %1 = tosa.concat %a, %y {axis = 0 : i32} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tosa.yield %1 : tensor<?xf32>
  }, {
  ^bb0(%a: tensor<?xf32>):
    %1 = tosa.concat %y, %a {axis = 0 : i32} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    tosa.yield %1 : tensor<?xf32>
  }) : (tensor<i1>, tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
)";
    CHECK(output_shape(read(text, {{"x", {2}}, {"y", {5}}})) == Shape{7});
    const std::string loop =
        R"(func.func @main(%x: tensor<?xi32>, %y: tensor<?xi32>) -> tensor<?xi32> {
  %one = "tosa.const"() <{values = dense<1> : tensor<1xi32>}> : () -> tensor<1xi32>
  %c = "tosa.const"() <{values = dense<false> : tensor<i1>}> : () -> tensor<i1>
  %0:2 = tosa.while_loop (%a = %y, %b = %x) : (tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>) {
    tosa.yield %c : tensor<i1>
  } do {
    %1 = tosa.add %a, %one : (tensor<?xi32>, tensor<1xi32>) -> tensor<?xi32>
    tosa.yield %1, %b : tensor<?xi32>, tensor<?xi32>
  }
  return %0#0 : tensor<?xi32>
}
)";
    CHECK(output_shape(read(loop, {{"x", {2}}, {"y", {5}}})) == Shape{5});
}

TEST_CASE("sizes that are not what operands give, or do not follow, are refused where they stand") {
    const auto pool = [](const std::string& kernel, const std::string& result) {
        return "func.func @main(%x: tensor<1x?x?x3xf32>) -> " + result +
               " {\n  %0 = tosa.max_pool2d %x {kernel = array<i64: " + kernel +
               ">, stride = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>} : "
               "(tensor<1x?x?x3xf32>) -> " +
               result + "\n  return %0 : " + result + "\n}\n";
    };
    CHECK_THROWS_WITH(read(pool("2, 2", "tensor<1x?x5x3xf32>"), {{"x", {1, 8, 8, 3}}}),
                      Contains("net.mlir:2:139") && Contains("[1,4,4,3], and not [1,?,5,3]"));
    CHECK_THROWS_WITH(read(pool("9, 9", "tensor<1x?x?x3xf32>"), {{"x", {1, 8, 8, 3}}}),
                      Contains("[1,0,0,3]: dimensions are at least 1"));
    // The operator does not allow a remainder: 8 - 3 is odd.
    CHECK_THROWS_AS(read(pool("3, 2", "tensor<1x?x?x3xf32>"), {{"x", {1, 8, 8, 3}}}), ProgramFault);
    const std::string custom = R"(func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = tosa.custom %x {operator_name = "a", domain_name = "b", implementation_attrs = ""} : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
)";
    CHECK_THROWS_WITH(read(custom, {{"x", {5}}}),
                      Contains("net.mlir:2:") &&
                          Contains("operands and attributes do not determine") &&
                          Contains("mlir-opt --tosa-infer-shapes"));
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
    // [3,4] + [1,4] = [3,4], summed [3,1], tiled [6,1], transposed [1,6], reshaped [2,3].
    CHECK(output_shape(read(text, {{"x", {3, 4}}})) == Shape{2, 3});
    CHECK_THROWS_WITH(read(text, {}), Contains("no rank") && Contains("--input x=SHAPE"));
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
    // -1 is an error where the rest does not divide, or where another -1 or 0 exists.
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

TEST_CASE("variables give their values the shape of their declaration") {
    const auto text = [](const std::string& declared) {
        return "module {\n  tosa.variable @v = dense<0> : tensor<4xi32>\n  func.func @main() -> " +
               declared + " {\n    %0 = tosa.variable_read @v : " + declared +
               "\n    return %0 : " + declared + "\n  }\n}\n";
    };
    CHECK(output_shape(read(text("tensor<?xi32>"), {})) == Shape{4});
    CHECK_THROWS_WITH(read(text("tensor<?x?xi32>"), {}), Contains("of a variable"));
}

TEST_CASE("an open size that does not follow is to be written") {
    const std::string text = R"(func.func @main(%x: tensor<2x4xf32>) -> tensor<2x?xf32> {
  %0 = tosa.custom %x {operator_name = "a", domain_name = "b", implementation_attrs = ""} : (tensor<2x4xf32>) -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}
)";
    CHECK_THROWS_WITH(read(text, {}),
                      Contains("write this shape in the text") && !Contains("--input"));
}

}  // namespace
}  // namespace okksim::sim::graph
