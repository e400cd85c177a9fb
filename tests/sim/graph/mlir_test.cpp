// SPDX-License-Identifier: Apache-2.0
// Text of the MLIR dialect tosa: reading, writing, diagnostics.
#include "isa/base/fault.h"
#include "sim/graph/builder.h"
#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_names.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "sim/graph/tosa_v1/tosa_v1_writer.h"
#include "tests/sim/graph/mlir_text.h"
#include "tests/sim/graph/sample_graphs.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

/// A function of one argument %a : tensor<2x3xf32> with these lines inside.
std::string function(const std::string& body) {
    return "func.func @main(%a: tensor<2x3xf32>) -> tensor<2x3xf32> {\n" + body +
           "\n  return %r : tensor<2x3xf32>\n}\n";
}

std::vector<std::int64_t> constant_integers(const std::string& attribute, const std::string& type) {
    const Graph graph = read_text("func.func @f() -> " + type +
                                  " {\n %c = \"tosa.const\"() {values = " + attribute +
                                  "} : () -> " + type + "\n return %c : " + type + "\n}");
    return integer_values(graph.main().tensors[0]);
}

TEST_CASE("generic and pretty form are the same operator, with their place") {
    for (const char* text :
         {"%r = tosa.abs %a : (tensor<2x3xf32>) -> tensor<2x3xf32>",
          "%r = \"tosa.abs\"(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>) loc(\"layer\")"}) {
        const Graph graph = read_text(function(std::string("  ") + text));
        REQUIRE(graph.main().operators.size() == 1);
        const Operator& op = graph.main().operators[0];
        CHECK(op.op == OpCode::kAbs);
        CHECK(graph.main().origin(op).starts_with("net.mlir:2:8"));  // of the name
        CHECK(graph.format == "MLIR text of the dialect tosa");
        CHECK(graph.main().name == "main");
    }
}

TEST_CASE("attributes are read in both spellings") {
    const std::string type = " : (tensor<1x4x4x2xf32>) -> tensor<1x2x2x2xf32>";
    for (const std::string op :
         {"tosa.max_pool2d %a {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, pad = "
          "array<i64: 0, 0, 0, 0>, nan_mode = IGNORE}",
          "\"tosa.max_pool2d\"(%a) <{kernel = #k, stride = array<i64: 2, 2>, pad = array<i64: 0, "
          "0, 0, 0>, nan_mode = #tosa.nan_mode<IGNORE>}>"}) {
        const Graph graph = read_text(
            "#k = array<i64: 2, 2>\nfunc.func @f(%a: tensor<1x4x4x2xf32>) -> "
            "tensor<1x2x2x2xf32> {\n %0 = " +
            op + type + "\n return %0 : tensor<1x2x2x2xf32>\n}");
        const auto& a = graph.main().operators[0].attributes_as<MaxPool2dAttributes>();
        CHECK(a.kernel == std::array<std::int32_t, 2>{2, 2});
        CHECK(a.nan_mode == NanPropagationMode::kIgnore);
    }
}

TEST_CASE("dense constants: lists, splats, hexadecimal strings, resources") {
    CHECK(constant_integers("dense<[1, -2, 0x7F]> : tensor<3xi8>", "tensor<3xi8>") ==
          std::vector<std::int64_t>{1, -2, 127});
    CHECK(constant_integers("dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>", "tensor<2x2xi32>") ==
          std::vector<std::int64_t>{1, 2, 3, 4});
    CHECK(constant_integers("dense<-7> : tensor<3xi4>", "tensor<3xi4>") ==
          std::vector<std::int64_t>{-7, -7, -7});
    // Little-endian: 0x0100 and 0xFFFF.
    CHECK(constant_integers("dense<\"0x0001FFFF\"> : tensor<2xi16>", "tensor<2xi16>") ==
          std::vector<std::int64_t>{256, -1});
    CHECK(constant_integers("dense<[true, false]> : tensor<2xi1>", "tensor<2xi1>") ==
          std::vector<std::int64_t>{1, 0});
    CHECK(constant_integers("dense<[65535, -32768,\n 0x10]> : tensor<3xi16>", "tensor<3xi16>") ==
          std::vector<std::int64_t>{-1, -32768, 16});
    CHECK(constant_integers("dense<\"0xFFFFFFFFFFFF\"> : tensor<1xi48>", "tensor<1xi48>") ==
          std::vector<std::int64_t>{-1});
    const Graph graph = read_text(
        "func.func @f() -> tensor<2xf32> {\n %c = \"tosa.const\"() {values = dense_resource<w> : "
        "tensor<2xf32>} : () -> tensor<2xf32>\n return %c : tensor<2xf32>\n}\n{-#\n "
        "dialect_resources: { builtin: { w: \"0x040000000000803F00000040\" } }\n#-}\n");
    // 0x3F800000 and 0x40000000: 1 and 2.
    CHECK(float_bits_element(graph.main().tensors[0].data, DType::kFp32, 0) == 0x3F800000);
    CHECK(float_bits_element(graph.main().tensors[0].data, DType::kFp32, 1) == 0x40000000);
}

