// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "sim/graph/tflite/tflite_lowering.h"

namespace okksim::sim::graph::tflite {

inline constexpr std::size_t kMostBlocks = 1024;  ///< calls of subgraphs

/// A model that is being read: the graph, its variables, and all unsupported parts.
class Model : public Subgraphs {
 public:
    Model(const GraphSource& source, const ReadOptions& options);

    Graph read();

    const File& file() const { return file_; }
    const ReadOptions& options() const { return options_; }
    Graph& graph() { return graph_; }
    /// The rounding of all products with a scale.
    RoundingMode rounding() const {
        return options_.rounding == Rounding::kSingle ? RoundingMode::kSingleRound
                                                      : RoundingMode::kDoubleRound;
    }

    void note_unread(const std::string& what, const std::string& place, bool is_type);

    BlockReference lower(std::int64_t index, const std::vector<Value*>& inputs, const Call& call,
                         std::vector<Value>& outputs) override;
    void run_once(std::int64_t index, const Call& call) override;
    std::uint32_t variable(const std::string& name) override;

 private:
    Block& add_block(const std::string& name);
    void report_unread() const;
    void finish_variables();

    const GraphSource& source_;
    const ReadOptions& options_;
    File file_;
    Graph graph_;
    int depth_ = 0;
    UnreadParts unread_;
    std::unordered_map<std::string, std::uint32_t> variables_;
};

}  // namespace okksim::sim::graph::tflite
