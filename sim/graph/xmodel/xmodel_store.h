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

/// Returns an operator's result as the file declares it. ProgramFault kIllegalGraph if it is not a
/// tensor.
Value declared_value(Name name, const NodeView& node);

/// The results of a file's operators, in a few bytes each, as a file may have a million pending
/// results. The rest of a Value comes from its operator and its tensors.
class ValueStore {
 public:
    explicit ValueStore(const NodeTable& nodes) : nodes_(nodes), kept_(nodes.size()) {}

    void keep(std::uint32_t index, const Value& value);
    /// Stores the tensors that the value has gained since.
    void keep_tensors(std::uint32_t index, const Value& value);
    /// Returns the value; for an unsupported operator, only is_unread is set.
    Value value(std::uint32_t index, const BlockBuilder& block) const;
    /// Sets the placeholder for the missing bytes of a constant in a compiled file.
    void set_missing_data(std::uint32_t index, std::span<const std::byte> data) {
        missing_data_[index] = data;
    }
    const NodeTable& nodes() const { return nodes_; }

 private:
    struct Kept {
        OptionalIndex declared;  ///< for a constant without a tensor: index in constant_shapes_
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

/// Values of one operator's operands. The destructor stores the tensors that they gain.
class Operands {
 public:
    Operands(ValueStore& store, const BlockBuilder& block) : store_(store), block_(block) {}
    Operands(const Operands&) = delete;
    Operands& operator=(const Operands&) = delete;
    ~Operands() {
        for (const auto& [index, value] : values_) store_.keep_tensors(index, value);
    }

    /// Returns the values of an argument in order; they live as long as this object. One operator
    /// has one value.
    std::vector<Value*> of(const NodeView& node, const char* argument);

 private:
    ValueStore& store_;
    const BlockBuilder& block_;
    std::map<std::uint32_t, Value> values_;
};

}  // namespace okksim::sim::graph::xmodel
