// SPDX-License-Identifier: Apache-2.0
// Products of int8 matrices that share a kernel with operators on their rows give the same bits as
// separate kernels.
#include <optional>

#include "models/chip/chip_params.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/validate.h"
#include "tests/support/catch.h"
#include "tests/support/group_run.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::HostTensor;
using graph::Shape;
using graph::TensorIndex;
using tests::GroupRun;
using tests::RandomSource;
using tests::run_planned;

/// A product of byte matrices, operators along its rows, and in most cases a second product.
class RandomProducts {
 public:
    RandomProducts(std::uint64_t seed, std::int64_t lanes)
        : random_(seed),
          matrices_(random_.between(1, 5)),
          rows_(random_.pick({1, 1, 1, 2, 3}) * lanes + (random_.one_in(8) ? 1 : 0)),
          columns_(random_.pick({2, 7, 33, 64})) {}

    graph::Graph make() {
        const std::int64_t terms = random_.pick({1, 3, 4, 17, 64, 100});
        TensorIndex value = scaled(
            product(input({matrices_, rows_, terms}), right(terms, columns_), columns_), columns_);
        const bool has_second = !random_.one_in(4);
        if (!has_second || random_.one_in(2)) {
            // Images and heads as separate dimensions, as exporters write attention.
            if (random_.one_in(2)) heads_ = {1, matrices_};
            if (heads_.size() > 1) value = reshape(value, space(columns_));
            value = below_largest(value);
            if (heads_.size() > 1) value = reshape(value, {matrices_, rows_, columns_});
        }
        if (has_second) {
            const std::int64_t width = random_.pick({1, 5, 20, 64});
            const TensorIndex sums = product(value, right(columns_, width), width);
            value = random_.one_in(3) ? sums : scaled(sums, width);
        }
        builder_.output(value);
        return builder_.finish();
    }

    const std::vector<HostTensor>& inputs() const { return inputs_; }

 private:
    TensorIndex input(const Shape& shape) {
        std::vector<std::byte> bytes(*graph::element_count(shape));
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(random_.bits());
        inputs_.push_back(graph::make_host_tensor(DType::kI8, shape, bytes));
        return builder_.input(DType::kI8, shape);
    }

    /// [matrices, terms, width], either an input or its transposition.
    TensorIndex right(std::int64_t terms, std::int64_t width) {
        if (random_.one_in(2)) return input({matrices_, terms, width});
        const TensorIndex turned = input({matrices_, width, terms});
        return builder_.add(OpCode::kTranspose, TransposeAttributes{{0, 2, 1}}, {turned},
                            DType::kI8, {matrices_, terms, width});
    }

    TensorIndex number(DType type, std::int64_t value) {
        return builder_.constant(type, {1}, {value});
    }
    TensorIndex zero_point() { return number(DType::kI8, random_.between(-128, 127)); }

    TensorIndex product(TensorIndex left, TensorIndex right, std::int64_t width) {
        return builder_.add(OpCode::kMatmul, NoAttributes{},
                            {left, right, zero_point(), zero_point()}, DType::kI32,
                            {matrices_, rows_, width});
    }

    TensorIndex rescale(TensorIndex value, DType from, DType to, const Shape& shape,
                        std::int64_t shift) {
        const RescaleAttributes attributes{
            true, random_.one_in(2) ? RoundingMode::kSingleRound : RoundingMode::kDoubleRound,
            false};
        const TensorIndex zero = from == DType::kI8 ? number(from, 3) : number(from, 0);
        return builder_.add(OpCode::kRescale, attributes,
                            {value, number(DType::kI32, 1 << 30), number(DType::kI8, shift), zero,
                             to == DType::kI8 ? zero_point() : number(to, 0)},
                            to, shape);
    }

    TensorIndex scaled(TensorIndex sums, std::int64_t width) {
        return rescale(sums, DType::kI32, DType::kI8, {matrices_, rows_, width},
                       random_.between(36, 46));
    }

