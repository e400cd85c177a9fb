// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v1/tosa_v1_reader.h"

#include <array>
#include <string_view>
#include <unordered_map>

#include "sim/graph/captures.h"
#include "sim/graph/flatbuffer/file_check.h"
#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/flatbuffer/file_version.h"
#include "sim/graph/flatbuffer/known_operators.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/name_index.h"
#include "sim/graph/recent_values.h"
#include "sim/graph/schedule.h"
#include "sim/graph/tosa_v1/tosa_v1_attributes.h"
#include "sim/graph/validate/signatures.h"

namespace okksim::sim::graph {

namespace {

/// Returns the tensor names of the current block.
struct TensorNames {
    const Block* block = nullptr;
    std::string_view operator()(TensorIndex index) const { return block->tensors[index].name; }
};
using NameMap = NameIndex<TensorNames>;

/// The schema in the form that flatbuffer/file_check.h expects.
struct TosaV1Schema {
    using Root = wire::TosaGraph;
    using Region = wire::TosaRegion;
    using Block = wire::TosaBasicBlock;
    using Op = wire::TosaOperator;
    using Tensor = wire::TosaTensor;
    using Shape = wire::TosaShape;
    using Version = wire::Version;
    static constexpr auto verify_attribute = &wire::VerifyAttribute;
    static std::array<const flatbuffers::String*, 2> attribute_strings(const Op& op) {
        if (const auto* a = op.attribute_as_CustomAttribute()) {
            return {a->operator_name(), a->domain_name()};
        }
        if (const auto* a = op.attribute_as_CondIfAttribute()) {
            return {a->then_graph(), a->else_graph()};
        }
        if (const auto* a = op.attribute_as_WhileLoopAttribute()) {
            return {a->cond_graph(), a->body_graph()};
        }
        return {};
    }
};

/// Converts a checked file to a graph. Each object reads one file.
class Reader {
 public:
    Reader(std::span<const std::byte> bytes, const std::string& file)
        : bytes_(bytes), file_(file) {}

    void read(Graph& graph) {
        const wire::TosaGraph& root = check_graph_file<TosaV1Schema>(bytes_, file_);
        graph.version = read_version(*root.version());
        if (root.regions() == nullptr || root.regions()->size() == 0) {
            fail("regions", &root, "the graph has no region");
        }
        check_known_operators(root, kOpCodeCount + 1, file_, "1.0");
        for (const auto* region : *root.regions()) read_region(graph, *region);
        const auto entry = find_entry(graph);
        if (!entry) fail("regions[0].blocks", &root, "the first region has no block to run");
        graph.entry = *entry;
        for (const PendingReference& reference : pending_) resolve(graph, reference);
    }

 private:
    /// A control-flow operator whose block names are resolved after all blocks are known.
    struct PendingReference {
        BlockReference block;
        std::uint32_t operator_index;
        const wire::TosaOperator* op;
    };

    [[noreturn]] void fail(const std::string& table, const void* where, const std::string& message,
                           const char* advice = kFetchOrCorrect) const {
        throw GraphFileError(file_, table, offset_of(where), message + advice);
    }

    /// Refuses a valid part of a file that is not supported.
    [[noreturn]] void refuse(const std::string& table, const void* where,
                             const std::string& message) const {
        throw GraphFileError(file_, table, offset_of(where), message, FileProblem::kUnsupported);
    }

    std::uint64_t offset_of(const void* where) const {
        return static_cast<std::uint64_t>(static_cast<const std::byte*>(where) - bytes_.data());
    }

    std::string block_path() const {
        return "regions[" + std::to_string(place_.region) + "].blocks[" +
               std::to_string(place_.block) + "]";
    }
    std::string item_path(const char* list, std::size_t index) const {
        return block_path() + "." + list + "[" + std::to_string(index) + "]";
    }

    Version read_version(const wire::Version& version) const {
        const Version result{version._major(), version._minor(), version._patch(),
                             version._draft()};
        if (result.major != 1 || result.minor != 0) {
            refuse(
                "version", &version,
                "the file is of TOSA " + std::to_string(result.major) + "." +
                    std::to_string(result.minor) + "." + std::to_string(result.patch) +
                    "; the versions that are read are 0.90 and 1.0: write the model again with a "
                    "TOSA 1.0 tool");
        }
        return result;
    }

    void read_region(Graph& graph, const wire::TosaRegion& region) {
        place_.region = static_cast<std::uint32_t>(graph.regions.size());
        graph.regions.push_back({std::string(view(region.name())), {}});
        if (region.blocks() == nullptr) return;
        for (const auto* block : *region.blocks()) {
            auto& blocks = graph.regions.back().blocks;
            place_.block = static_cast<std::uint32_t>(blocks.size());
            blocks.emplace_back();
            read_block(graph, blocks.back(), *block);
        }
    }

