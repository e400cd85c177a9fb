// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_walk.h"

#include <algorithm>

#include "sim/graph/onnx/onnx_edges.h"
#include "sim/graph/onnx/onnx_operators.h"
#include "sim/graph/onnx/onnx_order.h"
#include "sim/graph/onnx/onnx_versions.h"

namespace okksim::sim::graph::onnx {

namespace {

// Inlined functions and unrolled loops multiply the nodes of a small file.
constexpr std::uint32_t kMostNodes = 1'000'000;

std::string described(const NodeProto& node) {
    std::string text = node.domain.empty() ? "" : std::string(node.domain) + ".";
    return text + std::string(node.op_type);
}

}  // namespace

Walk::Walk(const GraphSource& source, const ReadOptions& options, const Model& model, Graph& graph,
           BlockBuilder& block)
    : source_(source),
      options_(options),
      model_(model),
      islands_(model.graph),
      uses_(model.graph),
      graph_(graph) {
    frames_.push_back(std::make_unique<Frame>(block));
}

void Walk::fail(const std::string& place, const std::string& message) const {
    throw GraphFileError(source_.name, place, std::nullopt, message);
}

std::string Walk::place(const NodeProto& node) const {
    if (!node.name.empty()) return "node " + std::string(node.name);
    if (!node.outputs.empty()) return "node of " + std::string(node.outputs[0]);
    return "a node without a name";
}

std::string Walk::origin(const NodeProto& node) const {
    return source_.name + ": " + place(node) + " (" + described(node) + ")";
}

void Walk::note(const std::string& text) {
    constexpr std::size_t kMostNotes = 100;
    if (notes_.size() >= kMostNotes || !notes_.insert(text).second) return;
    graph_.warnings.push_back(source_.name + ": " + text);
}

void Walk::note_unread(const NodeProto& node, const std::string& what, bool is_type) {
    unread_.add(what.empty() ? "operator " + described(node) : described(node) + " with " + what,
                place(node), is_type);
}

void Walk::report_unread() const {
    if (unread_.empty()) return;
    throw GraphFileError(source_.name, unread_.place(), std::nullopt, unread_.message(),
                         unread_.problem(), unread_.items());
}

Value& Walk::temporary() {
    Value& value = values_.emplace_back();
    value.frame = frames_.size() - 1;
    return value;
}

Value& Walk::declare(Scope& scope, std::string_view name) {
    Value& value = temporary();
    value.name = name;
    if (!scope.values.emplace(name, &value).second) {
        fail("value " + std::string(name),
             "two nodes or inputs have this name; ONNX assigns each name once" +
                 std::string(kFetchOrCorrect));
    }
    return value;
}

Value* Walk::find(const Scope& scope, std::string_view name) const {
    for (const Scope* at = &scope; at != nullptr; at = at->outer) {
        const auto found = at->values.find(name);
        if (found != at->values.end()) return found->second;
    }
    return nullptr;
}

void Walk::run() {
    Scope scope;
    scope.opsets = &model_.opsets;
    scope_ = &scope;
    add_initializers(scope, model_.graph);
    add_inputs(scope);
    lower_nodes(scope, model_.graph.nodes);
    report_unread();
    add_outputs(scope);
    report_unread();
}

void Walk::lower_nodes(Scope& scope, const std::vector<NodeProto>& nodes) {
    std::vector<std::uint32_t> order;
    try {
        order = execution_order(
            nodes, [&](std::string_view name) { return find(scope, name) != nullptr; });
    } catch (const OrderFault& fault) {
        const NodeProto& node = nodes[fault.node];
        if (fault.is_cycle) fail(place(node), "the node depends on its own result (a cycle)");
        illegal(node, "input " + std::string(fault.value), "undefined",
                "a node, an input or an initializer defines each value");
    }
    const Scope* outer = scope_;
    scope_ = &scope;
    for (const std::uint32_t position : order) lower_node(scope, nodes[position], next_index_++);
    scope_ = outer;
}

std::int64_t Walk::opset_of(const Scope& scope, const NodeProto& node) const {
    const auto version = scope.opsets->find(node.domain);
    if (version != scope.opsets->end()) return version->second;
    if (!node.domain.empty()) return 1;
    illegal(node, "opset_import", "missing", "the file gives the version of each operator set");
}

const FunctionProto* Walk::find_function(const NodeProto& node) const {
    for (const FunctionProto& function : model_.functions) {
        if (function.name == node.op_type && function.domain == node.domain &&
            function.overload == node.overload) {
            return &function;
        }
    }
    return nullptr;
}

void Walk::lower_node(Scope& scope, const NodeProto& node, std::uint32_t index) {
    if (index >= kMostNodes) {
        fail(place(node), "the model has more than " + std::to_string(kMostNodes) +
                              " nodes after functions and loops are expanded");
    }
    for (const std::string_view name : node.outputs)
        if (!name.empty()) declare(scope, name);
    if (!islands_.is_inner(node)) lower_declared(scope, node, index);
}

void Walk::lower_declared(Scope& scope, const NodeProto& node, std::uint32_t index) {
    std::vector<Value*> inputs, outputs;
    for (const std::string_view name : node.inputs) {
        inputs.push_back(name.empty() ? nullptr : local(find(scope, name)));
    }
    for (const std::string_view name : node.outputs) {
        outputs.push_back(name.empty() ? nullptr : scope.values.at(name));
    }
    while (!inputs.empty() && inputs.back() == nullptr) inputs.pop_back();
    const std::string_view name =
        node.name.empty() && !node.outputs.empty() ? node.outputs[0] : node.name;
    try {
        if (lower_island(scope, node, index, outputs)) return;
        ops().block().begin_operator({index, name, Name(name)});
        return lower_call(scope, node, inputs, outputs);
    } catch (const UnsupportedPart& part) {
        note_unread(node, part.what(), part.is_type());
    } catch (const UnreadOperand&) {  // one message is enough
    }
    for (Value* value : outputs)
        if (value != nullptr) value->is_unread = true;
}

void Walk::lower_call(Scope& scope, const NodeProto& node, const std::vector<Value*>& inputs,
                      const std::vector<Value*>& outputs) {
    const OperatorRow* row = find_operator(node.domain, node.op_type);
    const FunctionProto* function = row == nullptr ? find_function(node) : nullptr;
    if (row == nullptr && function == nullptr) {
        const std::string_view reason = refusal(node.domain, node.op_type);
        throw UnsupportedPart(std::string(reason));
    }
    for (const Value* value : inputs) {
        if (value != nullptr && value->is_unread) throw UnreadOperand();
    }
    if (function != nullptr) return inline_function(*function, scope, node, inputs, outputs);
    const Call call(*this, *this, node, opset_of(scope, node), inputs, outputs);
    if (node.domain.empty()) {
        const std::string rule = broken_version_rule(node.op_type, call.opset());
        if (!rule.empty()) call.illegal("operator set", std::to_string(call.opset()), rule);
    }
    if (!(call.all_known() && row->fold(call))) row->lower(call);
    finish(call);
    note_convolution(scope, call);
}

/// Names results after the file, and checks that the operator has set all of them.
void Walk::finish(const Call& call) {
    const std::string_view prefix = call.node().name.empty() && call.output_count() > 0
                                        ? call.node().outputs[0]
                                        : call.node().name;
    for (std::size_t n = 0; n < call.output_count(); ++n) {
        if (!call.has_output(n)) continue;
        Value& value = call.output(n);
        if (!value.known && !value.has_order() && !value.file_form) {
            throw UnsupportedPart("output " + std::to_string(n));
        }
        if (value.known || (!value.declared && !value.channels_last && !value.file_form)) continue;
        const TensorIndex tensor = value.declared        ? *value.declared
                                   : value.channels_last ? *value.channels_last
                                                         : *value.file_form;
        const std::string_view name = ops().block().tensor(tensor).name;
        const bool is_own = name.size() > prefix.size() && name.starts_with(prefix) &&
                            name[prefix.size()] == '.' && !is_end_.contains(tensor);
        if (is_own) ops().block().rename(tensor, Name(value.name));
    }
}

}  // namespace okksim::sim::graph::onnx
