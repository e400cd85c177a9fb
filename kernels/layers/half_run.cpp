// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/half_run.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "firmware/okk_access.h"
#include "isa/base/errors.h"
#include "isa/layout.h"
#include "kernels/call/computing.h"
#include "kernels/call/constant_values.h"
#include "kernels/layers/layer_maximum.h"
#include "kernels/layers/packed_maps.h"
#include "kernels/pointwise/float_body.h"
#include "kernels/pointwise/half_commands.h"
#include "kernels/prim/float_formats.h"
#include "kernels/prim/raw.h"
#include "kernels/transfer/half_element.h"

namespace okksim::kernels::layers {
namespace {

using prim::LocalTensor;

constexpr std::int64_t kHalfBytes = 2;
/// Input channels that a command takes at a time, side by side.
constexpr std::int64_t kUnitHalves = 4;

std::int64_t taps_of(const Layer& layer) { return std::int64_t{layer.kernel.h} * layer.kernel.w; }

/// Halves of one output channel's weights.
std::int64_t row_halves(const Layer& layer) {
    const std::int64_t inputs =
        is_convolution(layer.kind) ? isa::align_up(layer.in.c, kUnitHalves) : 1;
    return taps_of(layer) * inputs;
}

const DeviceTensor& tensor_of(const LayerCall& call, int value) {
    return call.values[static_cast<std::size_t>(value)].tensor;
}

/// A constant tensor of halves on the host.
class HalfValues {
 public:
    HalfValues(const DeviceTensor& tensor, const ConstantMemory& memory)
        : type_(tensor.type),
          data_(memory.read(tensor.address,
                            static_cast<std::uint64_t>(tensor.count() * kHalfBytes))) {}

    const unsigned char* at(std::int64_t element) const { return data_ + element * kHalfBytes; }
    float number(std::int64_t element) const {
        tosa::ElementBytes stored{.size = kHalfBytes};
        std::memcpy(stored.bytes.data(), at(element), kHalfBytes);
        return float_value(stored, type_);
    }

