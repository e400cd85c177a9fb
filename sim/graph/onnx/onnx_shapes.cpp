// SPDX-License-Identifier: Apache-2.0
// Shapes and conversions.
#include <algorithm>

#include "sim/graph/compose/double_words.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// True if a view only merges or splits the dimensions after the channels.
bool merges_only_pixels(const Shape& from, const Shape& to) {
    return to.size() >= 3 && from[0] == to[0] && from[1] == to[1];
}

void view(const Call& call) {
    Value& x = call.input(0);
    const Shape shape = viewed_shape(call);
    const bool has_last = x.channels_last || x.view_of != nullptr;
    if (has_last && !x.declared && merges_only_pixels(x.shape, shape)) {
        return call.set_view(0, x, shape);
    }
    // Any other view of a feature map needs the file's order.
    const TensorIndex result = call.ops().reshape(call.tensor(0), shape, "view");
    call.set_tensor(0, x.type, shape, result);
}

/// Casts from or to double. Only the words of such values are in the graph, because the chip cannot
/// compute with them.
void cast_double(const Call& call, ElementType type) {
    const auto refuse = [] { throw UnsupportedPart("elements of double", true); };
    Value& x = call.input(0);
    OperatorBuilder& ops = call.ops();
    if (type == ElementType::kFloat64) {
        // fp32 holds integers of up to 24 bits.
        if (x.type == type || (is_whole(x.type) && integer_bits(x.type) > 16)) refuse();
        const TensorIndex single = onnx::cast(ops, x.type, ElementType::kFloat32, call.tensor(0));
        Value& result = call.output(0);
        result.type = type;
        result.shape = x.shape;
        result.file_form = compose::double_from_single(ops, single);
        return;
    }
    if (!x.file_form || !is_real(type)) refuse();
    const auto rounding = type == ElementType::kFloat32 ? compose::SingleRounding::kNearest
                                                        : compose::SingleRounding::kOdd;
    const TensorIndex single = compose::single_from_double(ops, *x.file_form, rounding);
    call.set_tensor(0, type, x.shape, onnx::cast(ops, ElementType::kFloat32, type, single));
}

void cast_to(const Call& call, ElementType type) {
    Value& x = call.input(0);
    if (elements_of(x.shape) == 0) return set_empty(call, 0, type, x.shape);
    const bool is_double = x.type == ElementType::kFloat64 || type == ElementType::kFloat64;
    if (is_double && !x.known && call.has_output(0)) return cast_double(call, type);
    const Aligned order = call.aligned(0);
    call.set_aligned(0, type, x.shape, order,
                     onnx::cast(call.ops(), x.type, type, order.tensors[0]));
}

}  // namespace

void reshape(const Call& call) { view(call); }
void squeeze(const Call& call) { view(call); }
void unsqueeze(const Call& call) { view(call); }
void flatten(const Call& call) { view(call); }

void cast(const Call& call) { cast_to(call, element_type(call.required_integer("to"))); }
void cast_like(const Call& call) { cast_to(call, call.input(1).type); }

void identity(const Call& call) {
    call.require_inputs(1, 1);
    call.set_same(0, call.input(0));
}

void shape(const Call& call) {
    call.require_inputs(1, 1);
    const Shape& all = call.input(0).shape;
    const auto rank = static_cast<std::int64_t>(all.size());
    const auto bounded = [rank](std::int64_t at) {
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = bounded(call.integer("start", 0));
    const std::int64_t end = std::max(start, bounded(call.integer("end", rank)));
    const Shape part(all.begin() + start, all.begin() + end);
    call.set_known(0, make_array(ElementType::kInt64, {end - start}, part));
}

void size(const Call& call) {
    call.require_inputs(1, 1);
    call.set_known(0, make_array(ElementType::kInt64, {}, Shape{elements_of(call.input(0).shape)}));
}

void eye_like(const Call& call) {
    const Value& x = call.input(0);
    call.require(x.rank() == 2, "input", shape_text(x.shape), "the input has two dimensions");
    const auto type = element_type(call.integer("dtype", static_cast<std::int64_t>(x.type)));
    call.require(is_real(type) || is_whole(type) || type == ElementType::kBool, "dtype",
                 std::string(element_name(type)), "the result has numbers or bool");
    const std::int64_t diagonal = call.integer("k", 0);
    require_host_size(call, static_cast<double>(elements_of(x.shape)));
    std::vector<std::int64_t> values(static_cast<std::size_t>(x.shape[0] * x.shape[1]));
    for (std::int64_t row = 0; row < x.shape[0]; ++row) {
        const std::int64_t column = row + diagonal;
        if (column < 0 || column >= x.shape[1]) continue;
        values[static_cast<std::size_t>(row * x.shape[1] + column)] = 1;
    }
    call.set_known(0, make_array(type, x.shape, values));
}

void expand(const Call& call) {
    const Shape shape = expanded_shape(call);
    Value& x = call.input(0);
    if (elements_of(shape) == 0) return set_empty(call, 0, x.type, shape);
    OperatorBuilder& ops = call.ops();
    Shape from = x.shape, times;
    from.insert(from.begin(), shape.size() - from.size(), 1);
    for (std::size_t i = 0; i < shape.size(); ++i) times.push_back(shape[i] / from[i]);
    const TensorIndex ranked = ops.reshape(call.tensor(0), from, "ranked");
    call.set_tensor(0, x.type, shape, ops.tile(ranked, times, "expanded"));
}

}  // namespace okksim::sim::graph::onnx::lower
