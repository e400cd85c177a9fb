// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/graph/host_tensor.h"

namespace okksim::sim::check {

/// Element access to a host tensor or reference array by flat index.
class Values {
 public:
    /// Elements of `type` in the host encoding.
    explicit Values(const graph::HostTensor& tensor) : type_(tensor.type), data_(tensor.data) {}
    /// A reference array for `like`: "<f8", or the encoding of its type. Throws ConfigError for
    /// other arrays.
    Values(const graph::NpyArray& array, const graph::HostTensor& like, const std::string& what);

    /// Returns the exact value of a floating-point element.
    double real(std::uint64_t index) const;
    /// Returns the value of an integer or boolean element (0 or 1).
    std::int64_t integer(std::uint64_t index) const;

 private:
    graph::DType type_;
    bool is_double_ = false;
    std::span<const std::byte> data_;
};

/// Returns the shortest text of the same double.
std::string real_text(double value);
/// Returns the coordinates of a flat index, as in "[1,0,3]".
graph::Shape coordinates(std::uint64_t index, const graph::Shape& shape);

}  // namespace okksim::sim::check
