// SPDX-License-Identifier: Apache-2.0
// A row of operators.def with a missing column does not compile: the message names row and column.
#include "isa/row_check.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::tosa {
namespace {

using isa::is_constant;
using isa::is_lower_name;
using isa::is_upper_name;

/// The enumerators of Storage. The check detects a Storage in the column of Work.
constexpr bool is_storage(std::string_view text) {
    return isa::is_one_of(text, "kRowMajor kFeatureMap kFollowsInput kRowMajorInputs ");
}

constexpr auto kColumns = std::to_array<bool (*)(std::string_view)>({
    is_constant,
    is_upper_name,
    [](std::string_view text) { return text == "runner" || text.starts_with("kernel("); },
    [](std::string_view text) { return is_constant(text) && !is_storage(text); },
    is_storage,
    [](std::string_view text) {
        return isa::is_one_of(text, "alone sums scaled_sums rescale ") || text.starts_with("body(");
    },
    [](std::string_view text) {
        return isa::is_one_of(text, "kParts kFirst kFirstTwo kAll kElement kElements kWindows ");
    },
    [](std::string_view text) { return text.starts_with("k") && text.ends_with("Bound"); },
    [](std::string_view text) { return text.starts_with("k") && text.ends_with("Layer"); },
    is_lower_name,
});

#define OKKSIM_COLUMN(number, name, row)                          \
    static_assert(isa::missing_column(row, kColumns) != (number), \
                  "operators.def: no " name " (column " #number ") in the row " row);
#define OKKSIM_TOSA_OPERATOR(...)                   \
    OKKSIM_COLUMN(1, "enumerator", #__VA_ARGS__)    \
    OKKSIM_COLUMN(2, "attributes", #__VA_ARGS__)    \
    OKKSIM_COLUMN(3, "kernel", #__VA_ARGS__)        \
    OKKSIM_COLUMN(4, "work", #__VA_ARGS__)          \
    OKKSIM_COLUMN(5, "storage order", #__VA_ARGS__) \
    OKKSIM_COLUMN(6, "fusion", #__VA_ARGS__)        \
    OKKSIM_COLUMN(7, "reads", #__VA_ARGS__)         \
    OKKSIM_COLUMN(8, "bound", #__VA_ARGS__)         \
    OKKSIM_COLUMN(9, "layer", #__VA_ARGS__)         \
    OKKSIM_COLUMN(10, "rules", #__VA_ARGS__)
#include "kernels/tosa/operators.def"
#undef OKKSIM_TOSA_OPERATOR

}  // namespace
}  // namespace okksim::tosa
