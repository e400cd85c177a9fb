// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "sim/graph/tflite/tflite_model.h"

namespace okksim::sim::graph::tflite {

struct OperatorRow;

/// A subgraph on its way into a block.
class Subgraph {
 public:
    Subgraph(Model& model, BlockBuilder& block, std::uint32_t index);

    /// Reads the main subgraph: its inputs have the names and types of the file.
    void read_main();
    void add_outputs();

    /// Reads a subgraph that control flow runs on values like `inputs`.
    void read_called(const std::vector<Value*>& inputs, const Call& call);
    std::vector<Value> add_results();

    /// Reads a subgraph that assigns constants to variables.
    void read_assignments();

 private:
    const flatbuffers::Vector<flatbuffers::Offset<wire::Operator>>& operators() const;
    std::string operator_path(std::uint32_t index) const;
    /// Returns the value of a tensor index of the file.
    Value& value(std::int64_t index, const std::string& where);
    void read_values();
    const OperatorRow* row_of(const wire::Operator& op, std::int32_t number) const;
    Call call_of(std::uint32_t index);

    void bind_shape(Value& value, const std::string& name);
    void add_input(Value& value, std::size_t position);
    TensorIndex received(const Value& value, TensorIndex tensor);
    TensorIndex returned(const Value& value, TensorIndex tensor);
    std::string end_name(const Value& value, const char* kind, std::size_t position);

    std::vector<std::uint32_t> order();
    void lower_all();
    void lower(std::uint32_t index);
    void lower_call(Call& call);
    void finish(Call& call);
    TensorIndex own_result(Value& value);

    Model& model_;
    const File& file_;
    BlockBuilder& block_;
    Lowering lowering_;
    std::uint32_t index_;
    const wire::SubGraph& source_;
    std::vector<Value> values_;
    std::vector<std::uint32_t> inputs_;
    std::unordered_set<std::string> end_names_;
    std::unordered_set<TensorIndex> ends_;  ///< inputs and outputs of the block
    bool is_bound_ = false;                 ///< an input has another shape than in the file
};

}  // namespace okksim::sim::graph::tflite
