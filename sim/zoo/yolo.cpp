// SPDX-License-Identifier: Apache-2.0
// A detector with the layers of YOLOv5s 6.1: three outputs [N,3,H,W,85].
#include "sim/zoo/networks.h"

namespace okksim::sim::zoo {
namespace {

enum class Module { kConv, kC3, kSppf, kUpsample, kConcat };

/// One row per module; its input is the previous row.
struct Row {
    Module module;
    std::int32_t channels = 0;  ///< of the output
    int kernel = 1;
    int stride = 1;
    int repeats = 0;       ///< C3: bottlenecks
    bool shortcut = true;  ///< C3: bottlenecks add their input
    int other = 0;         ///< concat: row of the second part
};

constexpr Row kRows[] = {
    {Module::kConv, 32, 6, 2},
    {Module::kConv, 64, 3, 2},
    {Module::kC3, 64, 1, 1, 1},
    {Module::kConv, 128, 3, 2},
    {Module::kC3, 128, 1, 1, 2},  // 4
    {Module::kConv, 256, 3, 2},
    {Module::kC3, 256, 1, 1, 3},  // 6
    {Module::kConv, 512, 3, 2},
    {Module::kC3, 512, 1, 1, 1},
    {Module::kSppf, 512, 5},
    {Module::kConv, 256},  // 10
    {Module::kUpsample},
    {.module = Module::kConcat, .other = 6},
    {Module::kC3, 256, 1, 1, 1, false},
    {Module::kConv, 128},  // 14
    {Module::kUpsample},
    {.module = Module::kConcat, .other = 4},
    {Module::kC3, 128, 1, 1, 1, false},  // 17
    {Module::kConv, 128, 3, 2},
    {.module = Module::kConcat, .other = 14},
    {Module::kC3, 256, 1, 1, 1, false},  // 20
    {Module::kConv, 256, 3, 2},
    {.module = Module::kConcat, .other = 10},
    {Module::kC3, 512, 1, 1, 1, false},  // 23
};
constexpr std::size_t kHeads[] = {17, 20, 23};
constexpr std::int64_t kAnchors = 3;
constexpr std::int64_t kValues = 85;  ///< box, objectness, 80 classes

/// Deviation of the sums before SiLU. Far from zero, SiLU is nearly a rectifier and preserves
/// changes of scale. Near 1, a scale change of 1 % grows to 1.17 %, which 60 layers without
/// normalisation at run time would amplify.
constexpr double kSpread = 4.0;

Feature conv(NetworkBuilder& b, const Feature& x, std::int64_t channels, int kernel = 1,
             int stride = 1) {
    return b.conv(x, {.channels = channels,
                      .kernel = kernel,
                      .stride = stride,
                      .activation = Activation::kSilu,
                      .spread = kSpread});
}

Feature c3(NetworkBuilder& b, const Feature& x, const Row& row) {
    const std::int64_t channels = b.scaled(row.channels);
    Feature y = conv(b, x, channels / 2);
    for (int i = 0; i < row.repeats; ++i) {
        const Feature inner = conv(b, conv(b, y, channels / 2), channels / 2, 3);
        y = row.shortcut ? b.add(y, inner) : inner;
    }
    return conv(b, b.concat({y, conv(b, x, channels / 2)}), channels);
}

Feature sppf(NetworkBuilder& b, const Feature& x, const Row& row) {
    const Feature first = conv(b, x, b.scaled(row.channels) / 2);
    const Feature second = b.max_pool(first, row.kernel, 1);
    const Feature third = b.max_pool(second, row.kernel, 1);
    const Feature fourth = b.max_pool(third, row.kernel, 1);
    return conv(b, b.concat({first, second, third, fourth}), b.scaled(row.channels));
}

Feature build_row(NetworkBuilder& b, const Feature& x, const Row& row,
                  const std::vector<Feature>& rows) {
    switch (row.module) {
        case Module::kConv: return conv(b, x, b.scaled(row.channels), row.kernel, row.stride);
        case Module::kC3: return c3(b, x, row);
        case Module::kSppf: return sppf(b, x, row);
        case Module::kUpsample: return b.upsample(x);
        case Module::kConcat: return b.concat({x, rows[static_cast<std::size_t>(row.other)]});
    }
    return x;
}

Feature head(NetworkBuilder& b, const Feature& x) {
    const Feature y = b.conv(x, {.channels = kAnchors * kValues});
    const Feature split = b.reshape(y, {y.shape[0], y.shape[1], y.shape[2], kAnchors, kValues});
    return b.transpose(split, {0, 3, 1, 2, 4});
}

}  // namespace

ZooModel build_yolov5s(const ZooOptions& options) {
    NetworkBuilder b(options);
    std::vector<Feature> rows;
    const Feature image = image_input(b, 640);
    for (const Row& row : kRows) {
        rows.push_back(build_row(b, rows.empty() ? image : rows.back(), row, rows));
    }
    for (std::size_t i = 0; i < std::size(kHeads); ++i) {
        b.output(head(b, rows[kHeads[i]]), "detections-" + std::to_string(i));
    }
    return b.finish();
}

}  // namespace okksim::sim::zoo
