// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer.h"

#include <algorithm>

#include "isa/layout.h"
#include "isa/limits.h"
#include "kernels/call/constant_values.h"
#include "kernels/pointwise/fusion.h"
#include "kernels/tosa/operator_row.h"
#include "kernels/transfer/half_element.h"

namespace okksim::kernels::layers {
namespace {

using tosa::OpCode;

using tosa::DType;

/// Feature maps of int32 hold sums.
bool is_map(const DeviceTensor& tensor) {
    constexpr int kRank = 4;
    const bool holds = tensor.type == DType::kFp32 || tensor.type == DType::kI8 ||
                       tensor.type == DType::kI32 || is_half(tensor.type);
    return holds && tensor.rank == kRank && tensor.count() > 0;
}

/// Integers have layers that multiply, compare and move. All other functions of integers are a
/// ByteProgram.
bool has_types(LayerKind kind, DType input, DType output) {
    if (input == DType::kFp32) return output == DType::kFp32;
    const bool is_one_type = input == output;
    switch (kind) {
        case LayerKind::kConvolution:
        case LayerKind::kDepthwise: return input == DType::kI8 && output == DType::kI32;
        case LayerKind::kMaximum:
        case LayerKind::kConcat:
        case LayerKind::kCrop: return is_one_type && input == DType::kI8;
        case LayerKind::kBytes: return output == DType::kI8;
        case LayerKind::kMean:
        case LayerKind::kBody:
        case LayerKind::kWiden:
        case LayerKind::kNarrow: break;
        case LayerKind::kByteConvolution:
        case LayerKind::kByteDepthwise:
        case LayerKind::kByteMaximum:
        case LayerKind::kBytePair:
        case LayerKind::kByteProduct:
        case LayerKind::kByteTable: return is_one_type && input == DType::kI8;
        case LayerKind::kPackedConcat:
        case LayerKind::kPackedCrop: return is_one_type && (input == DType::kI8 || is_half(input));
        case LayerKind::kHalfConvolution:
        case LayerKind::kHalfDepthwise:
        case LayerKind::kHalfMean:
        case LayerKind::kHalfMaximum:
        case LayerKind::kHalfBody: return is_one_type && is_half(input);
    }
    return false;
}

bool fits_commands(const dim4& shape) {
    return shape.n <= isa::kMostBatch && shape.c <= isa::kMostChannels &&
           shape.h <= isa::kMostWindowExtent && shape.w <= isa::kMostWindowExtent;
}

bool within(int value, int low, int high) { return value >= low && value <= high; }

/// True if one command accepts window, steps and padding.
bool fits_window(const Layer& layer) {
    const Padding& z = layer.zeros;
    for (const int side : {z.top, z.bottom, z.left, z.right}) {
        if (!within(side, 0, isa::kMostPadding)) return false;
    }
    for (const int step : {layer.stride.h, layer.stride.w, layer.dilation.h, layer.dilation.w}) {
        if (!within(step, 1, isa::kMostStep)) return false;
    }
    return layer.in.h + z.top + z.bottom <= isa::kMostWindowExtent &&
           layer.in.w + z.left + z.right <= isa::kMostWindowExtent;
}

template <typename Attributes>
void take_window(Layer& layer, const Attributes& attributes) {
    layer.stride = {attributes.stride[0], attributes.stride[1]};
    layer.zeros = {attributes.pad[0], attributes.pad[1], attributes.pad[2], attributes.pad[3]};
}

/// Weights [OC, KH, KW, IC] or [KH, KW, C, M], which exist before the graph runs.
template <typename Attributes>
bool take_weights(Layer& layer, const LayerOperator& op, const Attributes& attributes,
                  std::span<const LayerValue> values) {
    layer.weights = op.inputs[1];
    layer.bias = op.inputs[2];
    const DeviceTensor& weights = values[static_cast<std::size_t>(layer.weights)].tensor;
    const DeviceTensor& bias = values[static_cast<std::size_t>(layer.bias)].tensor;
    take_window(layer, attributes);
    layer.dilation = {attributes.dilation[0], attributes.dilation[1]};
    const bool depthwise = is_depthwise(layer.kind);
    const std::size_t first = depthwise ? 0 : 1;
    layer.kernel = {weights.dims[first], weights.dims[first + 1]};
    if (takes_whole_map(layer, weights)) layer.kernel = {layer.in.h, layer.in.w};
    const DType type = values[static_cast<std::size_t>(layer.maps[0])].tensor.type;
    return weights.constant && bias.constant && weights.type == type &&
           (!depthwise || weights.dims[3] == 1);
}

bool take_concat(Layer& layer, const tosa::ConcatAttributes& attributes,
                 std::span<const LayerValue> values, const isa::MachineShape& machine) {
    constexpr int kChannelAxis = 3;
    if (attributes.axis != kChannelAxis) return false;
    // The GDMA moves only words between lanes.
    const DeviceTensor& first = values[static_cast<std::size_t>(layer.maps[0])].tensor;
    if (first.type == DType::kFp32) return true;
    for (std::size_t i = 0; i + 1 < layer.maps.size(); ++i) {
        const DeviceTensor& part = values[static_cast<std::size_t>(layer.maps[i])].tensor;
        if (part.dims[kChannelAxis] % machine.lanes != 0) return false;
    }
    return true;
}

/// First positions [N, H, W, C].
bool take_crop(Layer& layer, const std::vector<std::int64_t>& begin) {
    constexpr std::size_t kRank = 4;
    if (begin.size() != kRank || begin[3] != 0) return false;
    for (std::size_t i = 0; i + 1 < kRank; ++i) layer.begin[i] = isa::narrow(begin[i]);
    return true;
}

/// True if all feature maps have the result's shape, so no operand broadcasts.
bool have_shape_of_result(const Layer& layer, const LayerOperator& op,
                          std::span<const LayerValue> values) {
    const DeviceTensor& output = values[static_cast<std::size_t>(op.output)].tensor;
    return std::all_of(layer.maps.begin(), layer.maps.end(), [&](int map) {
        const DeviceTensor& operand = values[static_cast<std::size_t>(map)].tensor;
        return is_map(operand) && operand.dims == output.dims;
    });
}

/// True if the operand is a constant of one number, or of one per channel, that broadcasts.
bool is_number(const DeviceTensor& operand, const DeviceTensor& result) {
    const bool is_per_channel = operand.count() == operand.dims[3];
    return operand.constant && operand.rank == result.rank && operand.dims != result.dims &&
           is_per_channel && (operand.dims[3] == 1 || operand.dims[3] == result.dims[3]);
}

/// Takes feature maps of the result's shape, and feature maps of one pixel.
bool take_maps(Layer& layer, const LayerOperator& op, std::span<const LayerValue> values) {
    const DeviceTensor& output = values[static_cast<std::size_t>(op.output)].tensor;
    bool has_whole = false;
    for (std::size_t i = 0; i < layer.maps.size(); ++i) {
        const DeviceTensor& operand = values[static_cast<std::size_t>(layer.maps[i])].tensor;
        if (operand.type != output.type || !is_map(operand)) return false;
        const bool is_whole = operand.dims == output.dims;
        has_whole = has_whole || is_whole;
        const dim4 shape = map_shape(operand);
        const bool repeats =
            repeats_pixel(shape, layer.out) && shape.n == layer.out.n && shape.c == layer.out.c;
        if (!is_whole && !repeats) return false;
        if (!is_whole) layer.repeated |= 1U << i;
    }
    layer.in = layer.out;
    return has_whole;
}

/// Takes the operands of an element-wise operator on fp32: constants, and feature maps.
bool take_operands(Layer& layer, const LayerOperator& op, std::span<const LayerValue> values) {
    const DeviceTensor& output = values[static_cast<std::size_t>(op.output)].tensor;
    const std::vector<int> operands = std::move(layer.maps);
    layer.maps.clear();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const DeviceTensor& operand = values[static_cast<std::size_t>(operands[i])].tensor;
        if (operand.type == output.type && is_number(operand, output)) {
            layer.numbers[i] = operands[i];
            ++layer.rows;
        } else {
            layer.maps.push_back(operands[i]);
        }
    }
    return take_maps(layer, op, values);
}

/// The kind of a family's layer for fp32 words, for packed integers and for halves.
struct FamilyKinds {
    std::optional<LayerKind> words, packed, halves;
};

FamilyKinds kinds_of(tosa::LayerFamily family) {
    using enum tosa::LayerFamily;
    using enum LayerKind;
    switch (family) {
        case kNoLayer: return {};
        case kConvolutionLayer: return {kConvolution, kByteConvolution, kHalfConvolution};
        case kDepthwiseLayer: return {kDepthwise, kByteDepthwise, kHalfDepthwise};
        case kMeanLayer: return {kMean, {}, kHalfMean};
        case kMaximumLayer: return {kMaximum, kByteMaximum, kHalfMaximum};
        case kConcatLayer: return {kConcat, kPackedConcat, kPackedConcat};
        case kCropLayer: return {kCrop, kPackedCrop, kPackedCrop};
    }
    return {};
}

std::optional<LayerKind> kind_of(const LayerOperator& of, DType input) {
    const FamilyKinds kinds = kinds_of(tosa::operator_row(of.op).layer);
    if (of.is_native) {
        if (of.native != nullptr && of.native->kind == NativeKind::kPair) {
            return LayerKind::kBytePair;
        }
        if (of.native != nullptr && of.native->kind == NativeKind::kProduct) {
            return LayerKind::kByteProduct;
        }
        if (of.native != nullptr && of.native->kind == NativeKind::kTable) {
            return LayerKind::kByteTable;
        }
        const bool has_sums =
            kinds.packed && (is_convolution(*kinds.packed) || is_depthwise(*kinds.packed));
        // A native program makes packed results of sums.
        return has_sums && of.native == nullptr ? std::nullopt : kinds.packed;
    }
    if (is_half(input)) return has_float_body(of.op) ? LayerKind::kHalfBody : kinds.halves;
    if (of.program != nullptr) return LayerKind::kBytes;
    return has_float_body(of.op) ? LayerKind::kBody : kinds.words;
}

bool describe(Layer& layer, const LayerOperator& op, std::span<const LayerValue> values,
              const isa::MachineShape& machine) {
    switch (layer.kind) {
        case LayerKind::kConvolution:
        case LayerKind::kByteConvolution:
        case LayerKind::kHalfConvolution:
            layer.maps.resize(1);
            return take_weights(layer, op, std::get<tosa::Conv2dAttributes>(*op.attributes),
                                values) &&
                   fits_window(layer);
        case LayerKind::kDepthwise:
        case LayerKind::kByteDepthwise:
        case LayerKind::kHalfDepthwise:
            layer.maps.resize(1);
            return take_weights(layer, op,
                                std::get<tosa::DepthwiseConv2dAttributes>(*op.attributes),
                                values) &&
                   fits_window(layer);
        case LayerKind::kMean:
        case LayerKind::kHalfMean: {
            const auto& attributes = std::get<tosa::AvgPool2dAttributes>(*op.attributes);
            layer.maps.resize(1);
            layer.kernel = {attributes.kernel[0], attributes.kernel[1]};
            take_window(layer, attributes);
            return !layer.padded() && fits_window(layer);
        }
        case LayerKind::kMaximum:
        case LayerKind::kByteMaximum:
        case LayerKind::kHalfMaximum: {
            const auto& attributes = std::get<tosa::MaxPool2dAttributes>(*op.attributes);
            layer.maps.resize(1);
            layer.kernel = {attributes.kernel[0], attributes.kernel[1]};
            layer.keeps_nan =
                nan_mode(attributes.nan_mode) == prim::NanMode::kPropagate &&
                values[static_cast<std::size_t>(layer.output)].tensor.type != DType::kI8;
            take_window(layer, attributes);
            return fits_window(layer);
        }
        case LayerKind::kConcat:
        case LayerKind::kPackedConcat:
            return take_concat(layer, std::get<tosa::ConcatAttributes>(*op.attributes), values,
                               machine);
        case LayerKind::kCrop:
        case LayerKind::kPackedCrop: layer.maps.resize(1); return take_crop(layer, op.list);
        case LayerKind::kBody:
            layer.maps.resize(static_cast<std::size_t>(leading_operands(op.op)));
            return take_operands(layer, op, values);
        case LayerKind::kHalfBody:
            layer.maps.resize(static_cast<std::size_t>(leading_operands(op.op)));
            return have_shape_of_result(layer, op, values);
        case LayerKind::kBytes:
            layer.rows = op.program->row_count();
            return have_shape_of_result(layer, op, values);
        case LayerKind::kByteProduct: return take_maps(layer, op, values);
        case LayerKind::kBytePair:
        case LayerKind::kByteTable: return have_shape_of_result(layer, op, values);
        case LayerKind::kWiden:
        case LayerKind::kNarrow: break;
    }
    return false;
}

}  // namespace

