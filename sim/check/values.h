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
    /// A reference array for `like`: "<f8", or the encoding of its type. ConfigError for anything
    /// else.
    Values(const graph::NpyArray& array, const graph::HostTensor& like, const std::string& what);

    /// Value of a floating-point element; exact.
    double real(std::uint64_t index) const;
    /// Value of an integer or boolean element (a boolean is 0 or 1).
    std::int64_t integer(std::uint64_t index) const;

 private:
    graph::DType type_;
    bool is_double_ = false;
    std::span<const std::byte> data_;
};

/// Shortest text that gives the same double again.
std::string real_text(double value);
/// "[1,0,3]"-style coordinates of a flat index.
graph::Shape coordinates(std::uint64_t index, const graph::Shape& shape);

}  // namespace okksim::sim::check
