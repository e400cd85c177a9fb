// SPDX-License-Identifier: Apache-2.0
// Values that share the bytes of other values: with other dimensions, or with other strides.
#include "sim/planning/value_views.h"

#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "sim/graph/builder.h"
#include "sim/planning/block_planner.h"
#include "tests/support/catch.h"
#include "tests/support/random_source.h"

namespace {

using namespace okksim;
using namespace okksim::sim;
using namespace okksim::tosa;
using graph::GraphBuilder;
using graph::Shape;
using graph::TensorIndex;
using kernels::NdStrides;
using planning::BlockPlan;
using tests::RandomSource;

std::int64_t product(std::span<const std::int32_t> dims) {
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

/// Address of the element at a row-major position.
std::int64_t place(std::span<const std::int32_t> dims, const NdStrides& strides,
                   std::int64_t position) {
    std::int64_t at = 0;
    for (std::size_t i = dims.size(); i-- > 0;) {
        at += position % dims[i] * strides[i];
        position /= dims[i];
    }
    return at;
}

/// Strides with which dimensions `to` address every element in its current position. They follow
/// from the first step along each axis; empty if another element disagrees.
std::optional<NdStrides> tried_strides(std::span<const std::int32_t> dims, const NdStrides& strides,
                                       std::span<const std::int32_t> to) {
    NdStrides found{};
    std::int64_t step = 1;
    for (std::size_t i = to.size(); i-- > 0;) {
        if (to[i] > 1) found[i] = place(dims, strides, step);
        step *= to[i];
    }
    for (std::int64_t k = 0; k < product(to); ++k) {
        if (place(to, found, k) != place(dims, strides, k)) return std::nullopt;
    }
    return found;
}

/// Splits the factors of a count into random groups, with ones in between.
std::vector<std::int32_t> random_dims(RandomSource& random, std::span<const std::int32_t> factors) {
    std::vector<std::int32_t> dims{1};
    for (const std::int32_t factor : factors) {
        if (random.one_in(2) && dims.size() < kernels::kMaxRank - 1) dims.push_back(1);
        dims.back() *= factor;
    }
    if (random.one_in(3)) dims.push_back(1);
    return dims;
}

TensorIndex reshape(GraphBuilder& b, TensorIndex x, const Shape& shape) {
    const TensorIndex to =
        b.constant(DType::kShape, {static_cast<std::int64_t>(shape.size())}, shape);
    return b.add(OpCode::kReshape, NoAttributes{}, {x, to}, DType::kFp32, shape);
}

TensorIndex transpose(GraphBuilder& b, TensorIndex x, const std::vector<std::int32_t>& perms,
                      const Shape& shape) {
    return b.add(OpCode::kTranspose, TransposeAttributes{perms}, {x}, DType::kFp32, shape);
}

TensorIndex matmul(GraphBuilder& b, TensorIndex left, TensorIndex right, const Shape& shape) {
    const TensorIndex zero = b.constant({1}, {0.0F});
    return b.add(OpCode::kMatmul, NoAttributes{}, {left, right, zero, zero}, DType::kFp32, shape);
}

/// Queries, keys and values of attention: feature maps cut into heads.
struct Attention {
    TensorIndex heads(GraphBuilder& b, TensorIndex map, const std::vector<std::int32_t>& perms,
                      const Shape& turned) {
        const TensorIndex cut = reshape(b, map, {1, 6, 2, 4});
        split.push_back(cut);
        split.push_back(transpose(b, cut, perms, turned));
        return split.back();
    }
    std::vector<TensorIndex> split;
};

TensorIndex convolution(GraphBuilder& b, TensorIndex x) {
    return b.add(OpCode::kConv2d, Conv2dAttributes{{}, {1, 1}, {1, 1}, false, DType::kFp32},
                 {x, b.constant({8, 1, 1, 8}, std::vector<float>(64, 0.5F)),
                  b.constant({8}, std::vector<float>(8, 1.0F)), b.constant({1}, {0.0F}),
                  b.constant({1}, {0.0F})},
                 DType::kFp32, {1, 1, 6, 8});
}

}  // namespace

TEST_CASE("strides under other dimensions are those that find every element") {
    RandomSource random(11);
    int found = 0, none = 0;
    for (int i = 0; i < 2000; ++i) {
        CAPTURE(i);
        constexpr std::int32_t kFactors[] = {2, 3, 2, 5};
        const auto dims = random_dims(random, kFactors);
        std::vector<std::int32_t> other(std::begin(kFactors), std::end(kFactors));
        if (random.one_in(3)) std::swap(other[0], other[1]);
        const auto to = random_dims(random, other);
        std::vector<int> order(dims.size());
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t k = order.size(); k > 1; --k) {
            if (random.one_in(2)) {
                std::swap(
                    order[k - 1],
                    order[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(k)))]);
            }
        }
        const NdStrides strides = kernels::strides_in_order(dims, order);
        const auto got = planning::reshaped_strides(dims, strides, to);
        const auto wanted = tried_strides(dims, strides, to);
        REQUIRE(got.has_value() == wanted.has_value());
        if (got) CHECK(planning::same_places(to, *got, *wanted));
        ++(got ? found : none);
    }
    CHECK(found > 500);
    CHECK(none > 100);
}

