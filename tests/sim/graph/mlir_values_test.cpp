// SPDX-License-Identifier: Apache-2.0
// Values in the text of the dialect: unsigned ones, and numbers beyond the range of their type.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "sim/graph/element.h"
#include "sim/graph/mlir/mlir_writer.h"
#include "tests/sim/graph/mlir_text.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;

/// A function of one argument %a of this type with this line inside.
std::string function(const std::string& from, const std::string& line, const std::string& to) {
    return "func.func @main(%a: " + from + ") -> " + to + " {\n" + line + "\n return %r : " + to +
           "\n}\n";
}

std::string rescale(const std::string& from, const std::string& to, const std::string& input,
                    const std::string& output) {
    return function("tensor<4x" + from + ">",
                    " %m = \"tosa.const\"() {values = dense<1073741824> : tensor<1xi32>} : () -> "
                    "tensor<1xi32>\n"
                    " %s = \"tosa.const\"() {values = dense<30> : tensor<1xi8>} : () -> "
                    "tensor<1xi8>\n"
                    " %z = \"tosa.const\"() {values = dense<0> : tensor<1xi8>} : () -> "
                    "tensor<1xi8>\n"
                    " %r = tosa.rescale %a, %m, %s, %z, %z {scale32 = true, per_channel = false, "
                    "rounding_mode = SINGLE_ROUND, input_unsigned = " +
                        input + ", output_unsigned = " + output + "} : (tensor<4x" + from +
                        ">, tensor<1xi32>, tensor<1xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x" +
                        to + ">",
                    "tensor<4x" + to + ">");
}

std::string clamp(const std::string& least, const std::string& most, const std::string& type) {
    return function(type,
                    " %r = tosa.clamp %a {min_val = " + least + ", max_val = " + most + "} : (" +
                        type + ") -> " + type,
                    type);
}

double decoded_max(const std::string& most) {
    const Graph graph = read_text(clamp("-1.0 : f32", most, "tensor<2xf32>"));
    std::uint32_t bits = 0;
    const auto& a = graph.main().operators[0].attributes_as<ClampAttributes>();
    std::memcpy(&bits, a.max_val.bytes.data(), sizeof bits);
    return decode_float(DType::kFp32, bits);
}

}  // namespace

TEST_CASE("operators that would compute with unsigned values as signed ones refuse them") {
    const std::string rest =
        ", and the operation computes with signed values: rescale between them with tosa.rescale "
        "and input_unsigned or output_unsigned, or make the tool write i8";
    CHECK(first_problem(function("tensor<4xui8>",
                                 " %r = tosa.reduce_max %a {axis = 0 : i32} : (tensor<4xui8>) -> "
                                 "tensor<1xui8>",
                                 "tensor<1xui8>")) ==
          "2:23 the operand of 'tosa.reduce_max' is ui8" + rest);
    CHECK(first_problem(
              function("tensor<4xui8>", " %r = tosa.cast %a : (tensor<4xui8>) -> tensor<4xi32>",
                       "tensor<4xi32>")) == "2:17 the operand of 'tosa.cast' is ui8" + rest);
    CHECK(first_problem(
              function("tensor<4xi32>", " %r = tosa.cast %a : (tensor<4xi32>) -> tensor<4xui8>",
                       "tensor<4xui8>")) == "2:7 the result of 'tosa.cast' is ui8" + rest);
}

TEST_CASE("what RESCALE says of signs is what its types say") {
    CHECK(first_problem(rescale("ui8", "i8", "true", "false")) == "none");
    CHECK(first_problem(rescale("i8", "ui8", "false", "true")) == "none");
    CHECK(first_problem(rescale("i8", "i8", "true", "false")) == "none");  // as in TOSA 1.0
    CHECK(first_problem(rescale("ui8", "i8", "false", "false"))
              .starts_with("5:20 'tosa.rescale' has ui8 here, and input_unsigned = false"));
    CHECK(first_problem(rescale("i8", "ui8", "false", "false"))
              .starts_with("5:7 'tosa.rescale' has ui8 here, and output_unsigned = false"));
}

TEST_CASE("unsigned values are moved, and the text has them without a sign") {
    const Graph graph = read_text(function(
        "tensor<2xui8>",
        " %c = \"tosa.const\"() {values = dense<[200, 7]> : tensor<2xui8>} : () -> tensor<2xui8>\n"
        " %r = tosa.concat %a, %c {axis = 0 : i32} : (tensor<2xui8>, tensor<2xui8>) -> "
        "tensor<4xui8>",
        "tensor<4xui8>"));
    const std::string text = write_mlir(graph);
    CHECK_THAT(text, Catch::Contains("dense<[200, 7]> : tensor<2xui8>"));
    CHECK(write_mlir(read_text(text)) == text);
    CHECK(first_problem("func.func @f() {\n %c = \"tosa.const\"() {values = dense<-1> : "
                        "tensor<1xui8>} : () -> tensor<1xui8>\n return\n}") ==
          "2:38 the value does not fit in ui8_t");
    CHECK(first_problem(function("tensor<2xui8>",
                                 " %r = tosa.identity %a : (tensor<2xi8>) -> tensor<2xi8>",
                                 "tensor<2xi8>")) ==
          "2:21 the operand is ui8 [2] where it is defined, and i8 [2] here");
}

