// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/graph/file_v090.h"

#include <memory>
#include <span>

#include "sim/graph/formats/graph_formats.h"
#include "sim/graph/validate/validate.h"

namespace okksim::tests {

using namespace sim::graph;
using flatbuffers::Offset;

FileV090& FileV090::tensor(const std::string& name, const std::vector<std::int32_t>& shape,
                           DType type, const Bytes& data) {
    const auto bytes = data.empty() ? 0 : b_.CreateVector(data);
    const auto dimensions = b_.CreateVector(shape);
    tensors_.push_back(
        wire090::CreateTosaTensor(b_, b_.CreateString(name), dimensions, type, bytes));
    return *this;
}

FileV090& FileV090::op(Op op, const Names& inputs, const Names& outputs, Attribute tag,
                       Offset<void> attribute) {
    const auto in = b_.CreateVectorOfStrings(inputs);
    const auto out = b_.CreateVectorOfStrings(outputs);
    operators_.push_back(wire090::CreateTosaOperator(b_, op, tag, attribute, in, out));
    return *this;
}

FileV090::Block FileV090::take_block(const std::string& name, const Names& inputs,
                                     const Names& outputs) {
    const auto in = b_.CreateVectorOfStrings(inputs);
    const auto out = b_.CreateVectorOfStrings(outputs);
    const Block block = wire090::CreateTosaBasicBlock(
        b_, b_.CreateString(name), b_.CreateVector(operators_), b_.CreateVector(tensors_), in, out);
    operators_.clear();
    tensors_.clear();
    return block;
}

FileV090& FileV090::end_block(const std::string& name, const Names& inputs, const Names& outputs,
                              bool has_own_region) {
    const Block block = take_block(name, inputs, outputs);
    if (has_own_region) {
        regions_.emplace_back(name, block);
    } else {
        beside_.push_back(block);
    }
    return *this;
}

Graph FileV090::read(const Names& inputs, const Names& outputs, const ReadOptions& options) {
    beside_.insert(beside_.begin(), take_block("main", inputs, outputs));
    std::vector<Offset<wire090::TosaRegion>> regions{
        wire090::CreateTosaRegionDirect(b_, "main", &beside_)};
    for (const auto& [name, block] : regions_) {
        const std::vector<Block> blocks{block};
        regions.push_back(wire090::CreateTosaRegionDirect(b_, name.c_str(), &blocks));
    }
    b_.ForceDefaults(true);  // the stamp's zeros are written
    const auto version = wire090::CreateVersion(b_, 0, minor_version_, 0, false);
    b_.ForceDefaults(false);
    wire090::FinishTosaGraphBuffer(b_, wire090::CreateTosaGraphDirect(b_, version, &regions));
    auto owner = std::make_shared<const std::vector<std::uint8_t>>(
        b_.GetBufferPointer(), b_.GetBufferPointer() + b_.GetSize());
    Graph graph = read_graph(std::as_bytes(std::span(*owner)), owner, "old.tosa", options);
    validate_graph(graph);
    return graph;
}

}  // namespace okksim::tests
