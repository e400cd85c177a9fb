// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tosa_v090/tosa_v090_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "sim/graph/captures.h"
#include "sim/graph/element.h"
#include "sim/graph/flatbuffer/file_check.h"
#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/flatbuffer/file_version.h"
#include "sim/graph/flatbuffer/known_operators.h"
#include "sim/graph/graph_errors.h"
#include "sim/graph/schedule.h"
#include "sim/graph/tosa_v090/tosa_v090_lowering.h"
#include "sim/graph/validate/signatures.h"

namespace okksim::sim::graph {

namespace {

constexpr std::size_t kFileBytesOfBf16 = 4;

/// The schema in the form that flatbuffer/file_check.h expects.
struct TosaV090Schema {
    using Root = wire090::TosaGraph;
    using Region = wire090::TosaRegion;
    using Block = wire090::TosaBasicBlock;
    using Op = wire090::TosaOperator;
    using Tensor = wire090::TosaTensor;
    using Version = wire090::Version;
    static constexpr auto verify_attribute = &wire090::VerifyAttribute;
    static std::array<const flatbuffers::String*, 2> attribute_strings(const Op& op) {
        if (const auto* a = op.attribute_as_CustomAttribute()) {
            return {a->operator_name(), a->domain_name()};
        }
        if (const auto* a = op.attribute_as_CondIfAttribute()) {
            return {a->then_branch(), a->else_branch()};
        }
        if (const auto* a = op.attribute_as_WhileLoopAttribute()) {
            return {a->cond_branch(), a->body_branch()};
        }
        return {};
    }
};

class ReaderV090 {
 public:
    ReaderV090(const GraphSource& source, const ReadOptions& options)
        : source_(source), options_(options) {}

    Graph read() {
        Graph graph;
        graph.storage.push_back(source_.owner);
        graph.beyond_v1 = feature_bit(Feature::kTosa090);
        const auto& root = check_graph_file<TosaV090Schema>(source_.bytes, source_.name);
        const auto& version = *root.version();
        graph.version = {version._major(), version._minor(), version._patch(), version._draft()};
        if (root.regions() == nullptr || root.regions()->size() == 0) {
            fail("regions", &root, "the graph has no region");
        }
        check_known_operators(root, static_cast<std::uint32_t>(wire090::Op::MAX) + 1, source_.name,
                              "0.90");
        // All blocks are created first, as builders keep references to them.
        for (const auto* region : *root.regions()) {
            graph.regions.push_back({std::string(view(region->name())), {}});
            if (region->blocks() == nullptr) continue;
            for (const auto* block : *region->blocks()) {
                graph.regions.back().blocks.emplace_back();
                graph.regions.back().blocks.back().name = view(block->name());
            }
        }
        const auto entry = find_entry(graph);
        if (!entry) fail("regions[0].blocks", &root, "the first region has no block to run");
        graph.entry = *entry;
        for (place_ = {0, 0}; place_.region < graph.regions.size(); ++place_.region) {
            auto& blocks = graph.regions[place_.region].blocks;
            for (place_.block = 0; place_.block < blocks.size(); ++place_.block) {
                read_block(graph, blocks[place_.block],
                           *root.regions()->Get(place_.region)->blocks()->Get(place_.block));
            }
        }
        return graph;
    }

 private:
    [[noreturn]] void fail(const std::string& table, const void* where, const std::string& message,
                           FileProblem problem = FileProblem::kDamaged) const {
        const auto offset =
            static_cast<std::uint64_t>(static_cast<const std::byte*>(where) - source_.bytes.data());
        const char* advice = problem == FileProblem::kDamaged ? kFetchOrCorrect : "";
        throw GraphFileError(source_.name, table, offset, message + advice, problem);
    }

    std::string item_path(const char* list, std::size_t index) const {
        return "regions[" + std::to_string(place_.region) + "].blocks[" +
               std::to_string(place_.block) + "]." + list + "[" + std::to_string(index) + "]";
    }

    void read_block(Graph& graph, Block& block, const wire090::TosaBasicBlock& source) {
        BlockBuilder builder(graph, block);
        ShapeValues shapes;
        if (source.tensors() != nullptr) {
            for (const auto* tensor : *source.tensors()) read_tensor(builder, *tensor);
        }
        block.inputs = look_up(builder, source.inputs());
        take_shape_inputs(graph, block, shapes);
        lower_operators(builder, shapes, source);
        block.outputs = look_up(builder, source.outputs());
    }

