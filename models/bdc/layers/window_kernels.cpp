// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/layers/window_kernels.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h re-includes this file once per target.
#include <algorithm>
#include <cfloat>

#include "hwy/highway.h"
#include "models/bdc/elements/simd-inl.h"
#include "models/bdc/layers/window_kernels.h"

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

// FillRun() that is cheap for the one or two columns of most paddings.
HWY_INLINE void FillPadding(float* to, std::int64_t count, FloatVector pads, float pad) {
    constexpr std::int64_t kFew = 3;
    if (count > kFew) return FillRun(to, count, pads);
    for (std::int64_t i = 0; i < count; ++i) to[i] = pad;
}

// Copies one padded row. Whole vectors are written; a later write of the next row repairs the
// overrun.
HWY_INLINE void SpreadRow(const PlaneShape& shape, const float* HWY_RESTRICT from,
                          FloatVector factor, FloatVector pads, float pad, float* HWY_RESTRICT to) {
    const FloatTag d;
    FillPadding(to, shape.pad_left, pads, pad);
    float* data = to + shape.pad_left;
    for (std::int64_t i = 0; i < shape.input_w; i += kLanes) {
        hn::StoreU(hn::Mul(hn::LoadU(d, from + i), factor), d, data + i);
    }
    const std::int64_t used = shape.pad_left + shape.input_w;
    FillPadding(to + used, shape.row_floats - used, pads, pad);
}

// Handles column phases, and rows so close to the end of memory that whole vectors must not be
// read.
void SpreadRowSlowly(const PlaneShape& shape, const float* from, float factor, float pad,
                     float* to) {
    for (std::int64_t phase = 0; phase < shape.column_phases; ++phase, to += shape.phase_floats) {
        for (std::int64_t i = 0; i < shape.row_floats; ++i) {
            const std::int64_t column = i * shape.column_phases + phase - shape.pad_left;
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
    const std::int64_t whole_vectors = (shape.input_w + kLanes - 1) / kLanes * kLanes;
    for (std::int64_t row_phase = 0; row_phase < shape.row_phases; ++row_phase) {
        float* phase = to + row_phase * shape.column_phases * shape.phase_floats;
        for (std::int64_t i = 0; i < shape.phase_rows; ++i, phase += shape.row_floats) {
            const std::int64_t row = i * shape.row_phases + row_phase - shape.pad_top;
            if (row < 0 || row >= shape.input_h) {
                for (std::int64_t p = 0; p < shape.column_phases; ++p) {
                    FillRun(phase + p * shape.phase_floats, shape.row_floats, pads);
                }
                continue;
            }
            const float* from = input + row * shape.input_w;
            if (shape.column_phases == 1 && input_end - from >= whole_vectors) {
                SpreadRow(shape, from, factors, pads, pad_value, phase);
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
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
        // MAXPS makes this choice: the second operand unless the first is larger.
        return hn::Max(value, sum);
#else
        return hn::IfThenElse(hn::Gt(value, sum), value, sum);
#endif
    }
}

// Returns the inputs of kLanes neighbouring windows.
template <int kColumnStep>
HWY_INLINE FloatVector LoadWindows(const float* from) {
    const FloatTag d;
#if HWY_TARGET != HWY_SCALAR
    if constexpr (kColumnStep == 2) {
        return hn::ConcatEven(d, hn::LoadU(d, from + kLanes), hn::LoadU(d, from));
    }
#endif
    return hn::LoadU(d, from);
}

// A 1 that the compiler cannot see. It may drop a product with a literal 1, which flushes
// denormals.
const volatile float kOne = 1.0f;

// Returns the result of windows with complete sums by tap parity (or maximum: in `even`).
template <WindowOperation kOperation>
HWY_INLINE FloatVector Finish(const WindowWork& work, FloatVector even, FloatVector odd) {
    const FloatTag d;
    if constexpr (kOperation == WindowOperation::kMaximum) {
        // Denormal inputs were compared as zeros; here they become zeros.
        return hn::Mul(even, hn::Set(d, kOne));
    } else {
        FloatVector sum = hn::Add(even, odd);
        if (work.bias != nullptr) sum = hn::Add(sum, hn::Set(d, *work.bias));
        return CanonicalNan(d, sum);
    }
}

// kVectors vectors of neighbouring windows.
template <WindowOperation kOperation, int kColumnStep, int kVectors>
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
                const FloatVector inputs =
                    LoadWindows<kColumnStep>(from + v * kLanes * kColumnStep);
                sums[a][v] = Accumulate<kOperation>(sums[a][v], inputs, weight);
            }
        }
    }
    if (tap < work.taps) {
        const float* from = plane + work.tap_offsets[tap];
        const FloatVector weight = hn::Set(d, kWeighted ? work.weights[tap] : 0.0f);
        OKKSIM_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            const FloatVector inputs = LoadWindows<kColumnStep>(from + v * kLanes * kColumnStep);
            sums[0][v] = Accumulate<kOperation>(sums[0][v], inputs, weight);
        }
    }
    OKKSIM_UNROLL
    for (int v = 0; v < kVectors; ++v) {
        const FloatVector odd = sums[kAccumulators - 1][v];
        hn::StoreU(Finish<kOperation>(work, sums[0][v], odd), d, to + v * kLanes);
    }
}

