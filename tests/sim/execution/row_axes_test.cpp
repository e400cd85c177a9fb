// SPDX-License-Identifier: Apache-2.0
// Groups of rows whose values change their dimensions: a reduction of a dimension that other values
// of the group split, and of the rows of a product of matrices.
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/sim/execution/fp32_tensors.h"
#include "tests/support/catch.h"
#include "tests/support/group_run.h"

namespace {

using namespace okksim;
using namespace okksim::tosa;
using sim::graph::GraphBuilder;
using sim::graph::Shape;
using sim::graph::TensorIndex;

std::vector<float> values_of(const tests::GroupRun& run) {
    std::vector<float> values(run.output.size() / sizeof(float));
    std::memcpy(values.data(), run.output.data(), run.output.size());
    return values;
}

/// Builds a graph with inputs of numbers around 0 and compares groups with separate kernels.
class Rows {
 public:
    TensorIndex input(const Shape& shape) {
        std::vector<float> values(*sim::graph::element_count(shape));
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(i * 7 % 11) / 4 - 1;
        }
        inputs_.push_back(tests::fp32_tensor(shape, values));
        return b.input(DType::kFp32, shape);
    }
    TensorIndex op(OpCode code, const std::vector<TensorIndex>& operands, const Shape& shape) {
        return b.add(code, NoAttributes{}, operands, DType::kFp32, shape);
    }
    TensorIndex multiply(TensorIndex x, TensorIndex y, const Shape& shape) {
        return op(OpCode::kMul, {x, y, b.constant(DType::kI8, {1}, {0})}, shape);
    }
    TensorIndex reshape(TensorIndex x, const Shape& shape) {
        return op(OpCode::kReshape, {x, b.shape_value(shape)}, shape);
    }
    TensorIndex sum(TensorIndex x, std::int32_t axis, const Shape& shape) {
        return b.add(OpCode::kReduceSum, ReduceSumAttributes{axis}, {x}, DType::kFp32, shape);
    }
    TensorIndex matmul(TensorIndex x, TensorIndex y, const Shape& shape) {
        const TensorIndex zero = b.constant_bytes(DType::kFp32, {1}, tests::fp32_bytes({0.0F}));
        return op(OpCode::kMatmul, {x, y, zero, zero}, shape);
    }
    void check(TensorIndex result) {
        b.output(result);
        const sim::graph::Graph graph = b.finish();
        sim::graph::validate_graph(graph);
        const sim::Machine machine = sim::load_machine("bm1684");
        const auto expected = values_of(tests::run_group(graph, inputs_, machine, false));
        const auto found = values_of(tests::run_group(graph, inputs_, machine, true));
        REQUIRE(found.size() == expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            CAPTURE(i);
            CHECK(found[i] == Approx(expected[i]).epsilon(1e-5));
        }
    }

    GraphBuilder b;

 private:
    std::vector<sim::graph::HostTensor> inputs_;
};

}  // namespace

TEST_CASE("a sum of all elements keeps its dimension beside values of two dimensions") {
    Rows rows;
    const TensorIndex x = rows.input({12}), y = rows.input({4, 3});
    const TensorIndex total = rows.sum(x, 0, {1});
    const TensorIndex share = rows.op(OpCode::kSub, {x, total}, {12});
    rows.check(rows.multiply(rows.reshape(share, {4, 3}), y, {4, 3}));
}

TEST_CASE("a sum of all elements of a product keeps its dimension") {
    Rows rows;
    const TensorIndex product =
        rows.matmul(rows.input({1, 4, 3}), rows.input({1, 3, 2}), {1, 4, 2});
    const TensorIndex line = rows.reshape(product, {8});
    rows.check(rows.op(OpCode::kSub, {line, rows.sum(line, 0, {1})}, {8}));
}

TEST_CASE("a sum of the rows of a square product is not that of its columns") {
    Rows rows;
    const TensorIndex product =
        rows.matmul(rows.input({1, 3, 3}), rows.input({1, 3, 3}), {1, 3, 3});
    rows.check(rows.op(OpCode::kSub, {product, rows.sum(product, 1, {1, 1, 3})}, {1, 3, 3}));
}
