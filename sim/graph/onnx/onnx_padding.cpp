// SPDX-License-Identifier: Apache-2.0
// Operators that pad, and those that exchange space and channels.
#include <cmath>

#include "sim/graph/compose/moves.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_extents.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// Returns padding before and after each dimension in the order of the tensors.
Shape placed_sides(const Aligned& order, const Shape& sides) {
    Shape result = sides;
    for (std::size_t i = 0; i < order.rank; ++i) {
        result[2 * order.place(i)] = sides[2 * i];
        result[2 * order.place(i) + 1] = sides[2 * i + 1];
    }
    return result;
}

void set_padded(const Call& call, const Padding& padding, double value) {
    Value& x = call.input(0);
    if (elements_of(padding.result) == 0) return set_empty(call, 0, x.type, padding.result);
    if (elements_of(x.shape) == 0) {
        const HostArray element = make_array(x.type, {1}, std::vector<double>{value});
        return call.set_known(0, repeated(call, element, padding.result));
    }
    using compose::PadMode;
    const PadMode mode = padding.mode == "reflect" ? PadMode::kReflect
                         : padding.mode == "edge"  ? PadMode::kEdge
                         : padding.mode == "wrap"  ? PadMode::kWrap
                                                   : PadMode::kConstant;
    // Modes other than constant need a table of positions.
    constexpr std::int64_t kMostPositions = std::int64_t{1} << 24;
    for (const std::int64_t size : padding.result) {
        if (mode == PadMode::kConstant || size <= kMostPositions) continue;
        throw UnsupportedPart("a padded dimension of more than 2^24 elements");
    }
    const Aligned order = call.aligned(0);
    const double held = value - static_cast<double>(device_offset(x.type));
    call.set_aligned(
        0, x.type, padding.result, order,
        compose::pad(call.ops(), order.tensors[0], placed_sides(order, padding.sides), mode, held));
}

/// Returns the block size of DepthToSpace or SpaceToDepth.
std::int64_t block_size(const Call& call) {
    call.require_inputs(1, 1);
    const Value& x = call.input(0);
    call.require(x.rank() == 4, "input 0", shape_text(x.shape), "the operand has 4 dimensions");
    const std::int64_t block = call.required_integer("blocksize");
    call.require(block > 0 && block < 1 << 15, "blocksize", std::to_string(block),
                 "the block size is 1 or more");
    return block;
}

compose::Windows column_windows(const Call& call, const Shape& block) {
    const auto list = [&](const char* name, std::size_t size, std::int64_t otherwise) {
        Shape values = call.integer_list(name).value_or(Shape(size, otherwise));
        call.require(values.size() == size, name, shape_text(values),
                     "the list has " + std::to_string(size) + " numbers");
        for (const std::int64_t each : values) {
            call.require(each >= otherwise && each < 1 << 20, name, shape_text(values),
                         "the numbers are " + std::to_string(otherwise) + " or more");
        }
        return values;
    };
    const std::size_t rank = block.size();
    const Shape dilations = list("dilations", rank, 1), strides = list("strides", rank, 1);
    const Shape pads = list("pads", 2 * rank, 0);
    compose::Windows windows;
    for (std::size_t i = 0; i < rank; ++i) {
        windows.push_back({block[i], strides[i], dilations[i], pads[i], pads[rank + i]});
    }
    return windows;
}

}  // namespace

void pad(const Call& call) {
    const Padding padding = padding_of(call);
    Value& x = call.input(0);
    double value = call.real("value", 0);
    if (call.has_input(2)) {
        Value& operand = call.input(2);
        call.require_same_type({&x, &operand});
        call.require(elements_of(operand.shape) == 1, "constant_value", shape_text(operand.shape),
                     "the operand has one element");
        const bool is_used = padding.mode == "constant" && elements_of(padding.result) != 0;
        if (!operand.known && is_used && elements_of(x.shape) != 0) {
            const Aligned order = call.aligned(0);
            const TensorIndex held = call.tensor(2);
            return call.set_aligned(0, x.type, padding.result, order,
                                    compose::pad_with(call.ops(), order.tensors[0],
                                                      placed_sides(order, padding.sides), held));
        }
        if (operand.known) value = reals(*operand.known)[0];
    }
    set_padded(call, padding, value);
}

void center_crop_pad(const Call& call) { set_padded(call, centred_padding(call), 0); }

void depth_to_space(const Call& call) {
    const std::int64_t block = block_size(call);
    Value& x = call.input(0);
    const std::string_view mode = call.text("mode", "DCR");
    call.require(mode == "DCR" || mode == "CRD", "mode", std::string(mode),
                 "the mode is DCR or CRD");
    call.require(x.shape[1] % (block * block) == 0, "blocksize", std::to_string(block),
                 "its square divides the channels, " + std::to_string(x.shape[1]));
    const Shape shape{x.shape[0], x.shape[1] / (block * block), x.shape[2] * block,
                      x.shape[3] * block};
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const Aligned order = call.aligned(0);
    const auto kind = mode == "DCR" ? compose::BlockOrder::kDcr : compose::BlockOrder::kCrd;
    call.set_aligned(
        0, x.type, shape, order,
        compose::depth_to_space(call.ops(), order.tensors[0], block, kind, order.place(1)));
}

void space_to_depth(const Call& call) {
    const std::int64_t block = block_size(call);
    Value& x = call.input(0);
    call.require(x.shape[2] % block == 0 && x.shape[3] % block == 0, "blocksize",
                 std::to_string(block), "it divides height and width of " + shape_text(x.shape));
    const Shape shape{x.shape[0], x.shape[1] * block * block, x.shape[2] / block,
                      x.shape[3] / block};
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    const Aligned order = call.aligned(0);
    call.set_aligned(0, x.type, shape, order,
                     compose::space_to_depth(call.ops(), order.tensors[0], block, order.place(1)));
}

void col2im(const Call& call) {
    call.require_inputs(3, 3);
    Value& x = call.input(0);
    const Shape image = call.known_integers(1, "shapes"), block = call.known_integers(2, "blocks");
    call.require(x.rank() == 3, "input 0", shape_text(x.shape), "the columns have 3 dimensions");
    call.require(image.size() == block.size() && !block.empty() && block.size() <= 3, "block_shape",
                 shape_text(block), "block and image have 1 to 3 dimensions");
    const compose::Windows windows = column_windows(call, block);
    std::int64_t taps = 1, count = 1;
    for (std::size_t i = 0; i < block.size(); ++i) {
        call.require(block[i] > 0 && block[i] < 1 << 20 && image[i] > 0, "block_shape",
                     shape_text(block), "block and image have dimensions of 1 or more");
        taps *= block[i];
        count *= std::max<std::int64_t>(0, compose::window_count(windows[i], image[i]));
    }
    call.require(
        x.shape[1] % taps == 0 && x.shape[2] == count, "input 0", shape_text(x.shape),
        "the columns are [N, C x " + std::to_string(taps) + ", " + std::to_string(count) + "]");
    Shape shape{x.shape[0], x.shape[1] / taps};
    shape.insert(shape.end(), image.begin(), image.end());
    call.set_tensor(0, x.type, shape, compose::col2im(call.ops(), call.tensor(0), image, windows));
}

}  // namespace okksim::sim::graph::onnx::lower