// Loads the inputs of kLanes neighbouring 3x3 windows from contiguous memory.
struct InnerLoads {
    HWY_INLINE InnerLoads(const WindowRows&, std::int64_t) {}

    template <int x>
    HWY_INLINE FloatVector Load(const float* at) const {
        return hn::LoadU(FloatTag(), at + x);
    }
};

// Loads inputs at the ends of a row, where lanes before and after the row are padding.
struct EdgeLoads {
    HWY_INLINE EdgeLoads(const WindowRows& rows, std::int64_t column)
        : pads(hn::Set(FloatTag(), rows.pad_value)),
          front(hn::FirstN(FloatTag(), column < 0 ? 1 : 0)),
          inside(hn::FirstN(FloatTag(), static_cast<std::size_t>(std::clamp<std::int64_t>(
                                            rows.input_w - column - 2, 0, kLanes)))) {}

    template <int x>
    HWY_INLINE FloatVector Load(const float* at) const {
        const FloatVector inputs = hn::LoadU(FloatTag(), at + x);
        if constexpr (x == 0) return hn::IfThenElse(front, pads, inputs);
        if constexpr (x == 2) return hn::IfThenElse(inside, inputs, pads);
        return inputs;
    }

    FloatVector pads;
    hn::Mask<FloatTag> front;   // before the row, for the first tap
    hn::Mask<FloatTag> inside;  // in the row, for the last tap
};

// Factors that all windows of a plane share.
template <WindowOperation kOperation>
struct WindowFactors {
    HWY_INLINE explicit WindowFactors(const WindowWork& work)
        : factor(hn::Set(FloatTag(), work.factor)),
          bias(hn::Set(FloatTag(), work.bias != nullptr ? *work.bias : 0.0f)),
          has_bias(work.bias != nullptr) {
        constexpr bool kWeighted = kOperation == WindowOperation::kWeightedSum;
        OKKSIM_UNROLL
        for (int t = 0; t < 9; ++t) {
            weights[t] = hn::Set(FloatTag(), kWeighted ? work.weights[t] : 0.0f);
        }
    }

    FloatVector weights[9];
    FloatVector factor, bias;
    bool has_bias;
};

// Partial sums of windows during the pass over the rows of inputs. Maxima use only `even`.
struct Sums {
    FloatVector even, odd;
};

// Adds a row of three taps from kTap on: the outer ones to one sum, the middle one to the other.
template <WindowOperation kOperation, int kTap>
HWY_INLINE void AddRow(const WindowFactors<kOperation>& factors, FloatVector left,
                       FloatVector middle, FloatVector right, Sums& sums) {
    FloatVector& outer = kTap % 2 == 0 ? sums.even : sums.odd;
    FloatVector& inner = kTap % 2 == 0 ? sums.odd : sums.even;
    outer = Accumulate<kOperation>(outer, left, factors.weights[kTap]);
    inner = Accumulate<kOperation>(inner, middle, factors.weights[kTap + 1]);
    outer = Accumulate<kOperation>(outer, right, factors.weights[kTap + 2]);
}

