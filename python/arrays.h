// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <span>
#include <string>

#include "sim/graph/host_tensor.h"

namespace okksim::python {

/// A tensor's bytes as an array, which keeps them alive: nothing is copied.
pybind11::array array_of(const sim::graph::HostTensor& tensor);
pybind11::array array_of(const std::string& type, const sim::graph::Shape& shape,
                         std::span<const std::byte> data, std::shared_ptr<const void> owner);

/// A row-major array as the value of a graph's input, without a copy: the array must outlive it.
/// ConfigError, with the input's name, for other types and shapes.
sim::graph::HostTensor tensor_of(const pybind11::array& array, const sim::graph::Tensor& input);

/// The element type of the arrays of a value: "<f4".
std::string array_type(const sim::graph::Tensor& tensor);
/// The shape of its arrays.
sim::graph::Shape array_shape(const sim::graph::Tensor& tensor);

}  // namespace okksim::python
