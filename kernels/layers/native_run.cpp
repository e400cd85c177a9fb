// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/native_run.h"

#include <algorithm>
#include <cstring>

#include "firmware/okk_access.h"
#include "firmware/okk_features.h"
#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/call/prepared_space.h"
#include "kernels/layers/half_run.h"
#include "kernels/layers/packed_maps.h"
#include "kernels/prim/local_tensor.h"

namespace okksim::kernels::layers {
namespace {

constexpr std::int32_t kTableWords = 64;

/// A layer's weights as those of a convolution, without addresses; strides if known.
conv::Problem problem_of(const Layer& layer) {
    conv::Problem problem;
    problem.bias.present = true;
    problem.kind =
        is_depthwise(layer.kind) ? conv::ProblemKind::kDepthwise : conv::ProblemKind::kFull;
    problem.input_channels = layer.in.c;
    problem.output_channels = layer.out.c;
    problem.y.taps = layer.kernel.h;
    problem.x.taps = layer.kernel.w;
    return problem;
}

const NativeProgram& program_of(const LayerPlan& plan, const Layer& layer) {
    const auto& program = plan.natives[static_cast<std::size_t>(layer.op)];
    OKKSIM_CHECK(program != nullptr);
    return *program;
}

/// Address of the constants of a work.
local_addr_t constants_at(const LayerPlan& plan, const LayerWork& work) {
    const LayerPlaces& places = plan.places[static_cast<std::size_t>(work.layer)];
    return places.packed_weights ? places.weights : work.weights;
}

struct WindowConstants {
    local_addr_t bias, factors, weights;
};
WindowConstants constants_of(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    const conv::ByteBlock block = native_block(layer, work.channels, plan.lanes);
    const local_addr_t first = constants_at(plan, work);
    const auto at = [first](std::int32_t words) {
        return first + static_cast<local_addr_t>(words * isa::kWordBytes);
    };
    return {first, at(block.factor_word), at(block.weight_word)};
}

void convolve(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    const NativeProgram& program = program_of(plan, layer);
    const NativeScale& scale = program.scales.front();
    const WindowConstants own = constants_of(plan, layer, work);
    const dim4 piece = piece_beside(layer, work);
    const local_addr_t to =
        piece.c > 0 ? work.scratch : channels_at(plan, layer.output, layer, layer.out, work);
    const bool is_image = work.image != LayerWork::kAllImages;
    dim4 shape = layer.in;
    if (is_image) shape.n = 1;
    const local_addr_t from =
        channels_at(plan, layer.maps[0], layer, layer.in, {.image = work.image});
    const prim::ScaleOutput& output = scale.output;
    if (is_depthwise(layer.kind)) {
        okk_bdc_int_depthwise2d(to, from, own.weights, own.bias, own.factors, &shape,
                                layer.kernel.h, layer.kernel.w, true, true, &layer.zeros,
                                &layer.stride, &layer.dilation, OKK_INT8, OKK_INT8,
                                program.input_zero, program.weight_zero, output.zero_point,
                                output.low, output.high, scale.rounds_twice);
        return;
    }
    okk_bdc_int_conv2d(to, from, own.weights, own.bias, own.factors, &shape, work.channels.size(),
                       layer.kernel.h, layer.kernel.w, true, true, false, &layer.zeros,
                       &layer.stride, &layer.dilation, OKK_INT8, OKK_INT8, program.input_zero,
                       program.weight_zero, output.zero_point, output.low, output.high,
                       scale.rounds_twice);
    if (piece.c > 0) place_piece(plan, layer, work, piece);
}

void scale(local_addr_t to, okk_element_t to_type, local_addr_t from, okk_element_t from_type,
           const dim4& shape, const NativeScale& by, const dim4* from_strides = nullptr) {
    const prim::ScaleFactor& factor = by.factors.front();
    okk_bdc_rescale_C(to, from, factor.multiplier, factor.shift, &shape, nullptr, from_strides,
                      to_type, from_type, by.input_zero, by.output.zero_point, by.output.low,
                      by.output.high, by.rounds_twice);
}

void add_pair(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    const NativeProgram& program = program_of(plan, layer);
    const dim4 shape = part_of_result(layer, work);
    const auto part = [&](int map) {
        return channels_at(plan, map, layer, layer.out, work) +
               static_cast<local_addr_t>(work.span.begin);
    };
    const local_addr_t first = work.scratch;
    const local_addr_t second = first + prim::plane_bytes(shape, plan.lanes);
    scale(first, OKK_INT32, part(layer.maps[0]), OKK_INT8, shape, program.scales[0]);
    scale(second, OKK_INT32, part(layer.maps[1]), OKK_INT8, shape, program.scales[1]);
    okk_bdc_int_add(first, first, second, &shape, nullptr, nullptr, nullptr, OKK_INT32, OKK_INT32,
                    OKK_INT32, false);
    scale(part(layer.output), OKK_INT8, first, OKK_INT32, shape, program.scales[2]);
}

/// An operand of a product, and the strides of its elements.
struct ByteOperand {
    local_addr_t address = 0;
    dim4 strides{};
};

ByteOperand operand_of(const LayerPlan& plan, const Layer& layer, const LayerWork& work,
                       std::size_t map) {
    const int part = layer.maps[map];
    if (layer.repeats(map)) {
        const dim4 pixel{layer.out.n, layer.out.c, 1, 1};
        ByteOperand operand{channels_at(plan, part, layer, pixel, work),
                            packed_strides(layer, pixel, plan.lanes)};
        operand.strides.h = operand.strides.w = 0;
        return operand;
    }
    return {channels_at(plan, part, layer, layer.out, work) +
                static_cast<local_addr_t>(work.span.begin),
            packed_strides(layer, part_of_result(layer, work), plan.lanes)};
}

void multiply(const LayerPlan& plan, const Layer& layer, const LayerWork& work) {
    const std::vector<NativeScale>& scales = program_of(plan, layer).scales;
    const dim4 shape = part_of_result(layer, work);
    const ByteOperand a = operand_of(plan, layer, work, 0);
    const ByteOperand b = operand_of(plan, layer, work, 1);
    const local_addr_t first = work.scratch;
    if (scales.size() == 1) {
        okk_bdc_int_mul(first, a.address, b.address, &shape, nullptr, &a.strides, &b.strides,
                        OKK_INT32, OKK_INT8, OKK_INT8, 0, false);
    } else {
        const local_addr_t second = first + prim::plane_bytes(shape, plan.lanes);
        scale(first, OKK_INT32, a.address, OKK_INT8, shape, scales[0], &a.strides);
        scale(second, OKK_INT32, b.address, OKK_INT8, shape, scales[1], &b.strides);
        okk_bdc_int_mul(first, first, second, &shape, nullptr, nullptr, nullptr, OKK_INT32,
                        OKK_INT32, OKK_INT32, 0, false);
    }
    scale(channels_at(plan, layer.output, layer, layer.out, work) +
              static_cast<local_addr_t>(work.span.begin),
          OKK_INT8, first, OKK_INT32, shape, scales.back());
}

}  // namespace

conv::Problem native_problem(const Layer& layer, const LayerCall& call) {
    // Weights are [OC, KH, KW, IC] or [KH, KW, C, 1].
    const auto tensor = [&](int value) -> const DeviceTensor& {
        return call.values[static_cast<std::size_t>(value)].tensor;
    };
    const DeviceTensor& weights = tensor(layer.weights);
    const DeviceTensor& bias = tensor(layer.bias);
    conv::Problem problem = problem_of(layer);
    const std::size_t y = is_depthwise(layer.kind) ? 0 : 1;
    problem.weights.output = weights.strides[is_depthwise(layer.kind) ? 2 : 0];
    problem.weights.input = weights.strides[3];
    problem.weights.y = weights.strides[y];
    problem.weights.x = weights.strides[y + 1];
    if (takes_whole_map(layer, weights)) {
        problem.weights.x = problem.weights.input * layer.in.c;
        problem.weights.y = problem.weights.x * layer.in.w;
    }
    problem.bias.stride = bias.dims[0] == 1 ? 0 : bias.strides[0];
    return problem;
}

conv::ByteBlock native_block(const Layer& layer, const conv::Range& channels, const Lanes& lanes) {
    if (computes_halves(layer.kind)) return half_block(layer, channels, lanes);
    if (layer.kind == LayerKind::kByteTable) {
        return {.count = lanes.count, .slots = 1, .words = kTableWords};
    }
    return conv::byte_block(problem_of(layer), true, channels.begin, channels.size(), lanes);
}

void place_native_constants(LayerPlan& plan) {
    plan.native_parts.clear();
    for (const LayerWork& work : plan.works) {
        const Layer& layer = plan.layers[static_cast<std::size_t>(work.layer)];
        if (!is_native(layer.kind) || !layer.has_constants()) continue;
        const bool is_known = std::any_of(
            plan.native_parts.begin(), plan.native_parts.end(), [&](const NativePart& part) {
                return part.op == layer.op && part.channels == work.channels;
            });
        if (is_known) continue;
        const conv::ByteBlock block = native_block(layer, work.channels, plan.lanes);
        plan.native_parts.push_back(
            {layer.op, work.channels, take_prepared(plan.prepared_end, block.bytes(plan.lanes))});
    }
}

void load_native_constants(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                           const conv::Range& channels, local_addr_t to) {
    const auto part = std::find_if(
        plan.native_parts.begin(), plan.native_parts.end(),
        [&](const auto& each) { return each.op == layer.op && each.channels == channels; });
    OKKSIM_CHECK(part != plan.native_parts.end());
    conv::load_byte_block(to, call.prepared + part->offset,
                          native_block(layer, channels, plan.lanes), plan.lanes);
}

std::int64_t native_scratch_bytes(const LayerCall& call, const Layer& layer, const LayerWork& work,
                                  const Lanes& lanes) {
    if (computes_halves(layer.kind)) return half_scratch_bytes(call, layer, work, lanes);
    if (const dim4 piece = piece_beside(layer, work); piece.c > 0) {
        return std::int64_t{piece.n} * packed_strides(layer, piece, lanes).n;
    }
    std::int64_t planes = layer.kind == LayerKind::kBytePair ? 2 : 0;
    if (layer.kind == LayerKind::kByteProduct) {
        const auto& program = call.operators[static_cast<std::size_t>(layer.op)].native;
        planes = program->scales.size() > 1 ? 2 : 1;
    }
    return planes * prim::plane_bytes(part_of_result(layer, work), lanes);
}

void run_native(const LayerCall& call, const LayerPlan& plan, const Layer& layer,
                const LayerWork& work) {
    switch (layer.kind) {
        case LayerKind::kByteConvolution:
        case LayerKind::kByteDepthwise: return convolve(plan, layer, work);
        case LayerKind::kByteMaximum:
            okk_bdc_int_max_pool2d(place_of(plan, layer.output), place_of(plan, layer.maps[0]),
                                   &layer.in, layer.kernel.h, layer.kernel.w, &layer.zeros,
                                   &layer.stride, OKK_INT8);
            return;
        case LayerKind::kPackedConcat: return concatenate_packed(call, plan, layer);
        case LayerKind::kPackedCrop: return crop_packed(plan, layer);
        case LayerKind::kBytePair: return add_pair(plan, layer, work);
        case LayerKind::kByteProduct: return multiply(plan, layer, work);
        case LayerKind::kByteTable:
            okk_bdc_lookup8(place_of(plan, layer.output), place_of(plan, layer.maps[0]),
                            plan.places[static_cast<std::size_t>(work.layer)].weights, &layer.out,
                            nullptr, nullptr, OKK_INT8, OKK_INT8);
            return;
        case LayerKind::kHalfConvolution:
        case LayerKind::kHalfDepthwise:
        case LayerKind::kHalfMean:
        case LayerKind::kHalfMaximum:
        case LayerKind::kHalfBody:
            return run_half(call, plan, layer, work, constants_at(plan, work));
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
    OKKSIM_CHECK(false);
}

}  // namespace okksim::kernels::layers
