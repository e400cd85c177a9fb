// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_reader.h"

#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <climits>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "isa/errors.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/schedule.h"
#include "sim/graph/xmodel/xmodel_lowering.h"

namespace okksim::sim::graph {

namespace xmodel {
namespace {

enum class Inputs : std::uint8_t { kOne, kMany };
enum class Weights : std::uint8_t { kNone, kWeights, kSlopes };

struct Row {
    std::string_view type;
    Vocabulary vocabulary;
    Inputs inputs;
    Weights weights;
    void (Lowering::*lower)(const Call&, Value&);
};

constexpr Row kRows[] = {
#define OKKSIM_XMODEL_OPERATOR(name, vocabulary, inputs, weights, lowering) \
    {name, Vocabulary::vocabulary, Inputs::inputs, Weights::weights, &Lowering::lowering},
#include "sim/graph/xmodel/xmodel_operators.def"
#undef OKKSIM_XMODEL_OPERATOR
};

/// What stands at the beginning of a graph.
enum class Source : std::uint8_t { kNone, kInput, kConstant };

/// A placeholder that has an input stands for that.
Source source_of(const NodeView& node) {
    const std::string_view type = node.type();
    if (!node.argument("input").empty()) return Source::kNone;
    if (type == "Input" || type == "data" || type == "data-fix") return Source::kInput;
    if (type == "Const" || type == "const" || type == "const-fix") return Source::kConstant;
    return Source::kNone;
}

const std::unordered_map<std::string_view, const Row*>& rows() {
    static const auto table = [] {
        std::unordered_map<std::string_view, const Row*> result;
        for (const Row& row : kRows) result.emplace(row.type, &row);
        return result;
    }();
    return table;
}

/// An operator takes the result of one that is not read.
struct UnreadOperand {};

class Reader {
 public:
    Reader(const GraphSource& source, const ReadOptions& options)
        : source_(source), options_(options) {}

    Graph read() {
        parse();
        order_nodes();
        graph_.storage.push_back(file_);
        graph_.regions.push_back({"main", {}});
        graph_.regions[0].blocks.emplace_back();
        graph_.regions[0].blocks[0].name = "main";
        BlockBuilder block(graph_, graph_.regions[0].blocks[0]);
        block_ = &block;
        Lowering lowering(block);
        lowering_ = &lowering;
        for (const std::size_t index : order_) read_node(index);
        report_unread();
        for (std::size_t i = 0; i < nodes_.size(); ++i) add_output(i);
        if (graph_.regions[0].blocks[0].outputs.empty()) fail("nodes", "the graph has no result");
        return std::move(graph_);
    }

 private:
    [[noreturn]] void fail(const std::string& place, const std::string& message,
                           FileProblem problem = FileProblem::kDamaged,
                           UnreadItems unread = {}) const {
        throw GraphFileError(source_.name, place, std::nullopt, message, problem,
                             std::move(unread));
    }

    void parse() {
        auto file = std::make_shared<File>();
        if (source_.bytes.size() > INT_MAX) {
            fail("", "the container is larger than 2 GiB, which its form does not allow");
        }
        const google::protobuf::LogSilencer silencer;  // the error below says it
        if (!file->ParseFromArray(source_.bytes.data(), static_cast<int>(source_.bytes.size()))) {
            fail("", "the container is truncated or damaged");
        }
        file_ = std::move(file);
        for (const Node& node : file_->nodes()) nodes_.emplace_back(node);
        values_.resize(nodes_.size());
    }

    std::size_t find(const std::string& name, const NodeView& user) const {
        const auto found = places_.find(name);
        if (found != places_.end()) return found->second;
        fail("operator " + user.name(),
             "takes the result of \"" + name + "\", which is no operator of the file");
    }

