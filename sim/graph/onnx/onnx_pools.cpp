// SPDX-License-Identifier: Apache-2.0
// Pools: maxima, means and norms of windows.
#include <algorithm>

#include "sim/graph/compose/moves.h"
#include "sim/graph/compose/windows.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_window_attributes.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

/// A pool whose attributes have been checked.
struct PoolForm {
    compose::Windows windows;
    bool ceil_mode = false;
    Shape shape;  ///< of the result, in the file's order
};

PoolForm pool_form(const Call& call) {
    const Value& x = call.input(0);
    const Shape spatial = spatial_shape(call, x);
    PoolForm form;
    form.windows = windows_of(call, kernel_shape(call, spatial.size()), spatial);
    const bool is_explicit = auto_pad(call) == AutoPad::kExplicit;
    form.ceil_mode = is_explicit && call.integer("ceil_mode", 0) != 0;
    for (const compose::WindowAxis& axis : form.windows) {
        const std::int64_t most = std::max(axis.before, axis.after);
        call.require(most < axis.reach(), "pads", std::to_string(most),
                     "the padding is less than the window " + std::to_string(axis.reach()) +
                         ", so that each window has elements");
    }
    form.shape = feature_shape(x.shape[0], x.shape[1],
                               window_counts(call, form.windows, spatial, form.ceil_mode));
    return form;
}

void check_real_pool(const Call& call) {
    call.require_inputs(1, 1);
    require_real(call, call.input(0));
}

Shape global_shape(const Call& call) {
    const Value& x = call.input(0);
    return feature_shape(x.shape[0], x.shape[1], Shape(spatial_shape(call, x).size(), 1));
}

/// The power of an Lp norm, which was a real number in the first operator set.
double norm_power(const Call& call) {
    const double p =
        call.opset() < 2 ? call.real("p", 2) : static_cast<double>(call.integer("p", 2));
    call.require(p > 0, "p", std::to_string(p), "the power is greater than 0");
    return p;
}

template <typename Pool>
void global_pool(const Call& call, const Pool& pool) {
    check_real_pool(call);
    const Shape shape = global_shape(call);
    call.set_channels_last(0, call.input(0).type, shape, pool(call.channels_last(0)));
}

}  // namespace

void max_pool(const Call& call) {
    call.require_inputs(1, 1);
    const Value& x = call.input(0);
    const bool is_byte = x.type == ElementType::kInt8 || x.type == ElementType::kUint8;
    call.require(is_real(x.type) || is_byte, "input 0", std::string(element_name(x.type)),
                 "the operand has real numbers, int8 or uint8");
    const PoolForm form = pool_form(call);
    const std::int64_t order = call.integer("storage_order", 0);
    call.require(order == 0 || order == 1, "storage_order", std::to_string(order),
                 "the order is 0 or 1");
    const TensorIndex maps = call.channels_last(0);
    if (!call.has_output(1)) {
        return call.set_channels_last(
            0, x.type, form.shape,
            compose::max_pool(call.ops(), maps, form.windows, form.ceil_mode));
    }
    const compose::PoolMaxima both =
        compose::max_pool_with_indices(call.ops(), maps, form.windows, form.ceil_mode, order == 1);
    call.set_channels_last(0, x.type, form.shape, both.maxima);
    call.set_channels_last(1, ElementType::kInt64, form.shape, both.indices);
}

void average_pool(const Call& call) {
    check_real_pool(call);
    const PoolForm form = pool_form(call);
    const compose::MeanOptions options{form.ceil_mode, call.integer("count_include_pad", 0) != 0};
    call.set_channels_last(
        0, call.input(0).type, form.shape,
        compose::average_pool(call.ops(), call.channels_last(0), form.windows, options));
}

void lp_pool(const Call& call) {
    check_real_pool(call);
    const PoolForm form = pool_form(call);
    call.set_channels_last(0, call.input(0).type, form.shape,
                           compose::lp_pool(call.ops(), call.channels_last(0), form.windows,
                                            norm_power(call), form.ceil_mode));
}

void global_max_pool(const Call& call) {
    global_pool(call, [&](TensorIndex x) { return compose::global_max_pool(call.ops(), x); });
}

void global_average_pool(const Call& call) {
    global_pool(call, [&](TensorIndex x) { return compose::global_average_pool(call.ops(), x); });
}

void global_lp_pool(const Call& call) {
    const double p = norm_power(call);
    global_pool(call, [&](TensorIndex x) { return compose::global_lp_pool(call.ops(), x, p); });
}

void max_unpool(const Call& call) {
    call.require_inputs(2, 3);
    const Value& x = call.input(0);
    const Value& indices = call.input(1);
    require_real(call, x);
    call.require(indices.type == ElementType::kInt64 && indices.shape == x.shape, "input 1",
                 std::string(element_name(indices.type)) + " " + shape_text(indices.shape),
                 "the indices are int64 and have the shape of input 0");
    const Shape spatial = spatial_shape(call, x);
    const compose::Windows windows = explicit_windows(call, kernel_shape(call, spatial.size()));
    Shape shape = feature_shape(x.shape[0], x.shape[1], spatial);
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const compose::WindowAxis& axis = windows[i];
        shape[2 + i] = (spatial[i] - 1) * axis.stride + axis.kernel - axis.before - axis.after;
    }
    Shape wanted = shape;
    if (call.has_input(2)) wanted = call.known_integers(2, "output shapes");
    call.require(wanted.size() == x.rank() && wanted[0] == shape[0] && wanted[1] == shape[1],
                 "output_shape", shape_text(wanted), "batch and channels are those of the input");
    // Indices count in the shape that follows from the attributes, so more elements come after.
    Shape last{shape[0]}, padding{0, 0};
    for (std::size_t i = 2; i < shape.size(); ++i) {
        call.require(shape[i] > 0 && wanted[i] >= shape[i], "output_shape", shape_text(wanted),
                     "the result has at least the shape " + shape_text(shape));
        last.push_back(shape[i]);
        padding.insert(padding.end(), {0, wanted[i] - shape[i]});
    }
    last.push_back(shape[1]);
    padding.insert(padding.end(), {0, 0});
    const TensorIndex maps =
        compose::max_unpool(call.ops(), call.channels_last(0), call.channels_last(1), last);
    call.set_channels_last(0, x.type, wanted,
                           compose::pad(call.ops(), maps, padding, compose::PadMode::kConstant, 0));
}

}  // namespace okksim::sim::graph::onnx::lower
