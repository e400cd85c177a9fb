// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/graph/onnx/onnx_call.h"

namespace okksim::sim::graph::onnx {

// Computations on known values.

/// Refuses results of more elements than the host should compute: hostile files ask for terabytes.
void require_host_size(const Call& call, double elements);

/// Moves an index to the next element in row-major order.
void next_index(Shape& at, const Shape& shape);

/// Converts elements: real numbers to integers truncate; 8-bit floating-point numbers saturate.
HostArray converted(const HostArray& array, ElementType type);
/// Returns an array of one repeated element.
HostArray repeated(const Call& call, const HostArray& element, const Shape& shape);
HostArray broadcast_to(const Call& call, const HostArray& array, const Shape& shape);
HostArray sparse_value(const Call& call, const SparseTensorProto& tensor);

/// Returns the elements of `array` whose row-major positions are given, in the given shape.
HostArray picked(const HostArray& array, const Shape& shape,
                 const std::vector<std::size_t>& positions);

/// Returns for each element of `shape` the position of the element of an array of shape `from` that
/// broadcasting gives.
std::vector<std::size_t> broadcast_positions(const Shape& from, const Shape& shape);

}  // namespace okksim::sim::graph::onnx
