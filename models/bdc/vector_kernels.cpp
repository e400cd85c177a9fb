// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/vector_kernels.h"

#include <algorithm>
#include <cstring>

#include "isa/errors.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/vector_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "models/bdc/special_functions-inl.h"
#include "models/bdc/vector_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {

constexpr std::size_t kMaxVectorWords = 16;
/// Elements that a strided row gathers before it computes.
constexpr std::size_t kChunk = 64;

/// A source row as the inner loops see it: word i is at data[i * step], step 0 or 1. With step 0
/// `data` holds a whole vector of the same word.
struct SourceRow {
    const std::uint32_t* data;
    std::size_t step;
};

template <typename Op>
constexpr bool kHasBlock = requires { Op::kBlock; };

template <typename Op, typename Load>
HWY_INLINE Word apply(const Op& op, Load&& load) {
    if constexpr (Op::kSources == 0) {
        return op();
    } else if constexpr (Op::kSources == 1) {
        return op(load(0));
    } else if constexpr (Op::kSources == 2) {
        return op(load(0), load(1));
    } else {
        return op(load(0), load(1), load(2));
    }
}

/// Destination row contiguous, source rows contiguous or constant.
template <typename Op>
HWY_INLINE void contiguous_row(const Op& op, std::uint32_t* destination,
                               const std::array<SourceRow, 3>& sources, std::size_t count) {
    const Words d;
    const std::size_t lanes = hn::Lanes(d);
    std::size_t i = 0;
    if constexpr (kHasBlock<Op>) {
        if (sources[0].step == 1) {
            for (; i + Op::kBlock * lanes <= count; i += Op::kBlock * lanes) {
                op.block(sources[0].data + i, destination + i);
            }
        }
    }
    for (; i + lanes <= count; i += lanes) {
        const auto load = [&](int s) HWY_ATTR {
            return hn::LoadU(d, sources[s].data + i * sources[s].step);
        };
        hn::StoreU(apply(op, load), d, destination + i);
    }
    if (i < count) {
        const auto mask = hn::FirstN(d, count - i);
        const auto load = [&](int s) HWY_ATTR {
            return hn::MaskedLoad(mask, d, sources[s].data + i * sources[s].step);
        };
        hn::BlendedStore(apply(op, load), mask, d, destination + i);
    }
}

/// Any strides: gathers a chunk of every source, computes, scatters. With a chunk of one element this
/// is the defining element-by-element order.
template <typename Op>
void strided_row(const Op& op, const std::array<std::byte*, Op::kSources + 1>& row,
                 const std::array<std::int64_t, Op::kSources + 1>& stride, std::int64_t count,
                 std::int64_t chunk) {
    alignas(64) std::uint32_t gathered[4][kChunk];
    std::array<SourceRow, 3> sources{};
    for (int s = 0; s < Op::kSources; ++s) sources[s] = {gathered[s], 1};
    for (std::int64_t begin = 0; begin < count; begin += chunk) {
        const std::int64_t size = std::min(chunk, count - begin);
        for (int s = 0; s < Op::kSources; ++s) {
            const std::byte* from = row[s + 1] + begin * stride[s + 1];
            for (std::int64_t i = 0; i < size; ++i) {
                std::memcpy(&gathered[s][i], from + i * stride[s + 1], sizeof(std::uint32_t));
            }
        }
        contiguous_row(op, gathered[3], sources, static_cast<std::size_t>(size));
        std::byte* to = row[0] + begin * stride[0];
        for (std::int64_t i = 0; i < size; ++i) {
            std::memcpy(to + i * stride[0], &gathered[3][i], sizeof(std::uint32_t));
        }
    }
}

template <typename Op>
struct Job {
    LaneWalk<Op::kSources + 1> walk;
    VectorParams params;
    bool in_order = false;  ///< sources and destination overlap
};

