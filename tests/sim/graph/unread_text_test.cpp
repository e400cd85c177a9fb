// SPDX-License-Identifier: Apache-2.0
// Texts with unsupported operations and other errors: all are reported, and the following text is
// read.
#include "tests/sim/graph/mlir_text.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

/// A function of %a : tensor<4xf32> with these lines from line 2 on.
std::string function(const std::string& body) {
    return "func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n" + body +
           "\n  return %a : tensor<4xf32>\n}\n";
}

struct Told {
    std::vector<std::string> unread;    ///< "what place"
    std::vector<std::string> problems;  ///< "line message"
    std::vector<std::string> damages;
};

Told told(const std::string& text) {
    Told result;
    try {
        read_text(text);
    } catch (const GraphTextError& error) {
        for (const UnreadItem& item : error.unread()) {
            result.unread.push_back(item.what + " " + item.place);
        }
        for (const TextProblem& problem : error.problems()) {
            result.problems.push_back(std::to_string(problem.line) + " " + problem.message);
        }
        result.damages = error.damages();
    }
    return result;
}

using List = std::vector<std::string>;

TEST_CASE("operations of other dialects are passed over with their regions and named") {
    const Told result = told(function(R"(  %c = arith.constant 5 : index
  %x = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf32>)
      outs(%a : tensor<4xf32>) {
  ^bb0(%q: f32, %o: f32):
    %s = arith.addf %q, %o : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %y:2 = "foo.bar"(%x) ({
  ^bb0(%v: f32):
    "foo.end"(%v) : (f32) -> ()
  }, {
  }) {loops = [{a = 1}, "}"]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %z = tosa.abs %y#1 {sign = true} : (tensor<4xf32>) -> tensor<4xf32>
  scf.for %i = %c to %c step %c {
    "foo.body"() : () -> ()
  }
  %w = tosa.abbs %z : (tensor<4xf32>) -> tensor<4xf32>
  %v = tosa.floor %a : (tensor<4xf32>) -> tensor<4xf32>)"));
    CHECK(result.unread == List{"arith.constant net.mlir:2:8", "linalg.generic net.mlir:3:8",
                                "foo.bar net.mlir:10:10",
                                "attribute sign of tosa.abs net.mlir:15:23",
                                "scf.for net.mlir:16:3", "tosa.abbs net.mlir:19:8"});
    CHECK(result.problems.size() == 6);
    CHECK(result.damages.empty());
}

TEST_CASE("items of a module that are not read are passed over with their regions") {
    const Told result = told(
        "module {\n  util.global private @w = dense<1.0> : tensor<4xf32>\n"
        "  \"foo.table\"() ({\n    func.func @inner() {\n      \"tosa.no\"() : () -> ()\n    }\n"
        "  }) : () -> ()\n" +
        function("  %r = tosa.no %a : (tensor<4xf32>) -> tensor<4xf32>") + "}\n");
    CHECK(result.unread ==
          List{"util.global net.mlir:2:3", "foo.table net.mlir:3:3", "tosa.no net.mlir:9:8"});
    CHECK(result.damages.empty());
}

TEST_CASE("what is not read is listed beside any number of errors") {
    std::string body;
    for (int i = 0; i < 30; ++i) {
        const std::string n = std::to_string(i);
        body += "  %e" + n + " = tosa.abs %none" + n + " : (tensor<4xf32>) -> tensor<4xf32>\n" +
                "  %u" + n + " = tosa.none" + n + " %a : (tensor<4xf32>) -> tensor<4xf32>\n";
    }
    const Told result = told(function(body));
    REQUIRE(result.unread.size() == 30);
    CHECK(result.unread[29] == "tosa.none29 net.mlir:61:10");
    CHECK(result.problems.size() == 10);
    REQUIRE(result.damages.size() == 10);
    CHECK_THAT(result.damages[9], Contains("net.mlir:20:18: error") && Contains("%none9"));
    CHECK_THROWS_WITH(read_text(function(body)), Contains("60 errors") && Contains("first 10"));
}

TEST_CASE("the body of a function is read whatever its head is") {
    const Told result = told(
        "func.func @main(%a: !other.tensor<4>) -> tensor<4xf32> attributes {x = {}} {\n"
        "  %0 = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  %1 = tosa.no %0 : (tensor<4xf32>) -> tensor<4xf32>\n"
        "  return %1 : tensor<4xf32>\n}\n");
    CHECK(result.unread == List{"tosa.no net.mlir:3:8"});
    CHECK(result.damages.size() == 1);
}

TEST_CASE("words that nearly are operations and attributes are told") {
    CHECK_THROWS_WITH(
        read_text(function("  %r = tosa.avgpool2d %a : (tensor<4xf32>) -> tensor<4xf32>")),
        Contains("did you mean \"tosa.avg_pool2d\"?"));
    CHECK_THROWS_WITH(
        read_text(function("  %r = tosa.clamp %a {min_va = 0.0 : f32, max_val = 1.0 : f32} : "
                           "(tensor<4xf32>) -> tensor<4xf32>")),
        Contains("did you mean \"min_val\"?"));
    CHECK_THROWS_WITH(read_text(function("  %r = tosa.reduce_sum %a {axes = 0 : i32} : "
                                         "(tensor<4xf32>) -> tensor<1xf32>")),
                      Contains("did you mean \"axis\"?"));
}

TEST_CASE("one type for operands and result, and types without parentheses, have a warning") {
    for (const char* line :
         {"%r = tosa.abs %a : tensor<4xf32>", "%r = \"tosa.abs\"(%a) : tensor<4xf32>",
          "%r = \"tosa.abs\"(%a) : tensor<4xf32> -> tensor<4xf32>",
          "%r = tosa.add %a, %a : tensor<4xf32>",
          "%r = \"tosa.add\"(%a, %a) : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>"}) {
        const Graph graph = read_text(function(std::string("  ") + line));
        CHECK(graph.warnings.size() == 1);
        CHECK(graph.main().operators.size() == 1);
    }
    // Any other operation may give another type.
    const Told result = told(function("  %r = tosa.cast %a : tensor<4xf32>"));
    REQUIRE(result.problems.size() == 1);
    CHECK_THAT(result.problems[0], Contains("expected '->'"));
}

TEST_CASE("a statement with a mistake has one problem, whatever lines it has") {
    const Told result = told(function(R"(  %r = tosa.abs %a
      : (tensor<4xf32>)
      => tensor<4xf32>
      loc("a":1:2)
  %s = tosa.floor %r : (tensor<4xf32>) tensor<4xf32>
  %t = tosa.ceil %s : (tensor<4xf32>) -> tensor<4xf32>
  %u = tosa.add %t, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>)"));
    REQUIRE(result.problems.size() == 3);
    CHECK_THAT(result.problems[0], Contains("4 expected '->'"));
    CHECK_THAT(result.problems[1], Contains("6 expected '->'"));
    CHECK_THAT(result.problems[2], Contains("8 the value %u is not defined"));
}

TEST_CASE("brackets that never close end soon") {
    std::string body;
    for (int i = 0; i < 2000; ++i) body += "  foo.open {[(\n  \"foo.x\"(\n";
    CHECK_THROWS_AS(read_text(function(body)), GraphTextError);
}

TEST_CASE("after a mistake in an alias reading goes on behind who uses it") {
    // Aliases are defined before and after their uses. Each alias error is reported once, at its
    // position; so is the error of line 5.
    const Told result =
        told("#first = ]\n" +
             function(R"(  %b = tosa.abs %a {x = #first} : (tensor<4xf32>) -> tensor<4xf32>
  %c = tosa.abs %a {x = #last} : (tensor<4xf32>) -> tensor<4xf32>
  %d = tosa.abs %nowhere : (tensor<4xf32>) -> tensor<4xf32>)") +
             "#last = ]\n");
    REQUIRE(result.problems.size() == 3);
    CHECK(result.problems[0].starts_with("1 "));
    CHECK(result.problems[1].starts_with("8 "));
    CHECK(result.problems[2].starts_with("5 "));
}

TEST_CASE("what is wrong in other functions does not keep the named one from running") {
    const std::string text =
        R"(ml_program.global private @g(dense<4> : tensor<4xi32>) : tensor<4xi32>
func.func @broken(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = foo.bar %a : (tensor<4xf32>) -> tensor<4xf32>
  %1 = tosa.abs %nowhere : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @open(%a: tensor<?xf32>, %b: memref<4xf32>) -> tensor<?xf32> {
  return %a : tensor<?xf32>
}
func.func @cut(%a: tensor<4xf32> {
func.func @good(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tosa.abs %a : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
)";
    ReadOptions options;
    options.function = "good";
    options.given_inputs = {"a"};
    // The shape is not that of @open's %a, which has the same name.
    options.input_shape = [](const std::string&) { return Shape{4, 4}; };
    const Graph graph = read_text(text, options);
    CHECK(graph.main().operators.size() == 1);
    // Each is reported as a warning; without --function all are errors.
    std::string warnings;
    for (const std::string& warning : graph.warnings) warnings += warning + "\n";
    CHECK_THAT(warnings,
               Contains("net.mlir:1:1: warning: next to the function: 'ml_program.global'"));
    CHECK_THAT(warnings,
               Contains("net.mlir:3:8: warning: in @broken, which does not run: 'foo.bar'"));
    CHECK_THAT(warnings, Contains("net.mlir:4:17: warning: in @broken") && Contains("%nowhere"));
    CHECK_THAT(warnings, Contains("net.mlir:7:36: warning: in @open") && Contains("memref<4xf32>"));
    const Told all = told(text);
    CHECK(all.unread == List{"ml_program.global net.mlir:1:1", "foo.bar net.mlir:3:8"});
    CHECK(all.damages.size() >= 3);
    options.function = "broken";
    CHECK_THROWS_WITH(read_text(text, options), Contains("2 errors"));
}

TEST_CASE("a hundred thousand unknown operations take no longer than known ones") {
    std::string body, known;
    for (int i = 0; i < 100000; ++i) {
        const std::string behind = std::to_string(i) + " %a : (tensor<4xf32>) -> tensor<4xf32>\n";
        body += "  tosa.unknown_operation_" + behind;
    }
    const Told result = told(function(body));
    CHECK(result.unread.size() == 100000);
    CHECK(result.problems.size() == 10);
}

/// Unused content: an attribute whose name has a dot, and a location.
TEST_CASE("attributes and types that nobody reads are passed over") {
    for (const char* value : {"affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 <= 4, d0 == 0)>",
                              "affine_map<(d0, d1) -> (d0 + d1, d0 floordiv 2)>",
                              "sparse<[[0, 0], [1, 2]], [1, 5]> : tensor<3x4xi32>",
                              "sparse<> : tensor<3x4xi64>",
                              "distinct[0]<42 : i32>",
                              "distinct[1]<>",
                              "@a::@b",
                              "@a::@\"b c\"::@d",
                              "#llvm.foo<\"x>\", !llvm.ptr>",
                              "#llvm<\"x\">",
                              "!llvm.ptr",
                              "!llvm.struct<(i32, f32)>",
                              "!quant.uniform<i8:f32, 0.5>",
                              "memref<4x?xf32, affine_map<(d0) -> (d0)>, 1>",
                              "tuple<i32, tuple<>>",
                              "vector<[4]xf32>",
                              "complex<f32>",
                              "(i32, !llvm.ptr) -> memref<4xf32>",
                              "strided<[1, ?], offset: ?>",
                              "opaque<\"x\", \"0x12\"> : tensor<2xf64>",
                              "dense<1> : vector<4xi32>",
                              "dense<[1, 2]> : tensor<2xi64>",
                              "dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>",
                              "dense_resource<nowhere> : tensor<4xf64>",
                              "tensor<?x4x!quant.any<i8>, #x.y<a>>",
                              "5 : i7",
                              "1.0 : f80",
                              "array<f32: 1.0, 2.0>",
                              "[1, @y, affine_map<() -> ()>]",
                              "{a = 1 : i64, b.c = {d}}",
                              "#note",
                              "loc(\"x\")"}) {
        CAPTURE(value);
        const std::string text = "#note = dense<1> : tensor<2xi64>\n!handle = !llvm.ptr\n" +
                                 function(std::string("  %r = tosa.abs %a {x.y = ") + value +
                                          "} : (tensor<4xf32>) -> tensor<4xf32> loc(fused<" +
                                          value + ">[\"q\", #u.v<" + value + ">])") +
                                 "#back = loc(fused<#note>[unknown])\n";
        const Graph graph = read_text(text);
        CHECK(graph.warnings.empty());
        CHECK(graph.main().operators[0].location == "q");
    }
}

TEST_CASE("arguments of types that are not computed say so, with what to do") {
    const auto problem = [](const std::string& type) {
        return first_problem("func.func @main(%b: " + type + ") {\n  return\n}\n");
    };
    CHECK_THAT(problem("memref<4xf32>"),
               Contains("1:17 ") && Contains("memref<4xf32>") && Contains("before bufferization"));
    CHECK_THAT(problem("tuple<i32, tensor<4xf32>>"),
               Contains("make each value a separate argument"));
    CHECK_THAT(problem("vector<4xf32>"), Contains("before vectorization"));
    CHECK_THAT(problem("!quant.uniform<i8:f32, 0.5>"),
               Contains("!quant.uniform<i8:f32, 0.5>") && Contains("lower the model to tosa"));
    CHECK_THAT(problem("f32"), Contains("scalars belong inside kernels"));
    CHECK_THAT(problem("tensor<4xcomplex<f32>>"), Contains("tensors of complex"));
}

}  // namespace
}  // namespace okksim::sim::graph