    /// Operators after those whose results they take, otherwise in the file's order.
    void order_nodes() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].name().empty()) fail("nodes[" + std::to_string(i) + "]", "has no name");
            if (!places_.emplace(nodes_[i].name(), i).second) {
                fail("operator " + nodes_[i].name(), "the name is already taken");
            }
        }
        std::vector<std::vector<std::size_t>> users(nodes_.size());
        std::vector<std::size_t> waits_for(nodes_.size(), 0);
        std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            for (const Argument& argument : nodes_[i].wire().arguments()) {
                for (const std::string& name : argument.nodes()) {
                    users[find(name, nodes_[i])].push_back(i);
                    ++waits_for[i];
                }
            }
            if (waits_for[i] == 0) ready.push(i);
        }
        while (!ready.empty()) {
            const std::size_t next = ready.top();
            ready.pop();
            order_.push_back(next);
            for (const std::size_t user : users[next]) {
                if (--waits_for[user] == 0) ready.push(user);
            }
        }
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (waits_for[i] > 0) {
                fail("operator " + nodes_[i].name(), "takes its own result, through others");
            }
            is_used_.push_back(!users[i].empty());
        }
    }

    /// What the file says of an operator's result.
    Value declared_value(const NodeView& node) const {
        const Output& output = node.wire().output();
        Value value;
        value.name = node.name();
        if (output.kind() < 0 || output.kind() >= kElementKindCount) {
            node.illegal("data_type", std::to_string(output.kind()), "the type is one of 0 to 5");
        }
        value.type = {static_cast<ElementKind>(output.kind()), output.bits()};
        value.shape.assign(output.dimensions().begin(), output.dimensions().end());
        const auto count = element_count(value.shape);
        if (!count || *count == 0 || value.shape.size() > 32) {
            node.illegal("output tensor", shape_text(value.shape),
                         "tensors have elements, and at most 32 dimensions");
        }
        if (const Attribute* point = node.output_attribute("fix_point")) {
            const auto number = integer_of(*point);
            if (!number || *number < -64 || *number > 64) {
                node.illegal("fix_point", number ? std::to_string(*number) : "no number",
                             "fix_point is a number of bits, -64 to 64");
            }
            value.fix_point = static_cast<int>(*number);
        }
        value.rounding = rounding(node);
        return value;
    }

    static Rounding rounding(const NodeView& node) {
        const Attribute* mode = node.output_attribute("round_mode");
        const std::string word = mode != nullptr ? mode->text() : "";
        return word.empty() ? Rounding::kHalfUp : rounding_of(node, word);
    }

    void read_node(std::size_t index) {
        const NodeView& node = nodes_[index];
        block_->begin_operator(static_cast<std::uint32_t>(index), node.name(), node.name(),
                               node.name());
        Value& value = values_[index];
        value = declared_value(node);
        try {
            if (value.type.device_type() == DType::kUnknown) {
                throw UnsupportedPart("tensors of " + value.type.name(), true);
            }
            switch (source_of(node)) {
                case Source::kInput: return add_input(value);
                case Source::kConstant: return add_constant(node, value);
                case Source::kNone: return lower(node, value);
            }
        } catch (const UnsupportedPart& part) {
            note_unread(node, part);
            set_unread(node, value);
        } catch (const UnreadOperand&) {
            set_unread(node, value);
        }
    }

    /// The reader goes on to find all that is not read.
    void set_unread(const NodeView& node, Value& value) {
        value = declared_value(node);
        value.declared = block_->temporary(DType::kI8, value.shape, "unread");
        is_unread_.insert(&value);
    }

    void note_unread(const NodeView& node, const UnsupportedPart& part) {
        all_are_types_ = all_are_types_ && part.is_type();
        const std::string what = node.type() + ": " + part.what();
        const auto known = std::find_if(unread_.begin(), unread_.end(),
                                        [&](const UnreadItem& item) { return item.what == what; });
        if (known != unread_.end()) {
            ++known->count;
        } else {
            unread_.push_back({what, "operator " + node.name(), 1});
        }
    }

    void report_unread() const {
        if (unread_.empty()) return;
        const UnreadItem& first = unread_.front();
        std::string message = first.what + " is not supported";
        if (unread_.size() > 1) {
            message += ", and " + std::to_string(unread_.size() - 1) +
                       " others: okksim coverage lists them";
        }
        fail(first.place, message,
             all_are_types_ ? FileProblem::kUnsupportedType : FileProblem::kUnsupported, unread_);
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
        if (!value.declared) fail("operator " + value.name, "the name is already taken");
        block_->block().inputs.push_back(*value.declared);
        is_end_.insert(*value.declared);
    }

    void add_constant(const NodeView& node, Value& value) {
        const std::size_t wanted = *element_count(value.shape) * value.type.bytes();
        value.is_constant = true;
        const std::string* data = node.data();
        if (data != nullptr && !data->empty()) {
            if (data->size() != wanted) {
                fail("operator " + node.name(), "has " + std::to_string(data->size()) +
                                                    " bytes of data; " + value.type.name() + " " +
                                                    shape_text(value.shape) + " has " +
                                                    std::to_string(wanted));
            }
            value.data = std::as_bytes(std::span(data->data(), data->size()));
            return;
        }
        if (!options_.without_weights) {
            fail("operator " + node.name() + " (" + node.type() + ")",
                 "has no data: the file is compiled, and its weights are in the code of the "
                 "hardware. okksim coverage says what it needs; to run it, take the float or the "
                 "quantised file that it was compiled from",
                 FileProblem::kUnsupported);
        }
        constexpr std::size_t kMostMissing = std::size_t{1} << 32;
        if (wanted > kMostMissing) throw UnsupportedPart("constants of that size", false);
        graph_.missing_weights.push_back(node.name());
        value.data = graph_.own_bytes(std::vector<std::byte>(wanted));
    }

    std::vector<Value*> operands(const NodeView& node, const char* argument) {
        std::vector<Value*> result;
        for (const std::string& name : node.argument(argument)) {
            result.push_back(&values_[find(name, node)]);
        }
        return result;
    }

    Value* single(const NodeView& node, const char* argument) {
        const std::vector<Value*> all = operands(node, argument);
        if (all.size() > 1) {
            node.illegal(argument, std::to_string(all.size()) + " operators",
                         "the argument is one operator");
        }
        return all.empty() ? nullptr : all[0];
    }

    void lower(const NodeView& node, Value& value) {
        const auto row = rows().find(node.type());
        if (row == rows().end()) throw UnsupportedPart("operator", false);
        Call call{node, row->second->vocabulary, operands(node, "input")};
        if (call.inputs.empty() ||
            (row->second->inputs == Inputs::kOne && call.inputs.size() > 1)) {
            node.illegal("input", std::to_string(call.inputs.size()) + " operators",
                         row->second->inputs == Inputs::kOne ? "the operator has one input"
                                                             : "the operator has inputs");
        }
        if (row->second->weights != Weights::kNone) {
            const char* argument = row->second->weights == Weights::kSlopes ? "weight" : "weights";
            call.weights = single(node, argument);
            if (call.weights == nullptr) {
                node.illegal(argument, "missing",
                             "the operator has the argument " + std::string(argument));
            }
            call.bias = single(node, "bias");
        }
        for (const Value* operand : call.inputs) require_known(*operand);
        for (const Value* operand : {call.weights, call.bias}) {
            if (operand != nullptr) require_known(*operand);
        }
        Value result = value;
        result.type = call.input().type;
        (lowering_->*row->second->lower)(call, result);
        check_result(call, value, result);
        value = std::move(result);
        name_result(value);
    }

    /// What has been refused already is no operand: one message is enough.
    void require_known(const Value& value) const {
        if (is_unread_.contains(&value)) throw UnreadOperand();
    }

    static void check_result(const Call& call, const Value& declared, const Value& result) {
        if (declared.type != call.input().type) {
            call.node.illegal("output tensor", declared.type.name(),
                              "the result has the type of the input, " + call.input().type.name());
        }
        if (declared.shape != result.shape) {
            call.node.illegal(
                "output tensor", shape_text(declared.shape),
                "the result has the shape that the attributes give, " + shape_text(result.shape));
        }
    }

    /// The result bears the operator's name, whichever order it is in.
    void name_result(const Value& value) {
        const TensorIndex tensor = value.declared ? *value.declared : *value.channels_last;
        if (block_->tensor(tensor).name.starts_with(value.name + ".")) {
            block_->rename(tensor, value.name);
        }
    }

    /// What no other operator takes is a result of the graph.
    void add_output(std::size_t index) {
        const NodeView& node = nodes_[index];
        if (is_used_[index] || source_of(node) != Source::kNone) return;
        Value& value = values_[index];
        block_->begin_operator(static_cast<std::uint32_t>(index), node.name(), node.name(),
                               node.name());
        TensorIndex tensor = lowering_->tensors().declared(value);
        Block& main = block_->block();
        if (block_->tensor(tensor).has_data || is_end_.contains(tensor)) {
            tensor = lowering_->tensors().ops().unary(OpCode::kIdentity, tensor, "result");
        }
        block_->rename(tensor, output_name(node));
        main.tensors[tensor].words = value.type.words();
        main.tensors[tensor].is_unsigned = value.type.is_unsigned() && !value.type.is_wide();
        main.outputs.push_back(tensor);
        is_end_.insert(tensor);
    }

    /// An Output is called like what it gives out, unless that is an input or another output.
    std::string output_name(const NodeView& node) const {
        if (node.type() != "Output") return node.name();
        const NodeView& source = nodes_[find(node.argument("input")[0], node)];
        const auto taken = block_->find(source.name());
        const bool is_output = taken && is_end_.contains(*taken);
        return source_of(source) != Source::kNone || is_output ? node.name() : source.name();
    }

    const GraphSource& source_;
    const ReadOptions& options_;
    std::shared_ptr<const File> file_;
    std::vector<NodeView> nodes_;
    std::vector<Value> values_;
    std::vector<std::size_t> order_;
    std::vector<bool> is_used_;
    std::unordered_map<std::string_view, std::size_t> places_;
    Graph graph_;
    BlockBuilder* block_ = nullptr;
    Lowering* lowering_ = nullptr;
    UnreadItems unread_;
    std::unordered_set<const Value*> is_unread_;
    std::unordered_set<TensorIndex> is_end_;  ///< inputs and outputs of the graph
    bool all_are_types_ = true;
};

