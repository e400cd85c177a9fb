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

FileV090::Bytes FileV090::bytes(const Names& inputs, const Names& outputs) {
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
    return {b_.GetBufferPointer(), b_.GetBufferPointer() + b_.GetSize()};
}

Graph FileV090::read(const Names& inputs, const Names& outputs, const ReadOptions& options) {
    const auto owner = std::make_shared<const Bytes>(bytes(inputs, outputs));
    Graph graph = read_graph(std::as_bytes(std::span(*owner)), owner, "old.tosa", options);
    validate_graph(graph);
    return graph;
}

std::vector<FileV090::Bytes> sample_files_v090() {
    using DType = FileV090::DType;
    using Op = FileV090::Op;
    using Attribute = FileV090::Attribute;
    std::vector<FileV090::Bytes> files;
    {
        FileV090 file;
        auto& b = file.builder();
        const auto axis = wire090::CreateAxisAttribute(b, 1);
        const auto multiplier = b.CreateVector(std::vector<std::int32_t>{1 << 30});
        const auto shift = b.CreateVector(std::vector<std::int32_t>{31});
        const auto rescale =
            wire090::CreateRescaleAttribute(b, 200, -3, multiplier, shift, true, true);
        file.tensor("x", {2, 6}, DType::UINT8)
            .tensor("d", {1}, DType::SHAPE)
            .tensor("two", {1}, DType::SHAPE, {2, 0, 0, 0, 0, 0, 0, 0})
            .tensor("s", {2}, DType::SHAPE)
            .tensor("r", {2, 6}, DType::INT8)
            .tensor("y", {6, 2}, DType::INT8)
            .op(Op::DIM, {"x"}, {"d"}, Attribute::AxisAttribute, axis.Union())
            .op(Op::CONST_SHAPE, {}, {"two"})
            .op(Op::CONCAT_SHAPE, {"d", "two"}, {"s"})
            .op(Op::RESCALE, {"x"}, {"r"}, Attribute::RescaleAttribute, rescale.Union())
            .op(Op::RESHAPE, {"r", "s"}, {"y"});
        files.push_back(file.bytes({"x"}, {"y"}));
    }
    FileV090 file;
    auto& b = file.builder();
    for (const char* name : {"one", "other"}) {
        file.tensor("x", {2}, DType::FP32)
            .tensor("y", {2}, DType::FP32)
            .op(Op::EXP, {"x"}, {"y"})
            .end_block(name, {"x"}, {"y"}, true);
    }
    const auto then_branch = b.CreateString("one");
    const auto branches = wire090::CreateCondIfAttribute(b, then_branch, b.CreateString("other"));
    file.tensor("c", {}, DType::BOOL)
        .tensor("k", {2}, DType::BF16, {0, 0, 0xC0, 0x3F, 0, 0, 0, 0xC0})
        .tensor("x", {2}, DType::FP32)
        .tensor("y", {2}, DType::FP32)
        .op(Op::CONST, {}, {"k"})
        .op(Op::COND_IF, {"c", "x"}, {"y"}, Attribute::CondIfAttribute, branches.Union());
    files.push_back(file.bytes({"c", "x"}, {"y", "k"}));
    return files;
}

}  // namespace okksim::tests