template <typename Op>
void nest_rows(const Op& op, const WalkNest<Op::kSources + 1>& nest,
               const std::array<std::byte*, Op::kSources + 1>& lane, bool in_order) {
    constexpr std::int64_t kWord = sizeof(std::uint32_t);
    bool contiguous = !in_order && (nest.row_stride[0] == kWord || nest.count == 1);
    for (int s = 1; s <= Op::kSources; ++s) {
        contiguous &= nest.row_stride[s] == kWord || nest.row_stride[s] == 0;
    }
    if (!contiguous) {
        const bool repeats = nest.row_stride[0] == 0 && nest.count > 1;
        const std::int64_t chunk = in_order || repeats ? 1 : std::int64_t{kChunk};
        nest.for_each_row(lane, [&](const auto& row) HWY_ATTR {
            strided_row(op, row, nest.row_stride, nest.count, chunk);
        });
        return;
    }
    alignas(64) std::uint32_t repeated[3][kMaxVectorWords];
    nest.for_each_row(lane, [&](const auto& row) HWY_ATTR {
        std::array<SourceRow, 3> sources{};
        for (int s = 0; s < Op::kSources; ++s) {
            const auto* data = reinterpret_cast<const std::uint32_t*>(row[s + 1]);
            sources[s] = {data, 1};
            if (nest.row_stride[s + 1] == 0) {
                hn::StoreU(hn::Set(Words(), *data), Words(), repeated[s]);
                sources[s] = {repeated[s], 0};
            }
        }
        contiguous_row(op, reinterpret_cast<std::uint32_t*>(row[0]), sources,
                       static_cast<std::size_t>(nest.count));
    });
}

template <typename Op>
void run_lanes(const Job<Op>& job, std::int64_t begin, std::int64_t end) {
    const FlushDenormals flush;
    const Op op(job.params);
    for (std::int64_t lane = begin; lane < end; ++lane) {
        nest_rows(op, job.walk.nest(lane), job.walk.lane(lane), job.in_order);
    }
}

template <typename Op>
void run(const VectorParams& params, const isa::Dim4& shape, std::int32_t lanes,
         const WalkTensor* tensors, double element_nanoseconds, LanePool& pool) {
    std::array<WalkTensor, Op::kSources + 1> list;
    for (std::size_t t = 0; t < list.size(); ++t) list[t] = tensors[t];
    Job<Op> job{make_walk<Op::kSources + 1>(shape, lanes, list), params};
    for (std::size_t s = 1; s < list.size(); ++s) {
        job.in_order |= order_matters(list[0], list[s], job.walk.extents, sizeof(std::uint32_t));
    }
    if (pool.threads() == 1) {
        run_lanes(job, 0, job.walk.lanes);
        return;
    }
    const double lane_nanoseconds =
        element_nanoseconds * static_cast<double>(job.walk.lane_elements());
    pool.parallel_for(job.walk.lanes, lane_nanoseconds,
                      [&job](std::int64_t begin, std::int64_t end) { run_lanes(job, begin, end); });
}

}  // namespace