    /// The shape of operators along rows.
    Shape space(std::int64_t columns) const {
        Shape shape = heads_.empty() ? Shape{matrices_} : heads_;
        shape.insert(shape.end(), {rows_, columns});
        return shape;
    }

    TensorIndex reshape(TensorIndex value, const Shape& shape) {
        const TensorIndex to =
            builder_.constant(DType::kShape, {static_cast<std::int64_t>(shape.size())}, shape);
        return builder_.add(OpCode::kReshape, NoAttributes{}, {value, to}, DType::kI8, shape);
    }

    /// Difference of every element from the row's maximum.
    TensorIndex below_largest(TensorIndex value) {
        const Shape all = space(columns_), one = space(1);
        const auto axis = static_cast<std::int32_t>(all.size() - 1);
        const TensorIndex most =
            builder_.add(OpCode::kReduceMax, ReduceMaxAttributes{axis}, {value}, DType::kI8, one);
        const TensorIndex words = rescale(value, DType::kI8, DType::kI32, all, 30);
        const TensorIndex word = rescale(most, DType::kI8, DType::kI32, one, 30);
        const TensorIndex less =
            builder_.add(OpCode::kSub, NoAttributes{}, {words, word}, DType::kI32, all);
        return rescale(less, DType::kI32, DType::kI8, all, random_.between(30, 32));
    }

    RandomSource random_;
    std::int64_t matrices_, rows_, columns_;
    Shape heads_;  ///< dimensions of the matrices as rows; empty: those of the matrices
    GraphBuilder builder_;
    std::vector<HostTensor> inputs_;
};

void check_products(const std::vector<std::string>& settings, std::uint64_t first_seed) {
    const Machine machine = load_machine("okk-next", settings);
    std::size_t chained = 0;
    constexpr std::uint64_t kCases = 60;
    for (std::uint64_t seed = first_seed; seed < first_seed + kCases; ++seed) {
        CAPTURE(machine.label(), seed);
        RandomProducts products(seed, machine.params.chip->lanes);
        const graph::Graph graph = products.make();
        graph::validate_graph(graph);
        const auto& inputs = products.inputs();
        const GroupRun apart = run_planned(graph, inputs, machine, {.fuse = false});
        REQUIRE_FALSE(apart.fault);
        const GroupRun together = run_planned(graph, inputs, machine, {});
        planning::PlanOptions chains{.chained = {&graph.main()}};
        if (seed % 2 == 0) chains.strided = {&graph.main()};  // else the kernel waits for copies
        const GroupRun chain = run_planned(graph, inputs, machine, chains);
        CHECK(chain.output == apart.output);
        CHECK(together.output == apart.output);
        if (chain.kernels < together.kernels) ++chained;
    }
    CHECK(chained > kCases * 3 / 4);
}

}  // namespace

TEST_CASE("rows of products stay in their lanes and give the same bytes") { check_products({}, 1); }

TEST_CASE("rows of products in many tiles give the same bytes") {
    check_products({"chip.lanes=8", "chip.local_memory_bytes=16384"}, 1000);
    check_products({"chip.lanes=4", "chip.local_memory_bytes=32768"}, 2000);
}

TEST_CASE(
    "products without moves that transpose, or without int8 arrays, are kernels of their own") {
    for (const char* missing : {"features.dma_layout=false", "features.int8_mac=false"}) {
        const Machine machine = load_machine(
            "okk-next",
            {"chip.lanes=8", "features.fused_rescale=false", "features.int16_mac=false", missing});
        RandomProducts products(3, 8);
        const graph::Graph graph = products.make();
        const auto& inputs = products.inputs();
        const planning::PlanOptions chains{.chained = {&graph.main()}};
        const GroupRun chain = run_planned(graph, inputs, machine, chains);
        CHECK(chain.kernels == run_planned(graph, inputs, machine, {}).kernels);
        CHECK(chain.output == run_planned(graph, inputs, machine, {.fuse = false}).output);
    }
}
