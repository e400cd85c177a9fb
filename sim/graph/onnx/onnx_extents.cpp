// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_extents.h"

#include <algorithm>
#include <numeric>

#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_dimensions.h"

namespace okksim::sim::graph::onnx {

namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// Returns the list of Pad: the starts of all padded axes, then their ends.
std::vector<std::int64_t> padding_list(const Call& call) {
    if (call.has_input(1)) return call.known_integers(1, "padding");
    auto list = call.integer_list("pads");
    if (!list) list = call.integer_list("paddings");
    if (!list) call.illegal("pads", "missing", "the operator has them");
    return *list;
}

void check_side(const Call& call, std::int64_t side, std::int64_t size, std::string_view mode) {
    if (side <= 0 || mode == "constant") return;
    constexpr std::int64_t kMostCopied = 1 << 24;
    if (side > kMostCopied) throw UnsupportedPart("padding of more than 2^24 copied elements");
    call.require(size > 0, "pads", std::to_string(side), "the padded dimension is not empty");
    if (mode == "reflect" && side >= size) {
        call.illegal("pads", std::to_string(side),
                     "reflected padding is smaller than the dimension, " + std::to_string(size));
    }
}

void set_result(const Call& call, Padding& padding) {
    const Shape& from = call.input(0).shape;
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::int64_t before = padding.sides[2 * i], after = padding.sides[2 * i + 1];
        const bool is_small = std::max(std::abs(before), std::abs(after)) < kMostElements;
        if (!is_small || from[i] + before + after < 0) {
            call.illegal("pads", shape_text(padding.sides),
                         "a padded dimension has 0 to 2^40 elements, here " + shape_text(from));
        }
        check_side(call, before, from[i], padding.mode);
        check_side(call, after, from[i], padding.mode);
        padding.result.push_back(from[i] + before + after);
    }
}

void check_range(const Call& call, std::int64_t index, std::int64_t size) {
    if (index >= -size && index < size) return;
    call.illegal("indices", std::to_string(index),
                 "an index is " + std::to_string(-size) + " to " + std::to_string(size - 1));
}

/// Returns the dimensions of operand 0 that the last dimension of the indices of GatherND or
/// ScatterND names.
std::size_t index_depth(const Call& call, std::size_t batch) {
    const Value& x = call.input(0);
    const Value& indices = call.input(1);
    require_rank(call, 1, batch + 1);
    require_rank(call, 0, batch + 1);
    const std::int64_t depth = indices.shape.back();
    if (depth < 1 || depth > static_cast<std::int64_t>(x.rank() - batch)) {
        call.illegal("indices", shape_text(indices.shape),
                     "the last dimension is 1 to " + std::to_string(x.rank() - batch));
    }
    return static_cast<std::size_t>(depth);
}

/// Checks the indices of GatherElements and ScatterElements.
std::size_t check_elements(const Call& call) {
    const Value& x = call.input(0);
    const Value& indices = call.input(1);
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    bool fits = indices.rank() == x.rank();
    for (std::size_t i = 0; fits && i < x.rank(); ++i) {
        fits = i == axis || indices.shape[i] <= x.shape[i];
    }
    call.require(fits, "indices", shape_text(indices.shape),
                 "the indices have the dimensions of the data, " + shape_text(x.shape) +
                     ", or smaller ones");
    return axis;
}

std::size_t batch_dimensions(const Call& call) {
    const std::int64_t batch = call.integer("batch_dims", 0);
    const Value& x = call.input(0);
    const Value& indices = call.input(1);
    const auto most = static_cast<std::int64_t>(std::min(x.rank(), indices.rank()));
    call.require(batch >= 0 && batch < most, "batch_dims", std::to_string(batch),
                 "it is 0 to " + std::to_string(most - 1));
    const auto count = static_cast<std::ptrdiff_t>(batch);
    call.require(std::equal(x.shape.begin(), x.shape.begin() + count, indices.shape.begin()),
                 "indices", shape_text(indices.shape),
                 "the batch dimensions are those of the data, " + shape_text(x.shape));
    return static_cast<std::size_t>(batch);
}

