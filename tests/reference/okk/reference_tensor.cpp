// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/okk/reference_tensor.h"

#include <cstring>

namespace okksim::tests::reference {

Extents extents(const isa::Dim4& dim) { return {dim.n, dim.c, dim.h, dim.w}; }

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

Extents aligned_strides(const Extents& shape, std::int64_t slots, std::int64_t unit_elements) {
    const std::int64_t plane = ceiling(shape.h * shape.w, unit_elements) * unit_elements;
    return {plane * slots, plane, shape.w, 1};
}

Extents compact_strides(const Extents& shape, std::int64_t slots) {
    const std::int64_t plane = shape.h * shape.w;
    return {plane * slots, plane, shape.w, 1};
}

Extents continuous_strides(const Extents& shape) {
    return {shape.c * shape.h * shape.w, shape.h * shape.w, shape.w, 1};
}

std::int64_t Tensor::slots(const Image& image, std::int64_t address, std::int64_t channels) {
    return ceiling(address / image.lane_bytes + channels, image.lanes);
}

Tensor Tensor::local(Image& image, std::int64_t address, int element_bytes, const Extents& stride) {
    Tensor tensor;
    tensor.image_ = &image;
    tensor.address_ = address;
    tensor.element_bytes_ = element_bytes;
    tensor.stride_ = stride;
    return tensor;
}

Tensor Tensor::system(Image& image, std::int64_t address, int element_bytes,
                      const Extents& stride) {
    Tensor tensor = local(image, address, element_bytes, stride);
    tensor.local_ = false;
    return tensor;
}

Tensor Tensor::aligned(Image& image, std::int64_t address, int element_bytes,
                       const Extents& shape) {
    const std::int64_t count = slots(image, address, shape.c);
    return local(image, address, element_bytes,
                 aligned_strides(shape, count, image.line_bytes / element_bytes));
}

Tensor Tensor::compact(Image& image, std::int64_t address, int element_bytes,
                       const Extents& shape) {
    return local(image, address, element_bytes,
                 compact_strides(shape, slots(image, address, shape.c)));
}

std::uint8_t* Tensor::at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    if (!local_) {
        const std::int64_t element = n * stride_.n + c * stride_.c + h * stride_.h + w * stride_.w;
        return image_->system_at(static_cast<std::uint64_t>(address_ + element * element_bytes_),
                                 element_bytes_);
    }
    const std::int64_t channel = address_ / image_->lane_bytes + c;
    const std::int64_t slot = channel / image_->lanes;
    const std::int64_t element = n * stride_.n + slot * stride_.c + h * stride_.h + w * stride_.w;
    return image_->lane_at(channel % image_->lanes,
                           address_ % image_->lane_bytes + element * element_bytes_,
                           element_bytes_);
}

std::uint32_t Tensor::word(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const {
    std::uint32_t value = 0;
    std::memcpy(&value, at(n, c, h, w), sizeof value);
    return value;
}

void Tensor::set_word(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                      std::uint32_t value) const {
    std::memcpy(at(n, c, h, w), &value, sizeof value);
}

Matrix::Matrix(Image& image, std::int64_t address, std::int64_t rows, std::int64_t columns,
               std::int64_t width, std::int64_t slots)
    : width_(width),
      tensor_(Tensor::local(image, address, 4,
                            aligned_strides({rows, ceiling(columns, width), 1, width}, slots,
                                            image.line_bytes / 4))) {}

Matrix Matrix::aligned(Image& image, std::int64_t address, std::int64_t rows, std::int64_t columns,
                       std::int64_t width) {
    return {image,   address, rows,
            columns, width,   Tensor::slots(image, address, ceiling(columns, width))};
}

Matrix Matrix::dense(Image& image, std::int64_t address, std::int64_t rows, std::int64_t columns,
                     std::int64_t width) {
    return {image, address, rows, columns, width, ceiling(ceiling(columns, width), image.lanes)};
}

std::uint8_t* Matrix::at(std::int64_t row, std::int64_t column) const {
    return tensor_.at(row, column / width_, 0, column % width_);
}

std::uint32_t Matrix::word(std::int64_t row, std::int64_t column) const {
    return tensor_.word(row, column / width_, 0, column % width_);
}

void Matrix::set_word(std::int64_t row, std::int64_t column, std::uint32_t value) const {
    tensor_.set_word(row, column / width_, 0, column % width_, value);
}

PackedTensor::PackedTensor(Image& image, std::int64_t address, const Extents& shape,
                           const std::optional<Extents>& stride, int bits)
    : bits_(bits) {
    const Extents words{ceiling(shape.n, 32 / bits), shape.c, shape.h, shape.w};
    words_ = stride ? Tensor::local(image, address, 4, *stride)
                    : Tensor::aligned(image, address, 4, words);
}

std::uint8_t* PackedTensor::at(std::int64_t n, std::int64_t c, std::int64_t h,
                               std::int64_t w) const {
    const int per_word = 32 / bits_;
    return words_.at(n / per_word, c, h, w) + (n % per_word) * (bits_ / 8);
}

std::int64_t PackedTensor::load(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                                bool is_signed) const {
    const std::uint8_t* bytes = at(n, c, h, w);
    std::int64_t value = bytes[0];
    if (bits_ == 16) value += std::int64_t{bytes[1]} * 256;
    const std::int64_t limit = std::int64_t{1} << (bits_ - 1);
    return is_signed && value >= limit ? value - 2 * limit : value;
}

void PackedTensor::store(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                         std::int64_t value) const {
    std::uint8_t* bytes = at(n, c, h, w);
    bytes[0] = static_cast<std::uint8_t>(value & 0xFF);
    if (bits_ == 16) bytes[1] = static_cast<std::uint8_t>((value >> 8) & 0xFF);
}

}  // namespace okksim::tests::reference