TEST_CASE("wrong lists are refused at their place") {
    const auto problem = [](const std::string& elements) {
        return first_problem("func.func @f() {\n %c = \"tosa.const\"() {values = dense<" +
                             elements + "> : tensor<2x2xi8>} : () -> tensor<2x2xi8>\n return\n}");
    };
    // The elements begin in column 38.
    CHECK(problem("[[1, 2], [3, 4]]") == "none");
    CHECK(problem("[[1 2], [3, 4]]") == "2:42 expected ',' or ']' after an element");
    CHECK(problem("[[1, 2] [3, 4]]") == "2:46 expected ',' or ']' after an element");
    CHECK(problem("[[1, 2,], [3, 4]]") == "2:45 expected an element, found ']'");
    CHECK(problem("[[1,, 2], [3, 4]]") == "2:42 expected an element, found ','");
    CHECK(problem("1, 2").starts_with("2:39 expected an element"));
    CHECK(problem("[[1, 300], [3, 4]]").starts_with("2:43 the value does not fit"));
    CHECK(problem("[[1, 2], [3]]").find("shape of the type") != std::string::npos);
    CHECK(problem("[[1.5, 2], [3, 4]]").starts_with("2:40 expected an integer"));
}

TEST_CASE("the specification's own spellings are taken with a warning") {
    const Graph graph = read_text(
        function("%x = tosa.abs(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                 "%r = tosa.add %x, %a : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>"));
    CHECK(graph.main().operators.size() == 2);
    REQUIRE(graph.warnings.size() == 2);
    CHECK(graph.warnings[0].find("net.mlir:2:14: warning") == 0);
}

TEST_CASE("regions take values from around them") {
    const Graph graph = read_text(
        "func.func @f(%c: tensor<i1>, %a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %k = \"tosa.const\"() {values = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>\n"
        "  %0 = tosa.cond_if %c : tensor<i1> -> tensor<2xf32> {\n"
        "    %1 = tosa.add %a, %k : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>\n"
        "    tosa.yield %1 : tensor<2xf32>\n  } else {\n"
        "    tosa.yield %a : tensor<2xf32>\n  }\n  return %0 : tensor<2xf32>\n}\n");
    const auto& a = graph.main().operators.back().attributes_as<CondIfAttributes>();
    CHECK(a.then_graph.captures.size() == 1);  // %a; %k is a constant there as well
    CHECK(a.else_graph.captures.size() == 1);
    // A round trip; the file has the constant once.
    const auto bytes = write_graph(graph);
    const Graph back = read_graph(std::as_bytes(std::span(bytes)), nullptr, "net.tosa");
    CHECK(write_mlir(back) == write_mlir(graph));
}

TEST_CASE("variables of the module keep their state's name and value") {
    const Graph graph = read_text(
        "module {\n tosa.variable @state = dense<[1.0, 2.0]> : tensor<2xf32>\n"
        " func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n"
        "  %state = tosa.variable_read @state : tensor<2xf32>\n"
        "  tosa.variable_write @state, %a : tensor<2xf32>\n  return %state : tensor<2xf32>\n }\n}");
    REQUIRE(graph.variables.size() == 1);
    CHECK(graph.variables[0].name == "state");
    CHECK(float_bits_element(graph.variables[0].initial_value, DType::kFp32, 1) == 0x40000000);
    CHECK(graph.main().operators[0].op == OpCode::kVariableRead);
}

TEST_CASE("variables of the dialect have types that 1.0 does not give them") {
    Graph graph = read_text(
        "\"builtin.module\"() ({\n"
        " \"tosa.variable\"() <{initial_value = dense<7> : tensor<2xi32>, sym_name = \"v\", type = "
        "i32, var_shape = dense<2> : tensor<1xindex>}> : () -> ()\n"
        " \"func.func\"() <{function_type = (tensor<2xi32>) -> tensor<2xi32>, sym_name = \"f\"}> "
        "({\n"
        " ^bb0(%a: tensor<2xi32>):\n"
        "  %0 = \"tosa.variable_read\"() <{name = \"v\"}> : () -> tensor<2xi32>\n"
        "  \"tosa.variable_write\"(%a) <{name = \"v\"}> : (tensor<2xi32>) -> ()\n"
        "  \"func.return\"(%0) : (tensor<2xi32>) -> ()\n }) : () -> ()\n}) : () -> ()\n");
    CHECK((required_features(graph) & feature_bit(Feature::kMlirDialect)) != 0);
    graph.beyond_v1 = 0;
    CHECK_THROWS_WITH(validate_graph(graph), Contains("VARIABLE_READ"));
}

TEST_CASE("one of several functions is chosen by name") {
    const std::string two =
        "func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {\n return %a : tensor<1xf32>\n}\n"
        "func.func @g(%b: tensor<2xf32>) -> tensor<2xf32> {\n return %b : tensor<2xf32>\n}\n";
    const Graph first = read_text(two);  // the first one, with a note
    CHECK(first.main().tensors[0].shape == Shape{1});
    REQUIRE(first.warnings.size() == 1);
    CHECK_THAT(first.warnings[0],
               Contains("f, g") && Contains("@f runs") && Contains("--function"));
    const std::string with_main =
        two +
        "func.func @main(%c: tensor<3xf32>) -> tensor<3xf32> {\n return %c : tensor<3xf32>\n}\n";
    CHECK(read_text(with_main).main().tensors[0].shape == Shape{3});
    CHECK(read_text(with_main).warnings.empty());
    ReadOptions options;
    options.function = "g";
    CHECK(read_text(two, options).main().tensors[0].shape == Shape{2});
    options.function = "h";
    CHECK_THROWS_WITH(read_text(two, options), Contains("no such function") && Contains("f, g"));
}

TEST_CASE("the attributes of a generic function may follow its region") {
    const std::string body =
        "({\n ^bb0(%a: tensor<2xf32>):\n"
        "  %0 = \"tosa.abs\"(%a) : (tensor<2xf32>) -> tensor<2xf32>\n"
        "  \"func.return\"(%0) : (tensor<2xf32>) -> ()\n })";
    const std::string attributes =
        "{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = \"f\"}";
    const std::string text = "\"func.func\"() " + body + " " + attributes + " : () -> ()\n";
    const Graph graph = read_text(text);
    CHECK(graph.main().operators.size() == 1);
    ReadOptions options;
    options.function = "f";
    CHECK(read_text(text, options).main().outputs.size() == 1);
    CHECK_THROWS_WITH(read_text("\"func.func\"() " + body + " : () -> ()\n"), Contains("sym_name"));
}

TEST_CASE("resources that no constant reads are checked") {
    const auto with = [](const std::string& resources) {
        return "func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {\n return %a : "
               "tensor<1xf32>\n}\n" +
               resources;
    };
    const auto blob = [&](const std::string& digits) {
        return with("{-#\n  dialect_resources: {\n    builtin: {\n      w: \"" + digits +
                    "\"\n    }\n  }\n#-}\n");
    };
    CHECK(read_text(blob("0x0400000000000000")).main().outputs.size() == 1);
    CHECK_THROWS_WITH(read_text(blob("0x04000000000000zz")),
                      Contains("pairs of hexadecimal digits") && Contains(":7:"));
    CHECK_THROWS_WITH(read_text(blob("0x040000000")), Contains("pairs of hexadecimal digits"));
    CHECK_THROWS_WITH(read_text(blob("0x03000000")), Contains("power of two"));
    // The external resources are not blobs.
    CHECK(read_text(with("{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: "
                         "\"builtin.module(cse)\"\n    }\n  }\n#-}\n"))
              .main()
              .outputs.size() == 1);
}

TEST_CASE("problems have line and column") {
    CHECK(first_problem("func.func @f(%a tensor<2xf32>) {\n return\n}")
              .starts_with("1:17 expected ':'"));
    CHECK(first_problem(function("  %r = tosa.abs %b : (tensor<2x3xf32>) -> tensor<2x3xf32>"))
              .starts_with("2:17 the value %b is not defined"));
    CHECK(first_problem(function("  %r = tosa.abs %a : (tensor<2x4xf32>) -> tensor<2x3xf32>"))
              .starts_with("2:17 the operand is f32 [2,3]"));
    CHECK(first_problem(function("  %r = foo.abs %a : (tensor<2x3xf32>) -> tensor<2x3xf32>"))
              .starts_with("2:8 'foo.abs' is not of the dialect tosa"));
    CHECK(first_problem("func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {\n return %a : "
                        "tensor<2xf32>\n")
              .starts_with("3:1 expected '}'"));
    CHECK(first_problem("func.func @f(%a: tensor<?x2xf32>) {\n return\n}")
              .starts_with("1:18 a dimension is open"));
    CHECK(first_problem("func.func @f(%a: tensor<*xf32>) {\n return\n}").find("no rank") !=
          std::string::npos);
    CHECK(
        first_problem("func.func @f(%a: i32, %s: i8) -> i32 {\n %0 = tosa.apply_scale %a, %a, %s "
                      "{rounding_mode = SINGLE_ROUND} : (i32, i32, i8) -> i32\n return %0 : i32\n}")
            .find("no tensor") != std::string::npos);
}

TEST_CASE("characters that no token has are named") {
    const std::string abs = " : (tensor<2x3xf32>) -> tensor<2x3xf32>";
    CHECK(first_problem(function("  %\xC3\xA9 = tosa.abs %a" + abs)) ==
          "2:3 expected a name after '%': letters, digits and $ . _ -");
    CHECK(first_problem(function("  %r\xC3\xA9 = tosa.abs %a" + abs)) ==
          "2:5 the character '\xC3\xA9' may stand in strings and comments only");
    CHECK(first_problem(function("  %r = tosa.abs %a \x01" + abs)) ==
          "2:20 the byte 0x01 may stand in strings and comments only");
    CHECK(first_problem("\xEF\xBB\xBF" + function("  %r = tosa.abs %a // \xC3\xA9\n" + abs)) ==
          "none");
}

TEST_CASE("white space is any") {
    CHECK(first_problem("\t// comment\r\nfunc.func\t@main ( %a :tensor< 2 x 3 x f32 > )->\n"
                        "tensor<2x3xf32>{return %a:tensor<2x3xf32>}") == "none");
}

TEST_CASE("a text without a function says what a graph is") {
    for (const char* text : {"// comments alone\n", " \n", "module {\n}\n"}) {
        CHECK_THROWS_WITH(read_text(text), Contains("no function") && Contains("func.func @main"));
    }
    CHECK(first_problem("ml_program.global private mutable @g(dense<0> : tensor<i32>)\n")
              .starts_with("1:1 'ml_program.global' is not read here"));
}

TEST_CASE("what texts before TOSA 1.0 have says so") {
    const std::string advice =
        "; this form is older than TOSA 1.0: write the text again with a tool of "
        "LLVM 21 or later";
    const std::string type = " : (tensor<2x3xf32>) -> tensor<2x3xf32>";
    CHECK(first_problem(function("%r = tosa.clamp %a {max_fp = 6.0 : f32, min_val = 0.0 : f32, "
                                 "max_val = 6.0 : f32}" +
                                 type)) == "2:21 'tosa.clamp' has no attribute 'max_fp'" + advice);
    CHECK(first_problem(function("%r = tosa.reshape %a {new_shape = array<i64: 2, 3>}" + type)) ==
          "2:6 'tosa.reshape' has 2 operands, and not 1" + advice);
    CHECK(first_problem(function("%r = tosa.fully_connected %a" + type)) ==
          "2:6 the dialect tosa has no operation 'tosa.fully_connected'" + advice);
    CHECK(first_problem(function("%r = func.call @f(%a)" + type)) ==
          "2:6 'func.call' calls a function: inline it first, mlir-opt --inline");
}

TEST_CASE("constants beyond every tensor's size are refused by it") {
    const std::string type = "tensor<40000000000xf32>";
    CHECK(first_problem("func.func @f() -> " + type +
                        " {\n %c = \"tosa.const\"() {values = "
                        "dense<1.0> : " +
                        type + "} : () -> " + type + "\n return %c : " + type + "\n}") ==
          "2:32 a constant of [40000000000] f32 is larger than a tensor may be: 2 GiB");
}

TEST_CASE("one mistake is one problem") {
    const auto problems = [](const std::string& text) -> std::size_t {
        try {
            read_text(text);
        } catch (const GraphTextError& error) {
            return error.problems().size();
        }
        return 0;
    };
    const std::string abs = " : (tensor<2x3xf32>) -> tensor<2x3xf32>";
    CHECK(problems(function("%r = tosa.abs %a ;" + abs)) == 1);
    CHECK(problems(function("%r = tosa.abs %a : (tensor<2x3xf33>) -> tensor<2x3xf32>")) == 1);
    CHECK(problems(function("%r = tosa.abs %a : (tensor<2x3xf32>) -> tensor<2x3xf16>")) == 1);
    CHECK(problems(function("%r = tosa.abs %b" + abs)) == 1);
    CHECK(problems("func.func @f %a: tensor<2xf32> {\n return\n}\n" +
                   function("%r = tosa.abs %b" + abs)) == 2);
    CHECK(first_problem(function("  %r = tosa.abs %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> "
                                 "tensor<2x3xf32>")) == "2:8 'tosa.abs' has 1 operand, and not 2");
    CHECK(first_problem(function("  %r = tosa.reduce_sum %a {axis = 0 : i32, axis = 0 : i32}" +
                                 abs)) == "2:44 the attribute 'axis' is given twice");
    const auto loop = [](const std::string& argument, const std::string& result) {
        return first_problem(
            "func.func @f(%a: tensor<i32>) -> tensor<i32> {\n"
            "  %0 = \"tosa.while_loop\"(%a) ({\n  ^bb0(%p: tensor<i32>):\n"
            "    %1 = tosa.greater %p, %a : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
            "    tosa.yield %1 : tensor<i1>\n  }, {\n  ^bb0(%p: " +
            argument + "):\n    tosa.yield " + result +
            "\n  }) : (tensor<i32>) -> tensor<i32>\n  return %0 : tensor<i32>\n}\n");
    };
    CHECK(loop("tensor<i32>", "%p : tensor<i32>") == "none");
    CHECK(loop("tensor<i8>", "%p : tensor<i8>").starts_with("2:8 the arguments of a region"));
    CHECK(loop("tensor<i32>", "%p, %p : tensor<i32>, tensor<i32>")
              .starts_with("2:8 the results of a region"));
}

TEST_CASE("up to ten problems of a file are told, with the line and a caret") {
    std::string body;
    for (int i = 0; i < 20; ++i) {
        body += "  %" + (i == 0 ? std::string("r") : "x" + std::to_string(i)) +
                " = tosa.nothing %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n";
    }
    try {
        read_text(function(body));
        FAIL("accepted");
    } catch (const GraphTextError& error) {
        CHECK(error.problems().size() == 10);
        CHECK(error.problem() == FileProblem::kUnsupported);
        REQUIRE(error.unread().size() == 1);  // all 20, of one kind
        CHECK(error.unread()[0].what == "tosa.nothing");
        CHECK(error.unread()[0].count == 20);
        CHECK(error.unread()[0].place == "net.mlir:2:8");
        CHECK_THAT(error.what(), Contains("net.mlir:2:8: error") &&
                                     Contains("  %r = tosa.nothing %a") &&
                                     Contains("\n         ^\n"));
    }
}

TEST_CASE("what is not read is listed behind values that could not be made, too") {
    try {
        read_text(
            function("  %0 = tosa.nothing %a : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                     "  %1 = tosa.exp %0 {new = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"
                     "  %r = tosa.nix %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>\n"));
        FAIL("accepted");
    } catch (const GraphTextError& error) {
        REQUIRE(error.unread().size() == 3);
        CHECK(error.unread()[0].what == "tosa.nothing");
        CHECK(error.unread()[1].what == "attribute new of tosa.exp");
        CHECK(error.unread()[1].place == "net.mlir:3:21");
        CHECK(error.unread()[2].what == "tosa.nix");
    }
}

TEST_CASE("an alias may stand for the type of elements") {
    const Graph graph = read_text(
        "!elt = i8\n!row = tensor<3x!elt>\n!turned = !elt\n"
        "func.func @main(%a: tensor<2x!elt>, %b: !row) -> (tensor<2x!turned>, tensor<3xi8>) {\n"
        "  return %a, %b : tensor<2xi8>, !row\n}\n");
    const Block& main = graph.main();
    CHECK(main.tensors[main.outputs[0]].type == DType::kI8);
    CHECK(main.tensors[main.outputs[0]].shape == Shape{2});
    CHECK(main.tensors[main.outputs[1]].shape == Shape{3});
    const auto first = [](const std::string& alias) {
        return first_problem(alias +
                             "\nfunc.func @main(%a: tensor<2x!e>) -> tensor<2xi8> {\n"
                             "  return %a : tensor<2xi8>\n}\n");
    };
    CHECK_THAT(first("!e = !quant.uniform<i8:f32, 0.1>"),
               Contains("2:30 elements of type !e are not read"));
    CHECK_THAT(first("!e = tensor<2xi8>"), Contains("elements of type !e are not read"));
    CHECK_THAT(first(""), Contains("neither an alias"));
}

TEST_CASE("weights that a tool has left out are told as such") {
    for (const char* values : {"dense_resource<__elided__>", "dense<__elided__>"}) {
        CHECK_THAT(first_problem("func.func @main() -> tensor<2xi8> {\n  %c = \"tosa.const\"() "
                                 "<{values = " +
                                 std::string(values) +
                                 " : tensor<2xi8>}> : () -> tensor<2xi8>\n"
                                 "  return %c : tensor<2xi8>\n}\n"),
                   Contains("2:34 the tool that wrote the text omitted the elements") &&
                       Contains("without --mlir-elide-elementsattrs-if-larger"));
    }
}

TEST_CASE("results that do not exist are counted in words") {
    CHECK_THAT(first_problem("func.func @main(%a: tensor<2xi8>) -> tensor<2xi8> {\n"
                             "  return %a#1 : tensor<2xi8>\n}\n"),
               Contains("%a has 1 result; number 1 does not exist"));
}

TEST_CASE("chains of aliases end soon, however often each is used") {
    std::string types, attributes, locations, list;
    for (int i = 0; i < 100000; ++i) {
        types += "!t" + std::to_string(i) + " = !t" + std::to_string(i + 1) + "\n";
    }
    CHECK(first_problem(types + "func.func @f(%a: !t0) {\n return\n}").find("too deeply") !=
          std::string::npos);
    // Each alias doubles: 2^40 if it were read at every use.
    for (int i = 0; i < 40; ++i) {
        const std::string next = std::to_string(i + 1);
        attributes += "#a" + std::to_string(i) + " = [#a" + next + ", #a" + next + "]\n";
    }
    const std::string body = function("  %r = tosa.abs %a : (tensor<2x3xf32>) -> tensor<2x3xf32>");
    CHECK(first_problem("#a40 = 1\n" + attributes + "module attributes {x.y = #a0} {\n" + body +
                        "}") == "none");
    for (int k = 0; k < 100; ++k) list += "#l1, ";
    for (int i = 0; i < 10; ++i) {
        std::string parts = list.substr(0, list.size() - 2);
        for (std::size_t at = 0; (at = parts.find("#l1", at)) != std::string::npos; ++at) {
            parts.replace(at, 3, "#l" + std::to_string(i + 1));
        }
        locations += "#l" + std::to_string(i) + " = loc(fused[" + parts + "])\n";
    }
    CHECK(first_problem(body + "#l10 = loc(\"x\")\n" + locations) == "none");
}

TEST_CASE("deep nesting, endless strings and lone signs end soon") {
    CHECK(first_problem("func.func @f() {\n" + std::string(100000, '{')) != "none");
    CHECK(first_problem("module attributes {a = " + std::string(100000, '[')) != "none");
    CHECK(first_problem("func.func @f(%a: tensor<2xf32> {x = \"") != "none");
    for (const char* sign : {"%", "@", "^", "#", "!", "-", "->", "{-#", "\"", "<", "0x"}) {
        CHECK(first_problem(std::string("func.func @f() {\n ") + sign) != "none");
    }
}

TEST_CASE("names that MLIR does not allow come back") {
    for (const char* name : {"x", "12", "1a", "a/b:0", "$5", "a$2F", "x$.1", "caf\xC3\xA9", "-"}) {
        const std::string text = encode_value_name(name);
        CAPTURE(name, text);
        CHECK(decode_value_name(text) == name);
        CHECK(decode_value_name(encode_value_name(name, 7)) == name);
    }
    CHECK(encode_value_name("a/b") == "a$2Fb");
    CHECK(decode_value_name("a$b$") == "a$b$");
    GraphBuilder b;
    const auto x = b.input(DType::kFp32, {2});
    b.output(b.add(OpCode::kAbs, NoAttributes{}, {x}, DType::kFp32, {2}));
    Graph graph = b.finish();
    graph.regions[0].blocks[0].tensors[0].name = "in/put:0";
    graph.regions[0].blocks[0].tensors[1].name = "1st";
    graph.regions[0].blocks[0].operators[0].location = "layer \"1\"";
    const Graph again = read_text(write_mlir(graph));
    CHECK(again.main().tensors[0].name == "in/put:0");
    CHECK(again.main().tensors[1].name == "1st");
    CHECK(again.main().operators[0].location == "layer \"1\"");
    CHECK(again.main().origin(again.main().operators[0]) == "net.mlir:3:14 \"layer \"1\"\"");
}

TEST_CASE("graphs are the same after their text has been written and read") {
    for (const Graph& graph : tests::sample_graphs()) {
        const std::string text = write_mlir(graph);
        INFO(text.substr(0, 4000));
        const Graph again = read_text(text);
        CHECK(write_mlir(again) == text);
        CHECK(again.main().operators.size() == graph.main().operators.size());
        // A round trip through the other form gives the same text.
        const auto bytes = write_graph(again);
        CHECK(write_mlir(read_graph(std::as_bytes(std::span(bytes)), nullptr, "x")) == text);
    }
}

TEST_CASE("variables may stand behind their users, as anything in a module") {
    const std::string user = R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.variable_read @v : tensor<4xf32>
  tosa.variable_write @w, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";
    const std::string w = "tosa.variable @w : tensor<4xf32>\n";
    const Graph graph = read_text(user + w + "tosa.variable @v = dense<1.0> : tensor<4xf32>\n");
    REQUIRE(graph.variables.size() == 2);
    CHECK(graph.variables[0].name == "v");
    CHECK(graph.variables[0].initial_value.size() == 16);
    CHECK(graph.variables[1].initial_value.empty());
    CHECK(first_problem(user + w) == "2:27 the module has no variable @v");
    CHECK_THAT(first_problem(user + w + "tosa.variable @v = dense<1.0> : tensor<3xf32>\n"),
               Contains("7:1 the variable @v is f32 [3] here") && Contains("net.mlir:2:27"));
}

TEST_CASE("resources without an end are told once, and their alignment is a power of two") {
    const std::string body = R"(func.func @main() -> tensor<1xf32> {
  %0 = "tosa.const"() {values = dense_resource<a> : tensor<1xf32>} : () -> tensor<1xf32>
  %1 = "tosa.const"() {values = dense_resource<b> : tensor<1xf32>} : () -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
{-# dialect_resources: { builtin: { a: "0x)";
    try {
        read_text(body + "0400000000000000\"");
        FAIL("accepted");
    } catch (const GraphTextError& error) {
        CHECK(error.problems().size() == 1);
    }
    for (const char* alignment : {"00000000", "01000000", "00100000"}) {
        const std::string b = std::string(", b: \"0x") + alignment + "00000000\" } } #-}\n";
        CHECK(first_problem(body + alignment + "00000000\"" + b) == "none");
    }
    CHECK_THAT(first_problem(body + "0300000000000000\", b: \"0x0100000000000000\" } } #-}\n"),
               Contains("6:43 ") && Contains("power of two, and not 3"));
}

TEST_CASE("elements of 64 bits come back from text") {
    GraphBuilder b;
    const auto x = b.input(DType::kI32, {3, 2});
    b.output(b.add(OpCode::kIdentity, NoAttributes{}, {x}, DType::kI32, {3, 2}));
    Graph graph = b.finish();
    Block& main = graph.regions[0].blocks[0];
    main.tensors[main.inputs[0]].words = FileWords::kUint64;
    main.tensors[main.outputs[0]].words = FileWords::kFloat64;
    const std::string text = write_mlir(graph);
    CHECK_THAT(text, Contains("tensor<3x2xi32> {okksim.elements = \"uint64\"}"));
    const Graph again = read_text(text);
    CHECK(again.main().tensors[again.main().inputs[0]].words == FileWords::kUint64);
    CHECK(again.main().tensors[again.main().outputs[0]].words == FileWords::kFloat64);
    CHECK(write_mlir(again) == text);
    CHECK_THAT(first_problem("func.func @main(%a: tensor<3xi32> {okksim.elements = \"int64\"}) {\n"
                             "  return\n}\n"),
               Contains("1:36 okksim.elements is"));
}

}  // namespace
}  // namespace okksim::sim::graph