TEST_CASE("numbers that their type or what they are for does not hold are refused") {
    const std::string type = "tensor<2xi8>";
    CHECK(first_problem(clamp("-128 : i8", "127 : i8", type)) == "none");
    CHECK(first_problem(clamp("-128", "127", type)) == "none");
    CHECK(first_problem(clamp("0x80 : i8", "0x7F : i8", type)) == "none");  // -128 as a pattern
    // %r = tosa.clamp %a {min_val = ...: the number is in column 32.
    CHECK(first_problem(clamp("-300 : i8", "127 : i8", type)) ==
          "2:32 the attribute 'min_val' of 'tosa.clamp' must be -128 to 255, and not -300");
    CHECK(first_problem(clamp("-1 : i8", "300 : i8", type)) ==
          "2:51 the attribute 'max_val' of 'tosa.clamp' must be -128 to 255, and not 300");
    // 200 is a bit pattern of i8 only.
    CHECK(first_problem(clamp("-1 : i8", "200 : i32", type)) ==
          "2:51 the attribute 'max_val' of 'tosa.clamp' must be -128 to 127, and not 200");
    CHECK(first_problem(clamp("-1 : i8", "300 : i64", type)) ==
          "2:51 the attribute 'max_val' of 'tosa.clamp' must be -128 to 127, and not 300");
    CHECK(first_problem(clamp("0 : i8", "99999999999999999999", type)) ==
          "2:50 the attribute 'max_val' of 'tosa.clamp' must be -128 to 127, and not "
          "99999999999999999999");
    CHECK(first_problem(function("tensor<2xf32>",
                                 " %r = tosa.reduce_sum %a {axis = 4294967296 : i32} : "
                                 "(tensor<2xf32>) -> tensor<1xf32>",
                                 "tensor<1xf32>"))
              .starts_with("2:34 the attribute 'axis' of 'tosa.reduce_sum' must be -2147483648"));
    CHECK(first_problem(clamp("0.0 : f32", "0x1FFFFFFFF : f32", "tensor<2xf32>")) ==
          "2:53 the attribute 'max_val' of 'tosa.clamp' must be a pattern of 32 bits, and not "
          "0x1FFFFFFFF");
}

TEST_CASE("numbers of another type are read with a warning, of another kind refused") {
    const auto sum = [](const std::string& axis) {
        return function(
            "tensor<2x3xi32>",
            " %r = tosa.reduce_sum %a {axis = " + axis + "} : (tensor<2x3xi32>) -> tensor<1x3xi32>",
            "tensor<1x3xi32>");
    };
    const auto turned = [](const std::string& perms) {
        return function("tensor<2x3xi32>",
                        " %r = tosa.transpose %a {perms = " + perms +
                            "} : (tensor<2x3xi32>) -> tensor<3x2xi32>",
                        "tensor<3x2xi32>");
    };
    for (const std::string& text : {sum("0 : i32"), sum("0"), turned("array<i32: 1, 0>"),
                                    clamp("0 : i8", "5", "tensor<2xi8>")}) {
        CHECK(read_text(text).warnings.empty());
    }
    const auto warning = [](const std::string& text) {
        const Graph graph = read_text(text);
        return graph.warnings.size() == 1 ? graph.warnings[0] : "no or several warnings";
    };
    CHECK(warning(sum("0 : i64")) ==
          "net.mlir:2:34: warning: the attribute 'axis' of 'tosa.reduce_sum' is read as i32, its "
          "type in the dialect, and not i64");
    CHECK_THAT(warning(turned("array<i64: 1, 0>")), Contains("'perms'") && Contains("not i64"));
    CHECK_THAT(warning(clamp("0 : i32", "5 : i8", "tensor<2xi8>")), Contains("not i32"));
    CHECK_THAT(warning(clamp("0.0 : f32", "5.0 : f64", "tensor<2xf32>")), Contains("not f64"));
    CHECK(first_problem(sum("0 : f32")) ==
          "2:34 the attribute 'axis' of 'tosa.reduce_sum' must be of type i32, and not f32");
    CHECK_THAT(first_problem(clamp("0 : i32", "5.0 : f32", "tensor<2xf32>")),
               Contains("'min_val'") && Contains("of type f32, and not i32"));
    CHECK_THAT(first_problem(clamp("0 : f32", "5 : i8", "tensor<2xi8>")),
               Contains("of type i8, and not f32"));
    CHECK_THAT(first_problem(turned("array<f32: 1.0, 0.0>")), Contains("'perms'"));
    CHECK_THAT(first_problem(turned("array<f32: 1, 0>")), Contains("of type i32, and not f32"));
}

