// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_call.h"

#include <algorithm>

#include "sim/graph/graph_errors.h"

namespace okksim::sim::graph::onnx {

namespace {

std::string input_name(std::size_t n) { return "input " + std::to_string(n); }

std::string type_text(const Value& value) {
    return std::string(element_name(value.type)) + " " + shape_text(value.shape);
}

}  // namespace

Call::Call(Walk& walk, Context& context, const NodeProto& node, std::int64_t opset,
           std::vector<Value*> inputs, std::vector<Value*> outputs)
    : walk_(walk),
      context_(context),
      node_(node),
      opset_(opset),
      inputs_(std::move(inputs)),
      outputs_(std::move(outputs)) {}

OperatorBuilder& Call::ops() const { return context_.tensors().ops(); }
ValueTensors& Call::tensors() const { return context_.tensors(); }

Value& Call::input(std::size_t n) const {
    if (!has_input(n)) illegal(input_name(n), "missing", "the operator has this input");
    return *inputs_[n];
}

bool Call::all_known() const {
    return std::all_of(inputs_.begin(), inputs_.end(),
                       [](const Value* value) { return value == nullptr || value->known; });
}

void Call::require_inputs(std::size_t least, std::size_t most) const {
    if (inputs_.size() > most) {
        illegal("inputs", std::to_string(inputs_.size()),
                "the operator has at most " + std::to_string(most));
    }
    for (std::size_t n = 0; n < least; ++n) input(n);
}

Aligned Call::aligned() const {
    std::vector<Value*> values;
    for (std::size_t n = 0; n < inputs_.size(); ++n) values.push_back(&input(n));
    return tensors().aligned(values);
}

Aligned Call::aligned(std::size_t n) const { return tensors().aligned({&input(n)}); }

const HostArray& Call::known(std::size_t n, const char* role) const {
    const Value& value = input(n);
    if (!value.known) {
        throw UnsupportedPart(std::string(role) + " that are known only at run time (" +
                              std::string(value.name) + ")");
    }
    return *value.known;
}

std::vector<std::int64_t> Call::known_integers(std::size_t n, const char* role) const {
    const HostArray& array = known(n, role);
    if (!is_whole(array.type) && array.type != ElementType::kBool) {
        illegal(input_name(n), type_text(input(n)), "the operand has integers");
    }
    if (array.shape.size() > 1) {
        illegal(input_name(n), type_text(input(n)), "the operand is a list of numbers, or one");
    }
    return integers(array);
}

std::vector<double> Call::known_reals(std::size_t n, const char* role) const {
    return reals(known(n, role));
}

std::int64_t Call::known_integer(std::size_t n, const char* role) const {
    const std::vector<std::int64_t> values = known_integers(n, role);
    if (values.size() != 1) {
        illegal(input_name(n), type_text(input(n)), "the operand has one element");
    }
    return values[0];
}

const AttributeProto* Call::attribute(std::string_view name) const {
    for (const AttributeProto& attribute : node_.attributes) {
        if (attribute.name == name) return context_.resolved(attribute);
    }
    return nullptr;
}

const AttributeProto* Call::typed(std::string_view name, AttributeType type,
                                  const char* what) const {
    const AttributeProto* found = attribute(name);
    // Files of IR versions 1 and 2 need not have types.
    if (found != nullptr && found->type != type && found->type != AttributeType::kUndefined) {
        illegal(std::string(name), "of type " + std::to_string(static_cast<int>(found->type)),
                std::string("the attribute is ") + what);
    }
    return found;
}

std::int64_t Call::integer(std::string_view name, std::int64_t otherwise) const {
    const AttributeProto* found = typed(name, AttributeType::kInt, "an integer");
    return found == nullptr ? otherwise : found->i;
}

std::int64_t Call::required_integer(std::string_view name) const {
    if (!has_attribute(name)) illegal(std::string(name), "missing", "the operator has it");
    return integer(name, 0);
}

double Call::real(std::string_view name, double otherwise) const {
    const AttributeProto* found = typed(name, AttributeType::kFloat, "a real number");
    return found == nullptr ? otherwise : static_cast<double>(found->f);
}

std::string_view Call::text(std::string_view name, std::string_view otherwise) const {
    const AttributeProto* found = typed(name, AttributeType::kString, "a text");
    return found == nullptr ? otherwise : found->s;
}

std::optional<std::vector<std::int64_t>> Call::integer_list(std::string_view name) const {
    const AttributeProto* found = typed(name, AttributeType::kInts, "a list of integers");
    if (found == nullptr) return std::nullopt;
    return found->ints;
}

std::optional<std::vector<float>> Call::real_list(std::string_view name) const {
    const AttributeProto* found = typed(name, AttributeType::kFloats, "a list of real numbers");
    if (found == nullptr) return std::nullopt;
    return found->floats;
}

std::optional<std::vector<std::string_view>> Call::text_list(std::string_view name) const {
    const AttributeProto* found = typed(name, AttributeType::kStrings, "a list of texts");
    if (found == nullptr) return std::nullopt;
    return found->strings;
}

std::optional<HostArray> Call::array(std::string_view name) const {
    const AttributeProto* found = typed(name, AttributeType::kTensor, "a tensor");
    if (found == nullptr || found->tensor == nullptr) return std::nullopt;
    return context_.value_of(*found->tensor, "attribute " + std::string(name));
}

const GraphProto* Call::graph(std::string_view name) const {
    const AttributeProto* found = typed(name, AttributeType::kGraph, "a graph");
    return found == nullptr ? nullptr : found->graph.get();
}

std::size_t Call::axis(std::int64_t axis, std::size_t rank) const {
    const auto size = static_cast<std::int64_t>(rank);
    if (axis < -size || axis >= size) {
        illegal("axis", std::to_string(axis),
                "an axis of " + std::to_string(rank) + " dimensions is " + std::to_string(-size) +
                    " to " + std::to_string(size - 1));
    }
    return static_cast<std::size_t>(axis < 0 ? axis + size : axis);
}

std::vector<std::size_t> Call::axes(const std::vector<std::int64_t>& axes, std::size_t rank) const {
    std::vector<std::size_t> result;
    for (const std::int64_t each : axes) result.push_back(axis(each, rank));
    std::vector<std::size_t> sorted = result;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
        illegal("axes", shape_text(axes), "each axis is named once");
    }
    return result;
}