    void read_block(Graph& graph, Block& block, const wire::TosaBasicBlock& source) {
        block.name = view(source.name());
        names_ = NameMap(TensorNames{&block});
        if (source.tensors() != nullptr) {
            for (const auto* tensor : *source.tensors()) read_tensor(graph, block, *tensor);
        }
        if (source.shapes() != nullptr) {
            for (std::uint32_t i = 0; i < source.shapes()->size(); ++i) {
                read_shape(block, *source.shapes()->Get(i), item_path("shapes", i));
            }
        }
        if (source.operators() != nullptr) {
            for (const auto* op : *source.operators()) read_operator(block, *op);
        }
        block.inputs = look_up(block, source.inputs());
        block.outputs = look_up(block, source.outputs());
    }

    void add_tensor(Block& block, Tensor tensor, const flatbuffers::String* name,
                    const std::string& path, const void* where) {
        tensor.name = Name(view(name));
        if (tensor.name.empty()) fail(path, where, "the tensor has no name");
        const auto index = static_cast<TensorIndex>(block.tensors.size());
        block.tensors.push_back(std::move(tensor));
        if (!names_.insert(index)) {
            fail(path, where,
                 "the name \"" + std::string(view(name)) + "\" is already taken in this block");
        }
    }

    void read_tensor(Graph& graph, Block& block, const wire::TosaTensor& source) {
        const std::string path = item_path("tensors", block.tensors.size());
        Tensor tensor;
        if (source.type() > wire::DType::MAX) {
            fail(path + ".type", &source,
                 "the data type has the unknown value " +
                     std::to_string(static_cast<std::uint32_t>(source.type())) +
                     "; newer versions of TOSA have more types",
                 ": write the model for TOSA 1.0");
        }
        tensor.type = static_cast<DType>(source.type());
        tensor.is_unranked = source.is_unranked();
        if (const auto* shape = source.shape()) {
            if (shape->size() > kMaxDimensions) {
                fail(path + ".shape", shape,
                     "has " + std::to_string(shape->size()) + " dimensions; at most " +
                         std::to_string(kMaxDimensions) + " are allowed");
            }
            tensor.shape = shapes_.share(Shape(shape->begin(), shape->end()));
        }
        read_data(tensor, source, path);
        if (source.variable()) tensor.variable = find_variable(graph, tensor, source, path);
        add_tensor(block, std::move(tensor), source.name(), path, &source);
    }

    void read_data(Tensor& tensor, const wire::TosaTensor& source, const std::string& path) const {
        if (source.offset() > 1) {
            if (source.offset() > bytes_.size() ||
                source.size() > bytes_.size() - source.offset()) {
                fail(path + ".offset", &source,
                     "the constant at " + std::to_string(source.offset()) + " of " +
                         std::to_string(source.size()) + " bytes leaves the file of " +
                         std::to_string(bytes_.size()) + " bytes: truncated");
            }
            tensor.data = bytes_.subspan(source.offset(), source.size());
        } else if (source.data() != nullptr) {
            tensor.data = std::as_bytes(std::span(source.data()->data(), source.data()->size()));
        }
        if (tensor.data.empty()) return;
        const auto count = element_count(tensor.shape);
        if (!count || tensor.data.size() < storage_bytes(tensor.type, *count)) {
            fail(path + ".data", &source,
                 "has " + std::to_string(tensor.data.size()) + " bytes of data, too few for " +
                     std::string(dtype_name(tensor.type)) + " " + shape_text(tensor.shape));
        }
        tensor.has_data = true;
    }

    void read_shape(Block& block, const wire::TosaShape& source, const std::string& path) {
        Tensor tensor;
        tensor.type = DType::kShape;
        tensor.shape = {static_cast<std::int64_t>(source.rank())};
        tensor.has_data = true;
        const std::size_t size = source.data() == nullptr ? 0 : source.data()->size();
        if (size / sizeof(std::int64_t) < source.rank()) {
            fail(path + ".data", &source,
                 "has " + std::to_string(size) + " bytes of data, too few for " +
                     std::to_string(source.rank()) + " values");
        }
        if (size > 0) tensor.data = std::as_bytes(std::span(source.data()->data(), size));
        add_tensor(block, std::move(tensor), source.name(), path, &source);
    }

    std::uint32_t find_variable(Graph& graph, Tensor& tensor, const wire::TosaTensor& source,
                                const std::string& path) {
        const auto next = static_cast<std::uint32_t>(graph.variables.size());
        const auto [entry, is_new] = variables_.emplace(view(source.name()), next);
        if (is_new) {
            graph.variables.push_back({std::string(view(source.name())),
                                       std::string(view(source.variable_name())),
                                       tensor.type,
                                       tensor.shape,
                                       {}});
        }
        Variable& variable = graph.variables[entry->second];
        if (variable.type != tensor.type || variable.shape != tensor.shape) {
            fail(path, &source,
                 "variable \"" + variable.name + "\" is " + std::string(dtype_name(variable.type)) +
                     " " + shape_text(variable.shape) + " in another block and " +
                     std::string(dtype_name(tensor.type)) + " " + shape_text(tensor.shape) +
                     " here");
        }
        if (variable.initial_value.empty()) variable.initial_value = tensor.data;
        // The state is not a constant of the block.
        tensor.data = {};
        tensor.has_data = false;
        return entry->second;
    }

