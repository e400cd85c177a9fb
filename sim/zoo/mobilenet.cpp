// SPDX-License-Identifier: Apache-2.0
// MobileNetV1 and MobileNetV2.
#include "sim/zoo/networks.h"

namespace okksim::sim::zoo {
namespace {

/// A depthwise convolution, followed by a 1x1 convolution.
struct Separable {
    int stride;
    std::int64_t channels;
};
constexpr Separable kV1[] = {{1, 64},  {2, 128}, {1, 128}, {2, 256}, {1, 256},  {2, 512}, {1, 512},
                             {1, 512}, {1, 512}, {1, 512}, {1, 512}, {2, 1024}, {1, 1024}};

struct Inverted {
    int expansion;
    std::int64_t channels;
    int blocks;
    int stride;
};
constexpr Inverted kV2[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                            {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

Feature depthwise(NetworkBuilder& b, const Feature& x, int stride) {
    return b.conv(
        x, {.kernel = 3, .stride = stride, .activation = Activation::kRelu6, .depthwise = true});
}

Feature inverted_residual(NetworkBuilder& b, const Feature& x, const Inverted& row, int stride) {
    const std::int64_t channels = b.scaled(row.channels);
    Feature y = x;
    if (row.expansion > 1) {
        y = b.conv(y, {.channels = row.expansion * x.shape[3], .activation = Activation::kRelu6});
    }
    y = depthwise(b, y, stride);
    y = b.conv(y, {.channels = channels});
    return stride == 1 && x.shape[3] == channels ? b.add(x, y) : y;
}

Feature stem(NetworkBuilder& b) {
    return b.conv(
        image_input(b, 224),
        {.channels = b.scaled(32), .kernel = 3, .stride = 2, .activation = Activation::kRelu6});
}

}  // namespace

ZooModel build_mobilenet_v1(const ZooOptions& options) {
    NetworkBuilder b(options);
    Feature x = stem(b);
    for (const Separable& row : kV1) {
        x = depthwise(b, x, row.stride);
        x = b.conv(x, {.channels = b.scaled(row.channels), .activation = Activation::kRelu6});
    }
    b.output(classifier(b, b.global_average(x)), "logits");
    return b.finish();
}

ZooModel build_mobilenet_v2(const ZooOptions& options) {
    NetworkBuilder b(options);
    Feature x = stem(b);
    for (const Inverted& row : kV2) {
        for (int i = 0; i < row.blocks; ++i) {
            x = inverted_residual(b, x, row, i == 0 ? row.stride : 1);
        }
    }
    x = b.conv(x, {.channels = b.scaled(1280), .activation = Activation::kRelu6});
    b.output(classifier(b, b.global_average(x)), "logits");
    return b.finish();
}

}  // namespace okksim::sim::zoo
