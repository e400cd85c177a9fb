// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/vector_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/vector_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "models/bdc/special_functions-inl.h"
#include "models/bdc/vector_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {

template <typename Op>
constexpr bool kHasBlock = requires {
    Op::kBlock;
};

template <typename Op, typename Load>
HWY_INLINE Word apply(const Op& op, const Load& load) {
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

/// The last `size` elements of a row, fewer than a vector, from index `i` of the sources.
template <typename Op>
HWY_INLINE void partial_vector(const Op& op, std::uint32_t* destination,
                               const std::array<SourceRow, 3>& sources, std::size_t i,
                               std::size_t size) {
    const Words d;
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
    const auto mask = hn::FirstN(d, size);
    const auto load = [&](int s) HWY_ATTR {
        return hn::MaskedLoad(mask, d, sources[s].data + i * sources[s].step);
    };
    hn::BlendedStore(apply(op, load), mask, d, destination);
#else
    // Masked loads of the other targets need alignment and touch what lies beyond.
    const auto load = [&](int s) HWY_ATTR {
        std::uint32_t words[kMaxVectorWords] = {};
        std::copy_n(sources[s].data + i * sources[s].step, size, words);
        return hn::LoadU(d, words);
    };
    std::uint32_t words[kMaxVectorWords];
    hn::StoreU(apply(op, load), d, words);
    std::copy_n(words, size, destination);
#endif
}

template <typename Op>
void row(const VectorParams& params, std::uint32_t* destination,
         const std::array<SourceRow, 3>& sources, std::size_t count) {
    const Op op(params);
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
    if (i < count) partial_vector(op, destination + i, sources, i, count - i);
}

}  // namespace

VectorRow choose_vector_row(VectorKernel kernel) {
    switch (kernel) {
        case VectorKernel::kCopy: return row<CopyOp>;
        case VectorKernel::kFill: return row<FillOp>;
        case VectorKernel::kAdd: return row<AddOp>;
        case VectorKernel::kSubtract: return row<SubtractOp>;
        case VectorKernel::kMultiply: return row<MultiplyOp>;
        case VectorKernel::kDivide: return row<DivideOp>;
        case VectorKernel::kMultiplyAdd: return row<MultiplyAddOp>;
        case VectorKernel::kMaximum: return row<MaximumOp>;
        case VectorKernel::kMinimum: return row<MinimumOp>;
        case VectorKernel::kGreaterSelect: return row<GreaterSelectOp>;
        case VectorKernel::kEqualSelect: return row<EqualSelectOp>;
        case VectorKernel::kAnd: return row<AndOp>;
        case VectorKernel::kOr: return row<OrOp>;
        case VectorKernel::kXor: return row<XorOp>;
        case VectorKernel::kArithmeticShift: return row<ArithmeticShiftOp>;
        case VectorKernel::kLogicalShift: return row<LogicalShiftOp>;
        case VectorKernel::kToInt32: return row<ToInt32Op>;
        case VectorKernel::kInt8ToFloat: return row<Int8ToFloatOp>;
        case VectorKernel::kExpTable: return row<ExpTableOp>;
        case VectorKernel::kReciprocalRoot: return row<ReciprocalRootOp>;
        case VectorKernel::kRoot: return row<RootOp>;
        case VectorKernel::kReciprocal: return row<ReciprocalOp>;
        case VectorKernel::kSeries: return row<SeriesOp>;
        case VectorKernel::kSeriesTail: return row<SeriesTailOp>;
        case VectorKernel::kNegate: return row<NegateOp>;
        case VectorKernel::kRelu: return row<ReluOp>;
        case VectorKernel::kScale: return row<ScaleOp>;
        case VectorKernel::kScaleBias: return row<ScaleBiasOp>;
    }
    return nullptr;
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(choose_vector_row);

VectorRow vector_row(VectorKernel kernel) {
    return HWY_DYNAMIC_DISPATCH(choose_vector_row)(kernel);
}

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

}  // namespace okksim::models
#endif
