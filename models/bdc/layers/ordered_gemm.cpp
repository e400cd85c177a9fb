// SPDX-License-Identifier: Apache-2.0
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/layers/ordered_gemm.cpp"
#include "hwy/foreach_target.h"
// The order matters: foreach_target.h re-includes this file once per target.
#include <unistd.h>

#include <algorithm>

#include "hwy/highway.h"
#include "models/bdc/elements/simd-inl.h"
#include "models/bdc/layers/ordered_gemm.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::bdc {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using FloatTag = hn::CappedTag<float, kPanelUnit>;
using FloatVector = hn::Vec<FloatTag>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(FloatTag()));

// Rows per block: rows x 4 sums live in registers, with room for operands.
#if HWY_TARGET <= HWY_AVX3
constexpr int kBlockRows = 6;
#else
constexpr int kBlockRows = 3;
#endif

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

// Returns the start, in depth row 0, of the kLanes columns from `column` on.
HWY_INLINE const float* ColumnStart(const OrderedGemm& gemm, int column) {
    return gemm.panels + column / kPanelUnit * gemm.panel_distance + column % kPanelUnit;
}

// Products of a vector and a float in memory.
HWY_INLINE FloatVector Products(FloatVector values, const float* factor) {
#if HWY_ARCH_X86_64 && HWY_TARGET <= HWY_AVX3
    // Compilers load a factor of two products into a register once. That occupies the units that
    // multiply and add and costs a third of the speed. A memory operand of each product is free.
    FloatVector products;
    asm("vmulps %2%{1to16%}, %1, %0" : "=v"(products.raw) : "v"(values.raw), "m"(*factor));
    return products;
#else
    return hn::Mul(values, hn::Set(FloatTag(), *factor));
#endif
}

// Sums accumulators kFirst, kFirst + kEvery, ... of the kAccumulators ones in the order of the
// definition, for kRows rows times kVectors vectors over the whole depth.
template <int kAccumulators, int kFirst, int kEvery, int kVectors, int kRows>
HWY_INLINE void SumProducts(const OrderedGemm& gemm, std::int64_t first_row, int first_column,
                            float (*HWY_RESTRICT totals)[kVectors * kLanes]) {
    constexpr int kSums = kAccumulators / kEvery;
    const FloatTag d;
    const float* rows[kRows];
    const float* columns[kVectors];
    FloatVector sums[kSums][kVectors][kRows];
    OKKSIM_UNROLL
    for (int row = 0; row < kRows; ++row) {
        rows[row] = gemm.rows + (first_row + row) * gemm.row_pitch + kFirst;
    }
    OKKSIM_UNROLL
    for (int v = 0; v < kVectors; ++v) {
        columns[v] = ColumnStart(gemm, first_column + v * kLanes) + kFirst * kPanelUnit;
    }
    OKKSIM_UNROLL
    for (int s = 0; s < kSums; ++s) {
        OKKSIM_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            OKKSIM_UNROLL
            for (int row = 0; row < kRows; ++row) sums[s][v][row] = hn::Zero(d);
        }
    }
    for (std::int64_t i = 0; i < gemm.depth; i += kAccumulators) {
        OKKSIM_UNROLL
        for (int s = 0; s < kSums; ++s) {
            FloatVector inputs[kVectors];
            OKKSIM_UNROLL
            for (int v = 0; v < kVectors; ++v) {
                inputs[v] = hn::LoadU(d, columns[v] + (i + s * kEvery) * kPanelUnit);
            }
            OKKSIM_UNROLL
            for (int row = 0; row < kRows; ++row) {
                const float* const factor = rows[row] + i + s * kEvery;
                OKKSIM_UNROLL
                for (int v = 0; v < kVectors; ++v) {
                    sums[s][v][row] = hn::Add(sums[s][v][row], Products(inputs[v], factor));
                }
            }
        }
    }
    OKKSIM_UNROLL
    for (int v = 0; v < kVectors; ++v) {
        OKKSIM_UNROLL
        for (int row = 0; row < kRows; ++row) {
            FloatVector total;
            if constexpr (kSums == 4) {
                total = hn::Add(hn::Add(sums[0][v][row], sums[2][v][row]),
                                hn::Add(sums[1][v][row], sums[3][v][row]));
            } else {
                total = hn::Add(sums[0][v][row], sums[1][v][row]);
            }
            // A second pass adds a1 + a3 to the a0 + a2 of the first.
            if constexpr (kFirst != 0) {
                total = hn::Add(hn::Load(d, totals[row] + v * kLanes), total);
            }
            hn::Store(total, d, totals[row] + v * kLanes);
        }
    }
}