    void read_tensor(BlockBuilder& builder, const wire090::TosaTensor& source) {
        const std::string path = item_path("tensors", builder.block().tensors.size());
        if (source.type() > wire090::DType::MAX) {
            fail(path + ".type", &source,
                 "the data type has the unknown value " +
                     std::to_string(static_cast<std::uint32_t>(source.type())) +
                     "; TOSA 0.90 has types up to " +
                     std::to_string(static_cast<std::uint32_t>(wire090::DType::MAX)));
        }
        if (source.variable()) {
            fail(path, &source,
                 "is a variable, for which TOSA 0.90 files have no operators: write the model "
                 "with TOSA 1.0 tools",
                 FileProblem::kUnsupported);
        }
        Tensor tensor;
        tensor.name = Name(view(source.name()));
        if (tensor.name.empty()) fail(path, &source, "the tensor has no name");
        tensor.type = type_of_v090(source.type());
        tensor.is_unsigned =
            source.type() == wire090::DType::UINT8 || source.type() == wire090::DType::UINT16;
        tensor.is_unranked = source.is_unranked();
        if (const auto* shape = source.shape()) {
            if (shape->size() > kMaxDimensions)
                fail(path + ".shape", shape,
                     "has " + std::to_string(shape->size()) + " dimensions; at most " +
                         std::to_string(kMaxDimensions) + " are allowed");
            tensor.shape = Shape(shape->begin(), shape->end());
        }
        // Files usually give the size of a shape, but not if it has no values. The text of the
        // specification also permits rank 0 for single values.
        const bool has_data = source.data() != nullptr && source.data()->size() > 0;
        if (tensor.type == DType::kShape && tensor.shape.empty()) tensor.shape = {has_data ? 1 : 0};
        if (has_data) read_data(builder.graph(), tensor, source, path);
        if (!builder.declare(std::move(tensor))) {
            fail(path, &source,
                 "the name \"" + std::string(view(source.name())) +
                     "\" is already taken in this block");
        }
    }

    void read_data(Graph& graph, Tensor& tensor, const wire090::TosaTensor& source,
                   const std::string& path) const {
        const auto bytes = std::as_bytes(std::span(source.data()->data(), source.data()->size()));
        const auto count = element_count(tensor.shape);
        const bool is_bf16 = tensor.type == DType::kBf16;
        if (!count || bytes.size() < (is_bf16 ? *count * kFileBytesOfBf16
                                              : storage_bytes(tensor.type, *count))) {
            fail(path + ".data", &source,
                 "has " + std::to_string(bytes.size()) + " bytes of data, too few for " +
                     std::string(dtype_name(tensor.type)) + " " + shape_text(tensor.shape));
        }
        tensor.data = is_bf16 ? graph.own_bytes(narrow_bf16(bytes, *count, path, source)) : bytes;
        tensor.has_data = true;
    }

    /// Converts bf16 constants, which are float32 values with zero low bits.
    std::vector<std::byte> narrow_bf16(std::span<const std::byte> bytes, std::uint64_t count,
                                       const std::string& path,
                                       const wire090::TosaTensor& source) const {
        std::vector<std::byte> values(count * 2);
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::byte* from = bytes.data() + i * kFileBytesOfBf16;
            if (from[0] != std::byte{0} || from[1] != std::byte{0}) {
                fail(path + ".data", &source,
                     "value " + std::to_string(i) +
                         " is no bf16: the low half of a float32 is not zero");
            }
            std::memcpy(values.data() + 2 * i, from + 2, 2);
        }
        return values;
    }

    static std::vector<TensorIndex> look_up(
        BlockBuilder& builder,
        const flatbuffers::Vector<flatbuffers::Offset<flatbuffers::String>>* list) {
        std::vector<TensorIndex> indices;
        if (list == nullptr) return indices;
        for (const auto* name : *list) indices.push_back(builder.find_or_capture(Name(view(name))));
        return indices;
    }

    void take_shape_inputs(const Graph& graph, const Block& block, ShapeValues& shapes) const {
        if (!options_.shape_input || !(graph.entry == place_)) return;
        for (const TensorIndex index : block.inputs) {
            const Tensor& tensor = block.tensors[index];
            if (tensor.type != DType::kShape) continue;
            const auto values = options_.shape_input(tensor.name);
            if (!values) continue;
            if (tensor.shape != Shape{static_cast<std::int64_t>(values->size())}) {
                throw ConfigError("--input " + tensor.name,
                                  "has " + std::to_string(values->size()) +
                                      " values; the model's input has the shape " +
                                      shape_text(tensor.shape));
            }
            shapes[index] = *values;
        }
    }

