// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_versions.h"

#include <limits>

namespace okksim::sim::graph::onnx {

namespace {

constexpr std::int64_t kLatest = std::numeric_limits<std::int64_t>::max();

struct Versions {
    std::string_view type;
    std::int64_t first, last;
};

constexpr Versions kVersions[] = {
#define OKKSIM_ONNX_VERSIONS(type, first, last) {type, first, last},
#include "sim/graph/onnx/onnx_versions.def"
#undef OKKSIM_ONNX_VERSIONS
};

}  // namespace

std::string broken_version_rule(std::string_view type, std::int64_t opset) {
    for (const Versions& row : kVersions) {
        if (row.type != type || (opset >= row.first && opset <= row.last)) continue;
        return "the operator exists " +
               (opset < row.first ? "from operator set " + std::to_string(row.first) + " on"
                                  : "until operator set " + std::to_string(row.last));
    }
    return {};
}

}  // namespace okksim::sim::graph::onnx
