// SPDX-License-Identifier: Apache-2.0
// Contents of TOSA 0.90 files, row by row, in addition to those that the vectors of tosa090 cover.
#include <cstring>

#include "sim/graph/element.h"
#include "tests/sim/graph/file_v090.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;
using tests::FileV090;
using wire090::Attribute;
using wire090::DType;
using wire090::Op;
using Values = std::vector<std::int64_t>;
using Bytes = std::vector<std::uint8_t>;

const Operator& find(const Graph& graph, OpCode code) {
    for (const Operator& op : graph.main().operators) {
        if (op.op == code) return op;
    }
    FAIL("the graph has no " << op_name(code));
    return graph.main().operators[0];
}

std::size_t count(const Graph& graph, OpCode code) {
    std::size_t result = 0;
    for (const Operator& op : graph.main().operators) result += op.op == code ? 1 : 0;
    return result;
}

Values input_values(const Graph& graph, OpCode code, std::size_t n) {
    return integer_values(graph.main().input(find(graph, code), n));
}

Bytes float_bytes(float value) {
    Bytes bytes(4);
    std::memcpy(bytes.data(), &value, 4);
    return bytes;
}

Bytes shape_bytes(const Values& values) {
    Bytes bytes(8 * values.size());
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

TEST_CASE("0.90: RESHAPE, TILE, SLICE and PAD take attributes where they have no shape operand") {
    FileV090 file;
    auto& b = file.builder();
    const auto numbers = [&](std::vector<std::int32_t> list) { return b.CreateVector(list); };
    const auto reshape = wire090::CreateReshapeAttribute(b, numbers({3, 2}));
    const auto tile = wire090::CreateTileAttribute(b, numbers({1, 2}));
    const auto start = numbers({1, 0});
    const auto slice = wire090::CreateSliceAttribute(b, start, numbers({2, 3}));
    const auto pad = wire090::CreatePadAttribute(b, numbers({0, 1, 0, 0}), 7);
    file.tensor("x", {6}, DType::INT8)
        .tensor("r", {3, 2}, DType::INT8)
        .tensor("t", {3, 4}, DType::INT8)
        .tensor("s", {2, 3}, DType::INT8)
        .tensor("y", {3, 3}, DType::INT8)
        .op(Op::RESHAPE, {"x"}, {"r"}, Attribute::ReshapeAttribute, reshape.Union())
        .op(Op::TILE, {"r"}, {"t"}, Attribute::TileAttribute, tile.Union())
        .op(Op::SLICE, {"t"}, {"s"}, Attribute::SliceAttribute, slice.Union())
        .op(Op::PAD, {"s"}, {"y"}, Attribute::PadAttribute, pad.Union());
    const Graph graph = file.read({"x"}, {"y"});
    CHECK(input_values(graph, OpCode::kReshape, 1) == Values{3, 2});
    CHECK(input_values(graph, OpCode::kTile, 1) == Values{1, 2});
    CHECK(input_values(graph, OpCode::kSlice, 1) == Values{1, 0});
    CHECK(input_values(graph, OpCode::kSlice, 2) == Values{2, 3});
    CHECK(input_values(graph, OpCode::kPad, 1) == Values{0, 1, 0, 0});
    CHECK(input_values(graph, OpCode::kPad, 2) == Values{7});
}

TEST_CASE("0.90: SLICE follows its operands where it has attributes as well") {
    FileV090 file;
    auto& b = file.builder();
    const auto start = b.CreateVector(std::vector<std::int32_t>{0});
    const auto slice =
        wire090::CreateSliceAttribute(b, start, b.CreateVector(std::vector<std::int32_t>{2}));
    file.tensor("x", {6}, DType::INT8)
        .tensor("a", {1}, DType::SHAPE, shape_bytes({3}))
        .tensor("n", {1}, DType::SHAPE, shape_bytes({2}))
        .tensor("y", {2}, DType::INT8)
        .op(Op::CONST_SHAPE, {}, {"a"})
        .op(Op::CONST_SHAPE, {}, {"n"})
        .op(Op::SLICE, {"x", "a", "n"}, {"y"}, Attribute::SliceAttribute, slice.Union());
    CHECK(input_values(file.read({"x"}, {"y"}), OpCode::kSlice, 1) == Values{3});
}

TEST_CASE("0.90: shapes of no values, and arithmetic with what is negative") {
    FileV090 file;
    file.tensor("x", {1}, DType::INT32)
        .tensor("none", {}, DType::SHAPE)
        .tensor("y", {}, DType::INT32)
        .tensor("a", {3}, DType::SHAPE, shape_bytes({5, -2, 7}))
        .tensor("b", {3}, DType::SHAPE, shape_bytes({2, 4, 2}))
        // The C++ writer gives computed tensors an empty list of bytes; here they have none.
        .tensor("sum", {3}, DType::SHAPE)
        .tensor("quotient", {3}, DType::SHAPE)
        .op(Op::CONST_SHAPE, {}, {"none"})
        .op(Op::CONST_SHAPE, {}, {"a"})
        .op(Op::CONST_SHAPE, {}, {"b"})
        .op(Op::RESHAPE, {"x", "none"}, {"y"})
        .op(Op::ADD_SHAPE, {"a", "b"}, {"sum"})
        .op(Op::DIV_SHAPE, {"a", "b"}, {"quotient"});
    const Graph graph = file.read({"x"}, {"y", "sum", "quotient"});
    const Block& main = graph.main();
    CHECK(main.input(find(graph, OpCode::kReshape), 1).shape == Shape{0});
    CHECK(integer_values(main.tensors[main.outputs[1]]) == Values{7, -1, 9});
    CHECK(integer_values(main.tensors[main.outputs[2]]) == Values{2, -1, 3});
}

TEST_CASE("0.90: constants of every width, and padding behind them") {
    FileV090 file;
    // Three of four bits, low nibble first; 2^40 + 1 of 48 bits, and -1; two booleans.
    file.tensor("i4", {3}, DType::INT4, {0x2F, 0x07, 0, 0, 0, 0, 0, 0})
        .tensor("i48", {2}, DType::INT48, {1, 0, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255})
        .tensor("b", {2}, DType::BOOL, {1, 0, 9, 9, 9, 9, 9, 9})
        .tensor("h", {1}, DType::FP16, {0x00, 0x3E})
        .op(Op::CONST, {}, {"i4"})
        .op(Op::CONST, {}, {"i48"})
        .op(Op::CONST, {}, {"b"})
        .op(Op::CONST, {}, {"h"});
    const Graph graph = file.read({}, {"i4", "i48", "b", "h"});
    const auto& tensors = graph.main().tensors;
    CHECK(integer_values(tensors[0]) == Values{-1, 2, 7});
    CHECK(integer_values(tensors[1]) == Values{(std::int64_t{1} << 40) + 1, -1});
    CHECK(integer_values(tensors[2]) == Values{1, 0});
    CHECK(float_bits_element(tensors[3].data, tosa::DType::kFp16, 0) == 0x3E00);
}

TEST_CASE("0.90: PAD and CLAMP have one float32 for every floating-point type, and ignore others") {
    FileV090 file;
    auto& b = file.builder();
    const auto number = [&](float value) { return b.CreateVector(float_bytes(value)); };
    const auto padding = b.CreateVector(std::vector<std::int32_t>{0, 1});
    const auto pad = wire090::CreatePadAttribute(b, padding, 99, number(1.5F));
    const auto low = number(-2.0F);
    const auto clamp = wire090::CreateClampAttribute(b, 5, 6, low, number(1.5F));
    const auto integers = wire090::CreateClampAttribute(b, -5, 6, number(0.0F), number(1.0F));
    file.tensor("x", {2}, DType::FP16)
        .tensor("p", {3}, DType::FP16)
        .tensor("y", {3}, DType::FP16)
        .tensor("i", {2}, DType::INT8)
        .tensor("z", {2}, DType::INT8)
        .op(Op::PAD, {"x"}, {"p"}, Attribute::PadAttribute, pad.Union())
        .op(Op::CLAMP, {"p"}, {"y"}, Attribute::ClampAttribute, clamp.Union())
        .op(Op::CLAMP, {"i"}, {"z"}, Attribute::ClampAttribute, integers.Union());
    const Graph graph = file.read({"x", "i"}, {"y", "z"});
    const Tensor& constant = graph.main().input(find(graph, OpCode::kPad), 2);
    CHECK(constant.type == tosa::DType::kFp16);
    CHECK(float_bits_element(constant.data, tosa::DType::kFp16, 0) == 0x3E00);  // 1.5
    const auto& a = find(graph, OpCode::kClamp).attributes_as<ClampAttributes>();
    CHECK((a.min_val.size == 2 && a.min_val.bytes[1] == 0xC0));  // -2 is 0xC000
    CHECK((a.max_val.bytes[0] == 0x00 && a.max_val.bytes[1] == 0x3E));
    CHECK(a.nan_mode == NanPropagationMode::kPropagate);
    const auto& i8 = graph.main().operators.back().attributes_as<ClampAttributes>();
    CHECK((i8.min_val.size == 1 && i8.min_val.bytes[0] == 0xFB && i8.max_val.bytes[0] == 6));
}

TEST_CASE("0.90: products of two narrow types that give fp32 are taken in fp32") {
    FileV090 file;
    auto& b = file.builder();
    const auto list = [&](std::vector<std::int32_t> values) { return b.CreateVector(values); };
    const auto pad = list({0, 0, 0, 0}), stride = list({1, 1}), dilation = list({1, 1});
    const auto conv = wire090::CreateConvAttribute(b, pad, stride, dilation);
    const auto out_pad = list({0, 0, 0, 0}), steps = list({1, 1});
    const auto transposed =
        wire090::CreateTransposeConvAttribute(b, out_pad, steps, list({1, 2, 2, 4}));
    file.tensor("x", {1, 2, 2, 3}, DType::BF16)
        .tensor("w", {4, 1, 1, 3}, DType::BF16)
        .tensor("b", {1}, DType::FP32, float_bytes(0.0F))
        .tensor("y", {1, 2, 2, 4}, DType::FP32)
        .tensor("z", {1, 2, 2, 4}, DType::FP32)
        .op(Op::CONST, {}, {"b"})
        .op(Op::CONV2D, {"x", "w", "b"}, {"y"}, Attribute::ConvAttribute, conv.Union())
        .op(Op::TRANSPOSE_CONV2D, {"x", "w", "b"}, {"z"}, Attribute::TransposeConvAttribute,
            transposed.Union());
    const Graph graph = file.read({"x", "w"}, {"y", "z"});
    CHECK(count(graph, OpCode::kCast) == 4);
    const auto& a = find(graph, OpCode::kConv2d).attributes_as<Conv2dAttributes>();
    CHECK(a.acc_type == tosa::DType::kFp32);
    const Operator& op = find(graph, OpCode::kTransposeConv2d);
    CHECK(op.inputs.size() == 5);  // the output's shape is that of its tensor
    CHECK(graph.main().input(op, 0).type == tosa::DType::kFp32);
}

TEST_CASE("0.90: attributes of AVG_POOL2D, MATMUL, NEGATE, TABLE and RESIZE become constants") {
    FileV090 file;
    auto& b = file.builder();
    const auto list = [&](std::vector<std::int32_t> values) { return b.CreateVector(values); };
    const auto words = [&](std::vector<std::int16_t> values) { return b.CreateVector(values); };
    const auto pad = list({0, 0, 0, 0}), kernel = list({2, 2}), stride = list({2, 2});
    const auto pool =
        wire090::CreatePoolAttribute(b, pad, kernel, stride, -3, 4, wire090::DType::INT32);
    const auto largest = wire090::CreatePoolAttribute(b, pad, kernel, stride);
    const auto matmul = wire090::CreateMatMulAttribute(b, 1, -1);
    const auto negate = wire090::CreateNegateAttribute(b, 5, 6);
    std::vector<std::int16_t> entries(256);
    for (int i = 0; i < 256; ++i)
        entries[static_cast<std::size_t>(i)] = static_cast<std::int16_t>(i - 128);
    const auto table = wire090::CreateTableAttribute(b, words(entries));
    const auto scale = words({2, 1, 2, 1}), offset = words({0, 0});
    const auto resize = wire090::CreateResizeAttribute(b, scale, offset, words({1, 1}),
                                                       wire090::ResizeMode::NEAREST);
    file.tensor("x", {1, 4, 4, 2}, DType::INT8)
        .tensor("p", {1, 2, 2, 2}, DType::INT8)
        .tensor("m", {1, 2, 2, 2}, DType::INT8)
        .tensor("n", {1, 2, 2, 2}, DType::INT8)
        .tensor("t", {1, 2, 2, 2}, DType::INT8)
        .tensor("r", {1, 4, 4, 2}, DType::INT8)
        .tensor("left", {1, 2, 3}, DType::INT8)
        .tensor("right", {1, 3, 2}, DType::INT8)
        .tensor("product", {1, 2, 2}, DType::INT32)
        .op(Op::AVG_POOL2D, {"x"}, {"p"}, Attribute::PoolAttribute, pool.Union())
        .op(Op::MAX_POOL2D, {"x"}, {"m"}, Attribute::PoolAttribute, largest.Union())
        .op(Op::NEGATE, {"p"}, {"n"}, Attribute::NegateAttribute, negate.Union())
        .op(Op::TABLE, {"n"}, {"t"}, Attribute::TableAttribute, table.Union())
        .op(Op::RESIZE, {"t"}, {"r"}, Attribute::ResizeAttribute, resize.Union())
        .op(Op::MATMUL, {"left", "right"}, {"product"}, Attribute::MatMulAttribute, matmul.Union());
    const Graph graph = file.read({"x", "left", "right"}, {"r", "m", "product"});
    CHECK(input_values(graph, OpCode::kAvgPool2d, 1) == Values{-3});
    CHECK(input_values(graph, OpCode::kAvgPool2d, 2) == Values{4});
    CHECK(find(graph, OpCode::kMaxPool2d).attributes_as<MaxPool2dAttributes>().nan_mode ==
          NanPropagationMode::kPropagate);
    CHECK(input_values(graph, OpCode::kNegate, 1) == Values{5});
    CHECK(input_values(graph, OpCode::kNegate, 2) == Values{6});
    CHECK(input_values(graph, OpCode::kTable, 1).front() == -128);
    CHECK(input_values(graph, OpCode::kResize, 1) == Values{2, 1, 2, 1});
    CHECK(input_values(graph, OpCode::kResize, 3) == Values{1, 1});
    CHECK(input_values(graph, OpCode::kMatmul, 2) == Values{1});
    CHECK(input_values(graph, OpCode::kMatmul, 3) == Values{-1});
}

TEST_CASE("0.90: branches are regions first, then blocks of the region") {
    const auto read = [](bool has_own_region, const std::vector<std::int32_t>& condition) {
        FileV090 file;
        auto& b = file.builder();
        for (const char* name : {"one", "other"}) {
            file.tensor("x", {2}, DType::FP32)
                .tensor("y", {2}, DType::FP32)
                .op(std::string(name) == "one" ? Op::CEIL : Op::TANH, {"x"}, {"y"})
                .end_block(name, {"x"}, {"y"}, has_own_region);
        }
        const auto then_branch = b.CreateString("one");
        const auto branches =
            wire090::CreateCondIfAttribute(b, then_branch, b.CreateString("other"));
        file.tensor("c", condition, DType::BOOL)
            .tensor("x", {2}, DType::FP32)
            .tensor("y", {2}, DType::FP32)
            .op(Op::COND_IF, {"c", "x"}, {"y"}, Attribute::CondIfAttribute, branches.Union());
        const Graph graph = file.read({"c", "x"}, {"y"});
        const auto& a = find(graph, OpCode::kCondIf).attributes_as<CondIfAttributes>();
        return graph.block(a.then_graph.block).operators[0].op == OpCode::kCeil &&
               graph.block(a.else_graph.block).operators[0].op == OpCode::kTanh;
    };
    CHECK(read(true, {}));
    CHECK(read(false, {}));
    CHECK(read(true, {1}));  // as the text of the specification has it
}

TEST_CASE("0.90: constants that nobody reads are no harm, variables have no operators") {
    FileV090 file;
    file.tensor("x", {2}, DType::INT32)
        .tensor("left", {4}, DType::INT32, Bytes(16, 1))
        .tensor("y", {2}, DType::INT32)
        .op(Op::CONST, {}, {"left"})
        .op(Op::ABS, {"x"}, {"y"});
    CHECK(file.read({"x"}, {"y"}).main().operators.size() == 2);
}

TEST_CASE("0.90: other versions are refused by name") {
    FileV090 file;
    file.tensor("x", {2}, DType::INT32).tensor("y", {2}, DType::INT32).op(Op::ABS, {"x"}, {"y"});
    CHECK_THROWS_WITH(file.minor_version(80).read({"x"}, {"y"}), Contains("0.80"));
}

}  // namespace
}  // namespace okksim::sim::graph
