// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/constant_data.h"
#include "sim/graph/graph_attributes.h"
#include "sim/graph/graph_types.h"
#include "sim/graph/name.h"
#include "sim/graph/shared_value.h"
#include "sim/graph/tensor_list.h"
#include "sim/graph/tosa_features.h"

namespace okksim::sim::graph {

/// Dimensions, outermost first; empty for a scalar (rank 0, one element).
using Shape = std::vector<std::int64_t>;

/// The shape of a tensor. Tensors of the same shape can share it.
class TensorShape : public SharedValue<Shape> {
 public:
    using SharedValue::SharedValue;
    TensorShape(SharedValue<Shape> shape) : SharedValue(std::move(shape)) {}
    TensorShape(std::initializer_list<std::int64_t> shape) : SharedValue(Shape(shape)) {}

    std::size_t size() const { return get().size(); }
    bool empty() const { return get().empty(); }
    const std::int64_t* data() const { return get().data(); }
    auto begin() const { return get().begin(); }
    auto end() const { return get().end(); }
    std::int64_t operator[](std::size_t n) const { return get()[n]; }
    std::int64_t front() const { return get().front(); }
    std::int64_t back() const { return get().back(); }

    friend bool operator==(const TensorShape& left, const TensorShape& right) {
        return left.get() == right.get();
    }
    friend bool operator==(const TensorShape& left, const Shape& right) {
        return left.get() == right;
    }
};

/// Returns the number of elements; nothing if a dimension is negative or the product exceeds 2^58.
std::optional<std::uint64_t> element_count(const Shape& shape);
/// Returns "[1,8,8,16]", or "[]" for a scalar.
std::string shape_text(const Shape& shape);

/// The type of 64-bit elements in a file. In the graph, such a tensor is kI32 with an additional
/// last dimension for the low and the high word.
enum class FileWords : std::uint8_t { kNone, kInt64, kUint64, kFloat64 };

/// A value of a block: a tensor, or a shape value (type kShape, shape {n}: n int64 values).
struct Tensor {
    Name name;  ///< unique in its block
    TensorShape shape;
    DType type = DType::kUnknown;
    /// The file elements (.npy) are uint8 or uint16; `type` is kI8 or kI16 with the same bits.
    bool is_unsigned = false;
    FileWords words = FileWords::kNone;
    bool is_unranked = false;  ///< the file gives no rank (validation refuses it)
    bool has_data = false;     ///< a constant (a shape value of no numbers has no bytes)
    bool is_block_input = false;
    bool is_capture = false;  ///< bound to a value of the enclosing block (SubGraph)
    /// The value of a constant: bytes in the encoding that DType documents, possibly followed by
    /// padding. A view into Graph's storage. Empty for run-time values and constants of size 0.
    ConstantData data;
    OptionalIndex variable;  ///< refers to the state Graph::variables[*variable]
    OptionalIndex producer;  ///< index in Block::operators of the only producer
};

/// One operator of a block.
struct Operator {
    OpCode op = OpCode::kIdentity;
    std::uint32_t index = 0;  ///< index in the file's operator list, for messages
    SharedValue<Attributes> attributes;
    TensorList inputs;
    ResultList outputs;      ///< empty for VARIABLE_WRITE
    std::uint32_t line = 0;  ///< line in Block::file, from 1; 0 if not from a text
    std::uint32_t column = 0;
    /// The operator's origin according to the file. It is the location of a .tosa file, loc("...")
    /// of a text, or the name in a .xmodel file. Writers keep it.
    Name location;

    /// Returns the attributes as T, which must be the struct that operators.def gives for `op`.
    template <typename T>
    const T& attributes_as() const {
        return std::get<T>(attributes.get());
    }
    /// Returns the attributes as T; nullptr if `op` has another struct.
    template <typename T>
    const T* attributes_if() const {
        return std::get_if<T>(&attributes.get());
    }
};

/// A basic block: a graph with named inputs and outputs. Names are local to the block.
struct Block {
    std::string name;
    Name file;  ///< the text in which Operator::line counts
    std::deque<Tensor> tensors;
    /// In an executable order: every value is produced before its use. Otherwise, the file's order.
    std::deque<Operator> operators;
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    /// Run-time values of the enclosing block that this block uses by name (SubGraph). Constants of
    /// the enclosing block are not captures, but also constants of this block.
    std::vector<TensorIndex> captures;

