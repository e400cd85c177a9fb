// SPDX-License-Identifier: Apache-2.0
// Shapes, constants and conversions on the host.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

bool view(const Call& call) {
    call.set_known(0, reshaped(*call.input(0).known, viewed_shape(call)));
    return true;
}

bool cast_to(const Call& call, ElementType type) {
    const HostArray& from = *call.input(0).known;
    if (element_bytes(type) == 0) {
        throw UnsupportedPart("elements of " + std::string(element_name(type)), true);
    }
    call.set_known(0, converted(from, type));
    return true;
}

}  // namespace

bool reshape(const Call& call) { return view(call); }
bool squeeze(const Call& call) { return view(call); }
bool unsqueeze(const Call& call) { return view(call); }
bool flatten(const Call& call) { return view(call); }

bool cast(const Call& call) { return cast_to(call, element_type(call.required_integer("to"))); }
bool cast_like(const Call& call) { return cast_to(call, call.input(1).type); }

bool constant(const Call& call) {
    if (const auto array = call.array("value")) {
        call.set_known(0, *array);
    } else if (call.has_attribute("value_float")) {
        call.set_known(0, make_array(ElementType::kFloat32, {},
                                     std::vector<double>{call.real("value_float", 0)}));
    } else if (call.has_attribute("value_int")) {
        call.set_known(0, make_array(ElementType::kInt64, {},
                                     std::vector<std::int64_t>{call.integer("value_int", 0)}));
    } else if (const auto list = call.integer_list("value_ints")) {
        const Shape shape{static_cast<std::int64_t>(list->size())};
        call.set_known(0, make_array(ElementType::kInt64, shape, *list));
    } else if (const auto numbers = call.real_list("value_floats")) {
        const Shape shape{static_cast<std::int64_t>(numbers->size())};
        call.set_known(0, make_array(ElementType::kFloat32, shape,
                                     std::vector<double>(numbers->begin(), numbers->end())));
    } else if (const AttributeProto* sparse = call.attribute("sparse_value");
               sparse != nullptr && sparse->sparse_tensor != nullptr) {
        call.set_known(0, sparse_value(call, *sparse->sparse_tensor));
    } else {
        throw UnsupportedPart("values of texts", true);
    }
    return true;
}

bool constant_of_shape(const Call& call) {
    const Shape shape = call.known_integers(0, "shapes");
    const HostArray one = call.array("value").value_or(
        make_array(ElementType::kFloat32, {1}, std::vector<double>{0.0}));
    if (one.count() != 1) call.illegal("value", shape_text(one.shape), "value has one element");
    call.set_known(0, repeated(call, one, shape));
    return true;
}

bool expand(const Call& call) {
    call.set_known(0, broadcast_to(call, *call.input(0).known, expanded_shape(call)));
    return true;
}

bool non_zero(const Call& call) {
    const HostArray& array = *call.input(0).known;
    const std::vector<double> values = reals(array);
    std::vector<std::vector<std::int64_t>> found(array.shape.size());
    Shape at(array.shape.size(), 0);
    std::int64_t count = 0;
    for (const double value : values) {
        if (value != 0) {
            ++count;
            for (std::size_t i = 0; i < at.size(); ++i) found[i].push_back(at[i]);
        }
        next_index(at, array.shape);
    }
    std::vector<std::int64_t> flat;
    for (const auto& list : found) flat.insert(flat.end(), list.begin(), list.end());
    call.set_known(0, make_array(ElementType::kInt64,
                                 {static_cast<std::int64_t>(array.shape.size()), count}, flat));
    return true;
}

bool range(const Call& call) {
    call.require_inputs(3, 3);
    call.require_same_type(call.inputs());
    const ElementType type = call.input(0).type;
    std::vector<double> limits;
    for (std::size_t n = 0; n < 3; ++n) {
        const std::vector<double> value = call.known_reals(n, "limits");
        call.require(value.size() == 1, std::string(call.input(n).name),
                     shape_text(call.input(n).shape), "the operand has one element");
        limits.push_back(value[0]);
    }
    const double start = limits[0], step = limits[2];
    if (step == 0) call.illegal("delta", "0", "the step is not 0");
    const double count = std::max(0.0, std::ceil((limits[1] - start) / step));
    require_host_size(call, count);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = start + static_cast<double>(i) * step;
    }
    call.set_known(0, make_array(type, {static_cast<std::int64_t>(values.size())}, values));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
