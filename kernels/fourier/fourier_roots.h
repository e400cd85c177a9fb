// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/call/constant_memory.h"
#include "kernels/call/tensor.h"
#include "kernels/fourier/root_table.h"

/// Roots of unity of FFT2D and RFFT2D: constants of the operator, prepared once like weights
/// (prepared_constants.h).
namespace okksim::kernels {

struct FourierPlan;

/// The tables of an operator: of the rows' transforms, and of the columns'.
struct FourierRoots {
    RootTable rows, columns;

    /// The tables if they begin at `address`. Axes with equal tables share one.
    static FourierRoots at(std::uint64_t address, const OperatorCall& call,
                           const FourierPlan& plan);
    std::uint64_t bytes() const;
};

/// Computes the tables.
void store_roots(const FourierRoots& roots, bool inverse, const ConstantMemory& memory);

/// is_fourier(): true for FFT2D and RFFT2D. is_inverse(): true if the roots are conjugate.
bool is_fourier(tosa::OpCode op);
bool is_inverse(const OperatorCall& call);

}  // namespace okksim::kernels
