// SPDX-License-Identifier: Apache-2.0
#include "isa/base/fault.h"
#include "sim/graph/element.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/graph/file_v090.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;
using tests::FileV090;
using wire090::DType;
using wire090::Op;
using Names = std::vector<std::string>;

std::vector<OpCode> codes(const Graph& graph) {
    std::vector<OpCode> list;
    for (const Operator& op : graph.main().operators) list.push_back(op.op);
    return list;
}

const Operator& find(const Graph& graph, OpCode code) {
    for (const Operator& op : graph.main().operators) {
        if (op.op == code) return op;
    }
    FAIL("the graph has no " << op_name(code));
    return graph.main().operators[0];
}

std::vector<std::int64_t> input_values(const Graph& graph, OpCode code, std::size_t n) {
    return integer_values(graph.main().input(find(graph, code), n));
}

TEST_CASE("zero points, shifts and lists of 0.90's attributes become constants") {
    FileV090 file;
    auto& b = file.builder();
    const auto multiplier = b.CreateVector(std::vector<std::int32_t>{1 << 30});
    const auto shift = b.CreateVector(std::vector<std::int32_t>{31});
    const auto rescale = wire090::CreateRescaleAttribute(b, 200, -3, multiplier, shift, true, true);
    file.tensor("x", {2, 3}, DType::UINT8)
        .tensor("y", {2, 3}, DType::INT8)
        .op(Op::RESCALE, {"x"}, {"y"}, wire090::Attribute::RescaleAttribute, rescale.Union());
    const Graph graph = file.read({"x"}, {"y"});
    CHECK(graph.version.minor == 90);
    CHECK(graph.format == "TOSA 0.90 FlatBuffers");
    const auto& a = find(graph, OpCode::kRescale).attributes_as<RescaleAttributes>();
    CHECK((a.scale32 && a.input_unsigned && !a.output_unsigned && !a.per_channel));
    CHECK(a.rounding_mode == RoundingMode::kDoubleRound);
    CHECK(input_values(graph, OpCode::kRescale, 1) == std::vector<std::int64_t>{1 << 30});
    CHECK(input_values(graph, OpCode::kRescale, 2) == std::vector<std::int64_t>{31});
    // 200 as uint8 has the bits of -56.
    CHECK(input_values(graph, OpCode::kRescale, 3) == std::vector<std::int64_t>{-56});
    CHECK(input_values(graph, OpCode::kRescale, 4) == std::vector<std::int64_t>{-3});
    CHECK(graph.main().tensors[graph.main().inputs[0]].is_unsigned);
    CHECK_FALSE(graph.main().tensors[graph.main().outputs[0]].is_unsigned);
}

TEST_CASE("FULLY_CONNECTED becomes a convolution of one by one") {
    FileV090 file;
    const auto a = wire090::CreateFullyConnectedAttribute(file.builder(), 5, 0);
    file.tensor("x", {2, 3}, DType::INT8)
        .tensor("w", {4, 3}, DType::INT8, std::vector<std::uint8_t>(12, 7))
        .tensor("b", {4}, DType::INT32, std::vector<std::uint8_t>(16, 0))
        .tensor("y", {2, 4}, DType::INT32)
        .op(Op::CONST, {}, {"w"})
        .op(Op::CONST, {}, {"b"})
        .op(Op::FULLY_CONNECTED, {"x", "w", "b"}, {"y"},
            wire090::Attribute::FullyConnectedAttribute, a.Union());
    const Graph graph = file.read({"x"}, {"y"});
    const Operator& conv = find(graph, OpCode::kConv2d);
    CHECK(graph.main().input(conv, 0).shape == Shape{2, 1, 1, 3});
    CHECK(graph.main().input(conv, 1).shape == Shape{4, 1, 1, 3});
    CHECK(graph.main().input(conv, 1).has_data);  // still a constant: no RESHAPE at run time
    CHECK(conv.attributes_as<Conv2dAttributes>().acc_type == tosa::DType::kI32);
    CHECK(input_values(graph, OpCode::kConv2d, 3) == std::vector<std::int64_t>{5});
    // The RESHAPE of the input comes first, that of the result last.
    const Operator& last = graph.main().operators.back();
    REQUIRE(last.op == OpCode::kReshape);
    CHECK(integer_values(graph.main().input(last, 1)) == std::vector<std::int64_t>{2, 4});
}

