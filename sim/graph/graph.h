// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/graph_attributes.h"
#include "sim/graph/graph_types.h"
#include "sim/graph/tosa_features.h"

namespace okksim::sim::graph {

/// Position in Block::tensors.
using TensorIndex = std::uint32_t;
/// Dimensions, outermost first; empty for a scalar (rank 0, one element).
using Shape = std::vector<std::int64_t>;

/// Number of elements, or nothing when a dimension is negative or the product exceeds 2^58.
std::optional<std::uint64_t> element_count(const Shape& shape);
/// "[1,8,8,16]"; "[]" for a scalar.
std::string shape_text(const Shape& shape);

/// What 64-bit elements of a file are. In the graph such a tensor is of kI32 and has one dimension
/// more, the last one: the low and the high word.
enum class FileWords : std::uint8_t { kNone, kInt64, kUint64, kFloat64 };

/// A value of a block: a tensor, or a shape value (type kShape, shape {n}: n int64 values).
struct Tensor {
    std::string name;  ///< unique in its block
    DType type = DType::kUnknown;
    Shape shape;
    /// In files (.npy) its elements are uint8 or uint16; `type` is kI8 or kI16, with the same bits.
    bool is_unsigned = false;
    FileWords words = FileWords::kNone;
    bool is_unranked = false;  ///< the file says that the shape is unknown (refused by validation)
    /// The value when it is a constant: bytes in the encoding that DType documents, possibly
    /// followed by padding. Points into Graph's storage. Empty for run-time values (and constants
    /// of size 0).
    std::span<const std::byte> data;
    bool has_data = false;  ///< a constant (its bytes may be none: a shape value of no numbers)
    std::optional<std::uint32_t> variable;  ///< names the state Graph::variables[*variable]
    std::optional<std::uint32_t> producer;  ///< position in Block::operators of its only writer
    bool is_block_input = false;
    bool is_capture = false;  ///< bound to a value of the enclosing block; see SubGraph
};

/// One operator of a block.
struct Operator {
    OpCode op = OpCode::kIdentity;
    Attributes attributes;
    std::vector<TensorIndex> inputs;   ///< in the order of the specification's argument table
    std::vector<TensorIndex> outputs;  ///< of VARIABLE_WRITE: none
    std::uint32_t index = 0;           ///< position in the file's operator list, for messages
    /// Where it stands in the user's file ("net.mlir:12:5") and its name there, for messages and
    /// reports; empty when the file does not say.
    std::string origin;
    /// What the file itself says about where the operator comes from (the location of a .tosa file,
    /// loc("...") of a text); part of `origin`. Writers keep it.
    std::string location;

    /// The attributes as struct T; T must be the struct that operators.def gives for `op`.
    template <typename T>
    const T& attributes_as() const {
        return std::get<T>(attributes);
    }
};

/// A basic block: a graph with named inputs and outputs. Names are local to the block.
struct Block {
    std::string name;
    std::vector<Tensor> tensors;
    /// In an executable order: every value is produced before it is used; otherwise the file's
    /// order.
    std::vector<Operator> operators;
    std::vector<TensorIndex> inputs;
    std::vector<TensorIndex> outputs;
    /// Run-time values of the enclosing block that this block uses by name; see SubGraph. Constants
    /// of the enclosing block are not captures: they are constants of this block too.
    std::vector<TensorIndex> captures;

    const Tensor& input(const Operator& op, std::size_t n) const { return tensors[op.inputs[n]]; }
    const Tensor& output(const Operator& op, std::size_t n) const { return tensors[op.outputs[n]]; }
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
    std::span<const std::byte> initial_value;  ///< encoding as Tensor::data; empty: none
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
};

}  // namespace okksim::sim::graph
