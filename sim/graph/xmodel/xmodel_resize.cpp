// SPDX-License-Identifier: Apache-2.0
// Upsample, DeePhiDownsample and resize.
#include <cmath>
#include <numeric>

#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph::xmodel {

namespace {

constexpr std::int64_t kMostUp = 256;   // of RESIZE at level 8K
constexpr std::int64_t kMostDown = 15;  // of RESIZE
constexpr std::int64_t kMostFactor = 1 << 20;

}  // namespace

void Lowering::upsample(const Call& call, Value& result) {
    const auto scale = read_pair(call.node, call.vocabulary, "scale", "scale", {1, 1});
    resize_maps(call, result, {scale[0], true}, {scale[1], true},
                call.node.text("mode", "BILINEAR"));
}

void Lowering::downsample(const Call& call, Value& result) {
    const auto scale = read_pair(call.node, call.vocabulary, "scale", "scale", {1, 1});
    resize_maps(call, result, {scale[0], false}, {scale[1], false},
                call.node.text("mode", "BILINEAR"));
}

// In XIR files, a factor may be a whole number or its reciprocal.
void Lowering::resize(const Call& call, Value& result) {
    const NodeView& node = call.node;
    const std::vector<double> scale = node.reals("scale").value_or(std::vector{1.0, 1.0});
    const std::string mode = node.text("mode", "BILINEAR");
    if (scale.size() != 2) {
        node.illegal("scale", std::to_string(scale.size()) + " values", "scale has two values");
    }
    const auto read = [&](double factor) -> Scale {
        const bool is_up = factor >= 1;
        const double whole = std::round(is_up ? factor : 1 / factor);
        const double exact = is_up ? whole : 1 / whole;
        if (!(factor > 0) || std::fabs(exact - factor) > 1e-6 * exact) {
            throw UnsupportedPart("resize by " + std::to_string(factor), false);
        }
        return {static_cast<std::int64_t>(std::min<double>(whole, 2 * kMostFactor)), is_up};
    };
    const bool wants_centres = mode == "BILINEAR";
    if (node.flag("align_corners", false) ||
        node.flag("half_pixel_centers", wants_centres) != wants_centres) {
        throw UnsupportedPart("resize " + mode + " with other centres", false);
    }
    resize_maps(call, result, read(scale[1]), read(scale[0]), mode);
}

void Lowering::resize_maps(const Call& call, Value& result, Scale y, Scale x_scale,
                           const std::string& mode) {
    Value& input = call.input();
    require_rank(call, input, 4);
    if (mode != "NEAREST" && mode != "BILINEAR") {
        call.node.illegal("mode", mode, "mode is BILINEAR or NEAREST");
    }
    const Shape maps = maps_shape(call, input);
    Shape out = maps;
    for (const auto& [axis, scale] : {std::pair<std::size_t, Scale>{1, y}, {2, x_scale}}) {
        if (scale.factor < 1 || scale.factor > kMostFactor) {
            call.node.illegal("scale", std::to_string(scale.factor), "scale is positive");
        }
        out[axis] = scale.is_up ? maps[axis] * scale.factor : maps[axis] / scale.factor;
        if (out[axis] < 1) {
            call.node.illegal("scale", std::to_string(scale.factor),
                              "the result has rows and columns");
        }
    }
    TensorIndex x = tensors_.feature_map(input, call.vocabulary);
    Shape used = maps;  // an incomplete last step is not read
    for (const auto& [axis, scale] : {std::pair<std::size_t, Scale>{1, y}, {2, x_scale}}) {
        if (!scale.is_up) used[axis] = out[axis] * scale.factor;
    }
    x = tensors_.slice(input.type, x, {0, 0, 0, 0}, used, "used");
    if (y.factor != 1 || x_scale.factor != 1) {
        if (mode == "NEAREST") {
            x = nearest(input, x, y, x_scale);
        } else {
            require_arithmetic(input);
            x = bilinear(call, result, x, y, x_scale);
            return set_maps(call, result, x);  // has the result's fix_point
        }
    } else if (mode == "BILINEAR") {
        require_arithmetic(input);
    }
    set_maps(call, result, x);
    finish_move(call, result);
}

TensorIndex Lowering::resized(TensorIndex x, Scale y, Scale x_scale, ResizeMode mode, DType type) {
    const bool is_linear = mode == ResizeMode::kBilinear;
    Shape out = ops_.shape(x);
    std::vector<std::int64_t> scale, offset, border;
    for (const auto& [axis, s] : {std::pair<std::size_t, Scale>{1, y}, {2, x_scale}}) {
        const std::int64_t f = s.factor;
        if (s.is_up) {
            // Steps of 1 / (2 f); the first centre is at (1 - f) / (2 f).
            out[axis] *= f;
            scale.insert(scale.end(), {2 * f, 2});
            offset.push_back(1 - f);
            border.push_back(f - 1);
        } else {
            out[axis] /= f;
            scale.insert(scale.end(), {is_linear ? 2 : 1, is_linear ? 2 * f : f});
            offset.push_back(is_linear ? f - 1 : 0);
            border.push_back(1 - f);
        }
    }
    const std::vector<TensorIndex> inputs{x, ops_.block().shape_value(scale, "scale"),
                                          ops_.block().shape_value(offset, "offset"),
                                          ops_.block().shape_value(border, "border")};
    return ops_.block().add(OpCode::kResize, ResizeAttributes{mode}, inputs, type, out, "resized");
}

