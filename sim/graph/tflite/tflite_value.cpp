// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_value.h"

#include <cmath>
#include <cstring>

#include "sim/graph/element.h"
#include "sim/graph/flatbuffer/file_parts.h"
#include "sim/graph/tflite/tflite_sparse.h"

namespace okksim::sim::graph::tflite {

namespace {

Quantisation read_quantisation(const File& file, const Value& value,
                               const wire::QuantizationParameters& source,
                               const std::string& where) {
    Quantisation result;
    if (source.scale() == nullptr || source.scale()->size() == 0) return result;
    result.scales.assign(source.scale()->begin(), source.scale()->end());
    result.zeros = integers(source.zero_point());
    if (result.zeros.empty()) result.zeros.assign(1, 0);
    const auto dimension = source.quantized_dimension();
    const std::size_t count = result.scales.size();
    if (result.zeros.size() != 1 && result.zeros.size() != count) {
        file.fail(where + ".quantization", "has " + std::to_string(count) + " scales and " +
                                               std::to_string(result.zeros.size()) +
                                               " zero points");
    }
    // The scales of a bias belong to its only dimension, whatever the file says.
    const bool is_list = value.shape == Shape{static_cast<std::int64_t>(count)};
    if (count > 1 && !is_list) {
        if (dimension < 0 || static_cast<std::size_t>(dimension) >= value.shape.size() ||
            value.shape[static_cast<std::size_t>(dimension)] != static_cast<std::int64_t>(count)) {
            file.fail(where + ".quantization",
                      "has " + std::to_string(count) + " scales for dimension " +
                          std::to_string(dimension) + " of " + shape_text(value.shape));
        }
        result.dimension = static_cast<std::size_t>(dimension);
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (!(result.scales[i] > 0) || !std::isfinite(result.scales[i])) {
            file.fail(where + ".quantization", "has the scale " + std::to_string(result.scales[i]) +
                                                   ": scales are finite and greater than 0");
        }
    }
    const bool is_byte = value.type == TensorType::UINT8 || value.type == TensorType::INT8;
    const std::int64_t shift = value.type == TensorType::UINT8 ? 128 : 0;
    const std::int64_t half = is_byte ? 128 : 32768;
    for (std::int64_t& zero : result.zeros) {
        zero -= shift;
        if (zero < -half || zero >= half) {
            file.fail(where + ".quantization",
                      "has the zero point " + std::to_string(zero + shift) +
                          ": a zero point is a number of the tensor's type");
        }
    }
    return result;
}

std::vector<std::byte> unpacked_nibbles(std::span<const std::byte> data, std::uint64_t count) {
    std::vector<std::byte> result(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        result[i] = static_cast<std::byte>(integer_element(data, DType::kI4, i));
    }
    return result;
}

void read_shape(const File& file, const wire::Tensor& tensor, const std::string& where,
                Value& value) {
    value.shape = integers(tensor.shape());
    for (const std::int64_t size : integers(tensor.shape_signature())) {
        value.has_shape = value.has_shape && size >= 0;
    }
    if (value.shape.size() > kMaxDimensions || !element_count(value.shape)) {
        file.fail(where + ".shape", "is " + shape_text(value.shape) + ": a shape has at most " +
                                        std::to_string(kMaxDimensions) +
                                        " dimensions of sizes from 0");
    }
}

}  // namespace

Value read_tensor(const File& file, const wire::Tensor& tensor, std::uint32_t index,
                  const std::string& where, Graph& graph) {
    Value value;
    value.index = index;
    value.name = std::string(view(tensor.name()));
    value.type = tensor.type();
    value.is_variable = tensor.is_variable();
    read_shape(file, tensor, where, value);
    if (tensor.quantization() != nullptr) {
        value.quantisation = read_quantisation(file, value, *tensor.quantization(), where);
    }
    value.data = file.buffer(tensor, where);
    const std::uint64_t count = *element_count(value.shape);
    if (value.data.empty() || device_type(value.type) == DType::kUnknown) {
        value.data = {};
        return value;
    }
    value.is_known = true;
    if (tensor.sparsity() != nullptr) {
        value.data = graph.own_bytes(
            dense_bytes(file, *tensor.sparsity(), value.shape, value.type, value.data, where));
    }
    if (value.data.size() < file_bytes(value.type, count)) {
        file.fail(where + ".buffer", "has " + std::to_string(value.data.size()) + " bytes for " +
                                         type_name(value.type) + " " + shape_text(value.shape) +
                                         ", which takes " +
                                         std::to_string(file_bytes(value.type, count)));
    }
    value.data = value.data.first(file_bytes(value.type, count));
    if (value.type == TensorType::INT4) {
        value.data = graph.own_bytes(unpacked_nibbles(value.data, count));
    }
    return value;
}

std::vector<std::int64_t> known_integers(const Value& value) {
    if (value.is_real()) throw UnsupportedPart("real numbers instead of integers");
    const std::uint64_t count = *element_count(value.shape);
    std::vector<std::int64_t> result(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        switch (value.type) {
            case TensorType::INT64: std::memcpy(&result[i], value.data.data() + 8 * i, 8); break;
            case TensorType::UINT8: result[i] = std::to_integer<std::int64_t>(value.data[i]); break;
            default: result[i] = integer_element(value.data, value.device(), i);
        }
    }
    return result;
}

std::vector<float> known_reals(const Value& value) {
    const std::uint64_t count = *element_count(value.shape);
    std::vector<float> result(count);
    if (value.is_real()) {
        for (std::uint64_t i = 0; i < count; ++i) {
            result[i] = static_cast<float>(
                decode_float(value.device(), float_bits_element(value.data, value.device(), i)));
        }
        return result;
    }
    const std::vector<std::int64_t> integers = known_integers(value);
    const Quantisation& q = value.quantisation;
    const std::int64_t shift = value.type == TensorType::UINT8 ? 128 : 0;
    std::uint64_t inner = 1;
    for (std::size_t i = q.dimension + 1; i < value.shape.size(); ++i) {
        inner *= static_cast<std::uint64_t>(value.shape[i]);
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::size_t channel = q.is_per_channel() ? i / inner % q.scales.size() : 0;
        result[i] = q.exists() ? static_cast<float>(q.scale(channel)) *
                                     static_cast<float>(integers[i] - shift - q.zero(channel))
                               : static_cast<float>(integers[i]);
    }
    return result;
}

}  // namespace okksim::sim::graph::tflite
