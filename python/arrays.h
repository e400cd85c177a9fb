// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <span>
#include <string>

#include "sim/graph/host_tensor.h"

namespace okksim::python {

/// Returns a tensor's bytes as an array without a copy. The array keeps the tensor alive.
pybind11::array array_of(const sim::graph::HostTensor& tensor);
pybind11::array array_of(const std::string& type, const sim::graph::Shape& shape,
                         std::span<const std::byte> data, std::shared_ptr<const void> owner);

/// Returns a row-major array as the value of a graph's input without a copy. The array must outlive
/// the tensor. ConfigError with the input's name for other types and shapes.
sim::graph::HostTensor tensor_of(const pybind11::array& array, const sim::graph::Tensor& input);

/// Returns the NumPy type of a value's arrays, such as "<f4".
std::string array_type(const sim::graph::Tensor& tensor);
/// Returns the shape of a value's arrays.
sim::graph::Shape array_shape(const sim::graph::Tensor& tensor);

}  // namespace okksim::python
