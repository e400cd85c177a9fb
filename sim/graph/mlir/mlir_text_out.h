// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "isa/base/output_file.h"
#include "sim/graph/graph.h"

namespace okksim::sim::graph {

/// Text that is written to a file in pieces, or collected in memory without a file.
class TextOut {
 public:
    TextOut() = default;
    explicit TextOut(OutputFile& file) : file_(&file) { text_.reserve(kPiece); }

    TextOut& operator+=(std::string_view more) {
        if (file_ != nullptr && text_.size() + more.size() > kPiece) flush();
        text_ += more;
        return *this;
    }
    void flush() {
        file_->write(text_);
        text_.clear();
    }
    std::string take() { return std::move(text_); }

 private:
    static constexpr std::size_t kPiece = 1 << 20;

    OutputFile* file_ = nullptr;
    std::string text_;
};

/// Returns "1F".
std::string hex_byte(std::uint8_t byte);
/// Returns the bytes as a quoted string in MLIR syntax.
std::string quoted_text(std::string_view bytes);
/// Returns "tensor<2x3xf32>", "!tosa.shape<2>".
std::string type_text(DType type, const Shape& shape, bool is_unsigned);
std::string type_text(const Tensor& tensor);

}  // namespace okksim::sim::graph
