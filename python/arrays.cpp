// SPDX-License-Identifier: Apache-2.0
#include "python/arrays.h"

#include <fmt/format.h>

#include "isa/base/errors.h"

namespace okksim::python {
namespace {

namespace py = pybind11;
using namespace sim;

/// Returns the element type in files and arrays. They hold 64-bit elements, which the graph splits
/// into pairs of words.
graph::DType stored_type(const graph::Tensor& tensor) {
    return tensor.words == graph::FileWords::kNone ? tensor.type : graph::DType::kI48;
}

}  // namespace

std::string array_type(const graph::Tensor& tensor) {
    return graph::npy_descr(stored_type(tensor), tensor.is_unsigned, tensor.words);
}

graph::Shape array_shape(const graph::Tensor& tensor) {
    graph::Shape shape = tensor.shape.get();
    if (tensor.words != graph::FileWords::kNone) shape.pop_back();
    return shape;
}

py::array array_of(const graph::HostTensor& tensor) {
    return array_of(graph::npy_descr(tensor.type, tensor.is_unsigned, tensor.words), tensor.shape,
                    tensor.data, tensor.owner);
}

py::array array_of(const std::string& type, const graph::Shape& shape,
                   std::span<const std::byte> data, std::shared_ptr<const void> owner) {
    const py::capsule base(new std::shared_ptr<const void>(std::move(owner)), [](void* kept) {
        delete static_cast<std::shared_ptr<const void>*>(kept);
    });
    return py::array(py::dtype(type), shape, data.data(), base);
}

graph::HostTensor tensor_of(const py::array& array, const graph::Tensor& input) {
    const std::string name(input.name);
    graph::NpyArray bytes;
    bytes.descr = py::str(array.dtype().attr("str"));
    bytes.element_bytes = static_cast<std::size_t>(array.itemsize());
    bytes.shape.assign(array.shape(), array.shape() + array.ndim());
    bytes.data = {static_cast<const std::byte*>(array.data()),
                  static_cast<std::size_t>(array.nbytes())};
    graph::HostTensor tensor = graph::to_host_tensor(bytes, stored_type(input), "input " + name,
                                                     input.is_unsigned, input.words);
    if (tensor.shape != array_shape(input)) {
        throw ConfigError("input " + name, fmt::format("the array has shape {}; the input has {}",
                                                       graph::shape_text(tensor.shape),
                                                       graph::shape_text(array_shape(input))));
    }
    return tensor;
}

}  // namespace okksim::python
