// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "isa/types.h"
#include "tests/reference/okk/image.h"

namespace okksim::tests::reference {

/// Shape or stride in 64 bits, so that no product overflows.
struct Extents {
    std::int64_t n = 0, c = 0, h = 0, w = 0;
};

Extents extents(const isa::Dim4& dim);

/// Strides from the layout definitions; `slots` is the number of channels each lane holds.
Extents aligned_strides(const Extents& shape, std::int64_t slots, std::int64_t unit_elements);
Extents compact_strides(const Extents& shape, std::int64_t slots);
Extents continuous_strides(const Extents& shape);

/// ceil(a / b) of non-negative numbers.
std::int64_t ceiling(std::int64_t a, std::int64_t b);

/// A tensor in an image; every access computes its address from the definition of the layout.
class Tensor {
 public:
    /// In local memory, spread over the lanes; `address` is lane * bytes per lane + offset.
    static Tensor local(Image& image, std::int64_t address, int element_bytes,
                        const Extents& stride);
    static Tensor system(Image& image, std::int64_t address, int element_bytes,
                         const Extents& stride);
    /// Default layouts of local tensors.
    static Tensor aligned(Image& image, std::int64_t address, int element_bytes,
                          const Extents& shape);
    static Tensor compact(Image& image, std::int64_t address, int element_bytes,
                          const Extents& shape);

    std::uint8_t* at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const;
    std::uint32_t word(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const;
    void set_word(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                  std::uint32_t value) const;

    /// Channels that each lane holds of a tensor of `channels` channels at `address`.
    static std::int64_t slots(const Image& image, std::int64_t address, std::int64_t channels);

 private:
    Image* image_ = nullptr;
    bool local_ = true;
    std::int64_t address_ = 0;
    int element_bytes_ = 4;
    Extents stride_;
};

/// Rows x columns matrix, `width` columns per channel, in the matrix layout.
class Matrix {
 public:
    /// The aligned tensor of `rows` batches: the distance of rows is its N stride.
    static Matrix aligned(Image& image, std::int64_t address, std::int64_t rows,
                          std::int64_t columns, std::int64_t width);
    /// A matrix whose rows are only ceil(channels / lanes) channel slots apart, for every start
    /// lane. The golden vectors of the GDMA matrix copies use this layout. The two layouts differ
    /// when channels wrap around the last lane.
    static Matrix dense(Image& image, std::int64_t address, std::int64_t rows, std::int64_t columns,
                        std::int64_t width);
    std::uint8_t* at(std::int64_t row, std::int64_t column) const;
    std::uint32_t word(std::int64_t row, std::int64_t column) const;
    void set_word(std::int64_t row, std::int64_t column, std::uint32_t value) const;

 private:
    Matrix(Image& image, std::int64_t address, std::int64_t rows, std::int64_t columns,
           std::int64_t width, std::int64_t slots);

    std::int64_t width_;
    Tensor tensor_;
};

/// A packed (4N or 2N) fixed-point tensor, addressed by logical element.
class PackedTensor {
 public:
    /// `stride` counts 32-bit words; without it the layout is 128-byte aligned.
    PackedTensor(Image& image, std::int64_t address, const Extents& shape,
                 const std::optional<Extents>& stride, int bits);
    std::int64_t load(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
                      bool is_signed) const;
    void store(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w,
               std::int64_t value) const;

 private:
    std::uint8_t* at(std::int64_t n, std::int64_t c, std::int64_t h, std::int64_t w) const;

    int bits_;
    Tensor words_;
};

/// Calls f(n, c, h, w) for every element of a shape, w fastest.
template <typename Function>
void for_each_element(const Extents& shape, Function&& f) {
    for (std::int64_t n = 0; n < shape.n; ++n) {
        for (std::int64_t c = 0; c < shape.c; ++c) {
            for (std::int64_t h = 0; h < shape.h; ++h) {
                for (std::int64_t w = 0; w < shape.w; ++w) f(n, c, h, w);
            }
        }
    }
}

}  // namespace okksim::tests::reference