// One block of results.
template <int kAccumulators, int kVectors, int kRows>
HWY_INLINE void MultiplyBlock(const OrderedGemm& gemm, std::int64_t first_row, int first_column) {
    alignas(64) float totals[kRows][kVectors * kLanes];
    if constexpr (kAccumulators == 4 && kVectors == 2) {
        // The registers hold only two of the four accumulators for a block of this size.
        SumProducts<4, 0, 2, kVectors, kRows>(gemm, first_row, first_column, totals);
        SumProducts<4, 1, 2, kVectors, kRows>(gemm, first_row, first_column, totals);
    } else {
        SumProducts<kAccumulators, 0, 1, kVectors, kRows>(gemm, first_row, first_column, totals);
    }
    const FloatTag d;
    for (int row = 0; row < kRows; ++row) {
        OKKSIM_UNROLL
        for (int v = 0; v < kVectors; ++v) {
            FloatVector sum = hn::Load(d, totals[row] + v * kLanes);
            if (gemm.row_bias != nullptr) {
                sum = hn::Add(sum, hn::Set(d, gemm.row_bias[first_row + row]));
            }
            if (gemm.column_bias != nullptr) {
                sum = hn::Add(sum, hn::LoadU(d, gemm.column_bias + first_column + v * kLanes));
            }
            hn::Store(sum, d, totals[row] + v * kLanes);
        }
        StoreRow<kVectors>(gemm, first_row + row, first_column, totals[row]);
    }
}

template <int kAccumulators, int kRows>
HWY_NOINLINE void MultiplyRows(const OrderedGemm& gemm, std::int64_t first_row,
                               std::int64_t row_count, int used_columns) {
    for (std::int64_t row = 0; row < row_count; row += kRows) {
        int column = 0;
        for (; column + kLanes < used_columns; column += 2 * kLanes) {
            MultiplyBlock<kAccumulators, 2, kRows>(gemm, first_row + row, column);
        }
        if (column < used_columns) {
            MultiplyBlock<kAccumulators, 1, kRows>(gemm, first_row + row, column);
        }
    }
}

template <int kAccumulators>
void MultiplyPanels(const OrderedGemm& gemm) {
    const int used = gemm.runs.back().column + gemm.runs.back().count;
    const std::int64_t whole = gemm.row_count / kBlockRows * kBlockRows;
    MultiplyRows<kAccumulators, kBlockRows>(gemm, 0, whole, used);
    const std::int64_t rest = gemm.row_count - whole;
    switch (rest) {
        case 1: return MultiplyRows<kAccumulators, 1>(gemm, whole, rest, used);
        case 2: return MultiplyRows<kAccumulators, 2>(gemm, whole, rest, used);
#if HWY_TARGET <= HWY_AVX3
        case 3: return MultiplyRows<kAccumulators, 3>(gemm, whole, rest, used);
        case 4: return MultiplyRows<kAccumulators, 4>(gemm, whole, rest, used);
        case 5: return MultiplyRows<kAccumulators, 5>(gemm, whole, rest, used);
#endif
        default: return;
    }
}

void MultiplyInOrder(const OrderedGemm& gemm) {
    if (gemm.accumulators == 4) return MultiplyPanels<4>(gemm);
    return MultiplyPanels<2>(gemm);
}

HWY_INLINE void CopyUnit(const float* HWY_RESTRICT from, float* HWY_RESTRICT to) {
    const FloatTag d;
    OKKSIM_UNROLL
    for (int i = 0; i < kPanelUnit; i += kLanes) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
}

void PackPanel(float* panel, std::int64_t depth, const float* base, std::int64_t step,
               std::span<const PackRun> runs) {
    if (runs.size() == 1) {
        const float* from = base + runs[0].source;
        panel += runs[0].column;
        for (std::int64_t i = 0; i < depth; ++i, from += step, panel += kPanelUnit) {
            CopyUnit(from, panel);
        }
        return;
    }
    if (runs.size() == 2) {
        const float* from0 = base + runs[0].source;
        const float* from1 = base + runs[1].source;
        float* to1 = panel + runs[1].column;
        panel += runs[0].column;
        for (std::int64_t i = 0; i < depth; ++i, panel += kPanelUnit, to1 += kPanelUnit) {
            CopyUnit(from0 + i * step, panel);
            CopyUnit(from1 + i * step, to1);
        }
        return;
    }
    if (std::all_of(runs.begin(), runs.end(), [](const PackRun& run) { return run.count == 1; })) {
        for (const PackRun& run : runs) {
            const float* from = base + run.source;
            float* to = panel + run.column;
            for (std::int64_t i = 0; i < depth; ++i) to[i * kPanelUnit] = from[i * step];
        }
        return;
    }
    for (std::int64_t i = 0; i < depth; ++i, base += step, panel += kPanelUnit) {
        // A unit may overrun into the next columns, which later copies fill.
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
    constexpr std::int64_t kRowFloats = 32 * 1024;
    constexpr std::int64_t kMostRows = 48;
    constexpr std::int64_t kLeastRows = 6;  // of the widest block
    return std::clamp(kRowFloats / depth / kLeastRows * kLeastRows, kLeastRows, kMostRows);
}

void pack_panel(float* panel, std::int64_t depth, const float* base, std::int64_t step,
                std::span<const PackRun> runs) {
    HWY_DYNAMIC_DISPATCH(PackPanel)(panel, depth, base, step, runs);
}

void multiply_in_order(const OrderedGemm& gemm) {
    if (gemm.row_count == 0 || gemm.runs.empty()) return;
    HWY_DYNAMIC_DISPATCH(MultiplyInOrder)(gemm);
}

}  // namespace okksim::models::bdc
#endif  // HWY_ONCE
