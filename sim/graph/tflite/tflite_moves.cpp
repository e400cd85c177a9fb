// SPDX-License-Identifier: Apache-2.0
// Data movement: shapes, parts, padding.
#include <algorithm>
#include <numeric>

#include "sim/graph/compose/moves.h"
#include "sim/graph/element.h"
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
                     "the result has as many elements as the operand, " + shape_text(x.shape));
    }
    std::replace(shape.begin(), shape.end(), std::int64_t{-1},
                 open == 1 ? total / static_cast<std::int64_t>(*product) : 1);
    return shape;
}

/// Returns pairs of numbers for each dimension.
Shape known_pairs(const Call& call, std::size_t n, const char* what, std::size_t dimensions) {
    const Shape pairs = call.known(n, what);
    const bool is_negative = std::any_of(pairs.begin(), pairs.end(), [](auto x) { return x < 0; });
    if (pairs.size() != 2 * dimensions || is_negative) {
        call.illegal(what, shape_text(pairs),
                     "there are two numbers from 0 for each of " + std::to_string(dimensions) +
                         " dimensions");
    }
    return pairs;
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
    const auto& options = call.needed_options<wire::ConcatenationOptions>();
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
                          : call.known(1, "sizes");
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

void Lowering::pad(const Call& call) {
    Value& x = call.input(0);
    const Shape padding = known_pairs(call, 1, "padding", x.rank());
    if (call.number == kPadv2 && !call.input(2).is_known) {
        return give_moved(call, compose::pad_with(ops_, t_.of(x), padding, t_.of(call.input(2))),
                          x);
    }
    double value = x.quantisation.exists() ? static_cast<double>(x.zero()) : 0;
    if (call.number == kPadv2) {
        const Value& given = call.input(2);
        const double shift = given.type == TensorType::UINT8 ? -128 : 0;
        value = given.is_real() ? static_cast<double>(known_reals(given).at(0))
                                : static_cast<double>(known_integers(given).at(0)) + shift;
    }
    give_moved(call, compose::pad(ops_, t_.of(x), padding, compose::PadMode::kConstant, value), x);
}

void Lowering::mirror_pad(const Call& call) {
    Value& x = call.input(0);
    const Shape padding = known_pairs(call, 1, "padding", x.rank());
    const bool repeats =
        call.options<wire::MirrorPadOptions>().mode() == wire::MirrorPadMode::SYMMETRIC;
    for (std::size_t i = 0; i < padding.size(); ++i) {
        if (padding[i] > x.shape[i / 2] - (repeats ? 0 : 1)) {
            call.illegal("padding", shape_text(padding),
                         "the mirrored part is inside " + shape_text(x.shape));
        }
    }
    const auto mode = repeats ? compose::PadMode::kSymmetric : compose::PadMode::kReflect;
    give_moved(call, compose::pad(ops_, t_.of(x), padding, mode), x);
}

void Lowering::tile(const Call& call) {
    Value& x = call.input(0);
    const Shape multiples = call.known(1, "multiples");
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
    const Shape shape = call.known(1, "a shape");
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

void Lowering::space_to_depth(const Call& call) {
    Value& x = call.input(0);
    call.require_rank(x, 4);
    const std::int64_t block = call.needed_options<wire::SpaceToDepthOptions>().block_size();
    if (block < 1 || x.shape[1] % block != 0 || x.shape[2] % block != 0) {
        call.illegal("block_size", std::to_string(block),
                     "height and width of " + shape_text(x.shape) + " are multiples of it");
    }
    give_moved(call, compose::space_to_depth(ops_, t_.of(x), block, 3), x);
}

void Lowering::depth_to_space(const Call& call) {
    Value& x = call.input(0);
    call.require_rank(x, 4);
    const std::int64_t block = call.needed_options<wire::DepthToSpaceOptions>().block_size();
    if (block < 1 || block > (1 << 15) || x.shape[3] % (block * block) != 0) {
        call.illegal("block_size", std::to_string(block),
                     "the channels of " + shape_text(x.shape) + " are a multiple of its square");
    }
    give_moved(call, compose::depth_to_space(ops_, t_.of(x), block, compose::BlockOrder::kDcr, 3),
               x);
}

void Lowering::space_to_batch(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> block = call.known(1, "a block shape");
    const Shape padding = known_pairs(call, 2, "paddings", block.size());
    for (std::size_t i = 0; i < block.size(); ++i) {
        const bool exists = block[i] > 0 && i + 1 < x.rank();
        if (!exists || (x.shape[i + 1] + padding[2 * i] + padding[2 * i + 1]) % block[i] != 0) {
            call.illegal("block shape", shape_text(block),
                         "the padded dimensions of " + shape_text(x.shape) +
                             " after the batch are multiples of it");
        }
    }
    const double zero = x.quantisation.exists() ? static_cast<double>(x.zero()) : 0;
    give_moved(call, compose::space_to_batch_nd(ops_, t_.of(x), block, padding, zero), x);
}

void Lowering::batch_to_space(const Call& call) {
    Value& x = call.input(0);
    const std::vector<std::int64_t> block = call.known(1, "a block shape");
    const Shape crops = known_pairs(call, 2, "crops", block.size());
    std::int64_t product = 1;
    bool fits = block.size() < x.rank();
    for (std::size_t i = 0; fits && i < block.size(); ++i) {
        fits = block[i] > 0 && block[i] <= x.shape[0] &&
               crops[2 * i] + crops[2 * i + 1] < x.shape[i + 1] * block[i];
        product = fits ? std::min<std::int64_t>(product * block[i], x.shape[0] + 1) : 0;
    }
    if (!fits || x.shape[0] % product != 0) {
        call.illegal("block shape", shape_text(block),
                     "its product divides the batch of " + shape_text(x.shape) +
                         ", and the crops leave a result");
    }
    give_moved(call, compose::batch_to_space_nd(ops_, t_.of(x), block, crops), x);
}

}  // namespace okksim::sim::graph::tflite