// Adds one row of inputs to three rows of 3x3 windows in kLanes columns. The row is the first one
// of the windows `begun`, the second of `middle` and the last of `complete`. Returns the completed
// results. The row is loaded once; each window gets its taps in order.
template <WindowOperation kOperation, typename Loads>
HWY_INLINE FloatVector TakeRow(const WindowFactors<kOperation>& factors, const Loads& loads,
                               const float* row, Sums& begun, Sums& middle, Sums& complete) {
    const FloatTag d;
    FloatVector a = loads.template Load<0>(row);
    FloatVector b = loads.template Load<1>(row);
    FloatVector c = loads.template Load<2>(row);
    if constexpr (kOperation == WindowOperation::kMaximum) {
        // The window keeps the first of equal maxima of a row.
        FloatVector largest = hn::Set(d, -FLT_MAX);
        largest = Accumulate<kOperation>(largest, a, a);
        largest = Accumulate<kOperation>(largest, b, b);
        largest = Accumulate<kOperation>(largest, c, c);
        begun.even = largest;
        middle.even = Accumulate<kOperation>(middle.even, largest, largest);
        complete.even = Accumulate<kOperation>(complete.even, largest, largest);
        return hn::Mul(complete.even, hn::Set(d, kOne));  // as Finish()
    } else {
        if constexpr (kOperation == WindowOperation::kSum) {
            a = hn::Mul(a, factors.factor);
            b = hn::Mul(b, factors.factor);
            c = hn::Mul(c, factors.factor);
        }
        begun.even = begun.odd = hn::Zero(d);
        AddRow<kOperation, 0>(factors, a, b, c, begun);
        AddRow<kOperation, 3>(factors, a, b, c, middle);
        AddRow<kOperation, 6>(factors, a, b, c, complete);
        FloatVector sum = hn::Add(complete.even, complete.odd);
        if (factors.has_bias) sum = hn::Add(sum, factors.bias);
        return CanonicalNan(d, sum);
    }
}

// Position in a column of windows: the next row of inputs, and of results.
struct ColumnPlace {
    HWY_INLINE ColumnPlace(const WindowWork& work, const WindowRows& source, std::int64_t first,
                           float* output, std::int64_t room)
        : row(-2),  // the first two rows of inputs complete nothing
          input_row(-source.pad_top),
          input_h(source.input_h),
          pitch(source.pitch),
          from(source.input + input_row * pitch + first - source.pad_left),
          padding(source.padding + first - source.pad_left),
          to(output + first - 2 * work.output_w),
          width(work.output_w),
          whole_rows(
              std::clamp<std::int64_t>((room - first - kLanes) / width + 1, 0, work.output_h)) {}

    // The next row of inputs.
    HWY_INLINE const float* Next() {
        const bool inside = input_row >= 0 && input_row < input_h;
        const float* const at = inside ? from : padding;
        ++input_row;
        from += pitch;
        return at;
    }

    std::int64_t row;
    std::int64_t input_row, input_h, pitch;
    const float* from;
    const float* padding;
    float* to;
    std::int64_t width;
    std::int64_t whole_rows;  // rows after which a whole vector exceeds the room
};

// Processes one row of inputs of a column and stores the completed results, through `flat` near the
// end of the room. Prefetches inputs and results of the next plane.
template <WindowOperation kOperation, typename Loads>
HWY_INLINE void StepRow(const WindowWork& work, const WindowRows& source,
                        const WindowFactors<kOperation>& factors, const Loads& loads,
                        std::int64_t first, float* flat, ColumnPlace& place, Sums& begun,
                        Sums& middle, Sums& complete) {
    __builtin_prefetch(place.from + source.next_plane);
    __builtin_prefetch(place.to + work.next_output, 1);
    const FloatVector result =
        TakeRow<kOperation>(factors, loads, place.Next(), begun, middle, complete);
    if (place.row >= 0 && place.row < place.whole_rows) {
        hn::StoreU(result, FloatTag(), place.to);
    } else if (place.row >= 0) {
        hn::StoreU(result, FloatTag(), flat);
        std::copy(flat, flat + std::min(kLanes, place.width - first), place.to);
    }
    ++place.row;
    place.to += place.width;
}

