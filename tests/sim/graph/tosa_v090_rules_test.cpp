// SPDX-License-Identifier: Apache-2.0
// Graphs of 0.90 that are illegal, although their lowering or 1.0 permits a similar graph.
#include "tests/sim/graph/file_v090.h"
#include "tests/support/catch.h"

namespace okksim::sim::graph {
namespace {

using Catch::Contains;
using tests::FileV090;
using wire090::DType;
using wire090::Op;
using Names = std::vector<std::string>;

TEST_CASE("0.90: operand lists, types and ranks that 0.90 lacks are refused") {
    using Attribute = wire090::Attribute;
    // RESHAPE and TILE without their shape, or with one more operand.
    const auto moved = [](Op op, const Names& inputs) {
        FileV090 file;
        std::vector<std::uint8_t> shape(8, 0);
        shape[0] = op == Op::TILE ? 1 : 6;
        file.tensor("x", {6}, DType::FP32)
            .tensor("s", {1}, DType::SHAPE, shape)
            .tensor("y", {6}, DType::FP32)
            .op(Op::CONST_SHAPE, {}, {"s"})
            .op(op, inputs, {"y"});
        return file.read({"x"}, {"y"});
    };
    for (const Op op : {Op::RESHAPE, Op::TILE}) {
        CHECK(moved(op, {"x", "s"}).main().outputs.size() == 1);
        CHECK_THROWS_WITH(moved(op, {"x"}), Contains("inputs = 1") && Contains("2 inputs"));
        CHECK_THROWS_WITH(moved(op, {"x", "s", "x"}), Contains("inputs = 3"));
        CHECK_THROWS_WITH(moved(op, {}), Contains("inputs = 0"));
    }
    // A shift as an input and as an attribute; a third input that is no shift.
    const auto product = [](std::int32_t shift, const Names& inputs) {
        FileV090 file;
        const auto mul = wire090::CreateMulAttribute(file.builder(), shift);
        file.tensor("x", {1}, DType::INT32)
            .tensor("n", {1}, DType::INT8, {1})
            .tensor("y", {1}, DType::INT32)
            .op(Op::CONST, {}, {"n"})
            .op(Op::MUL, inputs, {"y"}, Attribute::MulAttribute, mul.Union());
        return file.read({"x"}, {"y"});
    };
    CHECK(product(3, {"x", "x"}).main().outputs.size() == 1);
    CHECK(product(0, {"x", "x", "n"}).main().outputs.size() == 1);
    CHECK_THROWS_WITH(product(3, {"x", "x", "n"}), Contains("one shift"));
    CHECK_THROWS_WITH(product(0, {"x", "x", "x"}), Contains("third input of MUL"));
    // 48 bits are only for products, RESCALE and constants; 4 bits are only for weights.
    const auto passed = [](Op op, DType type) {
        FileV090 file;
        file.tensor("x", {2}, type).tensor("y", {2}, type).op(op, {"x"}, {"y"});
        return file.read({"x"}, {"y"});
    };
    CHECK(passed(Op::IDENTITY, DType::INT32).main().outputs.size() == 1);
    CHECK_THROWS_WITH(passed(Op::IDENTITY, DType::INT48), Contains("i48_t") && Contains("0.90"));
    CHECK_THROWS_WITH(passed(Op::IDENTITY, DType::INT4), Contains("i4_t"));
    CHECK_THROWS_WITH(passed(Op::ABS, DType::INT48), Contains("i48_t"));
    const auto reshaped = [](DType type) {
        FileV090 file;
        const auto a = wire090::CreateReshapeAttribute(
            file.builder(), file.builder().CreateVector(std::vector<std::int32_t>{2, 1}));
        file.tensor("x", {2}, type).tensor("y", {2, 1}, type);
        file.op(Op::RESHAPE, {"x"}, {"y"}, Attribute::ReshapeAttribute, a.Union());
        return file.read({"x"}, {"y"});
    };
    CHECK(reshaped(DType::INT16).main().outputs.size() == 1);
    CHECK_THROWS_WITH(reshaped(DType::INT48), Contains("i48_t"));
    // Reductions have at most four dimensions in 0.90, and six in 1.0.
    const auto reduced = [](Op op, DType type, const std::vector<std::int32_t>& shape) {
        FileV090 file;
        const auto axis = wire090::CreateAxisAttribute(file.builder(), 0);
        file.tensor("x", shape, type).tensor("y", shape, type);
        file.op(op, {"x"}, {"y"}, Attribute::AxisAttribute, axis.Union());
        return file.read({"x"}, {"y"});
    };
    for (const Op op : {Op::REDUCE_MAX, Op::REDUCE_MIN, Op::REDUCE_SUM, Op::REDUCE_PRODUCT}) {
        CHECK(reduced(op, DType::FP32, {1, 2, 1, 2}).main().outputs.size() == 1);
        CHECK_THROWS_WITH(reduced(op, DType::FP32, {1, 2, 1, 2, 3}),
                          Contains("[1,2,1,2,3]") && Contains("rank 1 to 4"));
    }
    for (const Op op : {Op::REDUCE_ALL, Op::REDUCE_ANY}) {
        CHECK_THROWS_WITH(reduced(op, DType::BOOL, {1, 1, 1, 1, 3}), Contains("rank 1 to 4"));
    }
}

}  // namespace
}  // namespace okksim::sim::graph
