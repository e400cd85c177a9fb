// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/graph/graph_format.h"
#include "tosa_v090_generated.h"

namespace okksim::tests {

/// Writes files of TOSA 0.90, by the code that flatc makes.
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

    /// What has been added so far is a block beside "main": of its region, or of one of its own.
    FileV090& end_block(const std::string& name, const Names& inputs, const Names& outputs,
                        bool has_own_region);
    FileV090& minor_version(int minor) {
        minor_version_ = minor;
        return *this;
    }

    /// The file; the rest is the block "main".
    Bytes bytes(const Names& inputs, const Names& outputs);
    /// The graph of it, validated.
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
