// SPDX-License-Identifier: Apache-2.0
// Pictures as values of inputs: layout, channels, scale, element types.
#include "sim/images/picture_input.h"

#include <cstring>

#include "isa/base/errors.h"
#include "sim/graph/element.h"
#include "tests/support/catch.h"

namespace okksim::sim::images {
namespace {

using Catch::Contains;
using graph::DType;

/// Two pixels: (10, 20, 30), (40, 50, 255).
const Picture kPicture{2, 1, {10, 20, 30, 40, 50, 255}};

graph::Tensor input(DType type, const graph::Shape& shape, bool is_unsigned = false) {
    graph::Tensor tensor;
    tensor.name = graph::Name("x");
    tensor.shape = shape;
    tensor.type = type;
    tensor.is_unsigned = is_unsigned;
    return tensor;
}

template <typename T>
std::vector<T> values(const PictureInput& made) {
    std::vector<T> all(made.value.data.size() / sizeof(T));
    std::memcpy(all.data(), made.value.data.data(), made.value.data.size());
    return all;
}

PictureInput make(const graph::Tensor& tensor, const PictureOptions& options = {}) {
    return picture_input(kPicture, "p.png", options, tensor);
}

TEST_CASE("the layout follows from the input's shape") {
    PictureOptions plain;
    plain.scale = {1};
    using Floats = std::vector<float>;
    CHECK(values<float>(make(input(DType::kFp32, {1, 3, 1, 2}), plain)) ==
          Floats{10, 40, 20, 50, 30, 255});
    CHECK(values<float>(make(input(DType::kFp32, {1, 1, 2, 3}), plain)) ==
          Floats{10, 20, 30, 40, 50, 255});
    CHECK(values<float>(make(input(DType::kFp32, {3, 1, 2}), plain)) ==
          Floats{10, 40, 20, 50, 30, 255});
    // Every picture of a batch is the same.
    CHECK(values<float>(make(input(DType::kFp32, {2, 3, 1, 2}), plain)).size() == 12);
}

TEST_CASE("a shape that has no or two layouts is refused") {
    CHECK_THROWS_WITH(make(input(DType::kFp32, {1, 3, 2, 3})),
                      Contains("input x") && Contains("--layout"));
    PictureOptions last;
    last.layout = Layout::kNhwc;
    CHECK(make(input(DType::kFp32, {1, 3, 2, 3}), last).note.find("nhwc") != std::string::npos);
    CHECK_THROWS_WITH(make(input(DType::kFp32, {1, 4, 2, 4})), Contains("without 1 or 3 channels"));
    last.layout = Layout::kNchw;
    CHECK_THROWS_WITH(make(input(DType::kFp32, {1, 2, 2, 3}), last), Contains("another --layout"));
    CHECK_THROWS_WITH(make(input(DType::kFp32, {6})), Contains("2 to 4 dimensions"));
    CHECK_THROWS_WITH(make(input(DType::kBool, {1, 1, 2, 3})), Contains("hold no pixels"));
}

TEST_CASE("values without options depend on the type") {
    const auto real = values<float>(make(input(DType::kFp32, {1, 1, 2, 3})));
    CHECK(real.at(5) == 1.0F);
    CHECK(real.at(0) == Approx(10.0 / 255));
    CHECK(values<std::uint8_t>(make(input(DType::kI8, {1, 1, 2, 3}, true))) ==
          std::vector<std::uint8_t>{10, 20, 30, 40, 50, 255});
    CHECK(values<std::int8_t>(make(input(DType::kI8, {1, 1, 2, 3}))) ==
          std::vector<std::int8_t>{-118, -108, -98, -88, -78, 127});
    // 1.0 as fp16 has the bits 0x3C00.
    CHECK(values<std::uint16_t>(make(input(DType::kFp16, {1, 1, 2, 3}))).at(5) == 0x3C00);
}

TEST_CASE("mean and scale are those of the colours, in any channel order") {
    PictureOptions options;
    options.mean = {1, 2, 3};
    options.scale = {2};
    options.is_bgr = true;
    // (30 - 3) * 2, (20 - 2) * 2, (10 - 1) * 2
    const PictureInput made = make(input(DType::kFp32, {1, 1, 2, 3}), options);
    CHECK(values<float>(made) == std::vector<float>{54, 36, 18, 504, 96, 78});
    CHECK_THAT(made.note, Contains("BGR") && Contains("(pixel - (1, 2, 3)) * 2"));
    // Integers are rounded and saturate: 254.5 * 2 is above 127, and (10 - 1) * 0.25 is 2.25.
    options.is_bgr = false;
    options.scale = {0.25, 1, 2};
    CHECK(values<std::int8_t>(make(input(DType::kI8, {1, 1, 2, 3}), options)) ==
          std::vector<std::int8_t>{2, 18, 54, 10, 48, 127});
    options.mean = {1, 2};
    CHECK_THROWS_WITH(make(input(DType::kFp32, {1, 1, 2, 3}), options),
                      Contains("--mean 1,2: has 2 numbers"));
}

TEST_CASE("a grey input gets the brightness") {
    // 0.299 * 10 + 0.587 * 20 + 0.114 * 30 = 18.15; 0.299 * 40 + 0.587 * 50 + 0.114 * 255 = 70.38
    for (const graph::Shape& shape : {graph::Shape{1, 1, 1, 2}, graph::Shape{1, 2}}) {
        PictureOptions options;
        if (shape.size() == 4) options.layout = Layout::kNchw;
        const PictureInput made = make(input(DType::kI8, shape, true), options);
        CHECK(values<std::uint8_t>(made) == std::vector<std::uint8_t>{18, 70});
        CHECK_THAT(made.note, Contains("grey"));
    }
    PictureOptions options;
    options.mean = {1, 2, 3};
    CHECK_THROWS_WITH(make(input(DType::kFp32, {1, 2}), options),
                      Contains("the input has 1 channel:"));
    options = {};
    options.is_bgr = true;
    CHECK_THROWS_WITH(make(input(DType::kFp32, {1, 2}), options), Contains("--bgr"));
}

TEST_CASE("the note says everything that was done") {
    const PictureInput made = make(input(DType::kI8, {1, 3, 1, 1}, true));
    CHECK(
        made.note ==
        "p.png 2x1, cropped and resized to 1x1, RGB in nchw, pixel (on the host, before the run)");
    CHECK(made.value.is_unsigned);
}

}  // namespace
}  // namespace okksim::sim::images
