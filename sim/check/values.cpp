// SPDX-License-Identifier: Apache-2.0
#include "sim/check/values.h"

#include <fmt/format.h>

#include <cstring>

#include "isa/base/errors.h"
#include "sim/graph/element.h"

namespace okksim::sim::check {

Values::Values(const graph::NpyArray& array, const graph::HostTensor& like, const std::string& what)
    : type_(like.type), data_(array.data) {
    if (array.descr == "<f8" && graph::is_floating_point(type_)) {
        is_double_ = true;
        return;
    }
    data_ = graph::to_host_tensor(array, type_, what, like.is_unsigned, like.words).data;
}

double Values::real(std::uint64_t index) const {
    if (is_double_) {
        double value = 0.0;
        std::memcpy(&value, data_.data() + index * sizeof(value), sizeof(value));
        return value;
    }
    return graph::decode_float(type_, graph::float_bits_element(data_, type_, index));
}

std::int64_t Values::integer(std::uint64_t index) const {
    // In the host encoding, i4 has one byte and i48 has eight.
    graph::DType stored = type_;
    if (type_ == graph::DType::kI4) stored = graph::DType::kI8;
    if (type_ == graph::DType::kI48) stored = graph::DType::kShape;
    return graph::integer_element(data_, stored, index);
}

std::string real_text(double value) { return fmt::format("{}", value); }

graph::Shape coordinates(std::uint64_t index, const graph::Shape& shape) {
    graph::Shape result(shape.size());
    for (std::size_t i = shape.size(); i > 0; --i) {
        const auto dimension = static_cast<std::uint64_t>(shape[i - 1]);
        result[i - 1] = static_cast<std::int64_t>(index % dimension);
        index /= dimension;
    }
    return result;
}

}  // namespace okksim::sim::check