TEST_CASE("heads of attention are strides of feature maps, and their products become maps again") {
    GraphBuilder b;
    Attention attention;
    const TensorIndex x = b.input(DType::kFp32, {1, 1, 6, 8});
    const TensorIndex keys = attention.heads(b, convolution(b, x), {0, 2, 3, 1}, {1, 2, 4, 6});
    const TensorIndex queries = attention.heads(b, convolution(b, x), {0, 2, 1, 3}, {1, 2, 6, 4});
    const TensorIndex scores =
        matmul(b, reshape(b, queries, {2, 6, 4}), reshape(b, keys, {2, 4, 6}), {2, 6, 6});
    const TensorIndex values = attention.heads(b, convolution(b, x), {0, 2, 1, 3}, {1, 2, 6, 4});
    const TensorIndex mixed = matmul(b, scores, reshape(b, values, {2, 6, 4}), {2, 6, 4});
    const TensorIndex turned =
        transpose(b, reshape(b, mixed, {1, 2, 6, 4}), {0, 2, 1, 3}, {1, 6, 2, 4});
    b.output(convolution(b, reshape(b, turned, {1, 1, 6, 8})));
    const graph::Graph graph = b.finish();
    const graph::Block& block = graph.main();
    const BlockPlan copied = planning::plan_block(block, {.fuse = false});
    const BlockPlan strided = planning::plan_block(block, {.fuse = false, .strided = {&block}});
    // For a feature map stored channel first, [c, w] = [8, 6], head h, depth d and position p are
    // at 24 h + 6 d + p.
    CHECK(strided.slots[queries].strides[1] == 24);
    CHECK(strided.slots[queries].strides[2] == 1);
    CHECK(strided.slots[queries].strides[3] == 6);
    // The product [2, 6, 4] is stored in the same order, so the following [1, 1, 6, 8] is channel
    // first.
    CHECK(strided.slots[mixed].strides == NdStrides{24, 1, 6});
    CHECK(strided.slots[scores].strides == copied.slots[scores].strides);
    // The copy of x, four convolutions, two products, the copy of the result.
    CHECK(strided.steps.size() == 8);
    // Copies: RESHAPE and TRANSPOSE for each of three values, TRANSPOSE and the copy to channel
    // first.
    CHECK(copied.steps.size() == 16);
    for (const TensorIndex value : attention.split) {
        CHECK(copied.views.count(value) == 0);
        CHECK(strided.views.count(value) == 1);
    }
}

TEST_CASE("transpositions that others read than products are copies") {
    enum class Reader { kProduct, kSin, kHost };
    const auto reader = GENERATE(Reader::kProduct, Reader::kSin, Reader::kHost);
    GraphBuilder b;
    const TensorIndex x = b.input(DType::kFp32, {2, 6, 8});
    const TensorIndex value = b.add(OpCode::kSin, NoAttributes{}, {x}, DType::kFp32, {2, 6, 8});
    const TensorIndex turned = transpose(b, value, {0, 2, 1}, {2, 8, 6});
    b.output(matmul(b, turned, value, {2, 8, 8}));
    if (reader == Reader::kSin) {
        b.output(b.add(OpCode::kSin, NoAttributes{}, {turned}, DType::kFp32, {2, 8, 6}));
    }
    if (reader == Reader::kHost) b.output(turned);
    const graph::Graph graph = b.finish();
    const BlockPlan plan =
        planning::plan_block(graph.main(), {.fuse = false, .strided = {&graph.main()}});
    CHECK(plan.views.count(turned) == (reader == Reader::kProduct ? 1 : 0));
    // Strides of a view on row-major [2, 6, 8], or of [2, 8, 6] itself.
    CHECK(plan.slots[turned].strides ==
          (reader == Reader::kProduct ? NdStrides{48, 1, 8} : NdStrides{48, 6, 1}));
}