// Computes the windows of kLanes columns from `first` on.
template <WindowOperation kOperation, typename Loads>
HWY_NOINLINE void ThreeByThreeColumns(const WindowWork& work, const WindowRows& source,
                                      std::int64_t first, float* flat, float* output,
                                      std::int64_t room) {
    const WindowFactors<kOperation> factors(work);
    const Loads loads(source, first - source.pad_left);
    ColumnPlace place(work, source, first, output, room);
    const FloatVector zero = hn::Zero(FloatTag());  // for sums that are never stored
    Sums a{zero, zero}, b{zero, zero}, c{zero, zero};
    // The three sums exchange their roles in a cycle of three rows.
    while (place.row + 3 <= work.output_h) {
        StepRow(work, source, factors, loads, first, flat, place, a, c, b);
        StepRow(work, source, factors, loads, first, flat, place, b, a, c);
        StepRow(work, source, factors, loads, first, flat, place, c, b, a);
    }
    if (place.row < work.output_h) {
        StepRow(work, source, factors, loads, first, flat, place, a, c, b);
    }
    if (place.row < work.output_h) {
        StepRow(work, source, factors, loads, first, flat, place, b, a, c);
    }
}

// Computes all windows of a plane, from the last columns to the first. This order overwrites
// overruns into the next row.
template <WindowOperation kOperation>
void SlideThreeByThree(const WindowWork& work, const WindowRows& source, float* flat, float* output,
                       std::int64_t room) {
    for (std::int64_t i = (work.output_w - 1) / kLanes * kLanes; i >= 0; i -= kLanes) {
        const std::int64_t column = i - source.pad_left;
        const bool inner = column >= 0 && column + 2 + kLanes <= source.input_w;
        if (inner) {
            ThreeByThreeColumns<kOperation, InnerLoads>(work, source, i, flat, output, room);
        } else {
            ThreeByThreeColumns<kOperation, EdgeLoads>(work, source, i, flat, output, room);
        }
    }
}

void SlidePadded(const WindowWork& work, WindowRows source, float* scratch, float* output,
                 std::int64_t room) {
    FillRun(scratch, source.input_w + kLanes, hn::Set(FloatTag(), source.pad_value));
    source.padding = scratch;
    float* flat = scratch + source.input_w + 2 * kLanes;
    switch (work.operation) {
        case WindowOperation::kWeightedSum:
            return SlideThreeByThree<WindowOperation::kWeightedSum>(work, source, flat, output,
                                                                    room);
        case WindowOperation::kSum:
            return SlideThreeByThree<WindowOperation::kSum>(work, source, flat, output, room);
        case WindowOperation::kMaximum:
            return SlideThreeByThree<WindowOperation::kMaximum>(work, source, flat, output, room);
    }
}

// Computes `count` neighbouring windows, rounded up to whole vectors.
template <WindowOperation kOperation, int kColumnStep>
HWY_INLINE void WindowRun(const WindowWork& work, const float* plane, std::int64_t count,
                          float* to) {
    constexpr std::int64_t kBlock = 4;
    std::int64_t i = 0;
    for (; i + (kBlock - 1) * kLanes < count; i += kBlock * kLanes) {
        WindowBlock<kOperation, kColumnStep, kBlock>(work, plane + i * kColumnStep, to + i);
    }
    for (; i + kLanes < count; i += 2 * kLanes) {
        WindowBlock<kOperation, kColumnStep, 2>(work, plane + i * kColumnStep, to + i);
    }
    for (; i < count; i += kLanes) {
        WindowBlock<kOperation, kColumnStep, 1>(work, plane + i * kColumnStep, to + i);
    }
}

