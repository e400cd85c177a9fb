// SPDX-License-Identifier: Apache-2.0
// ONNX: resized and sampled feature maps.
#include "tests/sim/graph/onnx_node.h"
#include "tests/support/catch.h"

namespace okksim::tests {
namespace {

using namespace onnx;
using Catch::Matchers::Approx;
using Catch::Matchers::Contains;
using Numbers = std::vector<double>;
using List = std::vector<std::int64_t>;

auto about(const Numbers& expected) { return Approx(expected).margin(1e-5).epsilon(1e-4); }

Message mode(std::string_view value) { return attribute("mode", value); }
Message coordinates(std::string_view value) {
    return attribute("coordinate_transformation_mode", value);
}

/// Resizes one line of a feature map by scales.
Numbers scaled(const Operand& x, double scale, const std::vector<Message>& attributes) {
    return values_of({"Resize", {x, absent(), known_real({3}, {1, 1, scale})}, attributes});
}

}  // namespace

TEST_CASE("ONNX: coordinates of linear Resize", "[graph][onnx]") {
    const Operand x = real({1, 1, 2}, {0, 4});
    const Message linear = mode("linear");
    // Positions (i + 0.5) / 2 - 0.5: -0.25, 0.25, 0.75, 1.25.
    CHECK_THAT(scaled(x, 2, {linear}), about({0, 1, 3, 4}));
    // Positions i / 3.
    CHECK_THAT(scaled(x, 2, {linear, coordinates("align_corners")}),
               about({0, 4.0 / 3, 8.0 / 3, 4}));
    // Positions i / 2.
    CHECK_THAT(scaled(x, 2, {linear, coordinates("asymmetric")}), about({0, 2, 4, 4}));
    // A scale of 1.4 gives floor(2.8) = 2 elements at i / 1.4.
    CHECK_THAT(scaled(x, 1.4, {linear, coordinates("asymmetric")}), about({0, 4 / 1.4}));
}

TEST_CASE("ONNX: rounding of nearest Resize", "[graph][onnx]") {
    const Operand x = real({1, 1, 3}, {1, 2, 3});
    const auto with = [&](std::string_view rounding) {
        return scaled(x, 2, {coordinates("asymmetric"), attribute("nearest_mode", rounding)});
    };
    // Positions 0, 0.5, 1, 1.5, 2, 2.5.
    CHECK(with("round_prefer_floor") == Numbers{1, 1, 2, 2, 3, 3});
    CHECK(with("round_prefer_ceil") == Numbers{1, 2, 2, 3, 3, 3});
    CHECK(with("ceil") == Numbers{1, 2, 2, 3, 3, 3});
    CHECK(with("floor") == Numbers{1, 1, 2, 2, 3, 3});
    const Operand bytes{{1, 1, 2}, {200, 3}, kUint8};
    CHECK(scaled(bytes, 2, {}) == Numbers{200, 200, 3, 3});
}

TEST_CASE("ONNX: Resize to sizes of some axes", "[graph][onnx]") {
    const Operand x = real({1, 1, 2, 2}, {1, 2, 3, 4});
    const Node node{
        "Resize", {x, absent(), absent(), known_list({4})}, {attribute("axes", List{3})}, 18};
    CHECK(values_of(node) == Numbers{1, 1, 2, 2, 3, 3, 4, 4});
}

TEST_CASE("ONNX: Upsample is Resize with positions i / scale", "[graph][onnx]") {
    const Operand x = real({1, 1, 2}, {1, 3});
    CHECK(values_of({"Upsample", {x, known_real({3}, {1, 1, 2})}, {}, 9}) == Numbers{1, 1, 3, 3});
    CHECK_THAT(values_of({"Upsample",
                          {x},
                          {mode("linear"), attribute("scales", std::vector<float>{1, 1, 2})},
                          7}),
               about({1, 2, 3, 3}));
    CHECK(values_of({"Resize", {x, known_real({3}, {1, 1, 2})}, {}, 10}) == Numbers{1, 1, 3, 3});
}

TEST_CASE("ONNX: GridSample and AffineGrid", "[graph][onnx]") {
    const Operand x = real({1, 1, 1, 3}, {1, 2, 4});
    // With align_corners, -1 ... 1 is 0 ... 2: positions 0.5, 2 and 3, which is outside.
    const Operand grid = real({1, 1, 3, 2}, {-0.5, 0, 1, 0, 2, 0});
    CHECK_THAT(values_of({"GridSample", {x, grid}, {attribute("align_corners", std::int64_t{1})}}),
               about({1.5, 4, 0}));
    CHECK_THAT(values_of({"GridSample",
                          {x, grid},
                          {attribute("align_corners", std::int64_t{1}),
                           attribute("padding_mode", std::string_view("border"))}}),
               about({1.5, 4, 4}));
    // The identity gives the centres of 2 elements in -1 ... 1.
    CHECK_THAT(values_of({"AffineGrid",
                          {real({1, 2, 3}, {1, 0, 0, 0, 1, 0}), known_list({1, 1, 1, 2})},
                          {},
                          20}),
               about({-0.5, 0, 0.5, 0}));
}

TEST_CASE("ONNX: RoiAlign averages samples of a region", "[graph][onnx]") {
    const Operand x = real({1, 1, 2, 2}, {0, 1, 2, 3});
    Operand batch{{1}, {0}, kInt64};
    // One sample in the centre of the feature map, at (0.5, 0.5) with half_pixel.
    CHECK_THAT(values_of({"RoiAlign",
                          {x, real({1, 4}, {0, 0, 2, 2}), batch},
                          {attribute("sampling_ratio", std::int64_t{1})},
                          16}),
               about({1.5}));
}

TEST_CASE("ONNX: MaxRoiPool finds the maxima of bins", "[graph][onnx]") {
    const Operand x = real({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
    // The whole feature map in two bins, element 2 in two bins that overlap, and a region outside.
    const Operand rois = real({3, 5}, {0, 0, 0, 3, 1, 0, 1, 0, 1, 0, 0, 4, 0, 5, 0});
    CHECK(values_of({"MaxRoiPool", {x, rois}, {attribute("pooled_shape", List{1, 2})}}) ==
          Numbers{6, 8, 2, 2, 0, 0});
}

TEST_CASE("ONNX: Resize refuses contradictions", "[graph][onnx]") {
    const Operand x = real({1, 1, 2}, {1, 3}), scales = known_real({3}, {1, 1, 2});
    CHECK_THAT(refusal_of({"Resize", {x}}), Contains("exactly one"));
    CHECK_THAT(refusal_of({"Resize", {x, absent(), scales, known_list({1, 1, 4})}}),
               Contains("exactly one"));
    CHECK_THAT(refusal_of({"Resize", {x, absent(), known_real({2}, {1, 2})}}),
               Contains("one scale per"));
    CHECK_THAT(refusal_of({"Resize", {x, absent(), known_real({3}, {1, 1, -2})}}),
               Contains("greater than 0"));
    CHECK_THAT(refusal_of({"Resize", {x, absent(), scales}, {mode("area")}}),
               Contains("cubic, linear"));
    CHECK_THAT(refusal_of({"Resize", {x, absent(), real({3}, {1, 1, 2})}}), Contains("run time"));
    CHECK_THAT(refusal_of({"GridSample", {x, real({1, 2, 1}, {0, 0})}}), Contains("two or three"));
}

}  // namespace okksim::tests
