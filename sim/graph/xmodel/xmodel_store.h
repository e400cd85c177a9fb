// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "sim/graph/recent_values.h"
#include "sim/graph/xmodel/xmodel_nodes.h"
#include "sim/graph/xmodel/xmodel_value.h"

namespace okksim::sim::graph::xmodel {

/// What a file says of an operator's result. ProgramFault kIllegalGraph for what is no tensor.
Value declared_value(Name name, const NodeView& node);

/// The results of a file's operators, in a few bytes each: the rest of a Value is said by its
/// operator and by its tensors. A file may have a million results that all wait for their use.
class ValueStore {
 public:
    explicit ValueStore(const NodeTable& nodes) : nodes_(nodes), kept_(nodes.size()) {}

    void keep(std::uint32_t index, const Value& value);
    /// The tensors that the value has got since.
    void keep_tensors(std::uint32_t index, const Value& value);
    /// Of an operator that is not read: is_unread alone.
    Value value(std::uint32_t index, const BlockBuilder& block) const;
    /// Stands for the bytes that a constant of a compiled file has not.
    void set_missing_data(std::uint32_t index, std::span<const std::byte> data) {
        missing_data_[index] = data;
    }
    const NodeTable& nodes() const { return nodes_; }

 private:
    struct Kept {
        OptionalIndex declared;  ///< of a constant without a tensor: position in constant_shapes_
        OptionalIndex channels_last;
        ElementKind kind = ElementKind::kInt;
        std::uint8_t bits = 0;
        std::int8_t fix_point = kNoPoint;
        Rounding rounding : 4 = Rounding::kHalfUp;
        bool is_constant : 1 = false;
        bool is_bare : 1 = false;  ///< a constant without a tensor
        bool is_unread : 1 = false;

        static constexpr std::int8_t kNoPoint = -128;
    };

    const NodeTable& nodes_;
    std::vector<Kept> kept_;
    std::deque<TensorShape> constant_shapes_;
    RecentValues<Shape> shapes_;
    std::unordered_map<std::uint32_t, std::span<const std::byte>> missing_data_;
};

/// Values of one operator's operands; the tensors that they get meanwhile are kept.
class Operands {
 public:
    Operands(ValueStore& store, const BlockBuilder& block) : store_(store), block_(block) {}
    Operands(const Operands&) = delete;
    Operands& operator=(const Operands&) = delete;
    ~Operands() {
        for (const auto& [index, value] : values_) store_.keep_tensors(index, value);
    }

    /// Those of an argument, in order; they live as long as this. One operator is one value.
    std::vector<Value*> of(const NodeView& node, const char* argument);

 private:
    ValueStore& store_;
    const BlockBuilder& block_;
    std::map<std::uint32_t, Value> values_;
};

}  // namespace okksim::sim::graph::xmodel
