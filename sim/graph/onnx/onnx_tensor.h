// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/graph/onnx/onnx_array.h"
#include "sim/graph/onnx/onnx_model.h"

namespace okksim::sim::graph::onnx {

/// Returns the value of a tensor of the file. Raw bytes are views of the file, or of the separate
/// file that the tensor names. GraphFileError, with `place`, for tensors whose data does
/// not match type and shape, and for external files outside the model's folder.
HostArray read_tensor(const GraphSource& source, const TensorProto& tensor,
                      const std::string& place);

/// Returns a sparse tensor with all its elements.
HostArray read_sparse_tensor(const GraphSource& source, const SparseTensorProto& tensor);

}  // namespace okksim::sim::graph::onnx
