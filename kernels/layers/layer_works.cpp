// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_works.h"

#include <algorithm>

#include "isa/layout.h"
#include "kernels/layers/layer_run.h"

namespace okksim::kernels::layers {
namespace {

/// Depthwise commands have weights that lie compact; a row with a gap must hold zeros there.
bool must_be_packed(const Layer& layer) {
    switch (layer.kind) {
        case LayerKind::kDepthwise:
        case LayerKind::kMean: return true;
        case LayerKind::kConvolution:
        case LayerKind::kMaximum:
        case LayerKind::kConcat:
        case LayerKind::kCrop:
        case LayerKind::kBody: break;
    }
    return false;
}

/// Parts of `slots` channel slots of one image after the other.
void add_parts(std::vector<LayerWork>& works, std::int32_t layer, const dim4& shape,
               std::int64_t slots, const Lanes& lanes, bool images_inside) {
    const auto step = isa::narrow(slots * lanes.count);
    const auto add = [&](std::int32_t image, std::int32_t first) {
        works.push_back(
            {.layer = layer, .image = image, .channels = {first, std::min(first + step, shape.c)}});
    };
    if (images_inside) {
        for (std::int32_t first = 0; first < shape.c; first += step) {
            for (std::int32_t image = 0; image < shape.n; ++image) add(image, first);
        }
        return;
    }
    for (std::int32_t image = 0; image < shape.n; ++image) {
        for (std::int32_t first = 0; first < shape.c; first += step) add(image, first);
    }
}

/// Channel slots whose scratch stays below the limit; at least one.
std::int64_t slots_within(const LayerOperator& op, const Layer& layer, const PartLimits& limits,
                          const Lanes& lanes) {
    const LayerWork slot{.image = 0, .channels = {0, std::min(lanes.count, layer.out.c)}};
    const std::int64_t bytes = scratch_bytes(op, layer, slot, lanes);
    const std::int64_t all = lanes.slots(layer.out.c);
    if (bytes == 0) return all;
    return std::clamp<std::int64_t>(limits.scratch / bytes, 1, all);
}

void add_works(std::vector<LayerWork>& works, const LayerOperator& op, const Layer& layer,
               std::int32_t index, const LayerPlaces& places, const PartLimits& limits,
               const Lanes& lanes) {
    LayerWork whole{.layer = index, .channels = {0, layer.out.c}};
    switch (layer.kind) {
        case LayerKind::kDepthwise:
        case LayerKind::kMean:
        case LayerKind::kCrop:
        case LayerKind::kConcat: works.push_back(whole); return;
        case LayerKind::kConvolution: {
            const std::int64_t row = weight_bytes(layer, 1, lanes);
            const std::int64_t all = lanes.slots(layer.out.c);
            const std::int64_t slots = places.packed_weights
                                           ? all
                                           : std::clamp<std::int64_t>(limits.weights / row, 1, all);
            if (slots == all) return works.push_back(whole);
            add_parts(works, index, layer.out, slots, lanes, true);
            return;
        }
        case LayerKind::kBody:
            if (scratch_bytes(op, layer, whole, lanes) <= limits.scratch) {
                return works.push_back(whole);
            }
            break;
        case LayerKind::kMaximum: break;
    }
    add_parts(works, index, layer.out, slots_within(op, layer, limits, lanes), lanes, false);
}

}  // namespace

void pack_constants(LayerPlan& plan, const PartLimits& limits) {
    std::int64_t next = 0;
    const auto take = [&next](std::int64_t bytes, std::int64_t line) {
        const std::int64_t address = isa::align_up(next, line);
        next = address + bytes;
        return static_cast<local_addr_t>(address);
    };
    const Lanes& lanes = plan.lanes;
    plan.places.assign(plan.layers.size(), {});
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const Layer& layer = plan.layers[i];
        LayerPlaces& places = plan.places[i];
        if (layer.bias >= 0) places.bias = take(4 * lanes.slots(layer.out.c), 4);
        const bool convolves = layer.kind == LayerKind::kConvolution;
        const std::int64_t bytes = weight_bytes(layer, layer.out.c, lanes);
        places.packed_weights = must_be_packed(layer) || (convolves && bytes <= limits.packed);
        if (!places.packed_weights) continue;
        places.weights = take(bytes, convolves ? lanes.line_bytes() : 4);
    }
    plan.packed_bytes = static_cast<std::uint32_t>(isa::align_up(next, lanes.line_bytes()));
}

std::vector<LayerWork> works_of(const LayerCall& call, const LayerPlan& plan,
                                const PartLimits& limits) {
    std::vector<LayerWork> works;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        add_works(works, call.operators[i], plan.layers[i], static_cast<std::int32_t>(i),
                  plan.places[i], limits, plan.lanes);
    }
    return works;
}

}  // namespace okksim::kernels::layers
