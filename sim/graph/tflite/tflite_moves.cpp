// SPDX-License-Identifier: Apache-2.0
// Data movement: shapes and parts.
#include <algorithm>

#include "sim/graph/compose/moves.h"
#include "sim/graph/tflite/tflite_lowering.h"
#include "sim/graph/tflite/tflite_numbers.h"

namespace okksim::sim::graph::tflite {

namespace {

/// Returns the shape that RESHAPE asks for, with -1 for one size that follows from the others.
Shape wanted_shape(const Call& call, const Value& x) {
    const auto* options = call.op.builtin_options_as<wire::ReshapeOptions>();
    if (call.has(1) && call.input(1).is_known) {
        Shape shape = known_integers(call.input(1));
        // Files of 2018 write [0] for a scalar.
        if (shape == Shape{0} && element_count(x.shape) == std::uint64_t{1}) return {};
        return shape;
    }
    if (call.has(1) || options == nullptr || options->new_shape() == nullptr) {
        if (call.output().has_shape &&
            element_count(call.output().shape) == element_count(x.shape)) {
            return call.output().shape;
        }
        throw UnsupportedPart("a shape that depends on data");
    }
    return integers(options->new_shape());
}

Shape completed_shape(const Call& call, const Value& x, Shape shape) {
    const auto total = static_cast<std::int64_t>(*element_count(x.shape));
    const auto open = std::count(shape.begin(), shape.end(), -1);
    Shape known = shape;
    std::replace(known.begin(), known.end(), std::int64_t{-1}, std::int64_t{1});
    const auto product = element_count(known);
    if (open > 1 || !product || (open == 1 && (*product == 0 || total % *product != 0)) ||
        (open == 0 && *product != static_cast<std::uint64_t>(total))) {
        call.illegal("shape", shape_text(shape),
                     "the number of elements is that of the operand, " + shape_text(x.shape));
    }
    std::replace(shape.begin(), shape.end(), std::int64_t{-1},
                 open == 1 ? total / static_cast<std::int64_t>(*product) : 1);
    return shape;
}

}  // namespace

void Lowering::reshape(const Call& call) {
    Value& x = call.input(0);
    give_shaped(call, x, completed_shape(call, x, wanted_shape(call, x)));
}

void Lowering::squeeze(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::size_t> axes =
        call.axes(integers(call.options<wire::SqueezeOptions>().squeeze_dims()), x.rank());
    Shape shape;
    for (std::size_t i = 0; i < x.rank(); ++i) {
        const bool is_named = std::find(axes.begin(), axes.end(), i) != axes.end();
        if (is_named && x.shape[i] != 1) {
            call.illegal("squeeze_dims", std::to_string(i), "the dimension has one element");
        }
        if (is_named || (axes.empty() && x.shape[i] == 1)) continue;
        shape.push_back(x.shape[i]);
    }
    give_shaped(call, x, shape);
}

void Lowering::expand_dims(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> axis = call.known(1, "an axis");
    if (axis.size() != 1) call.illegal("axis", shape_text(axis), "the axis is one number");
    Shape shape = x.shape;
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(call.axis(axis[0], x.rank() + 1)), 1);
    give_shaped(call, x, shape);
}

void Lowering::transpose(const Call& call) {
    Value& x = call.input(0);
    std::vector<std::int32_t> perms;
    for (const std::int64_t axis : call.known(1, "a permutation")) {
        perms.push_back(static_cast<std::int32_t>(call.axis(axis, x.rank(), "perm")));
    }
    if (call.axes({perms.begin(), perms.end()}, x.rank()).size() != x.rank() ||
        perms.size() != x.rank()) {
        call.illegal("perm", std::to_string(perms.size()) + " numbers",
                     "perm names each dimension of " + shape_text(x.shape) + " once");
    }
    give_moved(call, x.rank() == 0 ? t_.of(x) : ops_.transpose(t_.of(x), perms, "transposed"), x);
}

void Lowering::concatenation(const Call& call) {
    const auto& options = call.options<wire::ConcatenationOptions>();
    const std::size_t axis = call.axis(options.axis(), call.input(0).rank());
    std::vector<TensorIndex> parts;
    for (std::size_t n = 0; n < call.inputs.size(); ++n) {
        Value& x = call.input(n);
        Shape shape = x.shape;
        if (shape.size() == call.input(0).rank()) shape[axis] = call.input(0).shape[axis];
        if (shape != call.input(0).shape || x.device() != call.input(0).device()) {
            call.illegal("input " + x.name, shape_text(x.shape),
                         "the parts differ only in dimension " + std::to_string(axis) + " from " +
                             shape_text(call.input(0).shape));
        }
        if (x.shape[axis] == 0) continue;
        parts.push_back(requantised(t_.of(x), x, call.output()));
    }
    if (parts.empty()) throw UnsupportedPart("an empty result");
    give(call,
         t_.activated(compose::concat(ops_, parts, axis), call.output(), options.activation()));
}

