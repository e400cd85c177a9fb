// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_host.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/graph/onnx/onnx_tensor.h"

namespace okksim::sim::graph::onnx {

void require_host_size(const Call& call, double elements) {
    constexpr double kMost = 1 << 28;
    if (elements <= kMost) return;
    call.illegal("result", std::to_string(elements) + " elements",
                 "values that are computed before the run have at most 2^28 elements");
}

void next_index(Shape& at, const Shape& shape) {
    for (std::size_t axis = at.size(); axis-- > 0;) {
        if (++at[axis] < shape[axis]) return;
        at[axis] = 0;
    }
}

HostArray converted(const HostArray& array, ElementType type) {
    if (array.type == type) return array;
    if (is_real(array.type)) return make_array(type, array.shape, reals(array));
    return make_array(type, array.shape, integers(array));
}

HostArray picked(const HostArray& array, const Shape& shape,
                 const std::vector<std::size_t>& positions) {
    const std::size_t size = element_bytes(array.type);
    std::vector<std::byte> bytes(positions.size() * size);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        std::memcpy(bytes.data() + i * size, array.bytes.data() + positions[i] * size, size);
    }
    return make_array(array.type, shape, std::move(bytes));
}

HostArray repeated(const Call& call, const HostArray& element, const Shape& shape) {
    const auto count = element_count(shape);
    if (!count) call.illegal("shape", shape_text(shape), "dimensions are 0 or more");
    require_host_size(call, static_cast<double>(*count));
    return picked(element, shape, std::vector<std::size_t>(*count, 0));
}

std::vector<std::size_t> broadcast_positions(const Shape& from, const Shape& shape) {
    const std::size_t rank = shape.size(), first = rank - from.size();
    std::vector<std::size_t> step(rank, 0);
    std::size_t next = 1;
    for (std::size_t i = from.size(); i-- > 0;) {
        step[first + i] = from[i] == 1 ? 0 : next;
        next *= static_cast<std::size_t>(from[i]);
    }
    std::vector<std::size_t> positions(static_cast<std::size_t>(element_count(shape).value_or(0)));
    Shape at(rank, 0);
    std::size_t position = 0;
    for (std::size_t& each : positions) {
        each = position;
        for (std::size_t axis = rank; axis-- > 0;) {
            position += step[axis];
            if (++at[axis] < shape[axis]) break;
            position -= step[axis] * static_cast<std::size_t>(shape[axis]);
            at[axis] = 0;
        }
    }
    return positions;
}

HostArray broadcast_to(const Call& call, const HostArray& array, const Shape& shape) {
    require_host_size(call, static_cast<double>(element_count(shape).value_or(UINT64_MAX)));
    return picked(array, shape, broadcast_positions(array.shape, shape));
}

HostArray sparse_value(const Call& call, const SparseTensorProto& tensor) {
    return read_sparse_tensor(call.context().source(), tensor);
}

}  // namespace okksim::sim::graph::onnx
