// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_works.h"

#include <algorithm>
#include <map>

#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/call/prepared_space.h"
#include "kernels/layers/layer_run.h"

namespace okksim::kernels::layers {
namespace {

/// Depthwise commands take compact weights. Rows with a gap must hold zeros in the gap. Weights of
/// unfolded convolutions are small.
bool must_be_packed(const Layer& layer) {
    return is_depthwise(layer.kind) || layer.kind == LayerKind::kMean ||
           layer.kind == LayerKind::kHalfMean || layer.kind == LayerKind::kByteTable ||
           layer.row_taps > 1;
}

/// Highest number of channel slots that a command takes.
std::int64_t most_slots(std::int32_t channels, const Lanes& lanes) {
    return channels <= isa::kMostChannels ? lanes.slots(channels)
                                          : isa::kMostChannels / lanes.count;
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

/// Parts of `slots` channel slots of all images.
void add_pieces(std::vector<LayerWork>& works, std::int32_t layer, std::int32_t channels,
                std::int64_t slots, const Lanes& lanes) {
    const auto step = isa::narrow(slots * lanes.count);
    for (std::int32_t first = 0; first < channels; first += step) {
        works.push_back({.layer = layer, .channels = {first, std::min(first + step, channels)}});
    }
}

/// Size of a part whose scratch stays below a limit.
struct PartSize {
    std::int64_t slots = 1;
    std::int32_t span = 0;  ///< 0: whole slots
};

/// Channel slots whose scratch stays below the limit; or rows or words of one, at least one row or
/// line.
PartSize size_within(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                     const PartLimits& limits) {
    const Lanes& lanes = plan.lanes;
    LayerWork part{.image = 0, .channels = {0, std::min(lanes.count, layer.out.c)}};
    const std::int64_t bytes = scratch_bytes(call, plan, layer, part);
    const std::int64_t most = most_slots(layer.out.c, lanes);
    if (bytes <= limits.scratch) {
        return {bytes == 0 ? most : std::min(limits.scratch / bytes, most)};
    }
    // kNarrow packs groups of four elements across lines; a maximum of halves widens whole planes.
    if (layer.kind == LayerKind::kNarrow || layer.kind == LayerKind::kHalfMaximum) return {1};
    const bool by_rows = layer.kind == LayerKind::kMaximum;
    const std::int32_t unit = by_rows ? 1 : isa::narrow(lanes.line_bytes() / layer.element_bytes());
    const std::int32_t all = by_rows ? layer.out.h : layer.out.h * layer.out.w;
    std::int32_t span = std::min(all, isa::kMostExtent) / unit * unit;
    while (span > unit) {
        part.span = {0, span};
        if (scratch_bytes(call, plan, layer, part) <= limits.scratch) break;
        span = std::max(unit, span / 2 / unit * unit);
    }
    return {1, std::max(span, unit)};
}

/// Parts of a size, one image after the other.
void add_sized_parts(std::vector<LayerWork>& works, std::int32_t layer, const Layer& of,
                     const PartSize& size, const Lanes& lanes) {
    std::vector<LayerWork> slots;
    add_parts(slots, layer, of.out, size.slots, lanes, false);
    const std::int32_t all = of.kind == LayerKind::kMaximum ? of.out.h : of.out.h * of.out.w;
    for (LayerWork work : slots) {
        if (size.span == 0 || size.span >= all) {
            works.push_back(work);
            continue;
        }
        for (std::int32_t first = 0; first < all; first += size.span) {
            work.span = {first, std::min(first + size.span, all)};
            works.push_back(work);
        }
    }
}

void add_works(std::vector<LayerWork>& works, const LayerCall& call, const LayerPlan& plan,
               std::int32_t index, const PartLimits& limits) {
    const Lanes& lanes = plan.lanes;
    const Layer& layer = plan.layers[static_cast<std::size_t>(index)];
    const LayerPlaces& places = plan.places[static_cast<std::size_t>(index)];
    LayerWork whole{.layer = index, .channels = {0, layer.out.c}};
    switch (layer.kind) {
        case LayerKind::kDepthwise:
        case LayerKind::kMean:
        case LayerKind::kCrop:
        case LayerKind::kWiden:
        case LayerKind::kByteDepthwise:
        case LayerKind::kByteMaximum:
        case LayerKind::kPackedConcat:
        case LayerKind::kPackedCrop:
        case LayerKind::kByteTable:
        case LayerKind::kHalfDepthwise:
        case LayerKind::kHalfMean:
        case LayerKind::kConcat: works.push_back(whole); return;
        case LayerKind::kByteConvolution:
        case LayerKind::kHalfConvolution:
        case LayerKind::kConvolution: {
            const std::int64_t row = weight_bytes(layer, 1, lanes);
            const std::int64_t all = lanes.slots(layer.out.c);
            const std::int64_t slots =
                places.packed_weights ? all
                                      : std::clamp<std::int64_t>(limits.weights / row, 1,
                                                                 most_slots(layer.out.c, lanes));
            if (slots == all) return works.push_back(whole);
            if (layer.copies_pieces && layer.out.n > 1) {
                return add_pieces(works, index, layer.out.c, slots, lanes);
            }
            add_parts(works, index, layer.out, slots, lanes, true);
            return;
        }
        case LayerKind::kBody:
        case LayerKind::kBytes:
        case LayerKind::kBytePair:
        case LayerKind::kByteProduct:
        case LayerKind::kHalfBody:
        case LayerKind::kNarrow:
            if (layer.out.c <= isa::kMostChannels &&
                scratch_bytes(call, plan, layer, whole) <= limits.scratch) {
                return works.push_back(whole);
            }
            break;
        case LayerKind::kHalfMaximum:
        case LayerKind::kMaximum: break;
    }
    add_sized_parts(works, index, layer, size_within(call, plan, layer, limits), lanes);
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
    std::map<std::int32_t, LayerPlaces> known;  // slices of an operator share its constants
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const Layer& layer = plan.layers[i];
        LayerPlaces& places = plan.places[i];
        if (!layer.has_constants()) continue;
        if (const auto found = known.find(layer.op); found != known.end()) {
            places = found->second;
            continue;
        }
        if (layer.bias >= 0 && !is_native(layer.kind))
            places.bias = take(4 * lanes.slots(layer.out.c), 4);
        if (layer.rows > 0) places.rows = take(4 * layer.rows * lanes.slots(layer.out.c), 4);
        if (layer.rows > 0) {
            known[layer.op] = places;
            continue;
        }
        const bool convolves = is_convolution(layer.kind);
        const std::int64_t bytes = weight_bytes(layer, layer.out.c, lanes);
        places.packed_weights = must_be_packed(layer) || (convolves && bytes <= limits.packed &&
                                                          layer.out.c <= isa::kMostChannels);
        if (places.packed_weights) {
            places.weights = take(bytes, convolves ? lanes.line_bytes() : 4);
        }
        known[layer.op] = places;
    }
    plan.packed_bytes = static_cast<std::uint32_t>(isa::align_up(next, lanes.line_bytes()));
    plan.packed_first = plan.packed_bytes;
}

std::int64_t packed_end(const LayerPlan& plan, std::int32_t index) {
    const Layer& layer = plan.layers[static_cast<std::size_t>(index)];
    const LayerPlaces& places = plan.places[static_cast<std::size_t>(index)];
    const std::int64_t row = isa::kWordBytes * plan.lanes.slots(layer.out.c);
    std::int64_t end = 0;
    if (layer.bias >= 0 && !is_native(layer.kind)) end = places.bias + row;
    if (layer.rows > 0) end = std::max(end, places.rows + layer.rows * row);
    if (places.packed_weights) {
        end = std::max(end, places.weights + weight_bytes(layer, layer.out.c, plan.lanes));
    }
    return end;
}

void place_prepared(const LayerCall& call, LayerPlan& plan) {
    plan.prepared_end =
        std::uint64_t{plan.packed_bytes} * static_cast<std::uint64_t>(plan.lanes.count);
    const auto take = [&](std::vector<PreparedPart>& parts, std::int32_t op, std::int64_t words) {
        const auto is_known = [op](const PreparedPart& part) { return part.op == op; };
        if (std::any_of(parts.begin(), parts.end(), is_known)) return;
        const auto bytes = static_cast<std::uint64_t>(isa::kWordBytes * words);
        parts.push_back({op, take_prepared(plan.prepared_end, bytes)});
    };
    for (const Layer& layer : plan.layers) {
        if (layer.rows > 0 && layer.kind != LayerKind::kBody) {
            take(plan.rows, layer.op, std::int64_t{layer.rows} * layer.out.c);
        }
        if (layer.weights < 0 || is_native(layer.kind)) continue;
        const DeviceTensor& weights = call.values[static_cast<std::size_t>(layer.weights)].tensor;
        if (weights.type == tosa::DType::kI8) take(plan.weights, layer.op, weights.count());
    }
}

std::vector<LayerWork> works_of(const LayerCall& call, const LayerPlan& plan,
                                const PartLimits& limits) {
    std::vector<LayerWork> works;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        add_works(works, call, plan, static_cast<std::int32_t>(i), limits);
    }
    return works;
}

}  // namespace okksim::kernels::layers