/// Reads a protobuf varint; nothing when the bytes end or the number is too long.
std::optional<std::uint64_t> take_varint(std::span<const std::byte>& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto byte = std::to_integer<std::uint64_t>(bytes[0]);
        bytes = bytes.subspan(1);
        value |= (byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    return std::nullopt;
}

}  // namespace
}  // namespace xmodel

// The container has no magic number: it is a list of fields 1 (a name, once), 5 (operators), 10,
// 11 and 101, and an operator begins with its name.
bool probe_xmodel(std::span<const std::byte> bytes) {
    constexpr std::uint64_t kLengthDelimited = 2, kName = 1, kOperator = 5;
    bool has_name = false;
    while (!bytes.empty()) {
        const auto tag = xmodel::take_varint(bytes);
        const auto size = xmodel::take_varint(bytes);
        if (!tag || !size || (*tag & 7) != kLengthDelimited) return false;
        const std::uint64_t field = *tag >> 3;
        if (field == kOperator) return !bytes.empty() && bytes[0] == std::byte{kName << 3 | 2};
        if (field != kName && field != 10 && field != 11 && field != 101) return false;
        if (field == kName && has_name) return false;
        has_name = has_name || field == kName;
        if (*size > bytes.size()) return false;
        bytes = bytes.subspan(*size);
    }
    return false;
}

Graph read_xmodel(const GraphSource& source, const ReadOptions& options) {
    Graph graph = xmodel::Reader(source, options).read();
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
