// SPDX-License-Identifier: Apache-2.0
#include "kernels/fourier/fourier_pass.h"

#include <utility>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/call/computing.h"
#include "kernels/fourier/fourier_lanes.h"

namespace okksim::kernels {
namespace {

/// One line of a region, without batches.
ComplexRegion line_of(const ComplexRegion& region, std::int64_t batch, std::int64_t line) {
    ComplexRegion result = region;
    const auto bytes =
        static_cast<std::uint64_t>(4 * (batch * region.batch_stride + line * region.line_stride));
    result.real += bytes;
    if (result.imaginary) *result.imaginary += bytes;
    return result;
}

}  // namespace

// Position n = n1 * columns + n2 and result k = k1 + rows * k2. The steps are: columns, factors
// exp(-2 pi i n2 k1 / length), rows.
std::vector<Transform> two_passes(const Transform& transform, std::int32_t columns,
                                  std::int64_t batch, std::int64_t line, std::uint64_t memory) {
    const RootTable& roots = transform.roots;
    const std::int32_t rows = transform.size.length / columns;
    const ComplexRegion factors{roots.factors(), roots.factors() + roots.part_bytes(), 0, 1,
                                columns};
    const ComplexRegion matrix{memory, memory + roots.part_bytes(), 0, 1, columns};
    ComplexRegion matrix_rows = matrix;
    std::swap(matrix_rows.line_stride, matrix_rows.axis_stride);
    ComplexRegion source = line_of(transform.from, batch, line);
    source.line_stride = transform.from.axis_stride;
    source.axis_stride = transform.from.axis_stride * columns;
    ComplexRegion target = line_of(transform.to, batch, line);
    target.line_stride = transform.to.axis_stride;
    target.axis_stride = transform.to.axis_stride * rows;
    std::vector<Transform> parts{{{1, columns, rows, rows}, source, matrix, factors, roots}};
    // Results k1 + rows * k2 below `kept`: the first lines have one more.
    const std::int32_t whole = transform.size.kept / rows, more = transform.size.kept % rows;
    if (more > 0) {
        parts.push_back({{1, more, columns, whole + 1}, matrix_rows, target, std::nullopt, roots});
    }
    if (whole > 0) {
        parts.push_back({{1, rows - more, columns, whole},
                         line_of(matrix_rows, 0, more),
                         line_of(target, 0, more),
                         std::nullopt,
                         roots});
    }
    return parts;
}

void run_transform(const Transform& transform, const TransformPlan& plan) {
    charge(OwnWork::kTransform);
    if (plan.columns == 0) {
        run_in_lanes(transform, plan.lanes.front(), INT64_MAX);
        return;
    }
    for (std::int64_t batch = 0; batch < transform.size.batches; ++batch) {
        for (std::int64_t line = 0; line < transform.size.lines; ++line) {
            const std::vector<Transform> parts =
                two_passes(transform, plan.columns, batch, line, okk_l2_sram_start_addr());
            OKKSIM_CHECK(parts.size() == plan.lanes.size());
            for (std::size_t i = 0; i < parts.size(); ++i) {
                run_in_lanes(parts[i], plan.lanes[i], INT64_MAX);
            }
        }
    }
}

}  // namespace okksim::kernels
