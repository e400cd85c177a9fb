// SPDX-License-Identifier: Apache-2.0
// TOSA 1.0.1 sections 2.3.6 and 2.3.9: FFT2D and RFFT2D.
#include <algorithm>

#include "firmware/okk.h"
#include "isa/base/errors.h"
#include "kernels/fourier/fourier_pass.h"
#include "kernels/fourier/fourier_roots.h"

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

/// Transforms of the rows, which give `kept` columns, then of the columns in place in the outputs.
std::vector<Transform> transforms_of(const OperatorCall& call, const FourierRoots& roots) {
    const DeviceTensor& input = call.inputs[0];
    const DeviceTensor* imaginary_input = call.inputs.size() > 1 ? &call.inputs[1] : nullptr;
    const DeviceTensor& real = call.outputs[0];
    const DeviceTensor& imaginary = call.outputs[1];
    const std::int32_t batch = input.dims[0], height = input.dims[1], width = input.dims[2];
    const std::int32_t kept = real.dims[2];
    std::vector<Transform> transforms{{{batch, height, width, kept},
                                       region(input, imaginary_input, false),
                                       region(real, &imaginary, false),
                                       std::nullopt,
                                       roots.rows}};
    if (height == 1) return transforms;
    const ComplexRegion columns = region(real, &imaginary, true);
    transforms.push_back({{batch, kept, height, height}, columns, columns, {}, roots.columns});
    return transforms;
}

FourierPlan plan_transforms(const OperatorCall& call, Host& host) {
    // Reserves memory for all factors: which ones are needed is not yet known.
    const FourierPlan both{{{1, {}}, {1, {}}}};
    const FourierRoots roots = FourierRoots::at(call.prepared, call, both);
    FourierPlan plan;
    for (const Transform& transform : transforms_of(call, roots)) {
        plan.transforms.push_back(plan_transform(transform, host));
    }
    return plan;
}

}  // namespace

/// FFT2D and RFFT2D. Rows compute only the columns that the output has.
void fft2d_kernel(const OperatorCall& call) {
    const FourierPlan& plan =
        call.decisions->take("transforms", [&](Host& host) { return plan_transforms(call, host); });
    const FourierRoots roots = FourierRoots::at(call.prepared, call, plan);
    const std::vector<Transform> transforms = transforms_of(call, roots);
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        run_transform(transforms[i], plan.transforms[i]);
    }
}

void rfft2d_kernel(const OperatorCall& call) { fft2d_kernel(call); }

}  // namespace okksim::kernels
