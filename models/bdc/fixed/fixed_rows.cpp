// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/fixed/fixed_rows.h"

#include <array>
#include <type_traits>

#include "models/bdc/elements/element_sources.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "models/bdc/fixed/fixed_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "models/bdc/fixed/fixed_ops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace okksim::models::HWY_NAMESPACE {
namespace {

using namespace fixed_ops;

HWY_INLINE Int element(const FixedSource& source, std::size_t i) {
    const Words d;
    const Word word = hn::LoadU(d, source.data + i * source.step);
    const Word sign = hn::Set(d, source.field.sign);
    const Word low =
        hn::And(hn::ShiftRightSame(word, source.field.shift), hn::Set(d, source.field.mask));
    return as_int(hn::Sub(hn::Xor(low, sign), sign));
}

template <typename Op>
HWY_INLINE Int compute(const FixedRowArguments& k, std::size_t i) {
    const Int a = element(k.sources[0], i);
    if constexpr (Op::kSources == 1) {
        return Op::apply(k, a);
    } else {
        const Int b = element(k.sources[1], i);
        if constexpr (Op::kSources == 2) {
            return Op::apply(k, a, b);
        } else {
            return Op::apply(k, a, b, element(k.sources[2], i));
        }
    }
}

template <typename Op>
void row(const FixedRowArguments& arguments, std::size_t count) {
    const FixedRowArguments k = arguments;  // a copy that the stores below cannot alias
    const Words d;
    const Word mask = hn::Set(d, k.result_field.mask);
    for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
        const Word value = hn::And(bits(compute<Op>(k, i)), mask);
        const Word placed = hn::ShiftLeftSame(value, k.result_field.shift);
        hn::StoreU(hn::Or(hn::LoadU(d, k.result + i), placed), d, k.result + i);
    }
}

/// For rows with other semantics.
struct NoOperation {};

template <typename Form, typename Op>
constexpr FixedRow operation() {
    if constexpr (std::is_same_v<Op, NoOperation>) {
        return nullptr;
    } else {
        static_assert(
            Op::kSources == element_sources<Form>(),
            "instructions.def: the operation in the column semantics takes another number "
            "of sources than the row's form has");
        return row<Op>;
    }
}

}  // namespace

const FixedRow* fixed_table() {
#define OKKSIM_OPERATION_fixed(op, types) op
#define OKKSIM_OPERATION_vector(...) NoOperation
#define OKKSIM_OPERATION_array(...) NoOperation
#define OKKSIM_OPERATION_typed(...) NoOperation
#define OKKSIM_OPERATION_mover(...) NoOperation
#define OKKSIM_OPERATION_sequence(...) NoOperation
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    operation<isa::form, OKKSIM_OPERATION_##semantics>(),
    static constexpr std::array<FixedRow, isa::kInstructionCount> kTable{
#include "isa/instructions.def"
    };
#undef OKKSIM_INSTRUCTION
#undef OKKSIM_OPERATION_fixed
#undef OKKSIM_OPERATION_vector
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

HWY_EXPORT(fixed_table);

FixedRow fixed_row(const isa::InstructionInfo& instruction) {
    static const FixedRow* const table = HWY_DYNAMIC_DISPATCH(fixed_table)();
    return table[isa::row_index(instruction)];
}

}  // namespace okksim::models
#endif
