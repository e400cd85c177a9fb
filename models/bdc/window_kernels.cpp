// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/window_kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h re-includes this file once per target.
#include "hwy/highway.h"

#include "models/bdc/simd-inl.h"
#include "models/bdc/window_kernels.h"

#include <algorithm>
#include <cfloat>

HWY_BEFORE_NAMESPACE();
namespace okksim::models::bdc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::CappedTag<float, 16>;
using FloatVector = hn::Vec<FloatTag>;
constexpr std::int64_t kLanes = static_cast<std::int64_t>(hn::MaxLanes(FloatTag()));

HWY_INLINE void FillRun(float* to, std::int64_t count, FloatVector value) {
    const FloatTag d;
    for (std::int64_t i = 0; i < count; i += kLanes) hn::StoreU(value, d, to + i);
}

// One padded row for horizontal stride 1. Whole vectors are written: what runs over the row's end
// is the next row's, which is written later.
HWY_INLINE void SpreadRow(const PlaneShape& shape, const float* HWY_RESTRICT from,
                          FloatVector factor, FloatVector pad, float* HWY_RESTRICT to) {
    const FloatTag d;
    FillRun(to, shape.pad_left, pad);
    float* data = to + shape.pad_left;
    for (std::int64_t i = 0; i < shape.input_w; i += kLanes) {
        hn::StoreU(hn::Mul(hn::LoadU(d, from + i), factor), d, data + i);
    }
    const std::int64_t used = shape.pad_left + shape.input_w;
    // At least one vector: it also hides what was read beyond the input row.
    FillRun(to + used, std::max<std::int64_t>(shape.row_floats - used, kLanes), pad);
}

// The same for horizontal stride 2: even and odd padded columns go to two phases.
HWY_INLINE void SpreadRowByTwo(const PlaneShape& shape, const float* HWY_RESTRICT from,
                               FloatVector factor, FloatVector pad, float* HWY_RESTRICT to) {
    const FloatTag d;
    const std::int64_t odd_start = shape.pad_left % 2;
    // Input column 0 is in phase odd_start, column 1 in the other one.
    float* phase0 = to + odd_start * shape.phase_floats;
    float* phase1 = to + (1 - odd_start) * shape.phase_floats;
    const std::int64_t first0 = shape.pad_left / 2;
    const std::int64_t first1 = (shape.pad_left + 1) / 2;
    FillRun(phase0, first0, pad);
    FillRun(phase1, first1, pad);
    for (std::int64_t i = 0; 2 * i < shape.input_w; i += kLanes) {
        FloatVector even, odd;
        hn::LoadInterleaved2(d, from + 2 * i, even, odd);
        hn::StoreU(hn::Mul(even, factor), d, phase0 + first0 + i);
        hn::StoreU(hn::Mul(odd, factor), d, phase1 + first1 + i);
    }
    const std::int64_t used0 = first0 + (shape.input_w + 1) / 2;
    const std::int64_t used1 = first1 + shape.input_w / 2;
    FillRun(phase0 + used0, std::max<std::int64_t>(shape.row_floats - used0, kLanes), pad);
    FillRun(phase1 + used1, std::max<std::int64_t>(shape.row_floats - used1, kLanes), pad);
}

// Any stride, and rows so close to the end of memory that whole vectors must not be read.
void SpreadRowSlowly(const PlaneShape& shape, const float* from, float factor, float pad,
                     float* to) {
    for (std::int64_t phase = 0; phase < shape.stride_w; ++phase, to += shape.phase_floats) {
        for (std::int64_t i = 0; i < shape.row_floats; ++i) {
            const std::int64_t column = i * shape.stride_w + phase - shape.pad_left;
            const bool inside = column >= 0 && column < shape.input_w;
            to[i] = inside ? from[column] * factor : pad;
        }
    }
}

void SpreadPlane(const PlaneShape& shape, const float* input, const float* input_end, float factor,
                 float pad_value, float* to) {
    const FloatTag d;
    const FloatVector factors = hn::Set(d, factor);
    const FloatVector pads = hn::Set(d, pad_value);
    const std::int64_t whole_vectors =
        (shape.input_w + shape.stride_w * kLanes - 1) / (shape.stride_w * kLanes) *
        (shape.stride_w * kLanes);
    for (std::int64_t row_phase = 0; row_phase < shape.stride_h; ++row_phase) {
        float* phase = to + row_phase * shape.stride_w * shape.phase_floats;
        for (std::int64_t i = 0; i < shape.phase_rows; ++i, phase += shape.row_floats) {
            const std::int64_t row = i * shape.stride_h + row_phase - shape.pad_top;
            if (row < 0 || row >= shape.input_h) {
                for (std::int64_t p = 0; p < shape.stride_w; ++p) {
                    FillRun(phase + p * shape.phase_floats, shape.row_floats, pads);
                }
                continue;
            }
            const float* from = input + row * shape.input_row;
            const bool readable = input_end - from >= whole_vectors;
            if (shape.stride_w == 1 && readable) {
                SpreadRow(shape, from, factors, pads, phase);
            } else if (shape.stride_w == 2 && readable) {
                SpreadRowByTwo(shape, from, factors, pads, phase);
            } else {
                SpreadRowSlowly(shape, from, factor, pad_value, phase);
            }
        }
    }
}

template <WindowOperation kOperation>
HWY_INLINE FloatVector Accumulate(FloatVector sum, FloatVector value, FloatVector weight) {
    if constexpr (kOperation == WindowOperation::kWeightedSum) {
        return hn::Add(sum, hn::Mul(value, weight));
    } else if constexpr (kOperation == WindowOperation::kSum) {
        return hn::Add(sum, value);
    } else {
        return hn::IfThenElse(hn::Gt(value, sum), value, sum);
    }
}