    /// A name that the block lacks refers to a value of an enclosing block. Its existence is
    /// checked after all blocks have been read.
    std::vector<TensorIndex> look_up(
        Block& block, const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* list) {
        std::vector<TensorIndex> indices;
        if (list == nullptr) return indices;
        indices.reserve(list->size());
        for (const auto* name : *list) {
            auto index = names_.find(view(name));
            if (!index) {
                index = static_cast<TensorIndex>(block.tensors.size());
                Tensor capture;
                capture.name = Name(view(name));
                capture.is_capture = true;
                block.tensors.push_back(std::move(capture));
                block.captures.push_back(*index);
                names_.insert(*index);
            }
            indices.push_back(*index);
        }
        return indices;
    }

    void read_operator(Block& block, const wire::TosaOperator& source) {
        const auto index = static_cast<std::uint32_t>(block.operators.size());
        const std::string path = item_path("operators", index);
        Operator op;
        op.op = static_cast<OpCode>(source.op());
        op.index = index;
        op.attributes = attributes_.share(
            read_attributes(source, [&](const std::string& field, const std::string& message) {
                fail(path + " " + std::string(op_name(op.op)) + " " + field, &source, message);
            }));
        if (source.location() != nullptr) op.location = Name(view(source.location()->text()));
        std::vector<TensorIndex> inputs = look_up(block, source.inputs());
        std::vector<TensorIndex> outputs = look_up(block, source.outputs());
        if (source.attribute_type() == wire::Attribute::VariableReadAttribute) {
            op.op = OpCode::kVariableRead;
        } else if (source.attribute_type() == wire::Attribute::VariableWriteAttribute) {
            op.op = OpCode::kVariableWrite;
        }
        if (op.attributes_if<VariableAttributes>() != nullptr) {
            const bool outputs_first = op.op == OpCode::kVariableWrite;
            op.attributes = bind_variable(block, op, outputs_first ? outputs : inputs,
                                          outputs_first ? inputs : outputs, path, source);
        }
        op.inputs = inputs;
        op.outputs = outputs;
        check_operand_counts(block, op);
        if (op.op == OpCode::kCondIf || op.op == OpCode::kWhileLoop) {
            pending_.push_back({place_, index, &source});
        }
        block.operators.push_back(std::move(op));
    }

    /// Removes the variable tensor from the operand lists. Writers list it as an input or an
    /// output; in the graph it is an attribute.
    Attributes bind_variable(const Block& block, const Operator& op,
                             std::vector<TensorIndex>& first, std::vector<TensorIndex>& second,
                             const std::string& path, const wire::TosaOperator& source) const {
        OptionalIndex variable;
        const auto take = [&](std::vector<TensorIndex>& list) {
            for (std::size_t i = 0; i < list.size() && !variable; ++i) {
                variable = block.tensors[list[i]].variable;
                if (variable) list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
            }
        };
        take(first);
        take(second);
        if (!variable) {
            fail(path, &source, std::string(op_name(op.op)) + " names no variable tensor");
        }
        return VariableAttributes{*variable};
    }

    BlockReference named_block(const Graph& graph, const PendingReference& from,
                               const flatbuffers::String* name, const char* field) const {
        const auto wanted = view(name);
        if (const auto block = find_block(graph, from.block.region, wanted)) return *block;
        fail("regions[" + std::to_string(from.block.region) + "].blocks[" +
                 std::to_string(from.block.block) + "].operators[" +
                 std::to_string(from.operator_index) + "]." + field,
             from.op,
             "names \"" + std::string(wanted) + "\", which is neither a region nor a block");
    }

    void resolve(Graph& graph, const PendingReference& reference) const {
        Operator& op = graph.regions[reference.block.region]
                           .blocks[reference.block.block]
                           .operators[reference.operator_index];
        if (const auto* names = reference.op->attribute_as_CondIfAttribute()) {
            op.attributes = CondIfAttributes{
                {named_block(graph, reference, names->then_graph(), "then_graph"), {}},
                {named_block(graph, reference, names->else_graph(), "else_graph"), {}}};
        } else if (const auto* loop = reference.op->attribute_as_WhileLoopAttribute()) {
            op.attributes = WhileLoopAttributes{
                {named_block(graph, reference, loop->cond_graph(), "cond_graph"), {}},
                {named_block(graph, reference, loop->body_graph(), "body_graph"), {}}};
        }
    }

    std::span<const std::byte> bytes_;
    const std::string& file_;
    BlockReference place_;
    NameMap names_{TensorNames{}};
    RecentValues<Shape> shapes_;
    RecentValues<Attributes> attributes_;
    std::unordered_map<std::string_view, std::uint32_t> variables_;
    std::vector<PendingReference> pending_;
};

}  // namespace

bool probe_tosa_v1(std::span<const std::byte> bytes) { return is_tosa_flatbuffer(bytes); }

Graph read_tosa_v1(const GraphSource& source, const ReadOptions&) {
    Graph graph;
    graph.storage.push_back(source.owner);
    Reader(source.bytes, source.name).read(graph);
    bind_captures(graph);
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