Shape Call::broadcast(const std::vector<Value*>& values) const {
    std::size_t rank = 0;
    for (const Value* value : values) rank = std::max(rank, value->rank());
    Shape result(rank, 1);
    for (const Value* value : values) {
        const std::size_t first = rank - value->rank();
        for (std::size_t i = 0; i < value->rank(); ++i) {
            std::int64_t& size = result[first + i];
            const std::int64_t other = value->shape[i];
            if (size != other && size != 1 && other != 1) {
                illegal(std::string(value->name), shape_text(value->shape),
                        "dimensions are equal or 1, here " + shape_text(result));
            }
            if (size == 1) size = other;
        }
    }
    return result;
}

void Call::set_known(std::size_t n, HostArray array) const {
    if (!has_output(n)) return;
    Value& value = *outputs_[n];
    value.type = array.type;
    value.shape = array.shape;
    value.known = std::move(array);
}

void Call::set_tensor(std::size_t n, ElementType type, Shape shape, TensorIndex tensor) const {
    if (!has_output(n)) return;
    Value& value = *outputs_[n];
    value.type = type;
    value.shape = std::move(shape);
    value.declared = tensor;
}

void Call::set_channels_last(std::size_t n, ElementType type, Shape shape,
                             TensorIndex tensor) const {
    if (!has_output(n)) return;
    Value& value = *outputs_[n];
    value.type = type;
    value.shape = std::move(shape);
    value.channels_last = tensor;
}

void Call::set_aligned(std::size_t n, ElementType type, Shape shape, const Aligned& order,
                       TensorIndex tensor) const {
    if (order.is_channels_last) {
        set_channels_last(n, type, std::move(shape), tensor);
    } else {
        set_tensor(n, type, std::move(shape), tensor);
    }
}

void Call::set_view(std::size_t n, Value& map, Shape shape) const {
    if (!has_output(n)) return;
    Value& value = *outputs_[n];
    value.type = map.type;
    value.shape = std::move(shape);
    value.view_of = &map;
}

void Call::set_same(std::size_t n, Value& value) const {
    if (!has_output(n)) return;
    Value& result = *outputs_[n];
    const std::string_view name = result.name;
    if (!value.known && !value.has_order()) tensors().declared(value);
    result = value;
    result.name = name;
    result.file_form.reset();
}

void Call::illegal(const std::string& argument, const std::string& value,
                   const std::string& rule) const {
    context_.illegal(node_, argument, value, rule);
}

void Call::require_same_type(const std::vector<Value*>& values) const {
    for (const Value* value : values) {
        if (value->type == values[0]->type) continue;
        illegal(std::string(value->name), std::string(element_name(value->type)),
                "the operands have one type, here " + std::string(element_name(values[0]->type)));
    }
}

}  // namespace okksim::sim::graph::onnx
