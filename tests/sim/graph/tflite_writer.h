// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tflite_generated.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace okksim::tests {

namespace tflite_wire = sim::graph::tflite::wire;

/// Scales and zero points of a tensor in a file.
struct TfliteScales {
    std::vector<float> scales = {};
    std::vector<std::int64_t> zeros = {};
    int dimension = 0;
};

/// Writes .tflite files for tests: one subgraph, or several.
class TfliteWriter {
 public:
    using Type = tflite_wire::TensorType;

    TfliteWriter() : buffers_(1) { begin_subgraph(); }

    void begin_subgraph() { graphs_.emplace_back(std::make_unique<tflite_wire::SubGraphT>()); }

    int tensor(const std::string& name, Type type, const std::vector<int>& shape,
               const TfliteScales& scales = {}) {
        auto added = std::make_unique<tflite_wire::TensorT>();
        added->name = name;
        added->type = type;
        added->shape = shape;
        if (!scales.scales.empty()) {
            added->quantization = std::make_unique<tflite_wire::QuantizationParametersT>();
            added->quantization->scale = scales.scales;
            added->quantization->zero_point = scales.zeros;
            added->quantization->quantized_dimension = scales.dimension;
        }
        graph().tensors.push_back(std::move(added));
        return static_cast<int>(graph().tensors.size()) - 1;
    }

    template <typename T>
    int constant(const std::string& name, Type type, const std::vector<int>& shape,
                 const std::vector<T>& values, const TfliteScales& scales = {}) {
        const int index = tensor(name, type, shape, scales);
        std::vector<std::uint8_t> bytes(values.size() * sizeof(T));
        if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
        graph().tensors.back()->buffer = static_cast<std::uint32_t>(buffers_.size());
        buffers_.push_back(std::move(bytes));
        return index;
    }
    tflite_wire::TensorT& last_tensor() { return *graph().tensors.back(); }

    /// Adds an operator; `options` is a native table of the schema.
    template <typename Options>
    void op(int number, const std::vector<int>& inputs, const std::vector<int>& outputs,
            Options options) {
        op(number, inputs, outputs);
        graph().operators.back()->builtin_options.Set(std::move(options));
    }
    void op(int number, const std::vector<int>& inputs, const std::vector<int>& outputs) {
        auto code = std::make_unique<tflite_wire::OperatorCodeT>();
        code->deprecated_builtin_code = static_cast<std::int8_t>(number < 127 ? number : 127);
        code->builtin_code = number;
        code->custom_code = custom;
        auto added = std::make_unique<tflite_wire::OperatorT>();
        added->opcode_index = static_cast<std::uint32_t>(codes_.size());
        added->inputs = inputs;
        added->outputs = outputs;
        codes_.push_back(std::move(code));
        graph().operators.push_back(std::move(added));
    }

    /// Sets the options of the last operator, which is a custom one.
    void custom_options(const std::vector<std::int32_t>& numbers) {
        std::vector<std::uint8_t>& bytes = graph().operators.back()->custom_options;
        bytes.resize(numbers.size() * sizeof(std::int32_t));
        std::memcpy(bytes.data(), numbers.data(), bytes.size());
    }

    void ends(const std::vector<int>& inputs, const std::vector<int>& outputs) {
        graph().inputs = inputs;
        graph().outputs = outputs;
    }

    std::vector<std::uint8_t> bytes() const {
        flatbuffers::FlatBufferBuilder builder;
        std::vector<flatbuffers::Offset<tflite_wire::OperatorCode>> codes;
        for (const auto& code : codes_) {
            codes.push_back(tflite_wire::CreateOperatorCode(builder, code.get()));
        }
        std::vector<flatbuffers::Offset<tflite_wire::SubGraph>> graphs;
        for (const auto& each : graphs_) {
            graphs.push_back(tflite_wire::CreateSubGraph(builder, each.get()));
        }
        std::vector<flatbuffers::Offset<tflite_wire::Buffer>> buffers;
        for (const auto& data : buffers_) {
            builder.ForceVectorAlignment(data.size(), 1, 16);
            buffers.push_back(tflite_wire::CreateBuffer(
                builder, data.empty() ? 0 : builder.CreateVector(data.data(), data.size())));
        }
        const auto model = tflite_wire::CreateModel(builder, version, builder.CreateVector(codes),
                                                    builder.CreateVector(graphs), 0,
                                                    builder.CreateVector(buffers));
        builder.Finish(model, "TFL3");
        return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
    }

    std::uint32_t version = 3;
    std::string custom;  ///< custom_code of the next operators

 private:
    tflite_wire::SubGraphT& graph() { return *graphs_.back(); }

    std::vector<std::unique_ptr<tflite_wire::OperatorCodeT>> codes_;
    std::vector<std::unique_ptr<tflite_wire::SubGraphT>> graphs_;
    std::vector<std::vector<std::uint8_t>> buffers_;
};

}  // namespace okksim::tests
