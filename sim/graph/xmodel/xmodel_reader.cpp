// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_reader.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "isa/base/errors.h"
#include "sim/graph/schedule.h"
#include "sim/graph/xmodel/xmodel_operators.h"
#include "sim/graph/xmodel/xmodel_store.h"

namespace okksim::sim::graph {

namespace xmodel {
namespace {

/// Kinds of operators at the beginning of a graph.
enum class Source : std::uint8_t { kNone, kInput, kConstant };

/// A placeholder with an input only passes the input on.
Source source_of(const NodeView& node) {
    const std::string_view type = node.type();
    if (!node.argument("input").empty()) return Source::kNone;
    if (type == "Input" || type == "data" || type == "data-fix") return Source::kInput;
    if (type == "Const" || type == "const" || type == "const-fix") return Source::kConstant;
    return Source::kNone;
}

class Reader {
 public:
    Reader(const GraphSource& source, const ReadOptions& options)
        : source_(source), options_(options) {}

    Graph read() {
        graph_.storage.push_back(source_.owner);
        graph_.regions.push_back({"main", {}});
        graph_.regions[0].blocks.emplace_back();
        graph_.regions[0].blocks[0].name = "main";
        BlockBuilder block(graph_, graph_.regions[0].blocks[0]);
        block_ = &block;
        Lowering lowering(block);
        lowering_ = &lowering;
        const std::vector<std::uint32_t> order = nodes_.order();
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) read_node(order.empty() ? i : order[i]);
        report_unread();
        count_outputs();
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) add_output(i);
        if (graph_.regions[0].blocks[0].outputs.empty()) {
            nodes_.fail("nodes", "the graph has no result: it has only inputs and constants");
        }
        return std::move(graph_);
    }

 private:
    Name name(std::uint32_t index) const { return nodes_.name(index); }

    void read_node(std::uint32_t index) {
        const Node wire = nodes_.unpacked(index);
        const NodeView node(wire);
        block_->begin_operator({index, name(index), name(index)});
        Value value = declared_value(name(index), node);
        try {
            read_value(index, node, value);
        } catch (const UnsupportedPart& part) {
            note_unread(node, part);
            value = unread_value(index, node);
        } catch (const UnreadOperand&) {
            value = unread_value(index, node);
        }
        values_.keep(index, value);
        nodes_.for_each_needed(index, [this](std::uint32_t needed) { is_used_[needed] = true; });
    }

    void read_value(std::uint32_t index, const NodeView& node, Value& value) {
        if (value.type.device_type() == DType::kUnknown) {
            throw UnsupportedPart("tensors of " + value.type.name(), true);
        }
        switch (source_of(node)) {
            case Source::kInput: return add_input(value);
            case Source::kConstant: return add_constant(index, node, value);
            case Source::kNone: return lower(node, value);
        }
    }

    /// The reader continues after unsupported operators, to find all of them.
    Value unread_value(std::uint32_t index, const NodeView& node) {
        Value value = declared_value(name(index), node);
        value.declared = block_->temporary(DType::kI8, value.shape, "unread");
        value.is_unread = true;
        return value;
    }

    void note_unread(const NodeView& node, const UnsupportedPart& part) {
        unread_.add(node.type() + ": " + part.what(), "operator " + node.name(), part.is_type());
    }

    void report_unread() const {
        if (unread_.empty()) return;
        nodes_.fail(unread_.place(), unread_.message(), unread_.problem(), unread_.items());
    }

    Tensor tensor_of(const Value& value) const {
        Tensor tensor;
        tensor.name = value.name;
        tensor.type = value.type.device_type();
        tensor.shape = ValueTensors::with_words(value.type, value.shape, 2);
        tensor.is_unsigned = value.type.is_unsigned() && !value.type.is_wide();
        tensor.words = value.type.words();
        return tensor;
    }

    void add_input(Value& value) {
        value.declared = block_->declare(tensor_of(value));
        if (!value.declared) nodes_.fail("operator " + value.name, "the name is already taken");
        block_->block().inputs.push_back(*value.declared);
        is_end_.insert(*value.declared);
    }

