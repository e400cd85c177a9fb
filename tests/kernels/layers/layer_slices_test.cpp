// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_slices.h"

#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::kernels;
using namespace okksim::kernels::layers;

constexpr int kIn = 0, kConvolved = 1, kSum = 2;

/// y = convolution(x) + x on activations [N, 8, 8, C], 3 x 3 with zero padding.
struct Residual {
    std::vector<LayerOperator> operators{2};
    std::vector<LayerValue> values{3};
    std::vector<Layer> layers{2};

    explicit Residual(int images) {
        for (LayerValue& value : values) {
            value.tensor.type = tosa::DType::kFp32;
            value.tensor.rank = 4;
            value.tensor.dims = {images, 8, 8, 64};
            value.tensor.strides = {8 * 8 * 64, 8 * 64, 64, 1};
        }
        values[kIn].given = true;
        values[kSum].wanted = true;
        Layer& convolution = layers[0];
        convolution.kind = LayerKind::kConvolution;
        convolution.maps = {kIn};
        convolution.output = kConvolved;
        convolution.in = convolution.out = {images, 64, 8, 8};
        convolution.kernel = {3, 3};
        convolution.zeros = {1, 1, 1, 1};
        Layer& sum = layers[1];
        sum.op = 1;
        sum.maps = {kConvolved, kIn};
        sum.output = kSum;
        sum.in = sum.out = {images, 64, 8, 8};
    }
    LayerCall call() const { return {operators, values, 0}; }
};

bool holds(const MapPart& part, int value, conv::Range images, conv::Range rows) {
    return part.value == value && part.images.begin == images.begin &&
           part.images.end == images.end && part.rows.begin == rows.begin &&
           part.rows.end == rows.end;
}

}  // namespace

TEST_CASE("slices of rows read what their windows reach") {
    const Residual graph(1);
    const auto cut = cut_layers(graph.call(), graph.layers, {.images = 1, .rows = 2});
    REQUIRE(cut);
    // For rows 0 to 3 of the sum, the convolution reads rows -1 to 4; row -1 is zero padding. The
    // sum reads rows 0 to 3 of x from a copy. Rows 4 to 7 need rows 3 to 8; row 8 is padding.
    REQUIRE(cut->layers.size() == 6);
    const auto part = [&](int index) { return cut->parts[static_cast<std::size_t>(index)]; };
    for (const int slice : {0, 1}) {
        CAPTURE(slice);
        const Layer& convolution = cut->layers[static_cast<std::size_t>(3 * slice)];
        const Layer& copy = cut->layers[static_cast<std::size_t>(3 * slice + 1)];
        const Layer& sum = cut->layers[static_cast<std::size_t>(3 * slice + 2)];
        const conv::Range own = slice == 0 ? conv::Range{0, 4} : conv::Range{4, 8};
        const conv::Range source = slice == 0 ? conv::Range{0, 5} : conv::Range{3, 8};
        CHECK(holds(part(convolution.maps[0]), kIn, {0, 1}, source));
        CHECK(holds(part(convolution.output), kConvolved, {0, 1}, own));
        CHECK(convolution.zeros.top == (slice == 0 ? 1 : 0));
        CHECK(convolution.zeros.bottom == (slice == 0 ? 0 : 1));
        CHECK(convolution.in.h == 5);
        CHECK(convolution.out.h == 4);
        CHECK(copy.kind == LayerKind::kCrop);
        CHECK(copy.maps[0] == convolution.maps[0]);
        CHECK(copy.begin[1] == slice);  // row 0 of 0 to 4, row 4 of 3 to 7
        CHECK(part(copy.output).copy);
        CHECK(holds(part(copy.output), kIn, {0, 1}, own));
        CHECK(sum.maps == std::vector<int>{convolution.output, copy.output});
        CHECK(holds(part(sum.output), kSum, {0, 1}, own));
        // Row 3 begins 3 * 8 * 64 words after row 0.
        CHECK(part_address(graph.call(), part(convolution.maps[0])) ==
              (slice == 0 ? 0u : 4u * 3 * 8 * 64));
    }
}

TEST_CASE("slices of images share nothing") {
    const Residual graph(3);
    const auto cut = cut_layers(graph.call(), graph.layers, {.images = 2, .rows = 1});
    REQUIRE(cut);
    // Image 0, then images 1 and 2 (3 * 1 / 2 = 1); whole heights, so nothing is copied.
    REQUIRE(cut->layers.size() == 4);
    REQUIRE(cut->parts.size() == 6);
    for (std::size_t i = 0; i < cut->parts.size(); ++i) {
        CHECK(holds(cut->parts[i], cut->parts[i].value,
                    i < 3 ? conv::Range{0, 1} : conv::Range{1, 3}, {0, 8}));
    }
    CHECK(cut->layers[2].in.n == 2);
    CHECK(part_address(graph.call(), cut->parts[3]) == 4u * 8 * 8 * 64);
}

TEST_CASE("a group in one slice keeps its layers") {
    const Residual graph(2);
    const auto whole = cut_layers(graph.call(), graph.layers, {});
    REQUIRE(whole);
    CHECK(whole->layers.size() == graph.layers.size());
    for (std::size_t i = 0; i < whole->parts.size(); ++i) {
        CHECK(holds(whole->parts[i], static_cast<int>(i), {0, 2}, {0, 8}));
    }
}

TEST_CASE("a slice that would read nothing but zeros is none") {
    Residual graph(1);
    // With eight rows of zero padding above, the first half of the result reads no row of x.
    graph.layers[0].kernel = {1, 1};
    graph.layers[0].zeros = {8, 0, 0, 0};
    graph.values[kConvolved].wanted = true;
    CHECK_FALSE(
        cut_layers(graph.call(), std::span(graph.layers).first(1), {.images = 1, .rows = 2}));
}
