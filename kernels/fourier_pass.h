// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "kernels/fourier_roots.h"

namespace okksim::kernels {

/// fp32 complex numbers in system memory: real and imaginary parts in two places with the same
/// strides (elements) over batches, lines and the axis that is transformed.
struct ComplexRegion {
    std::uint64_t real = 0;
    std::optional<std::uint64_t> imaginary;  ///< absent: zero
    std::int64_t batch_stride = 0, line_stride = 0, axis_stride = 0;
};

struct FourierSize {
    std::int32_t batches = 1, lines = 1;
    std::int32_t length = 1;  ///< of the transform: a power of two
    std::int32_t kept = 1;    ///< the first `kept` results are stored
};

/// One-dimensional discrete Fourier transforms of every line, not normalised (TOSA 1.0.1, 2.3.6),
/// with the roots of size.length. from and to may be the same region. Transforms too long for a
/// lane go through L2-SRAM in two passes.
void transform(const ComplexRegion& from, const ComplexRegion& to, const FourierSize& size,
               const RootTable& roots);

}  // namespace okksim::kernels