bool has_commands(LayerKind kind, const isa::MachineShape& machine) {
    using isa::Feature;
    const auto has = [&](Feature group) { return isa::has_feature(machine, group); };
    switch (kind) {
        case LayerKind::kByteConvolution:
        case LayerKind::kByteDepthwise: return has_native_layers(machine);
        case LayerKind::kByteMaximum: return has(Feature::kInt8Mac);
        case LayerKind::kPackedConcat:
        case LayerKind::kPackedCrop: return has(Feature::kConvert);
        case LayerKind::kBytePair:
        case LayerKind::kByteProduct: return has(Feature::kRequantise) && has(Feature::kIntAlu);
        case LayerKind::kByteTable: return has(Feature::kLookup);
        case LayerKind::kHalfConvolution:
        case LayerKind::kHalfDepthwise:
        case LayerKind::kHalfMean:
        case LayerKind::kHalfMaximum:
        case LayerKind::kHalfBody: return has(Feature::kHalfMac) && has(Feature::kConvert);
        case LayerKind::kConvolution:
        case LayerKind::kDepthwise:
        case LayerKind::kMean:
        case LayerKind::kMaximum:
        case LayerKind::kConcat:
        case LayerKind::kCrop:
        case LayerKind::kBody:
        case LayerKind::kBytes:
        case LayerKind::kWiden:
        case LayerKind::kNarrow: break;
    }
    return true;
}

