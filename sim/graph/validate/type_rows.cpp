// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/validate/type_rows.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {

#define OKKSIM_TYPE(parameter, type) \
    TypeValue { ArgumentType::parameter, DType::type }
#define OKKSIM_TOSA_TYPES(op, needs, mode, ...) TypeRow{OpCode::op, needs, mode, {__VA_ARGS__}},
constexpr TypeRow kRows[] = {
#include "sim/graph/validate/type_rows.def"
};
#undef OKKSIM_TOSA_TYPES
#undef OKKSIM_TYPE

}  // namespace

DType TypeRow::type_of(ArgumentType parameter) const {
    for (const TypeValue& value : types) {
        if (value.parameter == parameter) return value.type;
    }
    return DType::kUnknown;
}

std::span<const TypeRow> type_rows(OpCode op) {
    // The rows of an operator stand together, in the order of the operators.
    const auto [first, last] =
        std::equal_range(std::begin(kRows), std::end(kRows), TypeRow{op, {}, {}, {}},
                         [](const TypeRow& a, const TypeRow& b) { return a.op < b.op; });
    return {first, last};
}

}  // namespace okksim::sim::graph
