// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/graph/graph_format.h"
#include "tosa_v090_generated.h"

namespace okksim::tests {

/// Writes files of TOSA 0.90 with the code that flatc generates.
class FileV090 {
 public:
    using DType = sim::graph::wire090::DType;
    using Op = sim::graph::wire090::Op;
    using Attribute = sim::graph::wire090::Attribute;
    using Names = std::vector<std::string>;
    using Bytes = std::vector<std::uint8_t>;

    FileV090& tensor(const std::string& name, const std::vector<std::int32_t>& shape, DType type,
                     const Bytes& data = {});
    FileV090& op(Op op, const Names& inputs, const Names& outputs, Attribute tag = Attribute::NONE,
                 flatbuffers::Offset<void> attribute = 0);
    flatbuffers::FlatBufferBuilder& builder() { return b_; }

    /// Ends a block next to "main", in its region or in a separate one; the block holds everything
    /// added so far.
    FileV090& end_block(const std::string& name, const Names& inputs, const Names& outputs,
                        bool has_own_region);
    FileV090& minor_version(int minor) {
        minor_version_ = minor;
        return *this;
    }

    /// Returns the file; the rest is the block "main".
    Bytes bytes(const Names& inputs, const Names& outputs);
    /// Returns the file's graph, validated.
    sim::graph::Graph read(const Names& inputs, const Names& outputs,
                           const sim::graph::ReadOptions& options = {});

 private:
    using Block = flatbuffers::Offset<sim::graph::wire090::TosaBasicBlock>;
    Block take_block(const std::string& name, const Names& inputs, const Names& outputs);

    flatbuffers::FlatBufferBuilder b_;
    std::vector<flatbuffers::Offset<sim::graph::wire090::TosaTensor>> tensors_;
    std::vector<flatbuffers::Offset<sim::graph::wire090::TosaOperator>> operators_;
    std::vector<Block> beside_;
    std::vector<std::pair<std::string, Block>> regions_;
    int minor_version_ = 90;
};

/// Files with shapes, lists, constants and control flow.
std::vector<FileV090::Bytes> sample_files_v090();

}  // namespace okksim::tests
