// SPDX-License-Identifier: Apache-2.0
// Operators on the host that move elements.
#include <algorithm>

#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

bool transpose(const Call& call) {
    call.set_known(0, transposed(*call.input(0).known, transpose_order(call)));
    return true;
}

bool concat(const Call& call) {
    std::size_t axis = 0;
    call.require_same_type(call.inputs());
    const Shape shape = concat_shape(call, axis);
    require_host_size(call, static_cast<double>(element_count(shape).value_or(0)));
    const std::size_t size = element_bytes(call.input(0).type);
    std::size_t outer = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(shape[i]);
    std::vector<std::byte> bytes;
    bytes.reserve(static_cast<std::size_t>(element_count(shape).value_or(0)) * size);
    for (std::size_t row = 0; row < outer; ++row) {
        for (std::size_t n = 0; n < call.input_count(); ++n) {
            const auto part = call.input(n).known->bytes;
            const std::size_t length = part.size() / outer;
            const auto from = part.subspan(row * length, length);
            bytes.insert(bytes.end(), from.begin(), from.end());
        }
    }
    call.set_known(0, make_array(call.input(0).type, shape, std::move(bytes)));
    return true;
}

bool slice(const Call& call) {
    const HostArray& array = *call.input(0).known;
    const std::vector<SlicedDimension> dimensions = sliced_dimensions(call);
    Shape shape;
    for (const SlicedDimension& each : dimensions) shape.push_back(each.count);
    std::vector<std::size_t> positions(static_cast<std::size_t>(*element_count(shape)));
    Shape at(shape.size(), 0);
    for (std::size_t& position : positions) {
        std::int64_t flat = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            flat = flat * array.shape[i] + dimensions[i].start + at[i] * dimensions[i].step;
        }
        position = static_cast<std::size_t>(flat);
        next_index(at, shape);
    }
    call.set_known(0, picked(array, shape, positions));
    return true;
}

bool gather(const Call& call) {
    const HostArray& array = *call.input(0).known;
    const HostArray& indices = *call.input(1).known;
    const std::size_t axis = call.axis(call.integer("axis", 0), array.shape.size());
    const std::int64_t rows = array.shape[axis];
    Shape shape(array.shape.begin(), array.shape.begin() + static_cast<std::ptrdiff_t>(axis));
    shape.insert(shape.end(), indices.shape.begin(), indices.shape.end());
    std::size_t outer = 1, inner = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(array.shape[i]);
    for (std::size_t i = axis + 1; i < array.shape.size(); ++i) {
        inner *= static_cast<std::size_t>(array.shape[i]);
        shape.push_back(array.shape[i]);
    }
    require_host_size(call, static_cast<double>(element_count(shape).value_or(0)));
    std::vector<std::size_t> positions;
    const std::vector<std::int64_t> list = integers(indices);
    for (std::size_t row = 0; row < outer; ++row) {
        for (std::int64_t index : list) {
            if (index < -rows || index >= rows) {
                call.illegal("indices", std::to_string(index),
                             "an index is below the size " + std::to_string(rows));
            }
            index += index < 0 ? rows : 0;
            const std::size_t first =
                (row * static_cast<std::size_t>(rows) + static_cast<std::size_t>(index)) * inner;
            for (std::size_t i = 0; i < inner; ++i) positions.push_back(first + i);
        }
    }
    call.set_known(0, picked(array, shape, positions));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
