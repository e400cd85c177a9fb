// SPDX-License-Identifier: Apache-2.0
// Operators on the host that read elements at indices, repeat or sort them.
#include <algorithm>
#include <numeric>

#include "sim/graph/compose/host_values.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_extents.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

/// Sets result n to elements of an array: position(at) is the index that an index of the result
/// reads.
template <typename Position>
void set_picked(const Call& call, std::size_t n, const HostArray& array, const Shape& shape,
                Position&& position) {
    require_host_size(call, static_cast<double>(elements_of(shape)));
    const Shape steps = compose::row_steps(array.shape);
    std::vector<std::size_t> positions(static_cast<std::size_t>(elements_of(shape)));
    Shape at(shape.size(), 0);
    for (std::size_t& each : positions) {
        const Shape from = position(at);
        each = static_cast<std::size_t>(
            std::inner_product(from.begin(), from.end(), steps.begin(), std::int64_t{0}));
        next_index(at, shape);
    }
    call.set_known(n, picked(array, shape, positions));
}

std::int64_t from_start(std::int64_t index, std::int64_t size) {
    return index < 0 ? index + size : index;
}

}  // namespace

bool gather_elements(const Call& call) {
    const Shape shape = gathered_shape(call);
    const HostArray& array = *call.input(0).known;
    const std::size_t axis = call.axis(call.integer("axis", 0), array.shape.size());
    const std::vector<std::int64_t> list = known_positions(call).values;
    std::size_t next = 0;
    set_picked(call, 0, array, shape, [&](const Shape& at) {
        Shape from = at;
        from[axis] = from_start(list[next++], array.shape[axis]);
        return from;
    });
    return true;
}

bool gather_nd(const Call& call) {
    const Shape shape = gathered_shape(call);
    const HostArray& array = *call.input(0).known;
    const auto batch = static_cast<std::size_t>(call.integer("batch_dims", 0));
    const compose::KnownIndices list = known_positions(call);
    const auto depth = static_cast<std::size_t>(list.shape.back());
    const std::size_t front = list.shape.size() - 1;
    const Shape steps = compose::row_steps(list.shape);
    set_picked(call, 0, array, shape, [&](const Shape& at) {
        const auto row = static_cast<std::size_t>(
            std::inner_product(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(front),
                               steps.begin(), std::int64_t{0}));
        Shape from(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(batch));
        for (std::size_t i = 0; i < depth; ++i) {
            from.push_back(from_start(list.values[row + i], array.shape[batch + i]));
        }
        from.insert(from.end(), at.begin() + static_cast<std::ptrdiff_t>(front), at.end());
        return from;
    });
    return true;
}

bool split(const Call& call) {
    call.require_inputs(1, 2);
    const HostArray& array = *call.input(0).known;
    const std::size_t axis = call.axis(call.integer("axis", 0), array.shape.size());
    const std::vector<std::int64_t> sizes = split_sizes(call, axis);
    std::int64_t first = 0;
    for (std::size_t n = 0; n < sizes.size(); ++n) {
        Shape shape = array.shape;
        shape[axis] = sizes[n];
        set_picked(call, n, array, shape, [&](Shape at) {
            at[axis] += first;
            return at;
        });
        first += sizes[n];
    }
    return true;
}

bool tile(const Call& call) {
    call.require_inputs(2, 3);
    const HostArray& array = *call.input(0).known;
    const Shape repeats = tile_repeats(call);
    Shape shape = array.shape;
    double count = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        shape[i] *= repeats[i];
        count *= static_cast<double>(shape[i]);
    }
    require_host_size(call, count);
    set_picked(call, 0, array, shape, [&](Shape at) {
        for (std::size_t i = 0; i < at.size(); ++i) at[i] %= array.shape[i];
        return at;
    });
    return true;
}

bool pad(const Call& call) {
    const Padding padding = padding_of(call);
    if (padding.mode != "constant") return false;
    const HostArray& array = *call.input(0).known;
    double count = 1;
    for (const std::int64_t size : padding.result) count *= static_cast<double>(size);
    require_host_size(call, count);
    HostArray value = make_array(array.type, {1}, std::vector<double>{call.real("value", 0)});
    if (call.has_input(2)) {
        call.require_same_type({&call.input(0), &call.input(2)});
        value = *call.input(2).known;
        call.require(value.count() == 1, "constant_value", shape_text(value.shape),
                     "the operand has one element");
    }
    // The padding value is the last element.
    std::vector<std::byte> bytes(array.bytes.begin(), array.bytes.end());
    bytes.insert(bytes.end(), value.bytes.begin(), value.bytes.end());
    const auto all = static_cast<std::int64_t>(array.count());
    const HostArray extended = make_array(array.type, {all + 1}, std::move(bytes));
    const Shape steps = compose::row_steps(array.shape);
    set_picked(call, 0, extended, padding.result, [&](const Shape& at) {
        std::int64_t position = 0;
        for (std::size_t i = 0; i < at.size(); ++i) {
            const std::int64_t from = at[i] - padding.sides[2 * i];
            if (from < 0 || from >= array.shape[i]) return Shape{all};
            position += from * steps[i];
        }
        return Shape{position};
    });
    return true;
}

bool compress(const Call& call) {
    call.require_inputs(2, 2);
    require_bool(call, 1);
    HostArray array = *call.input(0).known;
    if (!call.has_attribute("axis")) {
        array = reshaped(array, {static_cast<std::int64_t>(array.count())});
    }
    const std::size_t axis = call.axis(call.integer("axis", 0), array.shape.size());
    const std::vector<std::int64_t> condition = call.known_integers(1, "conditions");
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < condition.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if (condition[i] != 0 && at < array.shape[axis]) kept.push_back(at);
    }
    Shape shape = array.shape;
    shape[axis] = static_cast<std::int64_t>(kept.size());
    set_picked(call, 0, array, shape, [&](Shape at) {
        at[axis] = kept[static_cast<std::size_t>(at[axis])];
        return at;
    });
    return true;
}

bool top_k(const Call& call) {
    std::size_t axis = 0;
    const std::int64_t k = top_count(call, axis);
    const HostArray& array = *call.input(0).known;
    const std::vector<double> values = reals(array);
    const bool is_largest = call.integer("largest", 1) != 0;
    Shape shape = array.shape;
    shape[axis] = k;
    const auto inner =
        static_cast<std::size_t>(compose::extent(shape, axis + 1, array.shape.size()));
    const auto size = static_cast<std::size_t>(array.shape[axis]);
    const auto count = static_cast<std::size_t>(k);
    std::vector<std::size_t> positions(static_cast<std::size_t>(elements_of(shape)));
    std::vector<std::int64_t> indices(positions.size());
    for (std::size_t line = 0; count != 0 && line < positions.size() / count; ++line) {
        const std::size_t outer = line / inner, column = line % inner;
        const std::size_t first = outer * size * inner + column;
        std::vector<std::size_t> order(size);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
            const double x = values[first + a * inner], y = values[first + b * inner];
            return is_largest ? x > y : x < y;
        });
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t to = (outer * count + i) * inner + column;
            positions[to] = first + order[i] * inner;
            indices[to] = static_cast<std::int64_t>(order[i]);
        }
    }
    call.set_known(0, picked(array, shape, positions));
    call.set_known(1, make_array(ElementType::kInt64, shape, indices));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
