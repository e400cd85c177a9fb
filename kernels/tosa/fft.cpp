// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.3.6 and 2.3.9: FFT2D and RFFT2D.
#include <algorithm>

#include "firmware/okk.h"
#include "isa/errors.h"
#include "kernels/fourier_pass.h"

namespace okksim::kernels {
namespace {

ComplexRegion region(const DeviceTensor& real, const DeviceTensor* imaginary, bool columns) {
    ComplexRegion result;
    result.real = real.address;
    if (imaginary != nullptr) result.imaginary = imaginary->address;
    result.batch_stride = real.strides[0];
    result.axis_stride = columns ? real.strides[1] : real.strides[2];
    result.line_stride = columns ? real.strides[2] : real.strides[1];
    return result;
}

/// The operator's prepared roots, or those that it makes now, in L2-SRAM.
FourierRoots roots_of(const OperatorCall& call) {
    if (call.prepared != 0) return FourierRoots::at(call.prepared, call);
    okk_poll();  // L2-SRAM may still be in use
    const std::uint64_t end = okk_l2_sram_start_addr() + okk_l2_sram_size();
    // At its end: long transforms use its beginning.
    const std::uint64_t bytes = FourierRoots::at(0, call).bytes();
    OKKSIM_CHECK(2 * bytes <= okk_l2_sram_size());
    const FourierRoots roots = FourierRoots::at(end - bytes, call);
    store_roots(roots, is_inverse(call));
    return roots;
}

}  // namespace

/// FFT2D: rows, then columns in place in the outputs.
void fft2d_kernel(const OperatorCall& call) {
    const FourierRoots roots = roots_of(call);
    const DeviceTensor& real = call.outputs[0];
    const DeviceTensor& imaginary = call.outputs[1];
    const std::int32_t batch = real.dims[0], height = real.dims[1], width = real.dims[2];
    transform(region(call.inputs[0], &call.inputs[1], false), region(real, &imaginary, false),
              {batch, height, width, width}, roots.rows);
    if (height == 1) return;
    transform(region(real, &imaginary, true), region(real, &imaginary, true),
              {batch, width, height, height}, roots.columns);
}

/// RFFT2D: the rows give only the columns that the output has.
void rfft2d_kernel(const OperatorCall& call) {
    const FourierRoots roots = roots_of(call);
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor& real = call.outputs[0];
    const DeviceTensor& imaginary = call.outputs[1];
    const std::int32_t batch = input.dims[0], height = input.dims[1], width = input.dims[2];
    const std::int32_t kept = real.dims[2];
    transform(region(input, nullptr, false), region(real, &imaginary, false),
              {batch, height, width, kept}, roots.rows);
    if (height == 1) return;
    transform(region(real, &imaginary, true), region(real, &imaginary, true),
              {batch, kept, height, height}, roots.columns);
}

}  // namespace okksim::kernels
