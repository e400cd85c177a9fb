// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/graph/graph.h"
#include "sim/graph/tflite/tflite_types.h"

namespace okksim::sim::graph::tflite {

/// real = scale (q - zero). The zero points are those of the values inside the graph.
struct Quantisation {
    std::vector<float> scales;
    std::vector<std::int64_t> zeros;
    std::size_t dimension = 0;

    bool exists() const { return !scales.empty(); }
    bool is_per_channel() const { return scales.size() > 1; }
    double scale(std::size_t channel = 0) const { return scales[scales.size() == 1 ? 0 : channel]; }
    std::int64_t zero(std::size_t channel = 0) const {
        return zeros[zeros.size() == 1 ? 0 : channel];
    }
};

/// A tensor of the file.
struct Value {
    std::uint32_t index = 0;  ///< among the tensors of the subgraph
    std::string name;
    TensorType type = TensorType::FLOAT32;
    Shape shape;            ///< of the file, until the operator's result is known
    bool has_shape = true;  ///< `shape` is the shape of every run
    Quantisation quantisation;

    bool is_known = false;     ///< constant, or computed from constants and shapes by the reader
    bool is_variable = false;  ///< a state
    bool is_unread = false;    ///< result of an unsupported operator
    /// Bytes of a constant in the encoding of the file, INT4 unpacked to INT8.
    std::span<const std::byte> data;
    std::optional<TensorIndex> tensor;      ///< in the block, if made
    std::optional<std::uint32_t> variable;  ///< of VAR_HANDLE: Graph::variables

    DType device() const { return device_type(type); }
    std::size_t rank() const { return shape.size(); }
    bool is_real() const { return type == TensorType::FLOAT32 || type == TensorType::FLOAT16; }
    /// True for integers that represent real numbers.
    bool is_quantised() const {
        return quantisation.exists() &&
               (type == TensorType::INT8 || type == TensorType::UINT8 || type == TensorType::INT16);
    }
    bool is_plain_integer() const { return !is_real() && !is_quantised(); }
    double scale() const { return quantisation.scale(); }
    std::int64_t zero() const { return quantisation.zero(); }
    std::int64_t least() const { return type == TensorType::INT16 ? -32768 : -128; }
    std::int64_t most() const { return type == TensorType::INT16 ? 32767 : 127; }
};

/// Reads a tensor table. `where` names it in messages.
Value read_tensor(const File& file, const wire::Tensor& tensor, std::uint32_t index,
                  const std::string& where, Graph& graph);

/// Elements of a known value: integers and booleans of any type.
std::vector<std::int64_t> known_integers(const Value& value);
/// Elements of a known value as real numbers; quantised ones are dequantised.
std::vector<float> known_reals(const Value& value);

}  // namespace okksim::sim::graph::tflite
