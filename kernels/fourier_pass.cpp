// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier_pass.h"

#include <cstring>
#include <utility>
#include <vector>

#include "firmware/okk.h"
#include "firmware/okk_access.h"
#include "isa/errors.h"
#include "kernels/fourier_lanes.h"

namespace okksim::kernels {
namespace {

/// Words that the control processor hands to the data mover through L2-SRAM, one block after the
/// other from its start.
class L2Words {
 public:
    L2Words() : next_(okk_l2_sram_start_addr()) {}

    std::uint64_t reserve(std::size_t words) {
        const unsigned int address = next_;
        next_ += static_cast<unsigned int>(4 * words);
        OKKSIM_CHECK(next_ - okk_l2_sram_start_addr() <= okk_l2_sram_size());
        return address;
    }
    std::uint64_t write(const std::vector<float>& words) {
        const std::uint64_t address = reserve(words.size());
        const std::size_t bytes = 4 * words.size();
        std::memcpy(okk_store_addr(address, bytes), words.data(), bytes);
        return address;
    }

 private:
    unsigned int next_;
};

/// Region without batches, moved to one line.
ComplexRegion line_of(const ComplexRegion& region, std::int64_t batch, std::int64_t line) {
    ComplexRegion result = region;
    const auto bytes =
        static_cast<std::uint64_t>(4 * (batch * region.batch_stride + line * region.line_stride));
    result.real += bytes;
    if (result.imaginary) *result.imaginary += bytes;
    return result;
}

/// A long transform as two passes over a matrix (the position n = n1 * columns + n2, the result
/// k = k1 + rows * k2): columns, factors exp(-2 pi i n2 k1 / length), rows.
void transform_in_two_passes(const ComplexRegion& from, const ComplexRegion& to,
                             const FourierSize& size, bool inverse, std::int32_t columns) {
    const std::int32_t rows = size.length / columns;
    L2Words memory;
    okk_poll();
    const auto first_table = memory.write(root_table(rows, inverse));
    const auto second_table = memory.write(root_table(columns, inverse));
    std::vector<float> real, imaginary;
    for (std::int64_t k1 = 0; k1 < rows; ++k1) {
        for (std::int64_t n2 = 0; n2 < columns; ++n2) {
            const auto root = root_of_unity(n2 * k1, size.length, inverse);
            real.push_back(root.first);
            imaginary.push_back(root.second);
        }
    }
    ComplexRegion factors{memory.write(real), memory.write(imaginary), 0, 1, columns};
    ComplexRegion matrix = factors;
    matrix.real = memory.reserve(real.size());
    matrix.imaginary = memory.reserve(real.size());
    ComplexRegion matrix_rows = matrix;
    std::swap(matrix_rows.line_stride, matrix_rows.axis_stride);
    for (std::int64_t batch = 0; batch < size.batches; ++batch) {
        for (std::int64_t line = 0; line < size.lines; ++line) {
            ComplexRegion source = line_of(from, batch, line);
            source.line_stride = from.axis_stride;
            source.axis_stride = from.axis_stride * columns;
            transform_in_lanes({1, columns, rows, rows}, source, matrix, &factors, first_table);
            ComplexRegion target = line_of(to, batch, line);
            target.line_stride = to.axis_stride;
            target.axis_stride = to.axis_stride * rows;
            // Results k1 + rows * k2 below `kept`: one more for the first lines.
            const std::int32_t whole = size.kept / rows, more = size.kept % rows;
            if (more > 0) {
                transform_in_lanes({1, more, columns, whole + 1}, matrix_rows, target, nullptr,
                                   second_table);
            }
            if (whole > 0) {
                transform_in_lanes({1, rows - more, columns, whole}, line_of(matrix_rows, 0, more),
                                   line_of(target, 0, more), nullptr, second_table);
            }
        }
    }
}

}  // namespace

void transform(const ComplexRegion& from, const ComplexRegion& to, const FourierSize& size,
               bool inverse) {
    const std::int64_t longest = longest_lane_transform();
    if (size.length > longest) {
        transform_in_two_passes(from, to, size, inverse, static_cast<std::int32_t>(longest));
        return;
    }
    L2Words memory;
    okk_poll();
    const auto table = memory.write(root_table(size.length, inverse));
    transform_in_lanes(size, from, to, nullptr, table);
}

}  // namespace okksim::kernels