TEST_CASE("literals beyond doubles and floats round alike in attributes and in constants") {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    struct Case {
        const char* literal;
        double value;
    };
    // 1.0e-44 is 7.1 of the smallest steps 2^-149 of fp32; 8.0e-400 is no double.
    for (const auto& [literal, value] :
         {Case{"1.0e400", kInfinity}, Case{"1.0e39", kInfinity}, Case{"8.0e-400", 0.0},
          Case{"1.0e-44", std::ldexp(7.0, -149)}, Case{"-1.0e400", -kInfinity}}) {
        CAPTURE(literal);
        const std::string number = literal;
        for (const std::string& elements : {number, "[" + number + ", 1.0]"}) {
            const std::string type = elements == number ? "tensor<1xf32>" : "tensor<2xf32>";
            const Graph graph = read_text(
                "func.func @f() -> " + type + " {\n %c = \"tosa.const\"() {values = dense<" +
                elements + "> : " + type + "} : () -> " + type + "\n return %c : " + type + "\n}");
            const Tensor& tensor = graph.main().tensors[0];
            const double read_value = decode_float(
                DType::kFp32, float_bits_element(tensor.data.bytes(), DType::kFp32, 0));
            CHECK(read_value == value);
        }
        if (value >= 0) CHECK(decoded_max(number + " : f32") == value);
    }
}

TEST_CASE("lists of integers of any length, sign and distance are the numbers they say") {
    std::mt19937_64 random(12);
    const auto list_of = [&](DType type, const char* name, std::int64_t least, std::int64_t most) {
        constexpr int kCount = 400;
        constexpr const char* kSeparators[] = {", ", ",", ",  ", " , ", ",\n ", ", // note\n"};
        std::vector<std::int64_t> values;
        std::string list;
        for (int i = 0; i < kCount; ++i) {
            // Every length; the limits of the type; leading zeros, and minus zero.
            const auto any = static_cast<std::int64_t>(random() >> (random() % 64));
            const bool is_end = random() % 16 == 0;
            std::int64_t value = std::clamp(random() % 2 == 0 ? any : -any, least, most);
            if (is_end) value = random() % 2 == 0 ? least : most;
            if (!list.empty()) list += kSeparators[random() % 8 < 6 ? 0 : random() % 6];
            const std::string digits = std::to_string(value).substr(value < 0 ? 1 : 0);
            const std::string sign = value < 0 || (value == 0 && random() % 2 == 0) ? "-" : "";
            list += sign + (random() % 8 == 0 ? "000" : "") + digits;
            values.push_back(value);
        }
        const std::string whole = "tensor<" + std::to_string(kCount) + "x" + name + ">";
        const Graph graph = read_text(
            "func.func @main() -> " + whole + " {\n %c = \"tosa.const\"() <{values = dense<[" +
            list + "]> : " + whole + "}> : () -> " + whole + "\n return %c : " + whole + "\n}\n");
        const auto& constant = graph.main().tensors[graph.main().outputs.at(0)];
        for (std::size_t i = 0; i < values.size(); ++i) {
            CAPTURE(name, i, list);
            REQUIRE(integer_element(constant.data.bytes(), type, i) == values[i]);
        }
    };
    for (int round = 0; round < 20; ++round) {
        list_of(DType::kI8, "i8", -128, 127);
        list_of(DType::kI16, "i16", -32768, 32767);
        list_of(DType::kI32, "i32", -2147483648LL, 2147483647LL);
        list_of(DType::kI48, "i48", -(std::int64_t{1} << 47), (std::int64_t{1} << 47) - 1);
    }
    // Values beyond the type, of the lengths that are parsed in one step.
    for (const char* beyond : {"128000", "-129", "9999999", "-999999"}) {
        CAPTURE(beyond);
        CHECK_THAT(first_problem("func.func @main() -> tensor<2xi8> {\n %c = \"tosa.const\"() "
                                 "<{values = dense<[1, " +
                                 std::string(beyond) +
                                 "]> : tensor<2xi8>}> : () -> tensor<2xi8>\n return %c : "
                                 "tensor<2xi8>\n}\n"),
                   Contains("does not fit in i8"));
    }
}

}  // namespace okksim::sim::graph
