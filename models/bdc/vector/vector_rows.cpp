// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/vector/vector_rows.h"

#include <algorithm>
#include <type_traits>

#include "models/bdc/elements/element_sources.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/vector/vector_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "models/bdc/vector/special_functions-inl.h"
#include "models/bdc/vector/vector_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {

/// Host nanoseconds per element of a memory-bound operation.
constexpr double kOrdinaryNanoseconds = 0.3;

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

/// Computes the last `size` elements of a row, fewer than a vector, from index `i` of the sources.
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
    // Masked loads of the other targets need alignment and access memory past the row.
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

/// Used for rows with other semantics.
struct NoOperation {};

template <typename Form, typename Op>
constexpr VectorOperation operation() {
    if constexpr (std::is_same_v<Op, NoOperation>) {
        return {};
    } else {
        static_assert(
            Op::kSources == element_sources<Form>(),
            "instructions.def: the operation in the column semantics takes another number "
            "of sources than the row's form has");
        VectorOperation result{row<Op>, kOrdinaryNanoseconds, 0};
        if constexpr (requires { Op::kNanoseconds; }) result.nanoseconds = Op::kNanoseconds;
        if constexpr (requires { Op::kNanosecondsPerTerm; }) {
            result.nanoseconds = 0;
            result.nanoseconds_per_term = Op::kNanosecondsPerTerm;
        }
        return result;
    }
}

}  // namespace

const VectorOperation* vector_table() {
    using namespace vector_ops;
#define OKKSIM_OPERATION_vector(...) __VA_ARGS__
#define OKKSIM_OPERATION_fixed(...) NoOperation
#define OKKSIM_OPERATION_array(...) NoOperation
#define OKKSIM_OPERATION_typed(...) NoOperation
#define OKKSIM_OPERATION_mover(...) NoOperation
#define OKKSIM_OPERATION_sequence(...) NoOperation
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    operation<isa::form, OKKSIM_OPERATION_##semantics>(),
    static constexpr std::array<VectorOperation, isa::kInstructionCount> kTable{
#include "isa/instructions.def"
    };
#undef OKKSIM_INSTRUCTION
#undef OKKSIM_OPERATION_vector
#undef OKKSIM_OPERATION_fixed
#undef OKKSIM_OPERATION_array
#undef OKKSIM_OPERATION_typed
#undef OKKSIM_OPERATION_mover
#undef OKKSIM_OPERATION_sequence
    return kTable.data();
}

}  // namespace okksim::models::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace okksim::models {

HWY_EXPORT(vector_table);

const VectorOperation& vector_operation(const isa::InstructionInfo& instruction) {
    static const VectorOperation* const table = HWY_DYNAMIC_DISPATCH(vector_table)();
    return table[isa::row_index(instruction)];
}

}  // namespace okksim::models
#endif