    static OperatorV090 look_up_operator(BlockBuilder& builder, const wire090::TosaOperator& source,
                                         std::uint32_t index) {
        return {&source, look_up(builder, source.inputs()), look_up(builder, source.outputs()),
                index};
    }

    void lower_operators(BlockBuilder& builder, ShapeValues& shapes,
                         const wire090::TosaBasicBlock& source) {
        if (source.operators() == nullptr) return;
        LoweringV090 lowering(
            builder, shapes,
            [this](const OperatorV090& op, const std::string& field, const std::string& message) {
                fail(item_path("operators", op.index) + " " + std::string(op_name_v090(op)) + " " +
                         field,
                     op.wire, message);
            });
        const auto operator_at = [&](std::uint32_t i) {
            return look_up_operator(builder, *source.operators()->Get(i), i);
        };
        std::vector<OperatorV090> on_shapes;
        for (std::uint32_t i = 0; i < source.operators()->size(); ++i) {
            OperatorV090 op = operator_at(i);
            if (lowering.computes_shape(op)) on_shapes.push_back(std::move(op));
        }
        fold_shapes(lowering, on_shapes);
        for (std::uint32_t number = 0; number < source.operators()->size(); ++number) {
            const OperatorV090 op = operator_at(number);
            if (lowering.computes_shape(op)) continue;
            const std::size_t first = builder.block().operators.size();
            lowering.lower(op);
            for (std::size_t i = first; i < builder.block().operators.size(); ++i) {
                finish_operator(builder, builder.block().operators[i], op);
            }
        }
    }

    /// Folds operators on shapes, which may be in any order. Each waits for its first unknown
    /// operand. Those that depend on a graph input remain; the user of their result reports them.
    static void fold_shapes(LoweringV090& lowering, const std::vector<OperatorV090>& operators) {
        std::unordered_map<TensorIndex, std::vector<const OperatorV090*>> waiting;
        std::vector<const OperatorV090*> ready;
        for (const OperatorV090& op : operators) ready.push_back(&op);
        std::reverse(ready.begin(), ready.end());  // processed from the back
        while (!ready.empty()) {
            const OperatorV090* op = ready.back();
            ready.pop_back();
            if (const auto unknown = lowering.unknown_operand(*op)) {
                waiting[*unknown].push_back(op);
                continue;
            }
            lowering.fold_shape(*op);
            if (const auto users = waiting.extract(op->outputs[0])) {
                ready.insert(ready.end(), users.mapped().begin(), users.mapped().end());
            }
        }
    }

    void finish_operator(BlockBuilder& builder, Operator& lowered, const OperatorV090& op) const {
        if (const auto* a = op.wire->attribute_as_CondIfAttribute()) {
            lowered.attributes =
                CondIfAttributes{{named_block(builder.graph(), op, a->then_branch()), {}},
                                 {named_block(builder.graph(), op, a->else_branch()), {}}};
        } else if (const auto* loop = op.wire->attribute_as_WhileLoopAttribute()) {
            lowered.attributes =
                WhileLoopAttributes{{named_block(builder.graph(), op, loop->cond_branch()), {}},
                                    {named_block(builder.graph(), op, loop->body_branch()), {}}};
        }
        check_operand_counts(builder.block(), lowered);
    }

    BlockReference named_block(const Graph& graph, const OperatorV090& from,
                               const flatbuffers::String* name) const {
        const auto wanted = view(name);
        if (const auto block = find_block(graph, place_.region, wanted)) return *block;
        fail(item_path("operators", from.index), from.wire,
             "names \"" + std::string(wanted) + "\", which is neither a region nor a block");
    }

    const GraphSource& source_;
    const ReadOptions& options_;
    BlockReference place_;
};

}  // namespace

bool probe_tosa_v090(std::span<const std::byte> bytes) {
    const auto version = find_file_version(bytes);
    return version && version->major == 0 && version->minor == 90;
}

Graph read_tosa_v090(const GraphSource& source, const ReadOptions& options) {
    Graph graph = ReaderV090(source, options).read();
    bind_captures(graph);
    schedule_graph(graph);
    return graph;
}

}  // namespace okksim::sim::graph
