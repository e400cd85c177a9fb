// SPDX-License-Identifier: Apache-2.0
// ResNet-18 and ResNet-50 (with the stride in the 3x3 convolutions).
#include "sim/zoo/networks.h"

namespace okksim::sim::zoo {
namespace {

struct Stage {
    int blocks;
    std::int64_t channels;
    int stride;
};
constexpr std::int64_t kExpansion = 4;

Feature shortcut(NetworkBuilder& b, const Feature& x, std::int64_t channels, int stride) {
    if (stride == 1 && x.shape[3] == channels) return x;
    return b.conv(x, {.channels = channels, .stride = stride});
}

Feature basic_block(NetworkBuilder& b, const Feature& x, std::int64_t channels, int stride) {
    Feature y = b.conv(
        x, {.channels = channels, .kernel = 3, .stride = stride, .activation = Activation::kRelu});
    y = b.conv(y, {.channels = channels, .kernel = 3});
    return b.add(y, shortcut(b, x, channels, stride), Activation::kRelu);
}

Feature bottleneck_block(NetworkBuilder& b, const Feature& x, std::int64_t channels, int stride) {
    Feature y = b.conv(x, {.channels = channels, .activation = Activation::kRelu});
    y = b.conv(
        y, {.channels = channels, .kernel = 3, .stride = stride, .activation = Activation::kRelu});
    y = b.conv(y, {.channels = kExpansion * channels});
    return b.add(y, shortcut(b, x, kExpansion * channels, stride), Activation::kRelu);
}

template <typename Block>
ZooModel resnet(const ZooOptions& options, const Stage (&stages)[4], const Block& block) {
    NetworkBuilder b(options);
    Feature x = image_input(b, 224);
    x = b.conv(
        x, {.channels = b.scaled(64), .kernel = 7, .stride = 2, .activation = Activation::kRelu});
    x = b.max_pool(x, 3, 2);
    for (const Stage& stage : stages) {
        for (int i = 0; i < stage.blocks; ++i) {
            x = block(b, x, b.scaled(stage.channels), i == 0 ? stage.stride : 1);
        }
    }
    b.output(classifier(b, b.global_average(x)), "logits");
    return b.finish();
}

}  // namespace

ZooModel build_resnet18(const ZooOptions& options) {
    return resnet(options, {{2, 64, 1}, {2, 128, 2}, {2, 256, 2}, {2, 512, 2}}, basic_block);
}

ZooModel build_resnet50(const ZooOptions& options) {
    return resnet(options, {{3, 64, 1}, {4, 128, 2}, {6, 256, 2}, {3, 512, 2}}, bottleneck_block);
}

}  // namespace okksim::sim::zoo