    void add_constant(std::uint32_t index, const NodeView& node, Value& value) {
        const std::size_t wanted = *element_count(value.shape) * value.type.bytes();
        value.is_constant = true;
        const std::span<const std::byte> data = node_data(nodes_[index]);
        if (!data.empty()) {
            if (data.size() == wanted) return;
            nodes_.fail("operator " + node.name(), "has " + std::to_string(data.size()) +
                                                       " bytes of data; " + value.type.name() +
                                                       " " + shape_text(value.shape) + " has " +
                                                       std::to_string(wanted));
        }
        if (!options_.without_weights) {
            nodes_.fail(
                "operator " + node.name() + " (" + node.type() + ")",
                "has no data: the file is compiled, and its weights are in the code of the "
                "hardware. To run the model, use the float or quantised file before compilation",
                FileProblem::kUnsupported);
        }
        constexpr std::size_t kMostMissing = std::size_t{1} << 32;
        if (wanted > kMostMissing) throw UnsupportedPart("constants of that size", false);
        graph_.missing_weights.push_back(node.name());
        values_.set_missing_data(index, graph_.own_bytes(std::vector<std::byte>(wanted)));
    }

    static Value* single(Operands& operands, const NodeView& node, const char* argument) {
        const std::vector<Value*> all = operands.of(node, argument);
        if (all.size() > 1) {
            node.illegal(argument, std::to_string(all.size()) + " operators",
                         "the argument is one operator");
        }
        return all.empty() ? nullptr : all[0];
    }

    void lower(const NodeView& node, Value& value) {
        const OperatorRow* row = find_operator(node.type());
        if (row == nullptr) throw UnsupportedPart("operator", false);
        Operands operands(values_, *block_);
        Call call{node, row->vocabulary, operands.of(node, "input")};
        if (call.inputs.empty() || (row->inputs == Inputs::kOne && call.inputs.size() > 1)) {
            node.illegal("input", std::to_string(call.inputs.size()) + " operators",
                         row->inputs == Inputs::kOne ? "the operator has one input"
                                                     : "the operator has inputs");
        }
        if (row->weights != Weights::kNone) {
            const char* argument = row->weights == Weights::kSlopes ? "weight" : "weights";
            call.weights = single(operands, node, argument);
            if (call.weights == nullptr) {
                node.illegal(argument, "missing",
                             "the operator has the argument " + std::string(argument));
            }
            call.bias = single(operands, node, "bias");
        }
        for (const Value* operand : call.inputs) require_known(*operand);
        for (const Value* operand : {call.weights, call.bias}) {
            if (operand != nullptr) require_known(*operand);
        }
        Value result = value;
        result.type = call.input().type;
        (lowering_->*row->lower)(call, result);
        warn_of_unread(node);
        take_spelling(value, result);
        check_result(call, value, result);
        value = std::move(result);
        name_result(value);
    }

    /// Tools write notes as attributes, so unread attributes are not errors. The warning helps to
    /// find misspelt names.
    void warn_of_unread(const NodeView& node) {
        constexpr std::size_t kMostWarnings = 100;
        for (const std::string& name : node.unread_attributes()) {
            if (graph_.warnings.size() >= kMostWarnings) return;
            if (!told_.insert(node.type() + " " + name).second) continue;
            graph_.warnings.push_back(source_.name + ": warning: operator " + node.name() + " (" +
                                      node.type() + "): the attribute " + name +
                                      " is ignored, because it changes nothing");
        }
    }

    /// A refused operator cannot be an operand; one message is enough.
    static void require_known(const Value& value) {
        if (value.is_unread) throw UnreadOperand();
    }

    /// Files spell the shape of a single value [] or [1].
    void take_spelling(const Value& declared, Value& result) {
        const auto is_single = [](const Shape& shape) {
            return shape.empty() || shape == Shape{1};
        };
        if (declared.shape == result.shape || !is_single(declared.shape) ||
            !is_single(result.shape)) {
            return;
        }
        ValueTensors& tensors = lowering_->tensors();
        result.declared =
            tensors.reshape(result.type, tensors.declared(result), declared.shape, "single");
        result.shape = declared.shape;
    }