TEST_CASE("the result of FULLY_CONNECTED in 48 bits is allowed in 0.90 only") {
    FileV090 file;
    const auto a = wire090::CreateFullyConnectedAttribute(file.builder(), 0, 0);
    file.tensor("x", {2, 3}, DType::INT16)
        .tensor("w", {4, 3}, DType::INT8, std::vector<std::uint8_t>(12, 7))
        .tensor("b", {1}, DType::INT48, std::vector<std::uint8_t>(6, 0))
        .tensor("y", {2, 4}, DType::INT48)
        .op(Op::FULLY_CONNECTED, {"x", "w", "b"}, {"y"},
            wire090::Attribute::FullyConnectedAttribute, a.Union());
    Graph graph = file.read({"x"}, {"y"});
    CHECK((required_features(graph) & feature_bit(Feature::kTosa090)) != 0);
    graph.beyond_v1 = 0;
    CHECK_THROWS_AS(validate_graph(graph), ProgramFault);
}

TEST_CASE("shape arithmetic is folded, whatever its order in the file") {
    FileV090 file;
    const auto axis = wire090::CreateAxisAttribute(file.builder(), 1);
    std::vector<std::uint8_t> three(8, 0);
    three[0] = 3;
    file.tensor("x", {2, 6}, DType::FP32)
        .tensor("d", {1}, DType::SHAPE)
        .tensor("k", {1}, DType::SHAPE, three)
        .tensor("q", {1}, DType::SHAPE)
        .tensor("s", {2}, DType::SHAPE)
        .tensor("y", {3, 4}, DType::FP32)
        .tensor("t", {2}, DType::SHAPE)
        .op(Op::RESHAPE, {"x", "t"}, {"y"})
        .op(Op::MUL_SHAPE, {"s", "s"}, {"t"})
        .op(Op::CONCAT_SHAPE, {"k", "q"}, {"s"})
        .op(Op::CONST_SHAPE, {}, {"k"})
        .op(Op::SUB_SHAPE, {"d", "k"}, {"q"})
        .op(Op::DIM, {"x"}, {"d"}, wire090::Attribute::AxisAttribute, axis.Union());
    // d = 6, q = 6 - 3 = 3, s = [3, 3], t = [9, 9]: not the 12 elements of x.
    CHECK_THROWS_WITH(file.read({"x"}, {"y"}), Contains("RESHAPE"));
}

TEST_CASE("rules that only 0.90 has are checked") {
    const auto dim = [](std::int32_t value) {
        FileV090 file;
        const auto axis = wire090::CreateAxisAttribute(file.builder(), value);
        file.tensor("x", {2, 6}, DType::FP32)
            .tensor("d", {1}, DType::SHAPE)
            .op(Op::DIM, {"x"}, {"d"}, wire090::Attribute::AxisAttribute, axis.Union());
        return file.read({"x"}, {"d"});
    };
    CHECK(integer_values(dim(1).main().tensors[1]) == std::vector<std::int64_t>{6});
    CHECK_THROWS_WITH(dim(2), Contains("operator 0 DIM") && Contains("axis") && Contains("0.90"));
    CHECK_THROWS_WITH(dim(-1), Contains("axis"));
}

