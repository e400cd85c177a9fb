// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/ordered_gemm.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h re-includes this file once per target.
#include <unistd.h>

#include <algorithm>

#include "hwy/highway.h"
#include "models/bdc/ordered_gemm.h"
#include "models/bdc/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::bdc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::CappedTag<float, kPanelUnit>;
using FloatVector = hn::Vec<FloatTag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(FloatTag()));

// Rows per block: rows x accumulators x vectors live in registers, with room for operands.
#if HWY_TARGET <= HWY_AVX3
constexpr int kBlockRows = 6;
#else
constexpr int kBlockRows = 3;
#endif
constexpr int kMaxVectors = 2;

// Adds bias to the sums of one block of rows and writes them out.
template <int kVectors>
HWY_INLINE void StoreRow(const OrderedGemm& gemm, std::int64_t row, int first_column,
                         float* HWY_RESTRICT sums) {
    const FloatTag d;
    const int end_column = first_column + kVectors * kLanes;
    float* row_output = gemm.output + gemm.row_offsets[row];
    for (const OutputRun& run : gemm.runs) {
        const int begin = HWY_MAX(run.column, first_column);
        const int end = HWY_MIN(run.column + run.count, end_column);
        int column = begin;
        float* to = row_output + run.offset + (begin - run.column);
        for (; column + kLanes <= end; column += kLanes, to += kLanes) {
            FloatVector sum = hn::LoadU(d, sums + (column - first_column));
            if (gemm.add_old_output) sum = hn::Add(sum, hn::LoadU(d, to));
            hn::StoreU(CanonicalNan(d, sum), d, to);
        }
        for (; column < end; ++column, ++to) {
            float sum = sums[column - first_column];
            if (gemm.add_old_output) sum = sum + *to;
            *to = canonical_nan(sum);
        }
    }
}

// One block: kRows rows times kVectors vectors of the panel, over the whole depth.
template <int kAccumulators, int kVectors, int kRows>
HWY_INLINE void MultiplyBlock(const OrderedGemm& gemm, std::int64_t first_row, int first_column) {
    const FloatTag d;
    const float* HWY_RESTRICT panel = gemm.panel + first_column;
    const std::int64_t pitch = gemm.panel_pitch;
    const float* rows[kRows];
    FloatVector sums[kAccumulators][kVectors][kRows];
    OKKSIM_UNROLL
    for (int row = 0; row < kRows; ++row) {
        rows[row] = gemm.rows + (first_row + row) * gemm.row_pitch;
    }
    OKKSIM_UNROLL
    for (int a = 0; a < kAccumulators; ++a) {
        OKKSIM_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            OKKSIM_UNROLL
            for (int row = 0; row < kRows; ++row) sums[a][v][row] = hn::Zero(d);
        }
    }
    for (std::int64_t i = 0; i < gemm.depth; i += kAccumulators, panel += kAccumulators * pitch) {
        OKKSIM_UNROLL
        for (int a = 0; a < kAccumulators; ++a) {
            OKKSIM_UNROLL
            for (int v = 0; v < kVectors; ++v) {
                const FloatVector column = hn::LoadU(d, panel + a * pitch + v * kLanes);
                OKKSIM_UNROLL
                for (int row = 0; row < kRows; ++row) {
                    sums[a][v][row] =
                        hn::Add(sums[a][v][row], hn::Mul(column, hn::Set(d, rows[row][i + a])));
                }
            }
        }
    }
    alignas(64) float buffer[kRows][kVectors * kLanes];
    OKKSIM_UNROLL
    for (int v = 0; v < kVectors; ++v) {
        OKKSIM_UNROLL
        for (int row = 0; row < kRows; ++row) {
            FloatVector sum;
            if constexpr (kAccumulators == 4) {
                sum = hn::Add(hn::Add(sums[0][v][row], sums[2][v][row]),
                              hn::Add(sums[1][v][row], sums[3][v][row]));
            } else {
                sum = hn::Add(sums[0][v][row], sums[1][v][row]);
            }
            if (gemm.row_bias != nullptr) {
                sum = hn::Add(sum, hn::Set(d, gemm.row_bias[first_row + row]));
            }
            if (gemm.column_bias != nullptr) {
                sum = hn::Add(sum, hn::LoadU(d, gemm.column_bias + first_column + v * kLanes));
            }
            hn::Store(sum, d, buffer[row] + v * kLanes);
        }
    }
    for (int row = 0; row < kRows; ++row) {
        StoreRow<kVectors>(gemm, first_row + row, first_column, buffer[row]);
    }
}

template <int kAccumulators, int kVectors, int kRows>
HWY_NOINLINE void MultiplyRows(const OrderedGemm& gemm, std::int64_t first_row,
                               std::int64_t row_count, int used_columns) {
    for (std::int64_t row = 0; row < row_count; row += kRows) {
        for (int column = 0; column < used_columns; column += kVectors * kLanes) {
            MultiplyBlock<kAccumulators, kVectors, kRows>(gemm, first_row + row, column);
        }
    }
}

