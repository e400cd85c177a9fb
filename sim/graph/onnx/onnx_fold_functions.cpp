// SPDX-License-Identifier: Apache-2.0
// Extrema, sums, limits and triangles on the host.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

template <typename Number>
Number extremum_or_sum(std::string_view type, Number a, Number b) {
    if (type == "Max") return a != a || a > b ? a : b;  // NaN stays
    if (type == "Min") return a != a || a < b ? a : b;
    return a + b;
}

/// Returns the elements as integers or as real numbers.
template <typename Number>
std::vector<Number> numbers(const HostArray& array) {
    if constexpr (std::is_same_v<Number, double>) {
        return reals(array);
    } else {
        return integers(array);
    }
}

template <typename Number>
void fold_variadic(const Call& call, const Shape& shape) {
    std::vector<Number> result;
    for (const Value* value : call.inputs()) {
        const std::vector<Number> next = numbers<Number>(broadcast_to(call, *value->known, shape));
        if (result.empty()) {
            result = next;
            continue;
        }
        for (std::size_t i = 0; i < next.size(); ++i) {
            result[i] = extremum_or_sum(call.op_type(), result[i], next[i]);
        }
    }
    if (call.op_type() == "Mean") {
        for (Number& each : result) each /= static_cast<Number>(call.input_count());
    }
    call.set_known(0, make_array(call.input(0).type, shape, result));
}

template <typename Number>
void fold_clip(const Call& call) {
    const HostArray& array = *call.input(0).known;
    const auto limit = [&](std::size_t n, const char* attribute) -> std::optional<Number> {
        if (call.opset() < 11) {
            if (!call.has_attribute(attribute)) return std::nullopt;
            return static_cast<Number>(call.real(attribute, 0));
        }
        if (!call.has_input(n)) return std::nullopt;
        call.require_same_type({&call.input(0), &call.input(n)});
        const std::vector<Number> values = numbers<Number>(*call.input(n).known);
        call.require(values.size() == 1, attribute, shape_text(call.input(n).shape),
                     "a limit has one element");
        return values[0];
    };
    const std::optional<Number> low = limit(1, "min"), high = limit(2, "max");
    std::vector<Number> values = numbers<Number>(array);
    for (Number& value : values) {
        if (low && value < *low) value = *low;
        if (high && value > *high) value = *high;
    }
    call.set_known(0, make_array(array.type, array.shape, values));
}

template <typename Number>
void fold_sums(const Call& call, std::size_t axis) {
    const HostArray& array = *call.input(0).known;
    std::vector<Number> values = numbers<Number>(array);
    std::size_t inner = 1;
    for (std::size_t i = axis + 1; i < array.shape.size(); ++i) {
        inner *= static_cast<std::size_t>(array.shape[i]);
    }
    const auto size = static_cast<std::size_t>(array.shape[axis]);
    const bool excludes = call.integer("exclusive", 0) != 0;
    const bool is_reverse = call.integer("reverse", 0) != 0;
    for (std::size_t first = 0; first < values.size(); first += size * inner) {
        for (std::size_t column = 0; column < inner; ++column) {
            Number sum{};
            for (std::size_t i = 0; i < size; ++i) {
                const std::size_t row = is_reverse ? size - 1 - i : i;
                Number& value = values[first + row * inner + column];
                const Number before = sum;
                sum += value;
                value = excludes ? before : sum;
            }
        }
    }
    call.set_known(0, make_array(array.type, array.shape, values));
}

}  // namespace

bool variadic(const Call& call) {
    check_variadic(call);
    const Shape shape = call.broadcast(call.inputs());
    require_host_size(call, static_cast<double>(elements_of(shape)));
    if (is_real(call.input(0).type)) {
        fold_variadic<double>(call, shape);
    } else {
        fold_variadic<std::int64_t>(call, shape);
    }
    return true;
}

bool clip(const Call& call) {
    require_numbers(call);
    if (is_real(call.input(0).type)) {
        fold_clip<double>(call);
    } else {
        fold_clip<std::int64_t>(call);
    }
    return true;
}

bool cumulative_sum(const Call& call) {
    call.require_inputs(2, 2);
    require_numbers(call);
    const std::size_t axis = call.axis(call.known_integer(1, "axes"), call.input(0).rank());
    if (is_real(call.input(0).type)) {
        fold_sums<double>(call, axis);
    } else {
        fold_sums<std::int64_t>(call, axis);
    }
    return true;
}

bool trilu(const Call& call) {
    call.require_inputs(1, 2);
    require_rank(call, 0, 2);
    const HostArray& array = *call.input(0).known;
    const std::int64_t k = call.has_input(1) ? call.known_integer(1, "diagonals") : 0;
    const bool is_upper = call.integer("upper", 1) != 0;
    const std::int64_t rows = array.shape[array.shape.size() - 2], columns = array.shape.back();
    std::vector<std::byte> bytes(array.bytes.begin(), array.bytes.end());
    const auto size = static_cast<std::ptrdiff_t>(element_bytes(array.type));
    for (std::int64_t at = 0; at < static_cast<std::int64_t>(array.count()); ++at) {
        const std::int64_t row = at / columns % rows, distance = at % columns - row;
        if (is_upper ? distance >= k : distance <= k) continue;
        std::fill_n(bytes.begin() + at * size, size, std::byte{0});
    }
    call.set_known(0, make_array(array.type, array.shape, std::move(bytes)));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