    const Tensor& input(const Operator& op, std::size_t n) const { return tensors[op.inputs[n]]; }
    const Tensor& output(const Operator& op, std::size_t n) const { return tensors[op.outputs[n]]; }
    /// Returns the position of an operator in the user's file and its name there, for messages:
    /// "net.mlir:12:5", "layer1". Empty if the file has neither.
    std::string origin(const Operator& op) const;
};

/// A region: named blocks. Control-flow operators refer to blocks by BlockReference.
struct Region {
    std::string name;
    std::vector<Block> blocks;
};

/// A state that persists between executions (section 2.17). All tensors with its name share it.
struct Variable {
    std::string name;  ///< the variable tensor's name, as in desc.json
    std::string uid;   ///< the file's variable_name, which may equal `name`
    DType type = DType::kUnknown;
    Shape shape;
    ConstantData initial_value;  ///< encoding as Tensor::data; empty if there is none
};

/// An input or output in the form of its file, where TOSA cannot hold it. A value without elements
/// is not in the graph. One with more than six dimensions is in the graph with merged dimensions.
struct FileForm {
    Tensor tensor;
    bool is_input = false;
};

/// Version stamp of the file.
struct Version {
    std::int32_t major = 1;
    std::int32_t minor = 0;
    std::int32_t patch = 1;
    bool draft = false;
};

/// A TOSA graph. It should be moved, not copied: spans point into `storage`, which copies share.
struct Graph {
    Version version;
    std::string format;        ///< GraphFormat::name; empty for graphs built in memory
    FeatureSet beyond_v1 = 0;  ///< permitted features beyond 1.0, from kBeyondV1Features
    /// Deviations from the format that the reader accepted, each as "file:line:column: ...".
    std::vector<std::string> warnings;
    /// Constants whose values are missing in the file (ReadOptions::without_weights). Their data is
    /// zero, and the graph cannot run.
    std::vector<std::string> missing_weights;
    std::vector<Region> regions;
    std::vector<Variable> variables;
    std::vector<FileForm> file_forms;  ///< of the entry block
    BlockReference entry;              ///< the block to run
    /// Owners of the bytes that the spans refer to: the mapped file, and blocks of own_bytes().
    std::vector<std::shared_ptr<const void>> storage;

    const Block& block(BlockReference reference) const {
        return regions[reference.region].blocks[reference.block];
    }
    const Block& main() const { return block(entry); }

    /// Keeps `bytes` alive with the graph, for graphs built in memory.
    std::span<const std::byte> own_bytes(std::vector<std::byte> bytes);
    /// Returns a constant of `bytes` bytes that repeats `element`; the graph keeps it alive.
    ConstantData own_repeated(std::span<const std::byte> element, std::uint64_t bytes);
    /// Returns a constant of `bytes` bytes that `fill` computes on request; a small one is computed
    /// now. Memory that `fill` refers to must live as long as the graph.
    ConstantData own_deferred(std::uint64_t bytes, DeferredBytes::Fill fill);
    /// Copies `text` and keeps the copy alive with the graph.
    Name own_text(std::string_view text);
    /// Drops an unused text. Its memory is reused only if it is the last text of own_text().
    void disown_text(Name text);

 private:
    /// The free rest of the last block for small objects. A copy of the graph starts without one.
    struct Room {
        Room() = default;
        Room(const Room&) {}
        Room& operator=(const Room&) { return *this = Room(); }
        Room(Room&&) = default;
        Room& operator=(Room&&) = default;
        std::span<char> rest;
        std::size_t used = 0;  ///< bytes used in the block
        std::size_t block_size = 0;
        std::shared_ptr<std::deque<RepeatedElement>> elements;
    };
    std::span<char> take_room(std::size_t bytes, std::size_t alignment);
    Room room_;
};

}  // namespace okksim::sim::graph
