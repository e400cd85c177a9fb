// SPDX-License-Identifier: Apache-2.0
// Texts of the tosa dialect in the style of every tool that writes them: all are read.
#include <memory>
#include <sstream>

#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

struct Program {
    const char* style;
    std::size_t operators;  ///< of the function
    const char* text;
};

const Program kPrograms[] = {
    {"torch-mlir: a module with the name of the class, blobs behind it, NCHW around NHWC", 8,
     R"(module attributes {torch.debug_module_name = "Net"} {
  func.func @forward(%arg0: tensor<1x3x8x8xf32>) -> tensor<1x4x8x8xf32> {
    %0 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %1 = "tosa.const"() <{values = dense_resource<torch_tensor_4_3_3_3_torch.float32> :
        tensor<4x3x3x3xf32>}> : () -> tensor<4x3x3x3xf32>
    %2 = "tosa.const"() <{values = dense_resource<torch_tensor_4_torch.float32> : tensor<4xf32>}>
        : () -> tensor<4xf32>
    %3 = tosa.transpose %arg0 {perms = array<i32: 0, 2, 3, 1>} : (tensor<1x3x8x8xf32>) ->
        tensor<1x8x8x3xf32>
    %4 = tosa.transpose %1 {perms = array<i32: 0, 2, 3, 1>} : (tensor<4x3x3x3xf32>) ->
        tensor<4x3x3x3xf32>
    %5 = tosa.conv2d %3, %4, %2, %0, %0 {acc_type = f32, dilation = array<i64: 1, 1>, pad =
        array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xf32>,
        tensor<4x3x3x3xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x4xf32>
    %6 = tosa.transpose %5 {perms = array<i32: 0, 3, 1, 2>} : (tensor<1x8x8x4xf32>) ->
        tensor<1x4x8x8xf32>
    %7 = tosa.clamp %6 {max_val = 3.40282347E+38 : f32, min_val = 0.000000e+00 : f32} :
        (tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
    return %7 : tensor<1x4x8x8xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_4_torch.float32: "0x0400000000000000000000000000000000000000",
      torch_tensor_4_3_3_3_torch.float32: "0x04000000BLOB108"
    }
  }
#-}
)"},
    {"torch-mlir: a dense layer as a product of matrices", 7,
     R"(#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @main(%arg0: tensor<1x10xf32>) -> tensor<1x4xf32> {
    %0 = "tosa.const"() <{values = dense<[[[1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0,
        3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0,
        3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 3.0, 4.0]]]> :
        tensor<1x10x4xf32>}> : () -> tensor<1x10x4xf32>
    %1 = tosa.const_shape  {values = dense<[1, 1, 10]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %2 = tosa.reshape %arg0, %1 : (tensor<1x10xf32>, !tosa.shape<3>) -> tensor<1x1x10xf32>
    %3 = "tosa.const"() <{values = dense<0.000000e+00> : tensor<1xf32>}> : () -> tensor<1xf32>
    %4 = tosa.matmul %2, %0, %3, %3 : (tensor<1x1x10xf32>, tensor<1x10x4xf32>, tensor<1xf32>,
        tensor<1xf32>) -> tensor<1x1x4xf32>
    %5 = tosa.const_shape  {values = dense<[1, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
    %6 = tosa.reshape %4, %5 : (tensor<1x1x4xf32>, !tosa.shape<2>) -> tensor<1x4xf32>
    return %6 : tensor<1x4xf32>
  }
}
)"},
    {"TensorFlow: attributes of other dialects, quantised, locations behind", 9,
     R"(module attributes {tf_saved_model.semantics, tfl.description = "MLIR Converted.",
                   tfl.schema_version = 3 : i32,
                   tf.versions = {bad_consumers = [], min_consumer = 0 : i32,
                                  producer = 27 : i32}} {
  func.func @main(%arg0: tensor<1x8x8x3xi8> {ml_program.identifier = "serving_default_x:0",
      tf_saved_model.index_path = ["x"]}) -> (tensor<1x8x8x4xi8> {ml_program.identifier =
          "PartitionedCall:0", tf_saved_model.index_path = ["y"]}) attributes {tf.entry_function
          = {inputs = "serving_default_x:0", outputs = "PartitionedCall:0"},
          tf_saved_model.exported_names = ["serving_default"]} {
    %0 = "tosa.const"() <{values = dense<1> : tensor<4x3x3x3xi8>}> : () -> tensor<4x3x3x3xi8>
        loc(#loc1)
    %1 = "tosa.const"() <{values = dense<[1, -2, 3, 4]> : tensor<4xi32>}> : () -> tensor<4xi32>
    %2 = "tosa.const"() <{values = dense<-128> : tensor<1xi8>}> : () -> tensor<1xi8>
    %3 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %4 = tosa.conv2d %arg0, %0, %1, %2, %3 {acc_type = i32, dilation = array<i64: 1, 1>, pad =
        array<i64: 1, 1, 1, 1>, stride = array<i64: 1, 1>} : (tensor<1x8x8x3xi8>,
        tensor<4x3x3x3xi8>, tensor<4xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x4xi32>
        loc(#loc2)
    %5 = "tosa.const"() <{values = dense<[1073741824, 1073741825, 1073741826, 1073741827]> :
        tensor<4xi32>}> : () -> tensor<4xi32>
    %6 = "tosa.const"() <{values = dense<[38, 37, 37, 38]> : tensor<4xi8>}> : () -> tensor<4xi8>
    %7 = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
    %8 = tosa.rescale %4, %5, %6, %7, %2 {input_unsigned = false, output_unsigned = false,
        per_channel = true, rounding_mode = DOUBLE_ROUND, scale32 = true} : (tensor<1x8x8x4xi32>,
        tensor<4xi32>, tensor<4xi8>, tensor<1xi32>, tensor<1xi8>) -> tensor<1x8x8x4xi8> loc(#loc2)
    return %8 : tensor<1x8x8x4xi8> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc1 = loc("model/conv2d/Conv2D")
#loc2 = loc(fused["model/conv2d/BiasAdd;model/conv2d/Conv2D", "x"(#loc1), callsite("a" at
    "b.py":1:2)])
)"},
    {"IREE: attributes of arguments on lines of their own, comments of tests", 2,
     R"(// CHECK-LABEL: @predict
module @mobile {
  func.func @predict(
      %x: tensor<1x4x4x2xf32> { iree.identifier = "x" }) -> (
      tensor<1x2x2x2xf32> { iree.identifier = "y" })
      attributes { iree.module.export, iree.reflection = {f = "I12!R"} } {
    %zp = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    // CHECK: linalg
    %0 = tosa.avg_pool2d %x, %zp, %zp {acc_type = f32, kernel = array<i64: 2, 2>, pad =
        array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>, tensor<1xf32>,
        tensor<1xf32>) -> tensor<1x2x2x2xf32>
    return %0 : tensor<1x2x2x2xf32>
  }
}
)"},
    {"mlir-opt: a declaration beside the function", 1,
     R"(// RUN: mlir-opt %s | mlir-opt | FileCheck %s
// -----
// CHECK-LABEL: argmax
func.func private @other(%arg0: tensor<14x19xf32>) -> tensor<14xi32>
func.func @test_argmax(%arg0: tensor<14x19xf32>) -> tensor<14xi32> {
  %0 = tosa.argmax %arg0 {axis = 1 : i32} : (tensor<14x19xf32>) -> tensor<14xi32>
  return %0 : tensor<14xi32>
}
)"},
    {"mlir-opt --mlir-print-op-generic --mlir-print-debuginfo", 5, R"("builtin.module"() ({
  "func.func"() <{arg_attrs = [{tf.name = "x"}], function_type = (tensor<2x3xf32>) ->
      tensor<2x3xf32>, res_attrs = [{}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg0: tensor<2x3xf32> loc("net.py":3:4)):
    %0 = "tosa.const"() <{values = dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf32>}> : () ->
        tensor<1x3xf32> loc(#loc3)
    %1 = "tosa.add"(%arg0, %0) : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32> loc(#loc4)
    %2 = "tosa.clamp"(%1) <{max_val = 6.0 : f32, min_val = 0.0 : f32, nan_mode = "PROPAGATE"}> :
        (tensor<2x3xf32>) -> tensor<2x3xf32> loc(unknown)
    %4 = "tosa.const"() <{values = dense<true> : tensor<i1>}> : () -> tensor<i1>
    %3:2 = "tosa.cond_if"(%4) ({
      "tosa.yield"(%1, %2) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    }, {
      "tosa.yield"(%2, %1) : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
    }) : (tensor<i1>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    "func.return"(%3#1) : (tensor<2x3xf32>) -> () loc(#loc2)
  }) : () -> () loc(#loc1)
}) : () -> () loc(#loc)
#loc = loc("net.py":0:0)
#loc1 = loc("net.py":3:1)
#loc2 = loc("net.py":9:1)
#loc3 = loc(fused<"meta">[#loc1, #loc2])
#loc4 = loc("x"(callsite(#loc1 at #loc2)))
)"},
    {"loops in pretty form", 1,
     R"(func.func @main(%i: tensor<i32>, %x: tensor<4xf32>) -> (tensor<i32>, tensor<4xf32>) {
  %r:2 = tosa.while_loop (%a0 = %i, %a1 = %x) : (tensor<i32>, tensor<4xf32>) -> (tensor<i32>,
      tensor<4xf32>) {
    %n = "tosa.const"() <{values = dense<5> : tensor<i32>}> : () -> tensor<i32>
    %c = tosa.greater_equal %n, %a0 : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %c : tensor<i1>
  } do {
  ^bb0(%b0: tensor<i32>, %b1: tensor<4xf32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %j = tosa.add %b0, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %y = tosa.add %b1, %b1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    tosa.yield %j, %y : tensor<i32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<i32>, tensor<4xf32>
}
)"},
    {"floating-point constants in hexadecimal digits, and denormal", 2,
     R"(func.func @main(%arg0: tensor<6xf32>) -> tensor<6xf32> {
  %0 = "tosa.const"() <{values = dense<[0x7F800000, 0xFF800000, 0x7FC00000, -1.0e-3, 1.,
      5.000000e-324]> : tensor<6xf32>}> : () -> tensor<6xf32>
  %1 = tosa.maximum %arg0, %0 {nan_mode = IGNORE} : (tensor<6xf32>, tensor<6xf32>) ->
      tensor<6xf32>
  return %1 : tensor<6xf32>
}
)"},
    {"aliases of types, attributes and locations, quoted symbols", 4,
     R"(#loc = loc("/home/u/net.py":12:8)
#loc1 = loc("/home/u/net.py":13:8)
!ttype = tensor<1x4xf32>
#el = dense<[[1.0, 2.0, 3.0, 4.0]]> : tensor<1x4xf32>
module @"quoted name" attributes {} {
  func.func @"main.1"(%arg0: !ttype loc("x")) -> (!ttype {jax.result_info = "result[0]"}) {
    %cst = "tosa.const"() <{values = #el}> : () -> !ttype loc(#loc)
    %0 = tosa.sub %arg0, %cst : (!ttype, !ttype) -> !ttype loc(#loc1)
    %2 = tosa.greater %0, %cst : (!ttype, !ttype) -> tensor<1x4xi1>
    %1 = tosa.select %2, %0, %cst : (tensor<1x4xi1>, !ttype, !ttype) -> !ttype loc(fused[#loc,
        #loc1])
    return %1 : !ttype loc(#loc)
  } loc(#loc)
} loc(#loc)
)"},
    {"resources of other dialects and tools", 7,
     R"(func.func @main(%arg0: tensor<3xi8>) -> (tensor<3xi32>, tensor<3xi8>) {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<-1> : tensor<1xi8>}> : () -> tensor<1xi8>
  %oz = "tosa.const"() <{values = dense<0> : tensor<1xi32>}> : () -> tensor<1xi32>
  %0 = tosa.rescale %arg0, %m, %s, %iz, %oz {rounding_mode = "SINGLE_ROUND", scale32 = true,
      per_channel = false, input_unsigned = false, output_unsigned = false} : (tensor<3xi8>,
          tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi32>) -> tensor<3xi32>
  %t = "tosa.const"() <{values = dense_resource<blob> : tensor<256xi8>}> : () -> tensor<256xi8>
  %1 = tosa.table %arg0, %t : (tensor<3xi8>, tensor<256xi8>) -> tensor<3xi8>
  return %0, %1 : tensor<3xi32>, tensor<3xi8>
}
{-#
  dialect_resources: {
    builtin: {
      blob: "0x01000000TABLE"
    }
  },
  external_resources: {
    mlir_reproducer: {
      verify_each: true,
      disable_threading: false
    }
  }
#-}
)"},
    {"unsigned tensors", 5, R"(func.func @main(%arg0: tensor<1x8x8x3xui8>) -> tensor<1x8x8x3xi8> {
  %m = "tosa.const"() <{values = dense<1073741824> : tensor<1xi32>}> : () -> tensor<1xi32>
  %s = "tosa.const"() <{values = dense<30> : tensor<1xi8>}> : () -> tensor<1xi8>
  %iz = "tosa.const"() <{values = dense<128> : tensor<1xui8>}> : () -> tensor<1xui8>
  %oz = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  %0 = tosa.rescale %arg0, %m, %s, %iz, %oz {rounding_mode = SINGLE_ROUND, scale32 = true,
      per_channel = false, input_unsigned = true, output_unsigned = false} :
          (tensor<1x8x8x3xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>, tensor<1xi8>) ->
          tensor<1x8x8x3xi8>
  return %0 : tensor<1x8x8x3xi8>
}
)"},
    {"shapes as const_shape without properties", 4,
     R"(func.func @main(%arg0: tensor<1x2x2x4xf32>) -> tensor<1x4x4x4xf32> {
  %scale = tosa.const_shape {values = dense<[4, 2, 4, 2]> : tensor<4xindex>} : () ->
      !tosa.shape<4>
  %offset = tosa.const_shape {values = dense<[-1, -1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %border = tosa.const_shape {values = dense<[1, 1]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %0 = tosa.resize %arg0, %scale, %offset, %border {mode = BILINEAR} : (tensor<1x2x2x4xf32>,
      !tosa.shape<4>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}
)"},
    {"locations of ranges, fused with metadata, of arguments", 1, R"(module {
  func.func @main(%arg0: tensor<1x3x4xf32> loc("args_0"("x"))) -> tensor<1x1x4xf32> {
    %0 = tosa.reduce_sum %arg0 {axis = 1 : i32} : (tensor<1x3x4xf32>) -> tensor<1x1x4xf32>
        loc(callsite("a"("f.py":3:10) at callsite("b" at "c")))
    return %0 : tensor<1x1x4xf32> loc(fused<{x = 1 : i32}>["a", unknown])
  } loc("f.py":1:2 to 3:4)
} loc(unknown)
)"},
};

/// Replaces blobs by the values that they repeat.
std::string with_blobs(std::string text) {
    const auto replace = [&](const std::string& what, const std::string& by) {
        const std::size_t at = text.find(what);
        if (at != std::string::npos) text.replace(at, what.size(), by);
    };
    std::string ones, table;
    for (int i = 0; i < 108; ++i) ones += "0000803F";
    for (int i = 0; i < 256; ++i) {
        table += "0123456789ABCDEF"[i / 16];
        table += "0123456789ABCDEF"[i % 16];
    }
    replace("BLOB108", ones);
    replace("TABLE", table);
    return text;
}

TEST_CASE("programs in the styles of the tools that write them are read without a warning") {
    for (const Program& program : kPrograms) {
        INFO(program.style);
        const auto text = std::make_shared<const std::string>(with_blobs(program.text));
        const Graph graph =
            read_graph(std::as_bytes(std::span(*text)), text, "net.mlir", ReadOptions{});
        validate_graph(graph);
        CHECK(graph.main().operators.size() == program.operators);
        CHECK(graph.warnings.empty());
    }
}

/// Returns the error for a function with this body, or the warnings if it is accepted.
std::string verdict(const std::string& arguments, const std::string& body,
                    const std::string& result) {
    const std::string type = result.substr(result.find(':') + 2);
    const auto text =
        std::make_shared<const std::string>("func.func @main(" + arguments + ") -> " + type +
                                            " {\n" + body + "\nreturn " + result + "\n}\n");
    try {
        std::string warnings;
        const Graph graph =
            read_graph(std::as_bytes(std::span(*text)), text, "net.mlir", ReadOptions{});
        for (const std::string& warning : graph.warnings) warnings += warning + "\n";
        return warnings;
    } catch (const GraphFileError& error) {
        return error.what();
    }
}

TEST_CASE("the dialect's 77 operations are known") {
    std::istringstream names(
        "abs add apply_scale argmax arithmetic_right_shift avg_pool2d bitwise_and "
        "bitwise_not bitwise_or bitwise_xor cast ceil clamp clz concat cond_if const "
        "const_shape conv2d conv3d cos custom depthwise_conv2d equal erf exp fft2d floor "
        "gather greater greater_equal identity intdiv log logical_and logical_left_shift "
        "logical_not logical_or logical_right_shift logical_xor matmul max_pool2d maximum "
        "minimum mul negate pad pow reciprocal reduce_all reduce_any reduce_max reduce_min "
        "reduce_product reduce_sum rescale reshape resize reverse rfft2d rsqrt scatter "
        "select sigmoid sin slice sub table tanh tile transpose transpose_conv2d variable "
        "variable_read variable_write while_loop yield");
    std::size_t count = 0;
    for (std::string name; names >> name; ++count) {
        const std::string answer = verdict(
            "%x: tensor<2xf32>", "\"tosa." + name + "\"() : () -> ()", "%x : tensor<2xf32>");
        INFO(name << ": " << answer);
        CHECK(answer.find("no operation") == std::string::npos);
        CHECK((answer.find("on scalars") != std::string::npos) == (name == "apply_scale"));
    }
    CHECK(count == 77);
}

TEST_CASE("operations that only had another name before 1.0 are read with a warning") {
    CHECK_THAT(verdict("%a: tensor<2xi32>",
                       "%y = tosa.int_div %a, %a : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>",
                       "%y : tensor<2xi32>"),
               Catch::Contains("2:6: warning: 'tosa.int_div' is read as 'tosa.intdiv'"));
    CHECK_THAT(verdict("%a: tensor<2xi32>", "%y = tosa.quux @odd %a :: i32", "%y : tensor<2xi32>"),
               Catch::Contains("2:6: error: the dialect tosa has no operation"));
}

TEST_CASE("examples of the dialect's document are read where they can mean one thing only") {
    using Catch::Contains;
    const std::string f32 = "tensor<12x6xf32>", si32 = "tensor<12x6xsi32>";
    CHECK_THAT(verdict("%input1: " + f32, "%out = tosa.abs(%input1) : (" + f32 + ") -> " + f32,
                       "%out : " + f32),
               Contains("2:16: warning: operands stand without parentheses"));
    CHECK_THAT(verdict("%input1: " + f32 + ", %input2: " + f32,
                       "%out = tosa.add %input1, %input2 : " + f32 + ", " + f32 + " -> " + f32,
                       "%out : " + f32),
               Contains("2:36: warning: the types of operands stand in parentheses"));
    CHECK_THAT(
        verdict("%input1: " + si32 + ", %input2: tensor<1x1xsi32>",
                "%out = tosa.add %input1, %input2 : " + si32 + ", tensor<1x1xsi32> -> " + si32,
                "%out : " + si32),
        Contains("si32 is read as i32"));
    CHECK(verdict("%in: tensor<10xi32>",
                  "%out = tosa.custom %in {domain_name = \"tosa_mlir_test\", operator_name =\n"
                  "       \"custom_test\", implementation_attrs = \"\"}: (tensor<10xi32>) ->\n"
                  "       (tensor<10xi32>)",
                  "%out : tensor<10xi32>") == "");
    // The text does not say if the transform is inverse.
    CHECK_THAT(verdict("%re: tensor<8x9xf32>, %im: tensor<8x9xf32>",
                       "%a, %b = tosa.fft2d %re, %im : (tensor<8x9xf32>, tensor<8x9xf32>) -> "
                       "(tensor<8x9xf32>, tensor<8x9xf32>)",
                       "%b : tensor<8x9xf32>"),
               Contains("needs the attribute 'inverse'"));
}

}  // namespace
}  // namespace okksim::sim::graph
