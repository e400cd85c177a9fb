// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sim/graph/mlir/mlir_problem.h"
#include "sim/graph/mlir/mlir_value.h"

namespace okksim::sim::graph {

/// Reads the elements of dense<...> and of blobs into the encoding of constants (DType).
class DenseReader {
 public:
    DenseReader(TextReport& report, Graph& graph) : report_(report), graph_(graph) {}

    /// Returns the position of the ">" that ends the elements, which begin at `begin`.
    std::size_t find_end(std::string_view text, std::size_t begin);

    /// Reads the elements in text[begin, end): a list, a splat, or a hexadecimal string. `at` is
    /// the position of "dense". Errors are reported.
    ConstantData read(std::string_view text, std::size_t begin, std::size_t end,
                      const MlirType& type, std::size_t at);

    /// Reads the elements of a blob: a quoted hexadecimal string that begins with the alignment.
    ConstantData read_resource(std::string_view quoted, std::string_view text,
                               const MlirType& type);
    /// Checks a blob whose type is unknown.
    void check_resource(std::string_view quoted, std::string_view text) const;

 private:
    void check_size(std::size_t at, const MlirType& type) const;
    void check_alignment(std::string_view digits, std::size_t at) const;
    std::string_view resource_digits(std::string_view quoted, std::size_t at) const;
    ConstantData read_list(std::string_view text, std::size_t begin, std::size_t end,
                           const MlirType& type, std::size_t at);
    ConstantData read_hex(std::string_view digits, std::size_t at, const MlirType& type);
    /// Repeats one element, in the encoding of constants, for all elements of the type.
    ConstantData repeat(std::span<const std::byte> element, const MlirType& type);

    TextReport& report_;
    Graph& graph_;
};

}  // namespace okksim::sim::graph