template <int kAccumulators, int kVectors>
void MultiplyPanel(const OrderedGemm& gemm, int used_columns) {
    const std::int64_t whole = gemm.row_count / kBlockRows * kBlockRows;
    MultiplyRows<kAccumulators, kVectors, kBlockRows>(gemm, 0, whole, used_columns);
    const std::int64_t rest = gemm.row_count - whole;
    switch (rest) {
        case 1: return MultiplyRows<kAccumulators, kVectors, 1>(gemm, whole, rest, used_columns);
        case 2: return MultiplyRows<kAccumulators, kVectors, 2>(gemm, whole, rest, used_columns);
#if HWY_TARGET <= HWY_AVX3
        case 3: return MultiplyRows<kAccumulators, kVectors, 3>(gemm, whole, rest, used_columns);
        case 4: return MultiplyRows<kAccumulators, kVectors, 4>(gemm, whole, rest, used_columns);
        case 5: return MultiplyRows<kAccumulators, kVectors, 5>(gemm, whole, rest, used_columns);
#endif
        default: return;
    }
}

void MultiplyInOrder(const OrderedGemm& gemm) {
    const int used = gemm.runs.back().column + gemm.runs.back().count;
    if (gemm.accumulators == 4) return MultiplyPanel<4, 1>(gemm, used);
    if (gemm.columns % (kMaxVectors * kLanes) == 0)
        return MultiplyPanel<2, kMaxVectors>(gemm, used);
    return MultiplyPanel<2, 1>(gemm, used);
}

HWY_INLINE void CopyUnit(const float* HWY_RESTRICT from, float* HWY_RESTRICT to) {
    const FloatTag d;
    OKKSIM_UNROLL
    for (int i = 0; i < kPanelUnit; i += kLanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
}

void PackPanel(float* panel, int columns, std::int64_t depth, const float* base, std::int64_t step,
               std::span<const PackRun> runs) {
    if (runs.size() == 1) {
        const float* from = base + runs[0].source;
        panel += runs[0].column;
        for (std::int64_t i = 0; i < depth; ++i, from += step, panel += columns) {
            CopyUnit(from, panel);
        }
        return;
    }
    if (runs.size() == 2) {
        const float* from0 = base + runs[0].source;
        const float* from1 = base + runs[1].source;
        float* to1 = panel + runs[1].column;
        panel += runs[0].column;
        for (std::int64_t i = 0; i < depth; ++i, panel += columns, to1 += columns) {
            CopyUnit(from0 + i * step, panel);
            CopyUnit(from1 + i * step, to1);
        }
        return;
    }
    if (std::all_of(runs.begin(), runs.end(), [](const PackRun& run) { return run.count == 1; })) {
        for (const PackRun& run : runs) {
            const float* from = base + run.source;
            float* to = panel + run.column;
            for (std::int64_t i = 0; i < depth; ++i) to[i * columns] = from[i * step];
        }
        return;
    }
    for (std::int64_t i = 0; i < depth; ++i, base += step, panel += columns) {
        // A unit may run over into the next columns, which later copies fill.
        for (const PackRun& run : runs) CopyUnit(base + run.source, panel + run.column);
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace okksim::models::bdc
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models::bdc {

HWY_EXPORT(MultiplyInOrder);
HWY_EXPORT(PackPanel);

std::int64_t row_pitch(std::int64_t depth) {
    constexpr std::int64_t kLine = 16;
    constexpr std::int64_t kAlias = 1024;
    const std::int64_t pitch = (depth + kLine - 1) / kLine * kLine;
    return pitch % kAlias == 0 ? pitch + kLine : pitch;
}

std::int64_t gemm_tile_floats() {
    constexpr std::int64_t kFallbackCache = 512 * 1024;
    static const std::int64_t floats = [] {
        const std::int64_t cache = sysconf(_SC_LEVEL2_CACHE_SIZE);
        const std::int64_t known = cache > 0 ? cache : kFallbackCache;
        return known * 5 / 8 / static_cast<std::int64_t>(sizeof(float));
    }();
    return floats;
}

std::int64_t gemm_rows_at_a_time(std::int64_t depth) {
    constexpr std::int64_t kRowFloats = 64 * 1024;
    constexpr std::int64_t kMostRows = 48;
    constexpr std::int64_t kLeastRows = 6;  // of the widest block
    return std::clamp(kRowFloats / depth / kLeastRows * kLeastRows, kLeastRows, kMostRows);
}

void pack_panel(float* panel, int columns, std::int64_t depth, const float* base, std::int64_t step,
                std::span<const PackRun> runs) {
    HWY_DYNAMIC_DISPATCH(PackPanel)(panel, columns, depth, base, step, runs);
}

void multiply_in_order(const OrderedGemm& gemm) {
    if (gemm.row_count == 0 || gemm.runs.empty()) return;
    HWY_DYNAMIC_DISPATCH(MultiplyInOrder)(gemm);
}

}  // namespace okksim::models::bdc
#endif  // HWY_ONCE
