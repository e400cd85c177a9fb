// SPDX-License-Identifier: Apache-2.0
// Inputs, constants and outputs of the graph.
#include <algorithm>
#include <charconv>
#include <filesystem>

#include "isa/base/errors.h"
#include "sim/files/mapped_file.h"
#include "sim/graph/npy.h"
#include "sim/graph/onnx/onnx_edges.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_order.h"
#include "sim/graph/onnx/onnx_tensor.h"
#include "sim/graph/onnx/onnx_walk.h"
#include "sim/graph/open_dimensions.h"

namespace okksim::sim::graph::onnx {

HostArray Walk::value_of(const TensorProto& tensor, const std::string& place) const {
    return read_tensor(source_, tensor, place);
}

void Walk::add_initializers(Scope& scope, const GraphProto& graph) {
    for (const TensorProto& tensor : graph.initializers) {
        Value& value = declare(scope, tensor.name);
        const std::string place = "initializer " + std::string(tensor.name);
        if (tensor.strings != 0 || element_bytes(element_type(tensor.data_type)) == 0) {
            value.is_unread = true;
            value.type = element_type(tensor.data_type);
            continue;
        }
        value.known = value_of(tensor, place);
        value.type = value.known->type;
        value.shape = value.known->shape;
    }
    for (const SparseTensorProto& tensor : graph.sparse_initializers) {
        Value& value = declare(scope, tensor.values.name);
        value.known = read_sparse_tensor(source_, tensor);
        value.type = value.known->type;
        value.shape = value.known->shape;
    }
}

namespace {

DeclaredInput declared_input(const ValueInfo& info) {
    DeclaredInput input;
    input.name = info.name;
    input.has_rank = info.has_shape;
    for (const Dimension& dimension : info.dims) {
        // Exporters write 0 or a negative number for an unknown dimension, too.
        const bool is_open = !dimension.value || *dimension.value < 0;
        input.shape.push_back(is_open ? kOpenDimension : *dimension.value);
        input.dimension_names.emplace_back(dimension.name);
    }
    return input;
}

}  // namespace

void Walk::add_inputs(Scope& scope) {
    std::vector<DeclaredInput> declared;
    std::vector<const ValueInfo*> infos;
    for (const ValueInfo& info : model_.graph.inputs) {
        if (find(scope, info.name) != nullptr) continue;  // a default value, IR version 3
        if (!info.is_tensor) {                            // no shape to be bound
            NodeProto place;
            place.name = info.name;
            place.op_type = "input";
            note_unread(place, "values of type " + std::string(info.kind), true);
            declare(scope, info.name).is_unread = true;
            continue;
        }
        infos.push_back(&info);
        declared.push_back(declared_input(info));
        if (info.dims.size() > kMaxDimensions) {
            fail("input " + std::string(info.name),
                 "the input has " + std::to_string(info.dims.size()) + " dimensions; at most " +
                     std::to_string(kMaxDimensions) + " work");
        }
    }
    const std::vector<Shape> shapes = bind_input_shapes(declared, options_, graph_.warnings);
    const std::unordered_set<std::string_view> wanted = wanted_inputs();
    for (std::size_t i = 0; i < infos.size(); ++i) {
        Value& value = declare(scope, infos[i]->name);
        value.type = element_type(infos[i]->element_type);
        value.shape = shapes[i];
        NodeProto place;
        place.name = infos[i]->name;
        place.op_type = "input";
        try {
            add_input(value, wanted.contains(value.name));
        } catch (const UnsupportedPart& part) {
            note_unread(place, part.what(), true);
            value.is_unread = true;
        }
    }
}

/// Adds an input or output without elements, which only the host has.
void Walk::add_empty(const Value& value, bool is_input) {
    Tensor tensor = file_tensor(value.type, value.shape);
    tensor.name = Name(value.name);
    graph_.file_forms.push_back({std::move(tensor), is_input});
    note(std::string(is_input ? "input " : "output ") + std::string(value.name) + " of shape " +
         shape_text(value.shape) + " has no elements, so only the host has it");
}

void Walk::add_input(Value& value, bool is_wanted) {
    if (element_count(value.shape).value_or(1) == 0) {
        value.known = make_array(value.type, value.shape, std::vector<std::byte>());
        add_empty(value, true);
        return;
    }
    Tensor tensor = file_tensor(value.type, value.shape);
    tensor.name = Name(value.name);
    const auto index = ops().block().declare(std::move(tensor));
    if (!index) fail("input " + std::string(value.name), "the name is already taken");
    value.file_form = *index;
    ops().block().block().inputs.push_back(*index);
    is_end_.insert(*index);
    if (is_wanted) take_value(value);
}

/// Uses the value of an input that decides a shape as a constant.
void Walk::take_value(Value& value) {
    // A large input is data even if a shape or a branch follows from it.
    const std::uint64_t most = is_real(value.type) ? 8 : 64;
    if (!options_.input_value || element_count(value.shape).value_or(most + 1) > most) return;
    const auto array = options_.input_value(std::string(value.name));
    if (array == nullptr || array->shape != value.shape) return;
    if (array->element_bytes != element_bytes(value.type)) return;
    value.known = make_array(value.type, value.shape,
                             std::vector<std::byte>(array->data.begin(), array->data.end()));
    note("the value of input " + std::string(value.name) +
         " is a constant of the plan, because it decides shapes or branches");
}

/// Returns the inputs from which operands follow that must be known before the run.
std::unordered_set<std::string_view> Walk::wanted_inputs() const {
    std::unordered_map<std::string_view, const NodeProto*> producers;
    std::vector<std::string_view> pending;
    for (const NodeProto& node : model_.graph.nodes) {
        for (const std::string_view name : node.outputs) producers.emplace(name, &node);
        const OperatorRow* row = find_operator(node.domain, node.op_type);
        if (row == nullptr || row->known == 0) continue;
        for (std::size_t n = 0; n < node.inputs.size(); ++n) {
            const bool is_wanted = n >= 31 ? row->known == kAllKnown : (row->known >> n & 1) != 0;
            if (is_wanted) pending.push_back(node.inputs[n]);
        }
    }
    std::unordered_set<std::string_view> seen;
    while (!pending.empty()) {
        const std::string_view name = pending.back();
        pending.pop_back();
        if (name.empty() || !seen.insert(name).second) continue;
        const auto producer = producers.find(name);
        if (producer == producers.end()) continue;
        const OperatorRow* row = find_operator(producer->second->domain, producer->second->op_type);
        const bool needs_shape_only =
            producer->second->op_type == "Shape" || producer->second->op_type == "Size";
        if (row == nullptr || needs_shape_only) continue;
        for_each_used(*producer->second, [&](std::string_view used) { pending.push_back(used); });
    }
    return seen;
}

TensorIndex Walk::output_tensor(Value& value, std::string_view name) {
    ops().block().begin_operator({next_index_, name, Name(name)});
    const Tensor form = file_tensor(value.type, value.shape);
    if (value.known && value.type == ElementType::kFloat64) {
        const auto bytes = value.known->bytes;
        value.file_form = ops().block().constant_bytes(
            form.type, form.shape.get(), graph_.own_bytes({bytes.begin(), bytes.end()}), "words");
    }
    const bool is_passed_input = value.file_form && !value.declared;
    TensorIndex tensor =
        is_passed_input ? *value.file_form : to_file(ops(), value.type, tensors().declared(value));
    if (is_end_.contains(tensor) || ops().block().tensor(tensor).has_data) {
        tensor = ops().unary(OpCode::kIdentity, tensor, "result");
    }
    Tensor& result = ops().block().block().tensors[tensor];
    result.words = form.words;
    result.is_unsigned = form.is_unsigned;
    is_end_.insert(tensor);
    return tensor;
}

void Walk::add_outputs(Scope& scope) {
    if (model_.graph.outputs.empty()) fail("graph.output", "the graph has no output");
    for (const ValueInfo& info : model_.graph.outputs) {
        NodeProto place;
        place.name = info.name;
        place.op_type = "output";
        Value* value = find(scope, info.name);
        if (value == nullptr) {
            fail("output " + std::string(info.name),
                 "no node, input or initializer has this name" + std::string(kFetchOrCorrect));
        }
        try {
            if (value->is_unread) throw UnsupportedPart("values without a tensor", true);
            if (element_count(value->shape).value_or(1) == 0) {
                add_empty(*value, false);
                continue;
            }
            const TensorIndex tensor = output_tensor(*value, info.name);
            ops().block().rename(tensor, Name(info.name));
            ops().block().block().outputs.push_back(tensor);
        } catch (const UnsupportedPart& part) {
            note_unread(place, part.what(), part.is_type());
        }
    }
}

}  // namespace okksim::sim::graph::onnx
