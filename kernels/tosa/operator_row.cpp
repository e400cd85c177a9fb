// SPDX-License-Identifier: Apache-2.0
#include "kernels/tosa/operator_row.h"

#include <iterator>

#include "isa/base/errors.h"
#include "kernels/tosa/attributes.h"

namespace okksim::tosa {
namespace {

using enum Work;
using enum Storage;
using enum Reads;
using enum Bound;
using enum LayerFamily;

#define OKKSIM_FUSION_alone Fusion::kAlone, 1
#define OKKSIM_FUSION_sums Fusion::kSums, 1
#define OKKSIM_FUSION_scaled_sums Fusion::kScaledSums, 1
#define OKKSIM_FUSION_rescale Fusion::kRescale, 1
#define OKKSIM_FUSION_body(operands, function) Fusion::kBody, operands
#define OKKSIM_TOSA_OPERATOR(enumerator, attributes, kernel, work, storage, fusion, reads, bound, \
                             layer, rules)                                                        \
    OperatorRow{OpCode::enumerator, work, storage, OKKSIM_FUSION_##fusion, reads, bound, layer},
constexpr OperatorRow kRows[] = {
#include "kernels/tosa/operators.def"
};
#undef OKKSIM_TOSA_OPERATOR
#undef OKKSIM_FUSION_alone
#undef OKKSIM_FUSION_sums
#undef OKKSIM_FUSION_scaled_sums
#undef OKKSIM_FUSION_rescale
#undef OKKSIM_FUSION_body

constexpr bool has_all_rows() {
    int number = 0;
    for (const OperatorRow& row : kRows) {
        if (static_cast<int>(row.op) != ++number) return false;
    }
    return number == kOpCodeCount;
}
static_assert(
    has_all_rows(),
    "kernels/tosa/operators.def: every operator of op_codes.def needs a row, in the order "
    "of their numbers 1, 2, 3, ...");

}  // namespace

const OperatorRow& operator_row(OpCode op) {
    const auto number = static_cast<std::size_t>(op);
    OKKSIM_CHECK(number >= 1 && number <= std::size(kRows));
    return kRows[number - 1];
}

Attributes empty_attributes(OpCode op) {
    switch (op) {
#define OKKSIM_TOSA_OPERATOR(enumerator, attributes, ...) \
    case OpCode::enumerator:                              \
        return attributes{};
#include "kernels/tosa/operators.def"
#undef OKKSIM_TOSA_OPERATOR
    }
    return NoAttributes{};
}

}  // namespace okksim::tosa
