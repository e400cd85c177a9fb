// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/zoo/network_builder.h"

namespace okksim::sim::zoo {

ZooModel build_bert(const ZooOptions& options);
ZooModel build_lstm(const ZooOptions& options);
ZooModel build_mobilenet_v1(const ZooOptions& options);
ZooModel build_mobilenet_v2(const ZooOptions& options);
ZooModel build_resnet18(const ZooOptions& options);
ZooModel build_resnet50(const ZooOptions& options);
ZooModel build_vgg16(const ZooOptions& options);
ZooModel build_yolov5s(const ZooOptions& options);

/// Adds the input "image" [batch, edge, edge, 3]; the option `size` overrides `edge`.
Feature image_input(NetworkBuilder& b, std::int64_t edge);
/// Adds the last layer of ImageNet classifiers, [N,1,1,C] to [N,1000], without softmax.
Feature classifier(NetworkBuilder& b, const Feature& x);

}  // namespace okksim::sim::zoo