bool takes_whole_map(const Layer& layer, const DeviceTensor& weights) {
    const std::int64_t elements = std::int64_t{layer.in.c} * layer.in.h * layer.in.w;
    return is_convolution(layer.kind) && weights.dims[1] == 1 && weights.dims[2] == 1 &&
           weights.dims[3] != layer.in.c && weights.dims[3] == elements;
}

std::int32_t channel_rows(const Layer& layer, const Lanes& lanes) {
    if (layer.in.c <= isa::kMostChannels) return 1;
    const auto is_one = [](const dim2& size) { return size.h == 1 && size.w == 1; };
    if (layer.padded() || !is_one({layer.in.h, layer.in.w}) || !is_one(layer.kernel)) return 0;
    for (std::int32_t rows = 2; rows <= isa::kMostWindowExtent; ++rows) {
        const std::int32_t channels = layer.in.c / rows;
        if (layer.in.c % rows != 0 || channels > isa::kMostChannels) continue;
        // Whole channel slots, and whole pairs of a row of weights.
        if (channels % lanes.count == 0 && channels % 2 == 0) return rows;
    }
    return 0;
}

dim4 map_shape(const DeviceTensor& tensor) {
    return {tensor.dims[0], tensor.dims[3], tensor.dims[1], tensor.dims[2]};
}