 private:
    tosa::DType type_;
    const unsigned char* data_;
};

/// One output channel's weights, tap by tap.
void pack_row(const Layer& layer, const DeviceTensor& weights, const HalfValues& values,
              std::int32_t channel, unsigned char* to) {
    const bool convolves = is_convolution(layer.kind);
    const std::size_t y = convolves ? 1 : 0;
    const std::int64_t first = channel * weights.strides[convolves ? 0 : 2];
    const std::int64_t tap_bytes = row_halves(layer) / taps_of(layer) * kHalfBytes;
    const auto inputs = static_cast<std::size_t>(convolves ? layer.in.c : 1);
    OKKSIM_CHECK(weights.strides[3] == 1);
    const bool whole = takes_whole_map(layer, weights);
    const std::int64_t next_column = whole ? layer.in.c : weights.strides[y + 1];
    const std::int64_t next_row = whole ? next_column * layer.in.w : weights.strides[y];
    for (std::int32_t row = 0; row < layer.kernel.h; ++row) {
        for (std::int32_t column = 0; column < layer.kernel.w; ++column, to += tap_bytes) {
            std::memcpy(to, values.at(first + row * next_row + column * next_column),
                        inputs * kHalfBytes);
        }
    }
}

/// Means are sums of products with one.
void pack_ones(const Layer& layer, unsigned char* to) {
    constexpr std::uint16_t kFp16One = 0x3C00, kBf16One = 0x3F80;
    const std::uint16_t one = layer.packed_type == tosa::DType::kFp16 ? kFp16One : kBf16One;
    for (std::int64_t i = 0; i < row_halves(layer); ++i) {
        std::memcpy(to + i * kHalfBytes, &one, sizeof one);
    }
}

FloatBody body_of(const LayerCall& call, const Layer& layer) {
    const LayerOperator& op = call.operators[static_cast<std::size_t>(layer.op)];
    std::optional<FloatBody> body = float_body(op.op, *op.attributes, layer.packed_type);
    OKKSIM_CHECK(body.has_value());
    return *std::move(body);
}

HalfCommand command_of(const LayerCall& call, const Layer& layer) {
    const LayerOperator& op = call.operators[static_cast<std::size_t>(layer.op)];
    return half_command(op.op, *op.attributes, layer.packed_type);
}

void convolve(const LayerPlan& plan, const Layer& layer, const LayerWork& work,
              local_addr_t constants) {
    const conv::ByteBlock block = half_block(layer, work.channels, plan.lanes);
    const local_addr_t weights =
        constants + static_cast<local_addr_t>(block.weight_word * isa::kWordBytes);
    const bool is_image = work.image != LayerWork::kAllImages;
    const dim4 piece = piece_beside(layer, work);
    const local_addr_t to =
        piece.c > 0 ? work.scratch : channels_at(plan, layer.output, layer, layer.out, work);
    dim4 shape = layer.in;
    if (is_image) shape.n = 1;
    const local_addr_t from =
        channels_at(plan, layer.maps[0], layer, layer.in, {.image = work.image});
    const auto units = isa::narrow(isa::div_up(layer.in.c, kUnitHalves));
    const dim4 stride{1, isa::narrow(row_halves(layer) / kUnitHalves), units * layer.kernel.w,
                      units};
    const okk_element_t type = half_element(layer.packed_type);
    okk_bdc_half_conv2d(to, from, weights, constants, &shape, work.channels.size(), layer.kernel.h,
                        layer.kernel.w, &stride, true, false, &layer.zeros, &layer.stride,
                        &layer.dilation, type, type);
    if (piece.c > 0) place_piece(plan, layer, work, piece);
}

void convolve_depthwise(const LayerPlan& plan, const Layer& layer, const LayerWork& work,
                        local_addr_t constants) {
    const conv::ByteBlock block = half_block(layer, work.channels, plan.lanes);
    const local_addr_t weights =
        constants + static_cast<local_addr_t>(block.weight_word * isa::kWordBytes);
    const okk_element_t type = half_element(layer.packed_type);
    const bool is_mean = layer.kind == LayerKind::kHalfMean;
    okk_bdc_half_depthwise2d(is_mean ? work.scratch : place_of(plan, layer.output),
                             place_of(plan, layer.maps[0]), weights, constants, &layer.in,
                             layer.kernel.h, layer.kernel.w, layer.bias >= 0, &layer.zeros,
                             &layer.stride, &layer.dilation, is_mean ? OKK_FP32 : type, type);
    if (!is_mean) return;
    prim::Scratch none(0, 0, plan.lanes);
    const LocalTensor sums{work.scratch, layer.out, std::nullopt};
    prim::raw::multiply(sums, sums, 1.0f / static_cast<float>(taps_of(layer)));
    prim::pack_half(place_of(plan, layer.output), sums, type, none);
}

/// Address of the first element of a work in a feature map of the result's shape.
local_addr_t elements_at(const LayerPlan& plan, const Layer& layer, int part,
                         const LayerWork& work) {
    return channels_at(plan, part, layer, layer.out, work) +
           static_cast<local_addr_t>(work.span.begin * kHalfBytes);
}

void run_body(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
              const LayerWork& work) {
    constexpr std::size_t kMostMaps = 3;
    const dim4 shape = part_of_result(layer, work);
    const okk_element_t type = half_element(layer.packed_type);
    const local_addr_t to = elements_at(plan, layer, layer.output, work);
    if (const HalfCommand command = command_of(call, layer)) {
        std::array<local_addr_t, kMostMaps> from{};
        for (std::size_t i = 0; i < layer.maps.size(); ++i) {
            from[i] = elements_at(plan, layer, layer.maps[i], work);
        }
        return command(to, std::span(from).first(layer.maps.size()), shape, type);
    }
    prim::Scratch scratch(work.scratch, work.scratch_bytes, plan.lanes);
    prim::Scratch::Frame frame(scratch);
    std::array<LocalTensor, kMostMaps> operands;
    for (std::size_t i = 0; i < layer.maps.size(); ++i) {
        operands[i] = frame.plane(shape);
        prim::unpack_half(operands[i], elements_at(plan, layer, layer.maps[i], work), type,
                          scratch);
    }
    body_of(call, layer).run(operands[0], std::span(operands).first(layer.maps.size()), scratch);
    prim::pack_half(to, operands[0], type, scratch);
}

/// Planes of words that a maximum needs in addition to its source and result.
struct MaximumPlanes {
    dim4 source, result;
};
MaximumPlanes maximum_planes(const Layer& layer, const LayerWork& work) {
    return {{1, work.channels.size(), layer.in.h, layer.in.w},
            {1, work.channels.size(), layer.out.h, layer.out.w}};
}

void find_half_maxima(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    const MaximumPlanes planes = maximum_planes(layer, work);
    const okk_element_t type = half_element(layer.packed_type);
    prim::Scratch scratch(work.scratch, work.scratch_bytes, plan.lanes);
    prim::Scratch::Frame frame(scratch);
    const LocalTensor source = frame.plane(planes.source);
    const LocalTensor result = frame.plane(planes.result);
    prim::unpack_half(source, channels_at(plan, layer.maps[0], layer, layer.in, work), type,
                      scratch);
    LayerWork fold = work;
    fold.scratch_bytes = scratch.bytes_left();
    fold.scratch = work.scratch + work.scratch_bytes - fold.scratch_bytes;
    find_maxima(layer, fold, source, result, plan.lanes);
    prim::pack_half(channels_at(plan, layer.output, layer, layer.out, work), result, type, scratch);
}

}  // namespace

conv::ByteBlock half_block(const Layer& layer, const conv::Range& channels, const Lanes& lanes) {
    conv::ByteBlock block{.first = channels.begin, .count = channels.size()};
    block.slots = isa::narrow(lanes.slots(channels.size()));
    block.weight_word = layer.bias >= 0 ? block.slots : 0;
    block.weight_words = isa::div_up(block.slots * row_halves(layer) * kHalfBytes, isa::kWordBytes);
    block.words = block.weight_word + block.weight_words;
    return block;
}

std::vector<unsigned char> packed_half_block(const LayerCall& call, const Layer& layer,
                                             const conv::ByteBlock& block, const Lanes& lanes,
                                             const ConstantMemory& memory) {
    std::optional<HalfValues> weights, biases;
    if (layer.weights >= 0) weights.emplace(tensor_of(call, layer.weights), memory);
    if (layer.bias >= 0) biases.emplace(tensor_of(call, layer.bias), memory);
    std::vector<unsigned char> bytes(block.bytes(lanes));
    for (std::int32_t c = 0; c < block.count; ++c) {
        const std::int32_t channel = block.first + c;
        const std::int64_t slot = c / lanes.count;
        unsigned char* const lane = bytes.data() + c % lanes.count * block.words * isa::kWordBytes;
        unsigned char* const row =
            lane + block.weight_word * isa::kWordBytes + slot * row_halves(layer) * kHalfBytes;
        if (weights) {
            pack_row(layer, tensor_of(call, layer.weights), *weights, channel, row);
        } else {
            pack_ones(layer, row);
        }
        if (!biases) continue;
        const DeviceTensor& bias = tensor_of(call, layer.bias);
        const float number = biases->number(bias.dims[0] == 1 ? 0 : channel * bias.strides[0]);
        std::memcpy(lane + slot * isa::kWordBytes, &number, sizeof number);
    }
    return bytes;
}

std::int64_t half_scratch_bytes(const LayerCall& call, const Layer& layer, const LayerWork& work,
                                const Lanes& lanes) {
    const auto words = [&](const dim4& shape) {
        return std::int64_t{prim::plane_bytes(shape, lanes)};
    };
    switch (layer.kind) {
        case LayerKind::kHalfConvolution: {
            const dim4 piece = piece_beside(layer, work);
            if (piece.c == 0) return 0;
            return piece.n * packed_strides(layer, piece, lanes).n * kHalfBytes;
        }
        case LayerKind::kHalfMean: return words(layer.out);
        case LayerKind::kHalfMaximum: {
            const MaximumPlanes planes = maximum_planes(layer, work);
            return words(planes.source) + words(planes.result) +
                   maximum_scratch_bytes(layer, work, lanes);
        }
        case LayerKind::kHalfBody: {
            if (command_of(call, layer)) return 0;
            const auto planes =
                static_cast<std::int64_t>(layer.maps.size()) + body_of(call, layer).planes;
            return planes * words(part_of_result(layer, work));
        }
        case LayerKind::kHalfDepthwise: return 0;
        default: OKKSIM_CHECK(!"a layer of fp16 or bf16");
    }
}

void run_half(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
              const LayerWork& work, local_addr_t constants) {
    if (layer.kind == LayerKind::kHalfConvolution) return convolve(plan, layer, work, constants);
    if (layer.kind == LayerKind::kHalfBody) return run_body(call, plan, layer, work);
    if (layer.kind == LayerKind::kHalfMaximum) return find_half_maxima(plan, layer, work);
    convolve_depthwise(plan, layer, work, constants);
}

}  // namespace okksim::kernels::layers
