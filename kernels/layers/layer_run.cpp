// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_run.h"

#include <algorithm>
#include <array>

#include "firmware/okk_access.h"
#include "isa/errors.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/layers/layer_maximum.h"
#include "kernels/layers/layer_slices.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels::layers {
namespace {

using prim::LocalTensor;

const DeviceTensor& tensor_of(const LayerCall& call, int value) {
    return call.values[static_cast<std::size_t>(value)].tensor;
}

const MapPart& part_at(const LayerPlan& plan, int part) {
    return plan.parts[static_cast<std::size_t>(part)];
}

local_addr_t place_of(const LayerPlan& plan, int part) {
    return plan.maps[static_cast<std::size_t>(part)];
}

const Layer& layer_at(const LayerPlan& plan, std::int32_t index) {
    return plan.layers[static_cast<std::size_t>(index)];
}

/// Strides of the aligned layout.
dim4 map_strides(const dim4& shape, const Lanes& lanes) {
    const std::int64_t channel = lanes.whole_lines(std::int64_t{shape.h} * shape.w);
    return {isa::narrow(channel * lanes.slots(shape.c)), isa::narrow(channel), shape.w, 1};
}

/// The part of a map that a work is about. Of one image it is a tensor in the aligned layout.
LocalTensor part_of_map(const LayerPlan& plan, int part, const dim4& shape, const LayerWork& work) {
    if (work.image == LayerWork::kAllImages) return {place_of(plan, part), shape, std::nullopt};
    const dim4 stride = map_strides(shape, plan.lanes);
    const int words = work.image * stride.n + work.channels.begin / plan.lanes.count * stride.c;
    return {place_of(plan, part) + static_cast<local_addr_t>(4 * words),
            {1, work.channels.size(), shape.h, shape.w},
            std::nullopt};
}

/// The words of an element-wise operator's part: of every channel some, from a line on.
LocalTensor words_of_map(const LayerPlan& plan, int part, const dim4& shape,
                         const LayerWork& work) {
    LocalTensor words = part_of_map(plan, part, shape, work);
    if (work.span.size() == 0) return words;
    words.address += static_cast<local_addr_t>(4 * work.span.begin);
    words.shape = {1, work.channels.size(), 1, work.span.size()};
    return words;
}

conv::BlockTransfer map_block(const LayerCall& call, const MapPart& part, const Lanes& lanes) {
    const DeviceTensor& tensor = tensor_of(call, part.value);
    const dim4 shape = part_shape(call, part);
    const dim4 local = map_strides(shape, lanes);
    return {4,
            shape,
            {tensor.strides[0], tensor.strides[3], tensor.strides[1], tensor.strides[2]},
            {local.n, local.c, local.h, local.w}};
}

/// Words from one output channel's weights to those of the channel in the next slot.
std::int64_t row_stride(const Layer& layer, const Lanes& lanes) {
    return lanes.whole_lines(layer.row_words());
}

/// Weights [OC, KH, KW, IC] of some channels, tap by tap with their input channels side by side.
void load_weights(const LayerCall& call, const Layer& layer, const Lanes& lanes,
                  const conv::Range& channels, local_addr_t to) {
    const DeviceTensor& weights = tensor_of(call, layer.weights);
    const std::int64_t tap = layer.tap_words();
    const std::uint64_t from =
        weights.address + static_cast<std::uint64_t>(4 * channels.begin * weights.strides[0]);
    conv::load_block(to, from,
                     {4,
                      {layer.kernel.h, channels.size(), layer.kernel.w, layer.in.c},
                      {weights.strides[1], weights.strides[0], weights.strides[2], 1},
                      {tap * layer.kernel.w, row_stride(layer, lanes), tap, 1}});
}

/// Weights [KH, KW, C, 1] in the compact layout.
void load_depthwise_weights(const LayerCall& call, const Layer& layer, local_addr_t to) {
    const DeviceTensor& weights = tensor_of(call, layer.weights);
    conv::load_block(to, weights.address,
                     {4,
                      {layer.kernel.h, layer.in.c, layer.kernel.w, 1},
                      {weights.strides[0], weights.strides[2], weights.strides[1], 1},
                      {layer.kernel.w, layer.row_words(), 1, 1}});
}

void load_bias(const LayerCall& call, const Layer& layer, local_addr_t to) {
    const DeviceTensor& bias = tensor_of(call, layer.bias);
    const std::int64_t stride = bias.dims[0] == 1 ? 0 : 1;
    conv::load_block(to, bias.address,
                     {4, {1, layer.out.c, 1, 1}, {0, stride, 0, 0}, {0, 1, 0, 0}});
}

/// The packed constants as one block: a row of words in every lane.
conv::BlockTransfer packed_block(const LayerPlan& plan) {
    const int words = isa::narrow(plan.packed_bytes / 4);
    return {4, {1, plan.lanes.count, 1, words}, {0, words, 0, 1}, {0, words, 0, 1}};
}

void convolve(const LayerPlan& plan, const Layer& layer, const LayerPlaces& places,
              const LayerWork& work) {
    const dim4 in = map_strides(layer.in, plan.lanes);
    const dim4 out = map_strides(layer.out, plan.lanes);
    const int slot = work.channels.begin / plan.lanes.count;
    const int pairs = layer.tap_words() / 2;
    const auto row = isa::narrow(row_stride(layer, plan.lanes) / 2);
    const dim4 weight_stride{1, row, pairs * layer.kernel.w, pairs};
    dim4 shape = layer.in;
    shape.c += places.zero_channels;
    const bool all = work.image == LayerWork::kAllImages;
    if (!all) shape.n = 1;
    const auto image = static_cast<local_addr_t>(all ? 0 : work.image);
    const local_addr_t weights = places.packed_weights ? places.weights : work.weights;
    const local_addr_t from =
        place_of(plan, layer.maps[0]) + 4 * image * static_cast<local_addr_t>(in.n);
    if (places.zero_channels > 0) {
        // The lane after the last channel's: its plane is the map's own, in a slot that all have.
        const auto lane = static_cast<local_addr_t>(layer.in.c % plan.lanes.count);
        const LocalTensor zeros{
            from + lane * okk_local_mem_size_per_npu() +
                4 * static_cast<local_addr_t>(layer.in.c / plan.lanes.count * in.c),
            {shape.n, 1, layer.in.h, layer.in.w},
            dim4{in.n, in.c, in.h, 1}};
        prim::raw::fill(zeros, 0u);
    }
    okk_bdc_conv2d(place_of(plan, layer.output) + 4 * (image * static_cast<local_addr_t>(out.n) +
                                                       static_cast<local_addr_t>(slot * out.c)),
                   from, weights, places.bias + static_cast<local_addr_t>(4 * slot), &shape,
                   work.channels.size(), layer.kernel.h, layer.kernel.w, &in, &weight_stride, true,
                   false, &layer.zeros, &layer.stride, &layer.dilation);
}

/// DEPTHWISE_CONV2D and AVG_POOL2D: all channels.
void convolve_depthwise(const LayerPlan& plan, const Layer& layer, const LayerPlaces& places) {
    okk_bdc_depthwise2d(place_of(plan, layer.output), place_of(plan, layer.maps[0]), places.weights,
                        places.bias, &layer.in, layer.kernel.h, layer.kernel.w, layer.bias >= 0,
                        &layer.zeros, &layer.stride, &layer.dilation);
}

void concatenate(const LayerCall& call, const LayerPlan& plan, const Layer& layer) {
    const dim4 stride = map_strides(layer.out, plan.lanes);
    local_addr_t to = place_of(plan, layer.output);
    for (const int map : layer.maps) {
        const dim4 shape = part_shape(call, part_at(plan, map));
        prim::raw::copy({to, shape, stride}, {place_of(plan, map), shape, std::nullopt});
        to += static_cast<local_addr_t>(4 * stride.c * (shape.c / plan.lanes.count));
    }
}

void crop(const LayerPlan& plan, const Layer& layer) {
    const dim4 stride = map_strides(layer.in, plan.lanes);
    const int words = layer.begin[0] * stride.n + layer.begin[1] * stride.h + layer.begin[2];
    prim::raw::copy(
        {place_of(plan, layer.output), layer.out, std::nullopt},
        {place_of(plan, layer.maps[0]) + static_cast<local_addr_t>(4 * words), layer.out, stride});
}

FloatBody body_of(const LayerOperator& op) {
    std::optional<FloatBody> body = float_body(op.op, *op.attributes, tosa::DType::kFp32);
    OKKSIM_CHECK(body.has_value());
    return *std::move(body);
}

void run_body(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
              const LayerWork& work) {
    constexpr std::size_t kMostMaps = 3;
    const FloatBody body = body_of(call.operators[static_cast<std::size_t>(layer.op)]);
    std::array<LocalTensor, kMostMaps> operands;
    for (std::size_t i = 0; i < layer.maps.size(); ++i) {
        operands[i] = words_of_map(plan, layer.maps[i], layer.in, work);
    }
    prim::Scratch scratch(work.scratch, work.scratch_bytes, plan.lanes);
    body.run(words_of_map(plan, layer.output, layer.out, work),
             std::span(operands).first(layer.maps.size()), scratch);
}

/// The constants of a layer to their places.
void place_constants(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                     const LayerPlaces& places) {
    if (layer.bias >= 0) load_bias(call, layer, places.bias);
    if (!places.packed_weights) return;
    if (layer.kind == LayerKind::kConvolution) {
        load_weights(call, layer, plan.lanes, {0, layer.out.c}, places.weights);
    } else if (layer.kind == LayerKind::kDepthwise) {
        load_depthwise_weights(call, layer, places.weights);
    } else {
        const int taps = layer.row_words();
        prim::raw::fill({places.weights, {1, layer.in.c, 1, taps}, dim4{0, taps, taps, 1}},
                        1.0f / static_cast<float>(taps));
    }
}

/// An earlier slice of the operator has the same constants.
bool is_further_slice(const LayerPlan& plan, std::size_t index) {
    if (plan.slices.is_whole()) return false;
    const auto end = plan.layers.begin() + static_cast<std::ptrdiff_t>(index);
    return std::any_of(plan.layers.begin(), end, [&](const Layer& layer) {
        return layer.op == plan.layers[index].op && layer.has_constants();
    });
}

}  // namespace