TEST_CASE("forms of the specification's text are read beside those of its tools") {
    FileV090 file;
    const auto axis = wire090::CreateAxisAttribute(file.builder(), 0);
    const auto second = wire090::CreateAxisAttribute(file.builder(), 1);
    const auto pad = wire090::CreatePadAttribute(file.builder());
    const auto mul = wire090::CreateMulAttribute(file.builder());
    std::vector<std::uint8_t> pairs(32, 0);
    pairs[0] = 1;   // one row before
    pairs[24] = 2;  // two columns after
    file.tensor("x", {2, 6}, DType::INT32)
        .tensor("d", {}, DType::SHAPE)
        .tensor("e", {}, DType::SHAPE)
        .tensor("de", {2}, DType::SHAPE)
        .tensor("r", {2, 6}, DType::INT32)
        .tensor("shift", {}, DType::INT8, {1})
        .tensor("m", {2, 6}, DType::INT32)
        .tensor("p", {2, 2}, DType::SHAPE, pairs)
        .tensor("y", {3, 8}, DType::INT32)
        .tensor("s", {}, DType::INT32, {7, 0, 0, 0})
        .tensor("z", {2}, DType::INT32)
        .op(Op::DIM, {"x"}, {"d"}, wire090::Attribute::AxisAttribute, axis.Union())
        .op(Op::DIM, {"x"}, {"e"}, wire090::Attribute::AxisAttribute, second.Union())
        .op(Op::CONCAT, {"d", "e"}, {"de"}, wire090::Attribute::AxisAttribute, axis.Union())
        .op(Op::RESHAPE, {"x", "de"}, {"r"})
        .op(Op::CONST, {}, {"shift"})
        .op(Op::MUL, {"r", "r", "shift"}, {"m"}, wire090::Attribute::MulAttribute, mul.Union())
        .op(Op::CONST_SHAPE, {}, {"p"})
        .op(Op::PAD, {"m", "p"}, {"y"}, wire090::Attribute::PadAttribute, pad.Union())
        .op(Op::CONST, {}, {"s"})
        .op(Op::CONCAT, {"s", "s"}, {"z"}, wire090::Attribute::AxisAttribute, axis.Union());
    const Graph graph = file.read({"x"}, {"y", "z"});
    CHECK(input_values(graph, OpCode::kReshape, 1) == std::vector<std::int64_t>{2, 6});
    CHECK(input_values(graph, OpCode::kMul, 2) == std::vector<std::int64_t>{1});
    CHECK(input_values(graph, OpCode::kPad, 1) == std::vector<std::int64_t>{1, 0, 0, 2});
    CHECK(graph.main().input(find(graph, OpCode::kConcat), 0).shape == Shape{1});
}

TEST_CASE("unsigned types are RESCALE's alone") {
    FileV090 file;
    file.tensor("x", {2}, DType::UINT8)
        .tensor("y", {2}, DType::UINT8)
        .op(Op::BITWISE_NOT, {"x"}, {"y"});
    CHECK_THROWS_WITH(file.read({"x"}, {"y"}), Contains("BITWISE_NOT") && Contains("uint8"));
}

TEST_CASE("long chains of shapes are folded in linear time, last operator first") {
    FileV090 file;
    constexpr int kLength = 50'000;
    std::vector<std::uint8_t> two(8, 0);
    two[0] = 2;
    file.tensor("x", {2}, DType::FP32).tensor("y", {2}, DType::FP32);
    file.tensor("s0", {1}, DType::SHAPE, two);
    file.op(Op::RESHAPE, {"x", "s" + std::to_string(kLength)}, {"y"});
    for (int i = kLength; i > 0; --i) {
        const std::string name = "s" + std::to_string(i);
        file.tensor(name, {1}, DType::SHAPE);
        file.op(Op::IDENTITY, {"s" + std::to_string(i - 1)}, {name});
    }
    file.op(Op::CONST_SHAPE, {}, {"s0"});
    const Graph graph = file.read({"x"}, {"y"});
    CHECK(input_values(graph, OpCode::kReshape, 1) == std::vector<std::int64_t>{2});
}

