// SPDX-License-Identifier: Apache-2.0
// VGG16.
#include "sim/zoo/networks.h"

namespace okksim::sim::zoo {
namespace {

/// 3x3 convolutions, followed by pooling.
struct Stage {
    int convolutions;
    std::int64_t channels;
};
constexpr Stage kStages[] = {{2, 64}, {2, 128}, {3, 256}, {3, 512}, {3, 512}};
constexpr std::int64_t kHidden = 4096;

}  // namespace

ZooModel build_vgg16(const ZooOptions& options) {
    NetworkBuilder b(options);
    Feature x = image_input(b, 224);
    for (const Stage& stage : kStages) {
        for (int i = 0; i < stage.convolutions; ++i) {
            x = b.conv(x, {.channels = b.scaled(stage.channels),
                           .kernel = 3,
                           .activation = Activation::kRelu});
        }
        x = b.max_pool(x, 2, 2);
    }
    x = b.reshape(x, {x.shape[0], 1, 1, x.shape[1] * x.shape[2] * x.shape[3]});
    for (int i = 0; i < 2; ++i) {
        x = b.conv(
            x,
            {.channels = b.scaled(kHidden), .activation = Activation::kRelu, .per_channel = false});
    }
    b.output(classifier(b, x), "logits");
    return b.finish();
}

}  // namespace okksim::sim::zoo
