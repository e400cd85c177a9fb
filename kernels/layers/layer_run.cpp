// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_run.h"

#include <algorithm>
#include <array>

#include "firmware/okk_access.h"
#include "isa/base/errors.h"
#include "isa/limits.h"
#include "kernels/call/computing.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/layers/layer_bytes.h"
#include "kernels/layers/layer_maximum.h"
#include "kernels/layers/layer_slices.h"
#include "kernels/layers/native_run.h"
#include "kernels/layers/packed_maps.h"
#include "kernels/layers/unfolded_load.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/prim/convert.h"
#include "kernels/prim/raw.h"
#include "kernels/rescale/rescale_operands.h"

namespace okksim::kernels::layers {
namespace {

using prim::LocalTensor;

const DeviceTensor& tensor_of(const LayerCall& call, int value) {
    return call.values[static_cast<std::size_t>(value)].tensor;
}

const MapPart& part_at(const LayerPlan& plan, int part) {
    return plan.parts[static_cast<std::size_t>(part)];
}

const Layer& layer_at(const LayerPlan& plan, std::int32_t index) {
    return plan.layers[static_cast<std::size_t>(index)];
}

/// Element strides of the aligned layout.
dim4 map_strides(const dim4& shape, const Lanes& lanes) {
    const std::int64_t channel = lanes.whole_lines(std::int64_t{shape.h} * shape.w);
    return {isa::narrow(channel * lanes.slots(shape.c)), isa::narrow(channel), shape.w, 1};
}

/// Bytes from the beginning of a feature map to the range of a work.
local_addr_t offset_in_map(const LayerPlan& plan, int part, const dim4& shape,
                           const LayerWork& work) {
    if (work.image == LayerWork::kAllImages) return 0;
    const std::int64_t element = part_at(plan, part).element_bytes;
    const std::int64_t slots =
        work.image * plan.lanes.slots(shape.c) + work.channels.begin / plan.lanes.count;
    return static_cast<local_addr_t>(slots *
                                     plan.lanes.whole_line_bytes(element * shape.h * shape.w));
}

/// The range of a work in a feature map. The range of one image is a tensor in the aligned layout.
LocalTensor part_of_map(const LayerPlan& plan, int part, const dim4& shape, const LayerWork& work) {
    LocalTensor words{place_of(plan, part) + offset_in_map(plan, part, shape, work), shape,
                      std::nullopt};
    if (work.image != LayerWork::kAllImages) {
        words.shape = {1, work.channels.size(), shape.h, shape.w};
    }
    return words;
}

/// The words of an element-wise part: a range of every channel, which begins at a line.
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
    const int element = stored_bytes(tensor.type);
    const std::int64_t channel =
        lanes.whole_line_bytes(std::int64_t{element} * shape.h * shape.w) / element;
    return {element,
            shape,
            {tensor.strides[0], tensor.strides[3], tensor.strides[1], tensor.strides[2]},
            {channel * lanes.slots(shape.c), channel, shape.w, 1},
            lanes.has(isa::Feature::kDmaLayout)};
}

std::uint32_t row_bytes(const Layer& layer, const Lanes& lanes) {
    return static_cast<std::uint32_t>(isa::kWordBytes * lanes.slots(layer.out.c));
}

/// Words from one output channel's weights to those of the channel in the next slot.
std::int64_t row_stride(const Layer& layer, const Lanes& lanes) {
    return lanes.whole_lines(layer.row_words());
}

std::uint64_t prepared_at(const LayerCall& call, const std::vector<PreparedPart>& parts,
                          std::int32_t op) {
    const auto at = std::find_if(parts.begin(), parts.end(),
                                 [op](const PreparedPart& part) { return part.op == op; });
    OKKSIM_CHECK(at != parts.end());
    return call.prepared + at->offset;
}

/// Address of weights as words.
std::uint64_t weight_words(const LayerCall& call, const LayerPlan& plan, const Layer& layer) {
    const DeviceTensor& weights = tensor_of(call, layer.weights);
    if (weights.type == tosa::DType::kFp32) return weights.address;
    return prepared_at(call, plan.weights, layer.op);
}

/// Splits a block into the largest groups of channel slots that a command takes. Calls `move` with
/// the block of each group and its offsets in both memories.
template <typename Move>
void for_each_piece(const conv::BlockTransfer& block, const Lanes& lanes, const Move& move) {
    const std::int32_t most = isa::kMostChannels / lanes.count * lanes.count;
    conv::BlockTransfer piece = block;
    for (std::int32_t first = 0; first < block.shape.c; first += most) {
        piece.shape.c = std::min(most, block.shape.c - first);
        const std::int64_t system = first * block.system[1] * block.element_bytes;
        const std::int64_t local = first / lanes.count * block.local[1] * block.element_bytes;
        move(static_cast<std::uint64_t>(system), static_cast<local_addr_t>(local), piece);
    }
}

void load_map(local_addr_t to, std::uint64_t from, const conv::BlockTransfer& block,
              const Lanes& lanes) {
    for_each_piece(block, lanes, [&](std::uint64_t system, local_addr_t local, const auto& piece) {
        conv::load_block(to + local, from + system, piece);
    });
}

void store_map(std::uint64_t to, local_addr_t from, const conv::BlockTransfer& block,
               const Lanes& lanes) {
    for_each_piece(block, lanes, [&](std::uint64_t system, local_addr_t local, const auto& piece) {
        conv::store_block(to + system, from + local, piece);
    });
}

void load_weights(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                  const conv::Range& channels, local_addr_t to) {
    const DeviceTensor& weights = tensor_of(call, layer.weights);
    const std::uint64_t from =
        weight_words(call, plan, layer) +
        static_cast<std::uint64_t>(isa::kWordBytes * channels.begin * weights.strides[0]);
    conv::load_block(to, from, weights_block(layer, weights, channels, plan.lanes));
}

/// The packed constants of the addresses [begin, end) as a block: a row of words in every lane.
conv::BlockTransfer packed_block(const LayerPlan& plan, std::uint32_t begin, std::uint32_t end) {
    const int all = isa::narrow(plan.packed_bytes / isa::kWordBytes);
    const int words = isa::narrow((end - begin) / isa::kWordBytes);
    return {isa::kWordBytes, {1, plan.lanes.count, 1, words}, {0, all, 0, 1}, {0, words, 0, 1}};
}

void convolve(const LayerPlan& plan, const Layer& layer, const LayerPlaces& places,
              const LayerWork& work) {
    dim4 in = map_strides(layer.in, plan.lanes);
    const dim4 out = map_strides(layer.out, plan.lanes);
    const int slot = work.channels.begin / plan.lanes.count;
    const int rows = channel_rows(layer, plan.lanes);
    const int pairs = layer.tap_words() / 2 / rows;
    const auto row = isa::narrow(row_stride(layer, plan.lanes) / 2);
    const dim4 weight_stride{1, row, pairs * layer.kernel.w, pairs};
    dim4 shape = layer.in;
    shape.c += places.zero_channels;
    dim2 kernel = layer.kernel;
    if (rows > 1) {
        shape.c /= rows;
        shape.h = kernel.h = rows;
        in.h = isa::narrow(in.c * plan.lanes.slots(shape.c));
    }
    const bool all = work.image == LayerWork::kAllImages;
    if (!all) shape.n = 1;
    const auto image = static_cast<local_addr_t>(all ? 0 : work.image);
    const local_addr_t weights = places.packed_weights ? places.weights : work.weights;
    const local_addr_t from =
        place_of(plan, layer.maps[0]) + 4 * image * static_cast<local_addr_t>(in.n);
    if (places.zero_channels > 0) {
        // The channel after the last one: a slot of the feature map in a lane that holds no channel
        // there.
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
                   work.channels.size(), kernel.h, kernel.w, &in, &weight_stride, true, false,
                   &layer.zeros, &layer.stride, &layer.dilation);
}

/// DEPTHWISE_CONV2D and AVG_POOL2D: all channels.
void convolve_depthwise(const LayerPlan& plan, const Layer& layer, const LayerPlaces& places) {
    okk_bdc_depthwise2d(place_of(plan, layer.output), place_of(plan, layer.maps[0]), places.weights,
                        places.bias, &layer.in, layer.kernel.h, layer.kernel.w, layer.bias >= 0,
                        &layer.zeros, &layer.stride, &layer.dilation);
}

void concatenate(const LayerCall& call, const LayerPlan& plan, const Layer& layer) {
    const dim4 stride = map_strides(layer.out, plan.lanes);
    std::int32_t first = 0;  // channel
    for (const int map : layer.maps) {
        const dim4 shape = part_shape(call, part_at(plan, map));
        const local_addr_t to =
            place_of(plan, layer.output) +
            static_cast<local_addr_t>(4 * stride.c * (first / plan.lanes.count));
        const auto lane = static_cast<local_addr_t>(first % plan.lanes.count);
        if (lane == 0) {
            prim::raw::copy({to, shape, stride}, {place_of(plan, map), shape, std::nullopt});
        } else {
            // These channels change lanes.
            okk_gdma_32bit_cpy_L2L(to + lane * okk_local_mem_size_per_npu(), place_of(plan, map),
                                   &shape, &stride, nullptr);
        }
        first += shape.c;
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

void run_bytes(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    constexpr std::size_t kMostMaps = 2;
    std::array<LocalTensor, kMostMaps> maps;
    for (std::size_t i = 0; i < layer.maps.size(); ++i) {
        maps[i] = words_of_map(plan, layer.maps[i], layer.in, work);
    }
    prim::Scratch scratch(work.scratch, work.scratch_bytes, plan.lanes);
    const local_addr_t rows =
        plan.places[static_cast<std::size_t>(work.layer)].rows +
        static_cast<local_addr_t>(isa::kWordBytes * (work.channels.begin / plan.lanes.count));
    run_program(*plan.programs[static_cast<std::size_t>(layer.op)],
                words_of_map(plan, layer.output, layer.out, work),
                std::span(maps).first(layer.maps.size()), rows, row_bytes(layer, plan.lanes),
                scratch);
}

void narrow(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    prim::Scratch scratch(work.scratch, work.scratch_bytes, plan.lanes);
    narrow_map(place_of(plan, layer.output) + offset_in_map(plan, layer.output, layer.out, work),
               part_of_map(plan, layer.maps[0], layer.in, work), layer.offset, scratch);
}

void widen(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    prim::Scratch scratch(0, 0, plan.lanes);
    widen_map(part_of_map(plan, layer.output, layer.out, work), place_of(plan, layer.maps[0]),
              layer.offset, scratch);
}

/// The only pixel of a feature map, for every position of the result.
LocalTensor repeated_pixel(const LayerPlan& plan, int part, const Layer& layer,
                           const LocalTensor& result, const LayerWork& work) {
    const dim4 pixel{layer.out.n, layer.out.c, 1, 1};
    dim4 strides = map_strides(pixel, plan.lanes);
    strides.h = strides.w = 0;
    return {place_of(plan, part) + offset_in_map(plan, part, pixel, work), result.shape, strides};
}

void run_body(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
              const LayerWork& work) {
    const FloatBody body = body_of(call.operators[static_cast<std::size_t>(layer.op)]);
    const LocalTensor result = words_of_map(plan, layer.output, layer.out, work);
    const LayerPlaces& places = plan.places[static_cast<std::size_t>(work.layer)];
    std::array<LocalTensor, kMostBodyOperands> operands;
    const std::size_t count = layer.maps.size() + static_cast<std::size_t>(layer.rows);
    local_addr_t number =
        places.rows +
        static_cast<local_addr_t>(isa::kWordBytes * (work.channels.begin / plan.lanes.count));
    if (layer.rows > 0 || layer.repeated != 0) charge(OwnWork::kLayerTap);
    std::size_t map = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (layer.numbers[i] >= 0) {
            operands[i] = prim::channel_vector(number, result.shape);
            number += row_bytes(layer, plan.lanes);
            continue;
        }
        operands[i] = layer.repeats(map)
                          ? repeated_pixel(plan, layer.maps[map], layer, result, work)
                          : words_of_map(plan, layer.maps[map], layer.in, work);
        ++map;
    }
    prim::Scratch scratch(work.scratch, work.scratch_bytes, plan.lanes);
    body.run(result, std::span(operands).first(count), scratch);
}

}  // namespace

conv::BlockTransfer weights_block(const Layer& layer, const DeviceTensor& weights,
                                  const conv::Range& channels, const Lanes& lanes) {
    const std::int64_t tap = layer.tap_words();
    const bool whole = takes_whole_map(layer, weights);
    const std::int32_t own = layer.in.c / layer.row_taps;
    const std::int64_t x = whole ? own : weights.strides[2];
    const std::int64_t y = whole ? x * layer.in.w : weights.strides[1];
    // The rows of the window are adjacent in an unfolded convolution.
    const std::int64_t next_row = layer.row_taps > 1 ? own : tap * layer.kernel.w;
    return {4,
            {layer.kernel.h * layer.row_taps, channels.size(), layer.kernel.w, own},
            {y, weights.strides[0], x, 1},
            {next_row, row_stride(layer, lanes), tap, 1}};
}

std::int64_t weight_bytes(const Layer& layer, std::int32_t channels, const Lanes& lanes) {
    if (is_native(layer.kind)) {
        const conv::ByteBlock block = native_block(layer, {0, channels}, lanes);
        return block.words * isa::kWordBytes;
    }
    const std::int64_t row =
        layer.kind == LayerKind::kConvolution ? row_stride(layer, lanes) : layer.row_words();
    return 4 * row * lanes.slots(channels);
}

std::int64_t scratch_bytes(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                           const LayerWork& work) {
    const auto op = static_cast<std::size_t>(layer.op);
    std::int64_t planes = 0;
    switch (layer.kind) {
        case LayerKind::kMaximum: return maximum_scratch_bytes(layer, work, plan.lanes);
        case LayerKind::kBody: planes = body_of(call.operators[op]).planes; break;
        case LayerKind::kBytes: planes = plan.programs[op]->planes(); break;
        case LayerKind::kNarrow: planes = narrow_map_planes(layer.offset); break;
        case LayerKind::kByteConvolution:
        case LayerKind::kByteDepthwise:
        case LayerKind::kByteMaximum:
        case LayerKind::kPackedConcat:
        case LayerKind::kPackedCrop:
        case LayerKind::kBytePair:
        case LayerKind::kByteProduct:
        case LayerKind::kByteTable:
        case LayerKind::kHalfConvolution:
        case LayerKind::kHalfDepthwise:
        case LayerKind::kHalfMean:
        case LayerKind::kHalfMaximum:
        case LayerKind::kHalfBody: return native_scratch_bytes(call, layer, work, plan.lanes);
        case LayerKind::kConvolution:
        case LayerKind::kDepthwise:
        case LayerKind::kMean:
        case LayerKind::kConcat:
        case LayerKind::kCrop:
        case LayerKind::kWiden: return 0;
    }
    return planes * prim::plane_bytes(part_of_result(layer, work), plan.lanes);
}

void run_transfer(const LayerCall& call, const LayerPlan& plan, const LayerTransfer& transfer) {
    switch (transfer.kind) {
        case TransferKind::kLoadMap: {
            const MapPart& part = part_at(plan, transfer.part);
            if (part.unfolding.taps > 1) {
                return load_unfolded(call, part, plan.lanes, transfer.local);
            }
            return load_map(transfer.local, part_address(call, part),
                            map_block(call, part, plan.lanes), plan.lanes);
        }
        case TransferKind::kStoreMap: {
            const MapPart& part = part_at(plan, transfer.part);
            return store_map(part_address(call, part), transfer.local,
                             map_block(call, part, plan.lanes), plan.lanes);
        }
        case TransferKind::kLoadWeights:
            if (is_native(layer_at(plan, transfer.layer).kind)) {
                return load_native_constants(call, plan, layer_at(plan, transfer.layer),
                                             transfer.channels, transfer.local);
            }
            load_weights(call, plan, layer_at(plan, transfer.layer), transfer.channels,
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
        case LayerKind::kBytes: run_bytes(plan, layer, work); return;
        case LayerKind::kWiden: widen(plan, layer, work); return;
        case LayerKind::kNarrow: narrow(plan, layer, work); return;
        case LayerKind::kByteConvolution:
        case LayerKind::kByteDepthwise:
        case LayerKind::kByteMaximum:
        case LayerKind::kPackedConcat:
        case LayerKind::kPackedCrop:
        case LayerKind::kBytePair:
        case LayerKind::kByteProduct:
        case LayerKind::kByteTable:
        case LayerKind::kHalfConvolution:
        case LayerKind::kHalfDepthwise:
        case LayerKind::kHalfMean:
        case LayerKind::kHalfMaximum:
        case LayerKind::kHalfBody: run_native(call, plan, layer, work); return;
    }
}

void load_packed_constants(const LayerCall& call, const LayerPlan& plan, std::size_t section) {
    const std::uint32_t begin = section == 0 ? 0 : plan.packed_first;
    const std::uint32_t end = section == 0 ? plan.packed_first : plan.packed_bytes;
    if (section > 1 || begin == end) return;
    conv::load_block(begin, call.prepared + begin, packed_block(plan, begin, end));
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
        load_packed_constants(call, plan, i);
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

}  // namespace okksim::kernels::layers
