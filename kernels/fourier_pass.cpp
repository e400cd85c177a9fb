// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier_pass.h"

#include <utility>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "kernels/fourier_lanes.h"

namespace okksim::kernels {
namespace {

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
                             const FourierSize& size, const RootTable& roots,
                             std::int32_t columns) {
    const std::int32_t rows = size.length / columns;
    const std::uint64_t memory = okk_l2_sram_start_addr();
    OKKSIM_CHECK(2 * roots.part_bytes() <= okk_l2_sram_size());
    const ComplexRegion factors{roots.factors(), roots.factors() + roots.part_bytes(), 0, 1,
                                columns};
    const ComplexRegion matrix{memory, memory + roots.part_bytes(), 0, 1, columns};
    ComplexRegion matrix_rows = matrix;
    std::swap(matrix_rows.line_stride, matrix_rows.axis_stride);
    for (std::int64_t batch = 0; batch < size.batches; ++batch) {
        for (std::int64_t line = 0; line < size.lines; ++line) {
            ComplexRegion source = line_of(from, batch, line);
            source.line_stride = from.axis_stride;
            source.axis_stride = from.axis_stride * columns;
            transform_in_lanes({1, columns, rows, rows}, source, matrix, &factors, roots);
            ComplexRegion target = line_of(to, batch, line);
            target.line_stride = to.axis_stride;
            target.axis_stride = to.axis_stride * rows;
            // Results k1 + rows * k2 below `kept`: one more for the first lines.
            const std::int32_t whole = size.kept / rows, more = size.kept % rows;
            if (more > 0) {
                transform_in_lanes({1, more, columns, whole + 1}, matrix_rows, target, nullptr,
                                   roots);
            }
            if (whole > 0) {
                transform_in_lanes({1, rows - more, columns, whole}, line_of(matrix_rows, 0, more),
                                   line_of(target, 0, more), nullptr, roots);
            }
        }
    }
}

}  // namespace

void transform(const ComplexRegion& from, const ComplexRegion& to, const FourierSize& size,
               const RootTable& roots) {
    OKKSIM_CHECK(roots.length == size.length);
    const std::int64_t longest = longest_lane_transform();
    if (size.length > longest) {
        transform_in_two_passes(from, to, size, roots, static_cast<std::int32_t>(longest));
        return;
    }
    transform_in_lanes(size, from, to, nullptr, roots);
}

}  // namespace okksim::kernels