Shape joined(const Shape& x, std::size_t x_limit, const Shape& y, std::size_t y_first) {
    Shape result(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(x_limit));
    result.insert(result.end(), y.begin() + static_cast<std::ptrdiff_t>(y_first), y.end());
    return result;
}

}  // namespace

Padding padding_of(const Call& call) {
    call.require_inputs(1, 4);
    const std::size_t rank = call.input(0).rank();
    Padding padding{Shape(2 * rank, 0), call.text("mode", "constant"), {}};
    const std::string_view mode = padding.mode;
    call.require(mode == "constant" || mode == "reflect" || mode == "edge" || mode == "wrap",
                 "mode", std::string(mode), "the mode is constant, reflect, edge or wrap");
    const std::vector<std::int64_t> list = padding_list(call);
    std::vector<std::int64_t> numbers(rank);
    std::iota(numbers.begin(), numbers.end(), 0);
    if (call.has_input(3)) numbers = call.known_integers(3, "axes");
    const std::vector<std::size_t> axes = call.axes(numbers, rank);
    if (list.size() != 2 * axes.size()) {
        call.illegal(
            "pads", shape_text(list),
            "the list has two numbers for each of " + std::to_string(axes.size()) + " dimensions");
    }
    for (std::size_t i = 0; i < axes.size(); ++i) {
        padding.sides[2 * axes[i]] = list[i];
        padding.sides[2 * axes[i] + 1] = list[axes.size() + i];
    }
    set_result(call, padding);
    return padding;
}

Padding centred_padding(const Call& call) {
    call.require_inputs(2, 2);
    const Value& x = call.input(0);
    Padding padding{Shape(2 * x.rank(), 0), "constant", {}};
    const std::vector<std::int64_t> sizes = call.known_integers(1, "shapes");
    std::vector<std::int64_t> numbers(x.rank());
    std::iota(numbers.begin(), numbers.end(), 0);
    const std::vector<std::size_t> axes =
        call.axes(call.integer_list("axes").value_or(numbers), x.rank());
    call.require(sizes.size() == axes.size(), "shape", shape_text(sizes),
                 "the shape has a size for each of " + std::to_string(axes.size()) + " axes");
    for (std::size_t i = 0; i < axes.size(); ++i) {
        const std::int64_t size = x.shape[axes[i]], wanted = sizes[i];
        call.require(wanted >= 0, "shape", shape_text(sizes), "sizes are 0 or more");
        const bool is_cropped = wanted < size;
        const std::int64_t more = wanted - size;
        const std::int64_t before = is_cropped ? -(-more / 2) : more / 2;
        padding.sides[2 * axes[i]] = before;
        padding.sides[2 * axes[i] + 1] = more - before;
    }
    set_result(call, padding);
    return padding;
}

std::vector<std::int64_t> split_sizes(const Call& call, std::size_t axis) {
    const std::int64_t size = call.input(0).shape[axis];
    const auto count = static_cast<std::int64_t>(call.output_count());
    const auto list = list_operand(call, "split", 1);
    if (list) {
        const bool is_whole =
            static_cast<std::int64_t>(list->size()) == count &&
            std::all_of(list->begin(), list->end(),
                        [size](std::int64_t each) { return each >= 0 && each <= size; }) &&
            std::accumulate(list->begin(), list->end(), std::int64_t{0}) == size;
        call.require(is_whole && !call.has_attribute("num_outputs"), "split", shape_text(*list),
                     "the node has " + std::to_string(count) + " results with a sum of " +
                         std::to_string(size) + " elements, and no num_outputs");
        return *list;
    }
    const std::int64_t pieces = call.integer("num_outputs", count);
    call.require(pieces == count && count > 0, "num_outputs", std::to_string(pieces),
                 "it is the number of results, " + std::to_string(count));
    if (call.opset() < 18) {
        call.require(size % count == 0, "outputs", std::to_string(count),
                     "the dimension " + std::to_string(size) + " has equal parts");
    }
    const std::int64_t piece = (size + count - 1) / count;
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), piece);
    sizes.back() = size - piece * (count - 1);
    call.require(sizes.back() >= 0, "num_outputs", std::to_string(pieces),
                 "no part of the dimension " + std::to_string(size) + " is negative");
    return sizes;
}