std::int64_t weight_bytes(const Layer& layer, std::int32_t channels, const Lanes& lanes) {
    const std::int64_t row =
        layer.kind == LayerKind::kConvolution ? row_stride(layer, lanes) : layer.row_words();
    return 4 * row * lanes.slots(channels);
}

std::int64_t scratch_bytes(const LayerOperator& op, const Layer& layer, const LayerWork& work,
                           const Lanes& lanes) {
    if (layer.kind == LayerKind::kMaximum) return maximum_scratch_bytes(layer, work, lanes);
    if (layer.kind != LayerKind::kBody) return 0;
    dim4 shape = layer.out;
    if (work.image != LayerWork::kAllImages) {
        shape.n = 1;
        shape.c = work.channels.size();
    }
    if (work.span.size() > 0) {
        shape.h = 1;
        shape.w = work.span.size();
    }
    return std::int64_t{body_of(op).planes} * prim::plane_bytes(shape, lanes);
}

void run_transfer(const LayerCall& call, const LayerPlan& plan, const LayerTransfer& transfer) {
    switch (transfer.kind) {
        case TransferKind::kLoadMap: {
            const MapPart& part = part_at(plan, transfer.part);
            conv::load_block(transfer.local, part_address(call, part),
                             map_block(call, part, plan.lanes));
            return;
        }
        case TransferKind::kStoreMap: {
            const MapPart& part = part_at(plan, transfer.part);
            conv::store_block(part_address(call, part), transfer.local,
                              map_block(call, part, plan.lanes));
            return;
        }
        case TransferKind::kLoadWeights:
            load_weights(call, layer_at(plan, transfer.layer), plan.lanes, transfer.channels,
                         transfer.local);
            return;
    }
}

