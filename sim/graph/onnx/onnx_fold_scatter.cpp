// SPDX-License-Identifier: Apache-2.0
// Scatters, and the unique elements of an array, on the host.
#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_extents.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

std::int64_t index_from_start(std::int64_t index, std::int64_t size) {
    return index < 0 ? index + size : index;
}

/// Writes update i to element positions[i].
void set_scattered(const Call& call, const std::vector<std::int64_t>& positions) {
    const HostArray& array = *call.input(0).known;
    const HostArray& updates = *call.input(2).known;
    const std::size_t size = element_bytes(array.type);
    std::vector<std::byte> bytes(array.bytes.begin(), array.bytes.end());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        std::memcpy(bytes.data() + static_cast<std::size_t>(positions[i]) * size,
                    updates.bytes.data() + i * size, size);
    }
    call.set_known(0, make_array(array.type, array.shape, std::move(bytes)));
}

/// Slices of an array along an axis, to find equal ones.
std::vector<std::vector<double>> slices_along(const HostArray& array, std::size_t axis) {
    const std::vector<double> values = reals(array);
    const auto inner =
        static_cast<std::size_t>(compose::extent(array.shape, axis + 1, array.shape.size()));
    const auto size = static_cast<std::size_t>(array.shape[axis]);
    std::vector<std::vector<double>> slices(size);
    for (std::size_t i = 0; i < values.size(); ++i) slices[i / inner % size].push_back(values[i]);
    return slices;
}

void set_indices(const Call& call, std::size_t n, const std::vector<std::int64_t>& values) {
    const Shape shape{static_cast<std::int64_t>(values.size())};
    call.set_known(n, make_array(ElementType::kInt64, shape, values));
}

}  // namespace

bool scatter_nd(const Call& call) {
    check_scatter(call);
    if (scatter_reduction(call) != compose::ScatterReduction::kNone) return false;
    const Shape& shape = call.input(0).shape;
    const compose::KnownIndices list = known_positions(call);
    const auto depth = static_cast<std::size_t>(list.shape.back());
    const Shape steps = compose::row_steps(shape);
    const std::int64_t width = compose::extent(shape, depth, shape.size());
    std::vector<std::int64_t> positions;
    for (std::size_t row = 0; row < list.values.size(); row += depth) {
        std::int64_t first = 0;
        for (std::size_t i = 0; i < depth; ++i) {
            first += index_from_start(list.values[row + i], shape[i]) * steps[i];
        }
        for (std::int64_t i = 0; i < width; ++i) positions.push_back(first + i);
    }
    set_scattered(call, positions);
    return true;
}

bool scatter_elements(const Call& call) {
    check_scatter(call);
    if (scatter_reduction(call) != compose::ScatterReduction::kNone) return false;
    const Shape& shape = call.input(0).shape;
    const std::size_t axis = call.axis(call.integer("axis", 0), shape.size());
    const compose::KnownIndices list = known_positions(call);
    const Shape steps = compose::row_steps(shape);
    std::vector<std::int64_t> positions;
    Shape at(shape.size(), 0);
    for (const std::int64_t index : list.values) {
        Shape to = at;
        to[axis] = index_from_start(index, shape[axis]);
        positions.push_back(
            std::inner_product(to.begin(), to.end(), steps.begin(), std::int64_t{0}));
        next_index(at, list.shape);
    }
    set_scattered(call, positions);
    return true;
}

bool unique(const Call& call) {
    call.require_inputs(1, 1);
    require_numbers(call);
    HostArray array = *call.input(0).known;
    if (!call.has_attribute("axis")) {
        array = reshaped(array, {static_cast<std::int64_t>(array.count())});
    }
    const std::size_t axis = call.axis(call.integer("axis", 0), array.shape.size());
    const std::vector<std::vector<double>> slices = slices_along(array, axis);
    std::map<std::vector<double>, std::size_t> found;  // the first of equal slices
    std::vector<std::size_t> firsts;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (found.emplace(slices[i], i).second) firsts.push_back(i);
    }
    if (call.integer("sorted", 1) != 0) {
        firsts.clear();
        for (const auto& [slice, first] : found) firsts.push_back(first);
    }
    std::map<std::size_t, std::int64_t> rank;  // of a first slice in the result
    std::vector<std::int64_t> indices, inverse, counts(firsts.size());
    for (const std::size_t first : firsts) {
        rank[first] = static_cast<std::int64_t>(indices.size());
        indices.push_back(static_cast<std::int64_t>(first));
    }
    for (const std::vector<double>& slice : slices) {
        inverse.push_back(rank[found[slice]]);
        ++counts[static_cast<std::size_t>(inverse.back())];
    }
    Shape shape = array.shape;
    shape[axis] = static_cast<std::int64_t>(firsts.size());
    const Shape steps = compose::row_steps(array.shape);
    std::vector<std::size_t> positions(static_cast<std::size_t>(elements_of(shape)));
    Shape at(shape.size(), 0);
    for (std::size_t& each : positions) {
        Shape from = at;
        from[axis] = indices[static_cast<std::size_t>(at[axis])];
        each = static_cast<std::size_t>(
            std::inner_product(from.begin(), from.end(), steps.begin(), std::int64_t{0}));
        next_index(at, shape);
    }
    call.set_known(0, picked(array, shape, positions));
    set_indices(call, 1, indices);
    set_indices(call, 2, inverse);
    set_indices(call, 3, counts);
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
