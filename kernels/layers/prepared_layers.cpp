// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/prepared_layers.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "isa/base/errors.h"
#include "kernels/conv/block_transfer.h"
#include "kernels/conv/prepared_layout.h"
#include "kernels/layers/half_run.h"
#include "kernels/layers/layer_run.h"
#include "kernels/layers/native_run.h"

namespace okksim::kernels::layers {
namespace {

const DeviceTensor& tensor_of(const LayerCall& call, int value) {
    return call.values[static_cast<std::size_t>(value)].tensor;
}

const Layer& first_layer_of(const LayerPlan& plan, std::int32_t op) {
    const auto layer =
        std::find_if(plan.layers.begin(), plan.layers.end(),
                     [op](const Layer& each) { return each.op == op && each.has_constants(); });
    OKKSIM_CHECK(layer != plan.layers.end());
    return *layer;
}

std::vector<unsigned char> native_constants(const LayerCall& call, const LayerPlan& plan,
                                            const Layer& layer, const conv::Range& channels,
                                            const ConstantMemory& memory) {
    const conv::ByteBlock block = native_block(layer, channels, plan.lanes);
    if (computes_halves(layer.kind)) {
        return packed_half_block(call, layer, block, plan.lanes, memory);
    }
    const NativeProgram& program = *plan.natives[static_cast<std::size_t>(layer.op)];
    if (layer.kind == LayerKind::kByteTable) {
        std::vector<unsigned char> tables;
        for (int lane = 0; lane < plan.lanes.count; ++lane) {
            tables.insert(tables.end(), program.table.begin(), program.table.end());
        }
        return tables;
    }
    return conv::packed_block(native_problem(layer, call), block,
                              {tensor_of(call, layer.weights).address,
                               tensor_of(call, layer.bias).address, program.scales.front().factors},
                              plan.lanes, memory);
}

/// The packed constants of all lanes, in the layout of local memory.
class LaneImage {
 public:
    explicit LaneImage(const LayerPlan& plan)
        : lanes_(plan.lanes),
          lane_bytes_(plan.packed_bytes),
          bytes_(std::size_t{plan.packed_bytes} * static_cast<std::size_t>(plan.lanes.count)) {}

    unsigned char* at(std::int32_t lane, std::int64_t address) {
        return &bytes_[static_cast<std::size_t>(lane) * lane_bytes_ +
                       static_cast<std::size_t>(address)];
    }
    void put(std::int32_t channel, std::int64_t address, float value) {
        std::memcpy(at(channel % lanes_.count, address), &value, sizeof value);
    }
    /// Copies the elements value(system offset) of a block of words.
    template <typename Value>
    void place(local_addr_t to, const conv::BlockTransfer& block, const Value& value) {
        const dim4& shape = block.shape;
        for (int n = 0; n < shape.n; ++n) {
            for (int c = 0; c < shape.c; ++c) {
                for (int h = 0; h < shape.h; ++h) {
                    const std::int64_t from =
                        n * block.system[0] + c * block.system[1] + h * block.system[2];
                    const std::int64_t local =
                        n * block.local[0] + c / lanes_.count * block.local[1] + h * block.local[2];
                    for (int w = 0; w < shape.w; ++w) {
                        put(c, to + isa::kWordBytes * (local + w * block.local[3]),
                            value(from + w * block.system[3]));
                    }
                }
            }
        }
    }
    const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
    Lanes lanes_;
    std::size_t lane_bytes_;
    std::vector<unsigned char> bytes_;
};

/// Elements of a constant as fp32 words.
class Numbers {
 public:
    Numbers(const DeviceTensor& tensor, const ConstantMemory& memory)
        : type_(tensor.type),
          data_(memory.read(tensor.address, static_cast<std::uint64_t>(
                                                tensor.count() * stored_bytes(tensor.type)))) {}
    float operator()(std::int64_t element) const {
        switch (type_) {
            case tosa::DType::kI8: return stored_value<std::int8_t>(data_ + element);
            case tosa::DType::kI32:
                return static_cast<float>(stored_value<std::int32_t>(data_ + 4 * element));
            default: return stored_value<float>(data_ + 4 * element);
        }
    }