std::optional<Layer> layer_of(const LayerOperator& op, std::span<const LayerValue> values,
                              const isa::MachineShape& machine) {
    if (op.inputs.empty()) return std::nullopt;
    const DeviceTensor& output = values[static_cast<std::size_t>(op.output)].tensor;
    const DeviceTensor& input = values[static_cast<std::size_t>(op.inputs[0])].tensor;
    const std::optional<LayerKind> kind = kind_of(op, input.type);
    if (!kind || !has_commands(*kind, machine)) return std::nullopt;
    if (!is_map(output) || !is_map(input)) return std::nullopt;
    if (!has_types(*kind, input.type, output.type)) return std::nullopt;
    Layer layer;
    layer.kind = *kind;
    layer.maps = op.inputs;
    layer.output = op.output;
    layer.in = map_shape(input);
    layer.out = map_shape(output);
    if (is_native(*kind)) layer.packed_type = input.type;
    // fp32 commands can take pieces of the channels. Convolutions of packed feature maps write
    // pieces.
    const bool has_words = input.type == DType::kFp32 &&
                           (*kind == LayerKind::kConvolution || *kind == LayerKind::kBody);
    const bool has_pieces = is_native(*kind) && is_convolution(*kind);
    dim4 read = layer.in, written = layer.out;  // by a command
    if (has_words) read.c = std::min(read.c, isa::kMostChannels);
    if (has_words || has_pieces) written.c = std::min(written.c, isa::kMostChannels);
    if (!fits_commands(read) || !fits_commands(written)) return std::nullopt;
    if (!describe(layer, op, values, machine)) return std::nullopt;
    if (*kind == LayerKind::kConvolution && channel_rows(layer, lanes_of(machine)) == 0) {
        return std::nullopt;
    }
    layer.copies_pieces = has_pieces && isa::has_feature(machine, isa::Feature::kConvert);
    return layer;
}

}  // namespace okksim::kernels::layers
