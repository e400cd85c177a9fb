// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduction/order_keys.h"

#include "kernels/prim/magic.h"
#include "kernels/prim/raw.h"

namespace okksim::kernels {

using prim::LocalTensor;
using prim::NanMode;
using prim::Scratch;
namespace raw = prim::raw;

namespace {}  // namespace

void nan_mask(const LocalTensor& mask, const LocalTensor& x) {
    prim::is_not_nan(mask, x, prim::kAllOnes);
    raw::bit_xor(mask, mask, prim::kAllOnes);
}

void bounded_key(const LocalTensor& x, NanMode mode, Scratch& scratch) {
    constexpr float kBound = 0x1p100f;
    constexpr std::uint32_t kFar = 0x72800000u;  // 2^102
    Scratch::Frame frame(scratch);
    const LocalTensor far = frame.plane(x.shape);
    prim::is_not_nan(far, x, kFar);
    raw::bit_xor(far, far, kFar);
    raw::maximum(x, x, -kBound);  // gives the constant for NaN
    raw::minimum(x, x, kBound);
    if (mode == NanMode::kPropagate) {
        raw::add(x, x, far);
    } else {
        raw::subtract(x, x, far);
    }
    // Both sums turned -0 into +0, except when -0 had nothing subtracted.
    if (mode == NanMode::kIgnore) raw::add(x, x, 0.0f);
}

void integer_key(const LocalTensor& x, NanMode mode, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const LocalTensor nan = frame.plane(x.shape);
    const LocalTensor t = frame.plane(x.shape);
    nan_mask(nan, x);
    raw::select_equal(t, x, prim::kSignBit, prim::kSignBit);
    raw::bit_xor(x, x, t);
    raw::shift_right_arithmetic(t, x, 31);
    raw::bit_and(t, t, prim::kMagnitudeBits);
    raw::bit_xor(x, x, t);
    raw::bit_xor(t, nan, prim::kAllOnes);
    raw::bit_and(x, x, t);
    raw::bit_and(nan, nan, mode == NanMode::kPropagate ? prim::kMagnitudeBits : prim::kSignBit);
    raw::bit_or(x, x, nan);
}

}  // namespace okksim::kernels