void run_work(const LayerCall& call, const LayerPlan& plan, const LayerWork& work) {
    charge(OwnWork::kLayerWork);
    const Layer& layer = layer_at(plan, work.layer);
    const LayerPlaces& places = plan.places[static_cast<std::size_t>(work.layer)];
    switch (layer.kind) {
        case LayerKind::kConvolution: convolve(plan, layer, places, work); return;
        case LayerKind::kDepthwise:
        case LayerKind::kMean: convolve_depthwise(plan, layer, places); return;
        case LayerKind::kMaximum:
            find_maxima(layer, work, part_of_map(plan, layer.maps[0], layer.in, work),
                        part_of_map(plan, layer.output, layer.out, work), plan.lanes);
            return;
        case LayerKind::kConcat: concatenate(call, plan, layer); return;
        case LayerKind::kCrop: crop(plan, layer); return;
        case LayerKind::kBody: run_body(call, plan, layer, work); return;
    }
}

void load_packed_constants(const LayerCall& call, const LayerPlan& plan) {
    conv::load_block(0, call.prepared, packed_block(plan));
}

void run_layers(const LayerCall& call, const LayerPlan& plan, const LayerObserver& observer) {
    okk_list_start();
    charge(OwnWork::kLayers);
    charge(OwnWork::kArgumentWord, plan.argument_words());
    charge_commands();
    auto transfer = plan.transfers.begin();
    auto work = plan.works.begin();
    for (std::size_t i = 0; i < plan.sections.size(); ++i) {
        okk_parallel_start();
        if (i == 0 && plan.packed_bytes > 0) load_packed_constants(call, plan);
        for (std::int32_t k = 0; k < plan.sections[i].transfers; ++k, ++transfer) {
            if (observer) observer(layer_at(plan, transfer->layer).op);
            run_transfer(call, plan, *transfer);
        }
        for (std::int32_t k = 0; k < plan.sections[i].works; ++k, ++work) {
            if (observer) observer(layer_at(plan, work->layer).op);
            run_work(call, plan, *work);
        }
        okk_parallel_end();
    }
    end_charging_commands();
    okk_list_end();
}

void prepare_layers(const LayerCall& call, const LayerPlan& plan) {
    if (plan.packed_bytes == 0) return;
    charge(OwnWork::kLayers);
    const int words = isa::narrow(plan.packed_bytes / 4);
    prim::raw::fill({0, {1, plan.lanes.count, 1, words}, std::nullopt}, 0u);
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const Layer& layer = plan.layers[i];
        if (!layer.has_constants() || is_further_slice(plan, i)) continue;
        place_constants(call, plan, layer, plan.places[i]);
    }
    conv::store_block(call.prepared, 0, packed_block(plan));
}

}  // namespace okksim::kernels::layers
