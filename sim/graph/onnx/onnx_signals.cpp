// SPDX-License-Identifier: Apache-2.0
// Fourier transforms as products with constant matrices.
#include <cmath>
#include <numbers>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/compose/products.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// A transform of `count` numbers with `parts` components, real or complex, to complex `bins`.
struct Transform {
    std::int64_t count = 0;
    std::int64_t parts = 0;
    std::int64_t length = 0;  ///< with the zeros that fill the signal
    std::int64_t bins = 0;
    bool is_inverse = false;
    std::vector<double> window = {};  ///< factors of the numbers; empty if all are 1
};

/// Returns cos(2 pi at / length), with exact zeros.
double cosine(std::int64_t at, std::int64_t length) {
    at %= length;
    if (4 * at == length || 4 * at == 3 * length) return 0;
    return std::cos(2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(length));
}
double sine(std::int64_t at, std::int64_t length) {
    at %= length;
    if (2 * at == length) return 0;
    return std::sin(2 * std::numbers::pi * static_cast<double>(at) / static_cast<double>(length));
}

/// Returns the matrix [count * parts, bins * 2].
TensorIndex matrix(const Call& call, const Transform& transform) {
    const std::int64_t rows = transform.count * transform.parts, columns = transform.bins * 2;
    require_host_size(call, static_cast<double>(rows) * static_cast<double>(columns));
    const double scale = transform.is_inverse ? 1.0 / static_cast<double>(transform.length) : 1.0;
    const double direction = transform.is_inverse ? 1 : -1;
    std::vector<double> values;
    values.reserve(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < transform.count; ++i) {
        const double factor = transform.window.empty()
                                  ? scale
                                  : scale * transform.window[static_cast<std::size_t>(i)];
        for (std::int64_t part = 0; part < transform.parts; ++part) {
            for (std::int64_t bin = 0; bin < transform.bins; ++bin) {
                const std::int64_t at = i * bin % transform.length;
                const double real = factor * cosine(at, transform.length);
                const double imaginary = factor * direction * sine(at, transform.length);
                values.push_back(part == 0 ? real : -imaginary);
                values.push_back(part == 0 ? imaginary : real);
            }
        }
    }
    return compose::real_values(call.ops(), DType::kFp32, {rows, columns}, values, "transform");
}

/// Returns the number of results per transform of a signal with `parts` components.
std::int64_t bin_count(const Call& call, std::int64_t length, std::int64_t parts, bool onesided) {
    call.require(!onesided || parts == 1, "onesided", "1",
                 "the signal is real if half of the spectrum is enough");
    return onesided ? length / 2 + 1 : length;
}

std::int64_t known_size(const Call& call, std::size_t n) {
    require_indices(call, n);
    const std::int64_t size = call.known_integer(n, "sizes");
    call.require(size >= 1, "input " + std::to_string(n), std::to_string(size),
                 "the size is 1 or more");
    return size;
}

/// Checks the last dimension of a signal: 1 for real numbers, 2 for complex ones.
std::int64_t component_count(const Call& call, std::size_t least_rank) {
    require_reals(call);
    require_rank(call, 0, least_rank);
    const Shape& shape = call.input(0).shape;
    call.require(shape.back() == 1 || shape.back() == 2, "input", shape_text(shape),
                 "the last dimension is 1 for real numbers, 2 for complex ones");
    return shape.back();
}

TensorIndex product(const Call& call, TensorIndex rows, const Transform& transform) {
    OperatorBuilder& ops = call.ops();
    const TensorIndex single = ops.cast(rows, DType::kFp32, "single");
    const TensorIndex result = compose::matmul(ops, single, matrix(call, transform));
    return ops.cast(result, ops.type(rows), "spectrum");
}

std::size_t transform_axis(const Call& call, std::size_t rank) {
    constexpr std::int64_t kAxisIsInput = 20;
    std::int64_t axis = call.integer("axis", 1);
    if (call.opset() >= kAxisIsInput) {
        axis = call.has_input(2) ? call.known_integer(2, "axes") : -2;
    }
    const std::size_t result = call.axis(axis, rank);
    call.require(result + 1 < rank, "axis", std::to_string(axis),
                 "the last dimension has the components");
    return result;
}

}  // namespace