    static void check_result(const Call& call, const Value& declared, const Value& result) {
        if (declared.type != result.type) {
            call.node.illegal("output tensor", declared.type.name(),
                              "the result of this operator is " + result.type.name());
        }
        if (declared.shape != result.shape) {
            call.node.illegal(
                "output tensor", shape_text(declared.shape),
                "the result has the shape that the attributes give, " + shape_text(result.shape));
        }
    }

    /// The result has the operator's name, in either dimension order.
    void name_result(const Value& value) {
        const TensorIndex tensor = value.declared ? *value.declared : *value.channels_last;
        if (block_->tensor(tensor).name.view().starts_with(value.name + ".")) {
            block_->rename(tensor, value.name);
        }
    }

    /// A result without a user is an output of the graph.
    void add_output(std::uint32_t index) {
        if (is_used_[index]) return;
        const Node wire = nodes_.unpacked(index);
        const NodeView node(wire);
        if (source_of(node) != Source::kNone) return;
        Value value = values_.value(index, *block_);
        block_->begin_operator({index, name(index), name(index)});
        TensorIndex tensor = lowering_->tensors().declared(value);
        Block& main = block_->block();
        if (block_->tensor(tensor).has_data || is_end_.contains(tensor)) {
            tensor = lowering_->tensors().ops().unary(OpCode::kIdentity, tensor, "result");
        }
        block_->rename(tensor, output_name(index, node));
        main.tensors[tensor].words = value.type.words();
        main.tensors[tensor].is_unsigned = value.type.is_unsigned() && !value.type.is_wide();
        main.outputs.push_back(tensor);
        is_end_.insert(tensor);
    }

    /// Returns the operator whose result an Output passes on, possibly through other Outputs.
    /// Returns other operators unchanged.
    std::uint32_t given_out(std::uint32_t index) const {
        for (;;) {
            const Node wire = nodes_.unpacked(index);
            const NodeView node(wire);
            if (node.type() != "Output") return index;
            index = nodes_.find(node.argument("input")[0], node.name());
        }
    }

    void count_outputs() {
        for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
            if (!is_used_[i]) ++outputs_of_[given_out(i)];
        }
    }

    /// An Output has the name of its source. It keeps its own name if the source is an input, a
    /// constant, or the source of another Output.
    Name output_name(std::uint32_t index, const NodeView& node) const {
        if (node.type() != "Output") return name(index);
        const std::uint32_t source = given_out(index);
        const Node wire = nodes_.unpacked(source);
        const bool is_own =
            source_of(NodeView(wire)) == Source::kNone && outputs_of_.at(source) == 1;
        return is_own ? name(source) : name(index);
    }

    const GraphSource& source_;
    const ReadOptions& options_;
    NodeTable nodes_{source_};
    ValueStore values_{nodes_};
    std::vector<bool> is_used_ = std::vector<bool>(nodes_.size());
    Graph graph_;
    BlockBuilder* block_ = nullptr;
    Lowering* lowering_ = nullptr;
    UnreadParts unread_;
    std::unordered_set<TensorIndex> is_end_;  ///< inputs and outputs of the graph
    std::unordered_map<std::uint32_t, std::uint32_t> outputs_of_;  ///< by operator (given_out)
    std::unordered_set<std::string> told_;  ///< types with attributes that are not read
};

}  // namespace
}  // namespace xmodel

// The container has no magic number. It is a list of fields 1 (a name, once), 5 (operators), 10, 11
// and 101, and an operator begins with its name.
bool probe_xmodel(std::span<const std::byte> bytes) {
    using xmodel::WireFields;
    WireFields fields(bytes);
    bool has_name = false;
    // A container that is truncated within an operator still counts as one.
    while (fields.next() || fields.is_damaged()) {
        const std::uint32_t field = fields.number();
        if (field == WireFields::kFileNodes) {
            return !fields.bytes().empty() &&
                   fields.bytes()[0] == std::byte{WireFields::kNodeName << 3 | 2};
        }
        const bool is_name = field == WireFields::kNodeName && !has_name;
        if (!is_name && field != 10 && field != 11 && field != 101) return false;
        if (fields.is_damaged()) return false;
        has_name = has_name || is_name;
    }
    return false;
}

Graph read_xmodel(const GraphSource& source, const ReadOptions& options) {
    Graph graph = xmodel::Reader(source, options).read();
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