// kVectors vectors of neighbouring windows from position `first`.
template <WindowOperation kOperation, int kVectors>
HWY_INLINE void WindowBlock(const WindowWork& work, const float* HWY_RESTRICT plane,
                            float* HWY_RESTRICT to) {
    constexpr bool kMaximum = kOperation == WindowOperation::kMaximum;
    constexpr int kAccumulators = kMaximum ? 1 : 2;
    constexpr bool kWeighted = kOperation == WindowOperation::kWeightedSum;
    const FloatTag d;
    FloatVector sums[kAccumulators][kVectors];
    OKKSIM_UNROLL
    for (int a = 0; a < kAccumulators; ++a) {
        OKKSIM_UNROLL
        for (int v = 0; v < kVectors; ++v) sums[a][v] = hn::Set(d, kMaximum ? -FLT_MAX : 0.0f);
    }
    std::int64_t tap = 0;
    for (; tap + kAccumulators <= work.taps; tap += kAccumulators) {
        OKKSIM_UNROLL
        for (int a = 0; a < kAccumulators; ++a) {
            const float* from = plane + work.tap_offsets[tap + a];
            const FloatVector weight = hn::Set(d, kWeighted ? work.weights[tap + a] : 0.0f);
            OKKSIM_UNROLL
            for (int v = 0; v < kVectors; ++v) {
                sums[a][v] =
                    Accumulate<kOperation>(sums[a][v], hn::LoadU(d, from + v * kLanes), weight);
            }
        }
    }
    if (tap < work.taps) {
        const float* from = plane + work.tap_offsets[tap];
        const FloatVector weight = hn::Set(d, kWeighted ? work.weights[tap] : 0.0f);
        OKKSIM_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            sums[0][v] =
                Accumulate<kOperation>(sums[0][v], hn::LoadU(d, from + v * kLanes), weight);
        }
    }
    OKKSIM_UNROLL
    for (int v = 0; v < kVectors; ++v) {
        FloatVector sum = sums[0][v];
        if constexpr (!kMaximum) {
            sum = hn::Add(sum, sums[1][v]);
            if (work.bias != nullptr) sum = hn::Add(sum, hn::Set(d, *work.bias));
            sum = CanonicalNan(d, sum);
        }
        hn::StoreU(sum, d, to + v * kLanes);
    }
}

// Windows [0, count) rounded up to whole vectors.
template <WindowOperation kOperation>
HWY_NOINLINE void WindowRun(const WindowWork& work, const float* plane, std::int64_t count,
                            float* to) {
    constexpr int kBlock = 4;
    std::int64_t i = 0;
    for (; i + (kBlock - 1) * kLanes < count; i += kBlock * kLanes) {
        WindowBlock<kOperation, kBlock>(work, plane + i, to + i);
    }
    for (; i + kLanes < count; i += 2 * kLanes) {
        WindowBlock<kOperation, 2>(work, plane + i, to + i);
    }
    for (; i < count; i += kLanes) WindowBlock<kOperation, 1>(work, plane + i, to + i);
}

void RunOperation(const WindowWork& work, const float* plane, std::int64_t count, float* to) {
    switch (work.operation) {
        case WindowOperation::kWeightedSum:
            return WindowRun<WindowOperation::kWeightedSum>(work, plane, count, to);
        case WindowOperation::kSum:
            return WindowRun<WindowOperation::kSum>(work, plane, count, to);
        case WindowOperation::kMaximum:
            return WindowRun<WindowOperation::kMaximum>(work, plane, count, to);
    }
}

// Rows of `width` floats, `pitch` apart, to rows without gaps.
HWY_INLINE void CloseRows(const float* HWY_RESTRICT from, std::int64_t pitch, std::int64_t rows,
                          std::int64_t width, float* HWY_RESTRICT to) {
    const FloatTag d;
    const std::int64_t total = rows * width;
    for (std::int64_t row = 0; row < rows; ++row, from += pitch) {
        std::int64_t at = row * width;
        const std::int64_t end = at + width;
        const float* source = from;
        // A whole vector may run over into the next rows, but not over the end of the plane.
        for (; at < end && at + kLanes <= total; at += kLanes, source += kLanes) {
            hn::StoreU(hn::LoadU(d, source), d, to + at);
        }
        for (; at < end; ++at, ++source) to[at] = *source;
    }
}

void SlideWindows(const WindowWork& work, const float* plane, float* flat, float* output) {
    const std::int64_t count = (work.output_h - 1) * work.row_floats + work.output_w;
    if (work.row_floats != work.output_w) {
        RunOperation(work, plane, count, flat);
        CloseRows(flat, work.row_floats, work.output_h, work.output_w, output);
        return;
    }
    const std::int64_t whole = count / kLanes * kLanes;
    if (whole != 0) RunOperation(work, plane, whole, output);
    if (whole == count) return;
    RunOperation(work, plane + whole, count - whole, flat);
    std::copy(flat, flat + (count - whole), output + whole);
}

}  // namespace HWY_NAMESPACE
}  // namespace okksim::models::bdc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models::bdc {

HWY_EXPORT(SpreadPlane);
HWY_EXPORT(SlideWindows);

void spread_plane(const PlaneShape& shape, const float* input, const float* input_end, float factor,
                  float pad_value, float* to) {
    HWY_DYNAMIC_DISPATCH(SpreadPlane)(shape, input, input_end, factor, pad_value, to);
}

void slide_windows(const WindowWork& work, const float* plane, float* flat, float* output) {
    HWY_DYNAMIC_DISPATCH(SlideWindows)(work, plane, flat, output);
}

}  // namespace okksim::models::bdc
#endif  // HWY_ONCE