// Copies rows of `width` floats, `pitch` apart, to rows without gaps.
HWY_INLINE void CloseRows(const float* HWY_RESTRICT from, std::int64_t pitch, std::int64_t rows,
                          std::int64_t width, std::int64_t room, float* HWY_RESTRICT to) {
    const FloatTag d;
    for (std::int64_t row = 0; row < rows; ++row, from += pitch) {
        std::int64_t at = row * width;
        const std::int64_t end = at + width;
        const float* source = from;
        // A whole vector may overrun into the next rows, but not past the end of the room.
        for (; at < end && at + kLanes <= room; at += kLanes, source += kLanes) {
            hn::StoreU(hn::LoadU(d, source), d, to + at);
        }
        for (; at < end; ++at, ++source) to[at] = *source;
    }
}

// Uses one of two methods. Row by row: the last vector of a row overruns into the next row. Or all
// rows as one run with unused windows between the rows, which suits narrow planes.
template <WindowOperation kOperation, int kColumnStep>
HWY_NOINLINE void SlideRows(const WindowWork& work, const float* plane, float* flat, float* output,
                            std::int64_t room) {
    const std::int64_t width = work.output_w;
    const std::int64_t whole = (width + kLanes - 1) / kLanes * kLanes;
    const std::int64_t flat_row = work.input_row / kColumnStep;
    const bool one_run = flat_row * kColumnStep == work.input_row && flat_row * 9 < whole * 8;
    if (one_run) {
        const std::int64_t count = (work.output_h - 1) * flat_row + width;
        WindowRun<kOperation, kColumnStep>(work, plane, count, flat);
        CloseRows(flat, flat_row, work.output_h, width, room, output);
        return;
    }
    for (std::int64_t row = 0; row < work.output_h; ++row, plane += work.input_row) {
        float* to = output + row * width;
        if (row * width + whole <= room) {
            WindowRun<kOperation, kColumnStep>(work, plane, width, to);
        } else {
            WindowRun<kOperation, kColumnStep>(work, plane, width, flat);
            std::copy(flat, flat + width, to);
        }
    }
}

template <WindowOperation kOperation>
HWY_INLINE void SlideOperation(const WindowWork& work, const float* plane, float* flat,
                               float* output, std::int64_t room) {
    // Rows narrower than half a vector are faster as one run.
    if (work.three_by_three && 2 * work.output_w > kLanes) {
        WindowRows source;
        source.input = plane;
        source.pitch = source.input_w = work.input_row;
        source.input_h = work.output_h + 2;
        return SlideThreeByThree<kOperation>(work, source, flat, output, room);
    }
    if (work.column_step == 1) return SlideRows<kOperation, 1>(work, plane, flat, output, room);
    return SlideRows<kOperation, 2>(work, plane, flat, output, room);
}

void SlideWindows(const WindowWork& work, const float* plane, float* flat, float* output,
                  std::int64_t room) {
    switch (work.operation) {
        case WindowOperation::kWeightedSum:
            return SlideOperation<WindowOperation::kWeightedSum>(work, plane, flat, output, room);
        case WindowOperation::kSum:
            return SlideOperation<WindowOperation::kSum>(work, plane, flat, output, room);
        case WindowOperation::kMaximum:
            return SlideOperation<WindowOperation::kMaximum>(work, plane, flat, output, room);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace okksim::models::bdc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models::bdc {

HWY_EXPORT(SpreadPlane);
HWY_EXPORT(SlideWindows);
HWY_EXPORT(SlidePadded);

void spread_plane(const PlaneShape& shape, const float* input, const float* input_end, float factor,
                  float pad_value, float* to) {
    HWY_DYNAMIC_DISPATCH(SpreadPlane)(shape, input, input_end, factor, pad_value, to);
}

void slide_windows(const WindowWork& work, const float* plane, float* flat, float* output,
                   std::int64_t output_room) {
    HWY_DYNAMIC_DISPATCH(SlideWindows)(work, plane, flat, output, output_room);
}

void slide_padded(const WindowWork& work, const WindowRows& source, float* scratch, float* output,
                  std::int64_t output_room) {
    HWY_DYNAMIC_DISPATCH(SlidePadded)(work, source, scratch, output, output_room);
}

}  // namespace okksim::models::bdc
#endif  // HWY_ONCE