Shape tile_repeats(const Call& call) {
    const std::size_t rank = call.input(0).rank();
    Shape repeats = call.known_integers(1, "repeats");
    if (call.opset() < 6) {  // a count and an axis
        const std::int64_t count = call.known_integer(1, "repeats");
        const std::size_t axis = call.axis(call.known_integer(2, "axes"), rank);
        repeats.assign(rank, 1);
        repeats[axis] = count;
    }
    const bool is_legal = repeats.size() == rank &&
                          std::all_of(repeats.begin(), repeats.end(),
                                      [](auto each) { return each >= 0 && each < kMostElements; });
    call.require(is_legal, "repeats", shape_text(repeats),
                 "each of " + std::to_string(rank) + " dimensions has a count of 0 or more");
    return repeats;
}

std::int64_t top_count(const Call& call, std::size_t& axis) {
    const Value& x = call.input(0);
    require_rank(call, 0, 1);
    require_numbers(call);
    axis = call.axis(call.integer("axis", -1), x.rank());
    const std::int64_t k =
        call.opset() < 10 ? call.required_integer("k") : call.known_integer(1, "counts");
    call.require(k >= 0 && k <= x.shape[axis], "k", std::to_string(k),
                 "it is 0 to the size of the axis, " + std::to_string(x.shape[axis]));
    return k;
}

Shape gathered_shape(const Call& call) {
    call.require_inputs(2, 2);
    require_indices(call, 1);
    const Value& x = call.input(0);
    const Value& indices = call.input(1);
    if (call.op_type() == "GatherElements") {
        check_elements(call);
        return indices.shape;
    }
    if (call.op_type() == "GatherND") {
        const std::size_t batch = batch_dimensions(call);
        const std::size_t depth = index_depth(call, batch);
        return joined(indices.shape, indices.rank() - 1, x.shape, batch + depth);
    }
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    const Shape front = joined(x.shape, axis, indices.shape, 0);
    return joined(front, front.size(), x.shape, axis + 1);
}

void check_scatter(const Call& call) {
    call.require_inputs(3, 3);
    require_indices(call, 1);
    Value& x = call.input(0);
    const Value& indices = call.input(1);
    Value& updates = call.input(2);
    call.require_same_type({&x, &updates});
    Shape wanted = indices.shape;
    if (call.op_type() == "ScatterND") {
        const std::size_t depth = index_depth(call, 0);
        wanted = joined(indices.shape, indices.rank() - 1, x.shape, depth);
    } else {
        check_elements(call);
    }
    call.require(updates.shape == wanted, "updates", shape_text(updates.shape),
                 "the updates have the shape " + shape_text(wanted));
}

compose::KnownIndices known_positions(const Call& call) {
    const Value& x = call.input(0);
    const compose::KnownIndices result{call.input(1).shape, integers(*call.input(1).known)};
    if (call.op_type().ends_with("ND")) {
        const auto batch = static_cast<std::size_t>(call.integer("batch_dims", 0));
        const auto depth = static_cast<std::size_t>(result.shape.back());
        for (std::size_t i = 0; i < result.values.size(); ++i) {
            check_range(call, result.values[i], x.shape[batch + i % depth]);
        }
        return result;
    }
    const std::size_t axis = call.axis(call.integer("axis", 0), x.rank());
    for (const std::int64_t index : result.values) check_range(call, index, x.shape[axis]);
    return result;
}

compose::ScatterReduction scatter_reduction(const Call& call) {
    using compose::ScatterReduction;
    const std::string_view text = call.text("reduction", "none");
    if (text == "none") return ScatterReduction::kNone;
    require_numbers(call);
    if (text == "add") return ScatterReduction::kAdd;
    if (text == "mul") return ScatterReduction::kMultiply;
    if (text == "max") return ScatterReduction::kMaximum;
    if (text == "min") return ScatterReduction::kMinimum;
    call.illegal("reduction", std::string(text), "it is none, add, mul, max or min");
}

}  // namespace okksim::sim::graph::onnx
