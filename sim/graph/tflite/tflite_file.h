// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tflite_generated.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/graph/graph_errors.h"
#include "sim/graph/graph_format.h"

namespace okksim::sim::graph::tflite {

/// A verified .tflite file. Offsets, vectors and strings are inside the file, and so are the
/// indices of tensors, buffers and operator codes that these functions take. Problems are
/// GraphFileError.
class File {
 public:
    explicit File(const GraphSource& source);

    const std::string& name() const { return source_.name; }
    std::uint32_t subgraph_count() const { return model_->subgraphs()->size(); }
    /// `where` names the table that refers to the subgraph.
    const wire::SubGraph& subgraph(std::int64_t index, const std::string& where) const;

    /// Number of the operator: the larger one of the two fields of its code.
    std::int32_t operator_number(const wire::Operator& op, const std::string& where) const;
    std::string_view custom_name(const wire::Operator& op) const;

    /// The bytes of a tensor: in the FlatBuffer, or at an offset in the file. Empty if it has none.
    std::span<const std::byte> buffer(const wire::Tensor& tensor, const std::string& where) const;

    [[noreturn]] void fail(const std::string& where, const std::string& message,
                           FileProblem problem = FileProblem::kDamaged,
                           UnreadItems unread = {}) const;

 private:
    void check_vectors() const;

    const GraphSource& source_;
    const wire::Model* model_ = nullptr;
};

/// True if the bytes have the file identifier of TensorFlow Lite, "TFL3".
bool has_identifier(std::span<const std::byte> bytes);

/// Returns a list of the file as a vector; empty if it is missing.
template <typename T>
std::vector<std::int64_t> integers(const flatbuffers::Vector<T>* list) {
    if (list == nullptr) return {};
    std::vector<std::int64_t> result(list->size());
    for (std::uint32_t i = 0; i < list->size(); ++i) {
        T value;  // damaged files align numbers to less than their size
        std::memcpy(&value, list->Data() + std::size_t{i} * sizeof(T), sizeof(T));
        result[i] = static_cast<std::int64_t>(value);
    }
    return result;
}

}  // namespace okksim::sim::graph::tflite