 private:
    tosa::DType type_;
    const unsigned char* data_;
};

/// A word per output channel.
conv::BlockTransfer channel_block(const Layer& layer, std::int64_t stride) {
    return {4, {1, layer.out.c, 1, 1}, {0, stride, 0, 0}, {0, 1, 0, 0}};
}

/// Weights [KH, KW, C, 1] in the compact layout.
conv::BlockTransfer depthwise_block(const Layer& layer, const DeviceTensor& weights) {
    return {4,
            {layer.kernel.h, layer.in.c, layer.kernel.w, 1},
            {weights.strides[0], weights.strides[2], weights.strides[1], 1},
            {layer.kernel.w, layer.row_words(), 1, 1}};
}

/// The rows of a layer's program, one after the other.
std::vector<float> program_rows(const LayerPlan& plan, const Layer& layer) {
    std::vector<float> values;
    for (const auto& row : plan.programs[static_cast<std::size_t>(layer.op)]->rows) {
        values.insert(values.end(), row.begin(), row.end());
    }
    return values;
}

void place_rows(LaneImage& image, const LayerPlan& plan, const Layer& layer, local_addr_t to) {
    for (const auto& row : plan.programs[static_cast<std::size_t>(layer.op)]->rows) {
        const std::int64_t stride = row.size() == 1 ? 0 : 1;
        image.place(to, channel_block(layer, stride),
                    [&](std::int64_t i) { return row[static_cast<std::size_t>(i)]; });
        to += static_cast<local_addr_t>(isa::kWordBytes * plan.lanes.slots(layer.out.c));
    }
}

/// Constant operands of an element-wise operator, one after the other.
void place_numbers(LaneImage& image, const LayerCall& call, const LayerPlan& plan,
                   const Layer& layer, local_addr_t to, const ConstantMemory& memory) {
    for (const int value : layer.numbers) {
        if (value < 0) continue;
        const DeviceTensor& number = tensor_of(call, value);
        image.place(to, channel_block(layer, number.count() == 1 ? 0 : 1), Numbers(number, memory));
        to += static_cast<local_addr_t>(isa::kWordBytes * plan.lanes.slots(layer.out.c));
    }
}

void place_native(LaneImage& image, const LayerCall& call, const LayerPlan& plan,
                  const Layer& layer, local_addr_t to, const ConstantMemory& memory) {
    const conv::Range channels{0, layer.out.c};
    const conv::ByteBlock block = native_block(layer, channels, plan.lanes);
    if (block.words == 0) return;
    const std::vector<unsigned char> bytes = native_constants(call, plan, layer, channels, memory);
    const auto row = static_cast<std::size_t>(block.words * isa::kWordBytes);
    for (int lane = 0; lane < std::min(block.count, plan.lanes.count); ++lane) {
        std::memcpy(image.at(lane, to), &bytes[static_cast<std::size_t>(lane) * row], row);
    }
}

void place_constants(LaneImage& image, const LayerCall& call, const LayerPlan& plan,
                     std::size_t index, const ConstantMemory& memory) {
    const Layer& layer = plan.layers[index];
    const LayerPlaces& places = plan.places[index];
    if (is_native(layer.kind)) {
        if (places.packed_weights) {
            place_native(image, call, plan, layer, places.weights, memory);
        }
        return;
    }
    if (layer.bias >= 0) {
        const DeviceTensor& bias = tensor_of(call, layer.bias);
        image.place(places.bias, channel_block(layer, bias.dims[0] == 1 ? 0 : 1),
                    Numbers(bias, memory));
    }
    if (layer.kind == LayerKind::kBody) {
        return place_numbers(image, call, plan, layer, places.rows, memory);
    }
    if (layer.rows > 0) place_rows(image, plan, layer, places.rows);
    if (!places.packed_weights) return;
    if (layer.kind != LayerKind::kConvolution && layer.kind != LayerKind::kDepthwise) {
        // A mean multiplies all elements of a window by the same number.
        const int taps = layer.row_words();
        const float factor = 1.0f / static_cast<float>(taps);
        image.place(places.weights, {4, {1, layer.in.c, 1, taps}, {}, {0, taps, 0, 1}},
                    [factor](std::int64_t) { return factor; });
        return;
    }
    const DeviceTensor& weights = tensor_of(call, layer.weights);
    const conv::BlockTransfer block =
        layer.kind == LayerKind::kConvolution
            ? weights_block(layer, weights, {0, layer.out.c}, plan.lanes)
            : depthwise_block(layer, weights);
    image.place(places.weights, block, Numbers(weights, memory));
}

}  // namespace

void prepare_layers(const LayerCall& call, const LayerPlan& plan, const ConstantMemory& memory) {
    for (const NativePart& part : plan.native_parts) {
        memory.write_values(
            call.prepared + part.offset,
            native_constants(call, plan, first_layer_of(plan, part.op), part.channels, memory));
    }
    if (plan.packed_bytes == 0) return;
    for (const PreparedPart& part : plan.weights) {
        const DeviceTensor& weights = tensor_of(call, first_layer_of(plan, part.op).weights);
        conv::prepare_values(weights, 0, call.prepared + part.offset, memory);
    }
    for (const PreparedPart& part : plan.rows) {
        memory.write_values(call.prepared + part.offset,
                            program_rows(plan, first_layer_of(plan, part.op)));
    }
    LaneImage image(plan);
    std::set<std::int32_t> placed;  // slices of an operator share its constants
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const Layer& layer = plan.layers[i];
        if (!layer.has_constants() || !placed.insert(layer.op).second) continue;
        place_constants(image, call, plan, i, memory);
    }
    memory.write_values(call.prepared, image.bytes());
}

std::vector<int> values_only_prepared(const LayerCall& call, const LayerPlan& plan) {
    std::set<int> prepared, read;
    for (std::size_t i = 0; i < plan.layers.size(); ++i) {
        const Layer& layer = plan.layers[i];
        for (const int map : layer.maps) {
            read.insert(plan.parts[static_cast<std::size_t>(map)].value);
        }
        if (layer.bias >= 0) prepared.insert(layer.bias);
        for (const int value : layer.numbers) {
            if (value >= 0) prepared.insert(value);
        }
        if (layer.weights < 0) continue;
        prepared.insert(layer.weights);
        const bool is_word = tensor_of(call, layer.weights).type == tosa::DType::kFp32;
        if (!is_native(layer.kind) && is_word && !plan.places[i].packed_weights) {
            read.insert(layer.weights);
        }
    }
    std::vector<int> values;
    std::ranges::set_difference(prepared, read, std::back_inserter(values));
    return values;
}

}  // namespace okksim::kernels::layers