void Lowering::pack(const Call& call) {
    const auto& options = call.options<wire::PackOptions>();
    const Value& first = call.input(0);
    const std::size_t axis = call.axis(options.axis(), first.rank() + 1);
    std::vector<TensorIndex> parts;
    for (std::size_t n = 0; n < call.inputs.size(); ++n) {
        Value& x = call.input(n);
        if (x.shape != first.shape || x.device() != first.device()) {
            call.illegal("input " + x.name, shape_text(x.shape),
                         "the parts have one shape, " + shape_text(first.shape));
        }
        Shape shape = x.shape;
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        parts.push_back(requantised(t_.shaped(x, shape, "part"), x, call.output()));
    }
    give(call, compose::concat(ops_, parts, axis));
}

void Lowering::unpack(const Call& call) {
    Value& x = call.input(0);
    const std::size_t axis = call.axis(call.options<wire::UnpackOptions>().axis(), x.rank());
    const auto count = static_cast<std::size_t>(x.shape[axis]);
    if (call.outputs.size() != count) {
        call.illegal("outputs", std::to_string(call.outputs.size()),
                     "there is an output per element of dimension " + std::to_string(axis) +
                         " of " + shape_text(x.shape));
    }
    Shape shape = x.shape;
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    const auto parts = compose::split(ops_, t_.of(x), std::vector<std::int64_t>(count, 1), axis);
    for (std::size_t n = 0; n < count; ++n) {
        give_moved(call, ops_.reshape(parts[n], shape, "element"), x, n);
    }
}

void Lowering::split(const Call& call) {
    const bool is_even = call.number == kSplit;
    Value& x = call.input(is_even ? 1 : 0);
    const std::vector<std::int64_t> axis = call.known(is_even ? 0 : 2, "an axis");
    if (axis.size() != 1) call.illegal("axis", shape_text(axis), "the axis is one number");
    const std::size_t at = call.axis(axis[0], x.rank());
    const auto count = static_cast<std::int64_t>(call.outputs.size());
    Shape sizes = is_even ? Shape(call.outputs.size(), count == 0 ? 0 : x.shape[at] / count)
                          : call.known_sizes(1, "sizes");
    std::int64_t rest = x.shape[at];
    for (const std::int64_t size : sizes) rest -= std::max<std::int64_t>(size, 0);
    for (std::int64_t& size : sizes) {
        if (size == -1) size = std::exchange(rest, 0);
    }
    const bool is_positive = std::all_of(sizes.begin(), sizes.end(), [](auto n) { return n > 0; });
    if (rest != 0 || !is_positive || sizes.size() != call.outputs.size()) {
        call.illegal("sizes", shape_text(sizes),
                     "the " + std::to_string(count) + " parts are not empty, and add up to " +
                         std::to_string(x.shape[at]));
    }
    const std::vector<TensorIndex> parts = compose::split(ops_, t_.of(x), sizes, at);
    for (std::size_t n = 0; n < parts.size(); ++n) give_moved(call, parts[n], x, n);
}

void Lowering::tile(const Call& call) {
    Value& x = call.input(0);
    const Shape multiples = call.known_sizes(1, "multiples");
    const bool is_positive =
        std::all_of(multiples.begin(), multiples.end(), [](auto n) { return n > 0; });
    if (multiples.size() != x.rank() || !is_positive) {
        call.illegal("multiples", shape_text(multiples),
                     "there is a positive number per dimension of " + shape_text(x.shape));
    }
    give_moved(call, compose::tile(ops_, t_.of(x), multiples), x);
}

void Lowering::broadcast_to(const Call& call) {
    Value& x = call.input(0);
    const Shape shape = call.known_sizes(1, "a shape");
    bool fits = shape.size() >= x.rank();
    for (std::size_t i = 0; fits && i < x.rank(); ++i) {
        const std::int64_t from = x.shape[x.rank() - 1 - i], to = shape[shape.size() - 1 - i];
        fits = from == to || (from == 1 && to > 0);
    }
    if (!fits) {
        call.illegal("shape", shape_text(shape),
                     "the operand broadcasts to it, here " + shape_text(x.shape));
    }
    give_moved(call, compose::expand(ops_, t_.of(x), shape), x);
}

}  // namespace okksim::sim::graph::tflite
