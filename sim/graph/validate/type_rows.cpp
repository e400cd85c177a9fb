// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/validate/type_rows.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {

#define OKKSIM_TYPE(parameter, type) \
    TypeValue { ArgumentType::parameter, DType::type }
#define OKKSIM_TOSA_INPUT(...)
#define OKKSIM_TOSA_OUTPUT(...)
#define OKKSIM_TOSA_TYPES(op, needs, mode, ...) TypeRow{OpCode::op, needs, mode, {__VA_ARGS__}},
constexpr TypeRow kRows[] = {
#include "sim/graph/validate/signatures.def"
};
#undef OKKSIM_TOSA_INPUT
#undef OKKSIM_TOSA_OUTPUT
#undef OKKSIM_TOSA_TYPES
#undef OKKSIM_TYPE

/// True if every operator has a row, in the order of the operators.
constexpr bool has_all_rows() {
    int last = 0;
    for (const TypeRow& row : kRows) {
        const int number = static_cast<int>(row.op);
        if (number != last && number != last + 1) return false;
        last = number;
    }
    return last == kOpCodeCount;
}
static_assert(
    has_all_rows(),
    "sim/graph/validate/signatures.def: every operator of kernels/tosa/operators.def needs "
    "an OKKSIM_TOSA_TYPES row, in the order of the operators' numbers");

}  // namespace

DType TypeRow::type_of(ArgumentType parameter) const {
    for (const TypeValue& value : types) {
        if (value.parameter == parameter) return value.type;
    }
    return DType::kUnknown;
}

std::span<const TypeRow> type_rows(OpCode op) {
    // The rows of an operator are contiguous, in the order of the operators.
    const auto [first, last] =
        std::equal_range(std::begin(kRows), std::end(kRows), TypeRow{op, {}, {}, {}},
                         [](const TypeRow& a, const TypeRow& b) { return a.op < b.op; });
    return {first, last};
}

}  // namespace okksim::sim::graph