TEST_CASE("shapes that are inputs take their values from the options, or from other shapes") {
    const auto slice = [](const ReadOptions& options) {
        FileV090 file;
        file.tensor("x", {2, 6}, DType::FP32)
            .tensor("start", {2}, DType::SHAPE)
            .tensor("size", {2}, DType::SHAPE)
            .tensor("y", {1, 4}, DType::FP32)
            .op(Op::SLICE, {"x", "start", "size"}, {"y"});
        return file.read({"x", "start", "size"}, {"y"}, options);
    };
    ReadOptions options;
    CHECK_THROWS_WITH(slice(options), Contains("--input start=FILE.npy"));
    options.shape_input = [](const std::string& name) -> std::optional<std::vector<std::int64_t>> {
        if (name != "start") return std::nullopt;  // the size is that of y
        return std::vector<std::int64_t>{1, 2};
    };
    const Graph graph = slice(options);
    CHECK(input_values(graph, OpCode::kSlice, 1) == std::vector<std::int64_t>{1, 2});
    CHECK(input_values(graph, OpCode::kSlice, 2) == std::vector<std::int64_t>{1, 4});
}

TEST_CASE("bf16 constants shrink from four bytes to two") {
    FileV090 file;
    // 1.5 and -2 as float32, whose upper halves are the bf16 values.
    file.tensor("c", {2}, DType::BF16, {0, 0, 0xC0, 0x3F, 0, 0, 0, 0xC0}).op(Op::CONST, {}, {"c"});
    const Graph graph = file.read({}, {"c"});
    const Tensor& c = graph.main().tensors[0];
    CHECK(float_bits_element(c.data, tosa::DType::kBf16, 0) == 0x3FC0);
    CHECK(float_bits_element(c.data, tosa::DType::kBf16, 1) == 0xC000);
    FileV090 other;
    other.tensor("c", {1}, DType::BF16, {1, 0, 0xC0, 0x3F}).op(Op::CONST, {}, {"c"});
    CHECK_THROWS_WITH(other.read({}, {"c"}), Contains("no bf16"));
}

TEST_CASE("logical shifts of narrow integers are carried out in 32 bits unless they fit") {
    const auto shift = [](std::uint8_t amount, bool is_constant) {
        FileV090 file;
        file.tensor("x", {2}, DType::INT8)
            .tensor("n", {1}, DType::INT8,
                    is_constant ? std::vector<std::uint8_t>{amount} : std::vector<std::uint8_t>{})
            .tensor("y", {2}, DType::INT8)
            .op(Op::LOGICAL_RIGHT_SHIFT, {"x", "n"}, {"y"});
        return codes(is_constant ? file.read({"x"}, {"y"}) : file.read({"x", "n"}, {"y"}));
    };
    CHECK(shift(7, true) == std::vector<OpCode>{OpCode::kLogicalRightShift});
    CHECK(shift(8, true).size() > 1);
    const auto codes = shift(0, false);
    CHECK(std::count(codes.begin(), codes.end(), OpCode::kCast) == 3);
}

TEST_CASE("POW is written out as far as its operands ask for it") {
    const auto pow = [](float exponent) {
        FileV090 file;
        std::vector<std::uint8_t> bytes(4);
        std::memcpy(bytes.data(), &exponent, 4);
        file.tensor("x", {2}, DType::FP32)
            .tensor("n", {1}, DType::FP32, bytes)
            .tensor("y", {2}, DType::FP32)
            .op(Op::POW, {"x", "n"}, {"y"});
        return codes(file.read({"x"}, {"y"})).size();
    };
    // An even, positive exponent needs only |x| to the power, for both signs. Each other property
    // adds operators.
    CHECK(pow(2.0F) < pow(3.0F));
    CHECK(pow(3.0F) < pow(2.5F));
    CHECK(pow(2.5F) < pow(-2.5F));
}

TEST_CASE("an operator without its attribute and unknown numbers are refused with their place") {
    FileV090 file;
    file.tensor("x", {2, 2}, DType::FP32).tensor("y", {2, 1}, DType::FP32);
    file.op(Op::REDUCE_SUM, {"x"}, {"y"});
    CHECK_THROWS_WITH(file.read({"x"}, {"y"}),
                      Contains("operators[0]") && Contains("AxisAttribute"));
    FileV090 other;
    other.tensor("x", {2, 2}, DType::FP32).op(static_cast<Op>(99), {}, {"x"});
    CHECK_THROWS_WITH(other.read({}, {"x"}), Contains("99") && Contains("0.90"));
}

}  // namespace
}  // namespace okksim::sim::graph