TensorIndex Lowering::repeated(TensorIndex x, std::size_t axis, std::int64_t times) {
    Shape shape = ops_.shape(x);
    if (times == 1) return x;
    std::int64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i <= axis; ++i) outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    const TensorIndex lines = ops_.reshape(x, {outer, 1, inner}, "lines");
    shape[axis] *= times;
    return ops_.reshape(ops_.tile(lines, {1, times, 1}, "repeated"), shape, "upsampled");
}

TensorIndex Lowering::picked(TensorIndex x, std::size_t axis, std::int64_t factor,
                             std::int64_t at) {
    Shape shape = ops_.shape(x);
    if (factor == 1) return x;
    std::int64_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= shape[i];
    for (std::size_t i = axis + 1; i < shape.size(); ++i) inner *= shape[i];
    outer *= shape[axis] / factor;
    const TensorIndex steps = ops_.reshape(x, {outer, factor, inner}, "steps");
    const TensorIndex lines = ops_.slice(steps, {0, at, 0}, {outer, 1, inner}, "picked");
    shape[axis] /= factor;
    return ops_.reshape(lines, shape, "downsampled");
}

TensorIndex Lowering::nearest(const Value& value, TensorIndex x, Scale y, Scale x_scale) {
    const auto fits = [](const Scale& s) { return s.factor <= (s.is_up ? kMostUp : kMostDown); };
    const bool has_resize = value.type.is_float() || value.type.bits <= 16;
    if (has_resize && !value.type.is_wide() && fits(y) && fits(x_scale)) {
        return resized(x, y, x_scale, ResizeMode::kNearestNeighbor, ops_.type(x));
    }
    for (const auto& [axis, s] : {std::pair<std::size_t, Scale>{1, y}, {2, x_scale}}) {
        x = s.is_up ? repeated(x, axis, s.factor) : picked(x, axis, s.factor, 0);
    }
    return x;
}

// For integers, RESIZE returns sums of four elements times weights, which add up to `whole`.
TensorIndex Lowering::bilinear(const Call& call, const Value& result, TensorIndex x, Scale y,
                               Scale x_scale) {
    const ElementType& type = call.input().type;
    for (const auto& [axis, s] : {std::pair<std::size_t, Scale>{1, y}, {2, x_scale}}) {
        if (s.factor <= (s.is_up ? kMostUp : kMostDown)) continue;
        if (!type.is_float() || s.is_up) {
            throw UnsupportedPart("BILINEAR of " + type.name() + " by " + std::to_string(s.factor),
                                  false);
        }
        // The centre of an even number of elements is between two of them.
        const std::int64_t middle = (s.factor - 1) / 2;
        TensorIndex line = picked(x, axis, s.factor, middle);
        if (s.factor % 2 == 0) {
            const TensorIndex next = picked(x, axis, s.factor, middle + 1);
            const TensorIndex sum = ops_.binary(OpCode::kAdd, line, next, "both");
            line = ops_.product(sum, ops_.number(ops_.type(sum), 4, 0.5), "centre");
        }
        x = line;
        (axis == 1 ? y : x_scale) = {1, true};
    }
    if (type.is_float()) return resized(x, y, x_scale, ResizeMode::kBilinear, ops_.type(x));
    std::int64_t whole = 1;
    for (const Scale& s : {y, x_scale}) whole *= s.is_up ? 2 * s.factor : 2;
    if (type.is_fixed()) {
        const int up = fix_point(call, result) - fix_point(call, call.input());
        const TensorIndex sums = resized(x, y, x_scale, ResizeMode::kBilinear, DType::kI32);
        const std::int64_t room = std::int64_t{1} << 28;
        if (std::abs(up) > 12 || whole << (7 + std::abs(up)) >= room) {
            throw UnsupportedPart("BILINEAR of XINT8 between such fix_points", false);
        }
        const TensorIndex shift = ops_.number(DType::kI32, 4, std::max(up, 0));
        const TensorIndex numerator =
            ops_.binary(OpCode::kLogicalLeftShift, sums, shift, "aligned");
        return fixed_.divided(numerator, static_cast<std::int32_t>(whole << std::max(-up, 0)),
                              result.rounding);
    }
    std::vector<TensorIndex> sums;
    for (const TensorIndex digit : digits_.split(type, x, true)) {
        sums.push_back(resized(digit, y, x_scale, ResizeMode::kBilinear, DType::kI32));
    }
    const TensorIndex divisor = ops_.number(DType::kI32, 4, static_cast<double>(whole));
    return digits_.join(type, digits_.divide(sums, divisor));
}

}  // namespace okksim::sim::graph::xmodel
