// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/tensor.h"

/// Roots of unity of FFT2D and RFFT2D: constants of the operator, prepared once like weights
/// (prepared_constants.h).
namespace okksim::kernels {

/// exp(-2 pi i k / length), or their conjugates, for the whole turn: `length` real parts, then the
/// imaginary ones, as fp32 in system memory. After them come the factors of a transform in two
/// passes: the roots n2 * k1 as a matrix, k1 after k1, with n2 below `columns`.
struct RootTable {
    std::uint64_t address = 0;
    std::int32_t length = 1;
    std::int32_t columns = 0;  ///< 0: no factors

    /// Bytes of the real or the imaginary parts.
    std::uint64_t part_bytes() const { return 4 * static_cast<std::uint64_t>(length); }
    std::uint64_t imaginary() const { return address + part_bytes(); }
    std::uint64_t factors() const { return address + 2 * part_bytes(); }
    std::uint64_t bytes() const { return (columns == 0 ? 2 : 4) * part_bytes(); }
};

struct FourierPlan;

/// The tables of an operator: of the rows' transforms, and of the columns'.
struct FourierRoots {
    RootTable rows, columns;

    /// The tables if they begin at `address`. Axes with equal tables share one.
    static FourierRoots at(std::uint64_t address, const OperatorCall& call,
                           const FourierPlan& plan);
    std::uint64_t bytes() const;
};

/// Computes the tables in software floating point, which is slow.
void store_roots(const FourierRoots& roots, bool inverse);

/// is_fourier(): true for FFT2D and RFFT2D. is_inverse(): true if the roots are conjugate.
bool is_fourier(tosa::OpCode op);
bool is_inverse(const OperatorCall& call);

}  // namespace okksim::kernels