void fourier(const Call& call) {
    call.require_inputs(1, call.opset() >= 20 ? 3 : 2);
    Transform transform;
    transform.parts = component_count(call, 2);
    const Shape& shape = call.input(0).shape;
    const std::size_t rank = shape.size(), axis = transform_axis(call, rank);
    transform.length = call.has_input(1) ? known_size(call, 1) : shape[axis];
    transform.count = std::min(shape[axis], transform.length);
    transform.is_inverse = call.integer("inverse", 0) != 0;
    const bool onesided = call.integer("onesided", 0) != 0;
    if (onesided && transform.is_inverse) throw UnsupportedPart("an inverse of half a spectrum");
    transform.bins = bin_count(call, transform.length, transform.parts, onesided);
    OperatorBuilder& ops = call.ops();
    Shape part = shape;
    part[axis] = transform.count;
    const TensorIndex signal = ops.slice(call.tensor(0), Shape(rank, 0), part, "signal");
    // The axis comes next to the components.
    std::vector<std::int32_t> perms, back(rank);
    for (std::size_t i = 0; i + 1 < rank; ++i) {
        if (i != axis) perms.push_back(static_cast<std::int32_t>(i));
    }
    perms.push_back(static_cast<std::int32_t>(axis));
    perms.push_back(static_cast<std::int32_t>(rank - 1));
    for (std::size_t i = 0; i < rank; ++i) {
        back[static_cast<std::size_t>(perms[i])] = static_cast<std::int32_t>(i);
    }
    const TensorIndex moved = ops.transpose(signal, perms, "moved");
    Shape result = ops.shape(moved);
    result[rank - 2] = transform.bins;
    result[rank - 1] = 2;
    const std::int64_t width = transform.count * transform.parts;
    const TensorIndex rows =
        ops.reshape(moved, {compose::extent(ops.shape(moved)) / width, width}, "rows");
    const TensorIndex spectrum = ops.reshape(product(call, rows, transform), result, "bins");
    part[axis] = transform.bins;
    part[rank - 1] = 2;
    call.set_tensor(0, call.input(0).type, part, ops.transpose(spectrum, back, "spectrum"));
}

namespace {

/// Returns the frames of a signal as rows: [batch * frames, length * parts].
TensorIndex frames_of(const Call& call, const Transform& transform, std::int64_t frames,
                      std::int64_t step) {
    OperatorBuilder& ops = call.ops();
    const std::int64_t batch = call.input(0).shape[0];
    std::vector<std::int64_t> places;
    require_host_size(call,
                      static_cast<double>(batch * frames) * static_cast<double>(transform.count));
    for (std::int64_t i = 0; i < batch * frames; ++i) {
        for (std::int64_t at = 0; at < transform.count; ++at) {
            places.push_back(i % frames * step + at);
        }
    }
    const TensorIndex indices = ops.block().constant(DType::kI32, {batch, frames * transform.count},
                                                     places, "frame_places");
    const TensorIndex samples = ops.gather(call.tensor(0), indices, "frames");
    const std::int64_t width = transform.count * transform.parts;
    return ops.reshape(samples, {batch * frames, width}, "rows");
}

/// Returns the length of a frame.
std::int64_t frame_length(const Call& call) {
    if (call.has_input(2)) {
        require_reals(call, 2);
        const Shape& window = call.input(2).shape;
        call.require(window.size() == 1, "input 2", shape_text(window),
                     "the window has one dimension");
        const std::int64_t length = call.has_input(3) ? known_size(call, 3) : window[0];
        call.require(length == window[0], "input 3", std::to_string(length),
                     "the window has the length of the frame");
        return length;
    }
    call.require(call.has_input(3), "input 3", "missing", "a window or a length gives the frames");
    return known_size(call, 3);
}

}  // namespace

void short_fourier(const Call& call) {
    call.require_inputs(2, 4);
    Transform transform;
    transform.parts = component_count(call, 3);
    const Shape& shape = call.input(0).shape;
    call.require(shape.size() == 3, "input", shape_text(shape),
                 "the signal has batch, time and components");
    const std::int64_t step = known_size(call, 1);
    transform.length = transform.count = frame_length(call);
    call.require(transform.length <= shape[1], "frame length", std::to_string(transform.length),
                 "the signal has one frame or more");
    const bool onesided = call.integer("onesided", 1) != 0;
    transform.bins = bin_count(call, transform.length, transform.parts, onesided);
    const std::int64_t frames = (shape[1] - transform.length) / step + 1;
    OperatorBuilder& ops = call.ops();
    TensorIndex rows = frames_of(call, transform, frames, step);
    if (call.has_input(2)) {
        Value& window = call.input(2);
        call.require_same_type({&call.input(0), &window});
        if (window.known) {
            transform.window = reals(*window.known);
        } else {
            const Shape pairs{shape[0] * frames, transform.count, transform.parts};
            const TensorIndex factors =
                ops.reshape(call.tensor(2), {1, transform.count, 1}, "window");
            rows = ops.reshape(ops.product(ops.reshape(rows, pairs, "frames"), factors, "windowed"),
                               {pairs[0], pairs[1] * pairs[2]}, "rows");
        }
    }
    const Shape result{shape[0], frames, transform.bins, 2};
    call.set_tensor(0, call.input(0).type, result,
                    ops.reshape(product(call, rows, transform), result, "bins"));
}

}  // namespace okksim::sim::graph::onnx::lower
