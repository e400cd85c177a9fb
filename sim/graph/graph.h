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

/// The shape of a tensor: tensors of one shape share it.
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

/// Number of elements, or nothing when a dimension is negative or the product exceeds 2^58.
std::optional<std::uint64_t> element_count(const Shape& shape);
/// "[1,8,8,16]"; "[]" for a scalar.
std::string shape_text(const Shape& shape);

/// What 64-bit elements of a file are. In the graph such a tensor is of kI32 and has one dimension
/// more, the last one: the low and the high word.
enum class FileWords : std::uint8_t { kNone, kInt64, kUint64, kFloat64 };

/// A value of a block: a tensor, or a shape value (type kShape, shape {n}: n int64 values).
struct Tensor {
    Name name;  ///< unique in its block
    TensorShape shape;
    DType type = DType::kUnknown;
    /// In files (.npy) its elements are uint8 or uint16; `type` is kI8 or kI16, with the same bits.
    bool is_unsigned = false;
    FileWords words = FileWords::kNone;
    bool is_unranked = false;  ///< the file says that the shape is unknown (refused by validation)
    bool has_data = false;     ///< a constant (its bytes may be none: a shape value of no numbers)
    bool is_block_input = false;
    bool is_capture = false;  ///< bound to a value of the enclosing block; see SubGraph
    /// The value when it is a constant: bytes in the encoding that DType documents, possibly
    /// followed by padding. Points into Graph's storage. Empty for run-time values (and constants
    /// of size 0).
    ConstantData data;
    OptionalIndex variable;  ///< names the state Graph::variables[*variable]
    OptionalIndex producer;  ///< position in Block::operators of its only writer
};

/// One operator of a block.
struct Operator {
    OpCode op = OpCode::kIdentity;
    std::uint32_t index = 0;  ///< position in the file's operator list, for messages
    SharedValue<Attributes> attributes;
    TensorList inputs;
    ResultList outputs;      ///< of VARIABLE_WRITE: none
    std::uint32_t line = 0;  ///< where it stands in Block::file, from 1; 0: in no text
    std::uint32_t column = 0;
    /// What the file itself says about where the operator comes from: the location of a .tosa file,
    /// loc("...") of a text, its name in a .xmodel file. Writers keep it.
    Name location;

    /// The attributes as struct T; T must be the struct that operators.def gives for `op`.
    template <typename T>
    const T& attributes_as() const {
        return std::get<T>(attributes.get());
    }
    /// The same, or nullptr when `op` has others.
    template <typename T>
    const T* attributes_if() const {
        return std::get_if<T>(&attributes.get());
    }
};

/// A basic block: a graph with named inputs and outputs. Names are local to the block.
struct Block {
    std::string name;
    Name file;  ///< the text that Operator::line counts in
    std::deque<Tensor> tensors;
    /// In an executable order: every value is produced before it is used; otherwise the file's
    /// order.
    std::deque<Operator> operators;
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    /// Run-time values of the enclosing block that this block uses by name; see SubGraph. Constants
    /// of the enclosing block are not captures: they are constants of this block too.
    std::vector<TensorIndex> captures;

    const Tensor& input(const Operator& op, std::size_t n) const { return tensors[op.inputs[n]]; }
    const Tensor& output(const Operator& op, std::size_t n) const { return tensors[op.outputs[n]]; }
    /// Where an operator stands in the user's file and what it is called there, for messages and
    /// reports: "net.mlir:12:5", "layer1"; empty when the file does not say.
    std::string origin(const Operator& op) const;
};

/// A region: named blocks. Control-flow operators refer to blocks by BlockReference.
struct Region {
    std::string name;
    std::vector<Block> blocks;
};

/// A state that outlives one execution (section 2.17): shared by all tensors that name it.
struct Variable {
    std::string name;  ///< the variable tensor's name, as desc.json lists it
    std::string uid;   ///< the file's variable_name; may equal `name`
    DType type = DType::kUnknown;
    Shape shape;
    ConstantData initial_value;  ///< encoding as Tensor::data; empty: none
};

/// Version stamp of the file.
struct Version {
    std::int32_t major = 1;
    std::int32_t minor = 0;
    std::int32_t patch = 1;
    bool draft = false;
};

/// A TOSA graph. Move-only in spirit: spans point into `storage`, which copies share.
struct Graph {
    Version version;
    std::string format;        ///< GraphFormat::name; empty for graphs built in memory
    FeatureSet beyond_v1 = 0;  ///< what this form may have besides 1.0: some of kBeyondV1Features
    /// What the reader accepted although the form does not allow it: "file:line:column: ..." each.
    std::vector<std::string> warnings;
    /// Constants whose values the file does not have (ReadOptions::without_weights); they are zero
    /// here, and the graph cannot be run.
    std::vector<std::string> missing_weights;
    std::vector<Region> regions;
    std::vector<Variable> variables;
    BlockReference entry;  ///< the block to run
    /// Owners of the bytes that the spans point to: the mapped file, and blocks made by own_bytes.
    std::vector<std::shared_ptr<const void>> storage;

    const Block& block(BlockReference reference) const {
        return regions[reference.region].blocks[reference.block];
    }
    const Block& main() const { return block(entry); }

    /// Keeps `bytes` alive with the graph; for graphs that are built in memory.
    std::span<const std::byte> own_bytes(std::vector<std::byte> bytes);
    /// A constant of `bytes` bytes that repeat `element` (ConstantData), kept alive with the graph.
    ConstantData own_repeated(std::span<const std::byte> element, std::uint64_t bytes);
    /// Keeps a copy of `text` alive with the graph.
    Name own_text(std::string_view text);
    /// Frees a text that nothing has any more; only the last one of own_text takes no room then.
    void disown_text(Name text);

 private:
    /// What is free of the last block for small things; not for copies of the graph to write to.
    struct Room {
        Room() = default;
        Room(const Room&) {}
        Room& operator=(const Room&) { return *this = Room(); }
        Room(Room&&) = default;
        Room& operator=(Room&&) = default;
        std::span<char> rest;
        std::size_t used = 0;  ///< bytes of the block before it
        std::size_t block_size = 0;
        std::shared_ptr<std::deque<RepeatedElement>> elements;
    };
    std::span<char> take_room(std::size_t bytes, std::size_t alignment);
    Room room_;
};

}  // namespace okksim::sim::graph
