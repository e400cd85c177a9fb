// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_operators.h"

#include <algorithm>
#include <iterator>

namespace okksim::sim::graph::tflite {

namespace {

constexpr OperatorRow kRows[] = {
#define OKKSIM_TFLITE_OPERATOR(enumerator, number, name, integers, lowering) \
    {number, name, &Lowering::lowering},
#include "sim/graph/tflite/tflite_operators.def"
#undef OKKSIM_TFLITE_OPERATOR
};

constexpr std::int32_t kNoNumber = -1;  // names identify custom operators
constexpr OperatorRow kCustomRows[] = {
    {kNoNumber, "Convolution2DTransposeBias", &Lowering::mediapipe_transpose_conv},
};

}  // namespace

std::span<const OperatorRow> operator_rows() { return kRows; }

const OperatorRow* find_operator(std::int32_t number) {
    const auto row = std::lower_bound(
        std::begin(kRows), std::end(kRows), number,
        [](const OperatorRow& each, std::int32_t wanted) { return each.number < wanted; });
    return row != std::end(kRows) && row->number == number ? row : nullptr;
}

const OperatorRow* find_custom_operator(std::string_view name) {
    const auto* row = std::find_if(std::begin(kCustomRows), std::end(kCustomRows),
                                   [&](const OperatorRow& each) { return each.name == name; });
    return row == std::end(kCustomRows) ? nullptr : row;
}

}  // namespace okksim::sim::graph::tflite
