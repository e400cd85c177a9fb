// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_operators.h"

#include <algorithm>

namespace okksim::sim::graph::tflite {

namespace {

constexpr OperatorRow kRows[] = {
#define OKKSIM_TFLITE_OPERATOR(enumerator, number, name, integers, lowering) \
    {number, name, &Lowering::lowering},
#include "sim/graph/tflite/tflite_operators.def"
#undef OKKSIM_TFLITE_OPERATOR
};

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow* find_operator(std::int32_t number) {
    const auto row = std::lower_bound(
        std::begin(kRows), std::end(kRows), number,
        [](const OperatorRow& each, std::int32_t wanted) { return each.number < wanted; });
    return row != std::end(kRows) && row->number == number ? row : nullptr;
}

}  // namespace okksim::sim::graph::tflite