void run_vector_kernel(VectorKernel kernel, const VectorParams& params, const isa::Dim4& shape,
                       std::int32_t lanes, const WalkTensor* tensors, LanePool& pool) {
    // Rough cost of an element: bound by memory, by a few dozen operations, or by the terms.
    constexpr double kLight = 0.3;
    constexpr double kHeavy = 0.8;
    const double series = 0.1 * params.terms;
    const auto go = [&]<typename Op>(double nanoseconds) {
        run<Op>(params, shape, lanes, tensors, nanoseconds, pool);
    };
    switch (kernel) {
        case VectorKernel::kCopy: return go.operator()<CopyOp>(kLight);
        case VectorKernel::kFill: return go.operator()<FillOp>(kLight);
        case VectorKernel::kAdd: return go.operator()<AddOp>(kLight);
        case VectorKernel::kSubtract: return go.operator()<SubtractOp>(kLight);
        case VectorKernel::kMultiply: return go.operator()<MultiplyOp>(kLight);
        case VectorKernel::kDivide: return go.operator()<DivideOp>(kHeavy);
        case VectorKernel::kMultiplyAdd: return go.operator()<MultiplyAddOp>(kLight);
        case VectorKernel::kMaximum: return go.operator()<MaximumOp>(kLight);
        case VectorKernel::kMinimum: return go.operator()<MinimumOp>(kLight);
        case VectorKernel::kGreaterSelect: return go.operator()<GreaterSelectOp>(kLight);
        case VectorKernel::kEqualSelect: return go.operator()<EqualSelectOp>(kLight);
        case VectorKernel::kAnd: return go.operator()<AndOp>(kLight);
        case VectorKernel::kOr: return go.operator()<OrOp>(kLight);
        case VectorKernel::kXor: return go.operator()<XorOp>(kLight);
        case VectorKernel::kArithmeticShift: return go.operator()<ArithmeticShiftOp>(kLight);
        case VectorKernel::kLogicalShift: return go.operator()<LogicalShiftOp>(kLight);
        case VectorKernel::kToInt32: return go.operator()<ToInt32Op>(kLight);
        case VectorKernel::kInt8ToFloat: return go.operator()<Int8ToFloatOp>(kLight);
        case VectorKernel::kExpTable: return go.operator()<ExpTableOp>(kHeavy);
        case VectorKernel::kReciprocalRoot: return go.operator()<ReciprocalRootOp>(kHeavy);
        case VectorKernel::kRoot: return go.operator()<RootOp>(kHeavy);
        case VectorKernel::kReciprocal: return go.operator()<ReciprocalOp>(kHeavy);
        case VectorKernel::kSeries: return go.operator()<SeriesOp>(series);
        case VectorKernel::kSeriesTail: return go.operator()<SeriesTailOp>(series);
        case VectorKernel::kNegate: return go.operator()<NegateOp>(kLight);
        case VectorKernel::kRelu: return go.operator()<ReluOp>(kLight);
        case VectorKernel::kScale: return go.operator()<ScaleOp>(kLight);
        case VectorKernel::kScaleBias: return go.operator()<ScaleBiasOp>(kLight);
    }
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(run_vector_kernel);

namespace {

std::size_t source_count(VectorKernel kernel) {
    switch (kernel) {
        case VectorKernel::kFill: return 0;
        case VectorKernel::kCopy:
        case VectorKernel::kToInt32:
        case VectorKernel::kInt8ToFloat:
        case VectorKernel::kExpTable:
        case VectorKernel::kReciprocalRoot:
        case VectorKernel::kRoot:
        case VectorKernel::kReciprocal:
        case VectorKernel::kSeries:
        case VectorKernel::kSeriesTail:
        case VectorKernel::kNegate:
        case VectorKernel::kRelu: return 1;
        case VectorKernel::kAdd:
        case VectorKernel::kSubtract:
        case VectorKernel::kMultiply:
        case VectorKernel::kDivide:
        case VectorKernel::kMaximum:
        case VectorKernel::kMinimum:
        case VectorKernel::kGreaterSelect:
        case VectorKernel::kEqualSelect:
        case VectorKernel::kAnd:
        case VectorKernel::kOr:
        case VectorKernel::kXor:
        case VectorKernel::kArithmeticShift:
        case VectorKernel::kLogicalShift:
        case VectorKernel::kScale: return 2;
        case VectorKernel::kMultiplyAdd:
        case VectorKernel::kScaleBias: return 3;
    }
    return 0;
}

}  // namespace

void run_vector(VectorKernel kernel, const VectorParams& params, const isa::Dim4& shape,
                std::int32_t lanes, std::span<const WalkTensor> tensors, LanePool& pool) {
    OKKSIM_CHECK(tensors.size() == source_count(kernel) + 1);
    HWY_DYNAMIC_DISPATCH(run_vector_kernel)(kernel, params, shape, lanes, tensors.data(), pool);
}

}  // namespace okksim::models
#endif
