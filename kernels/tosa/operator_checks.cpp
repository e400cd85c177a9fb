// SPDX-License-Identifier: Apache-2.0
// A row of op_codes.def or operators.def with a missing column does not compile, nor one with
// columns that contradict each other. The message names row and column.
#include <algorithm>
#include <iterator>

#include "isa/row_check.h"
#include "kernels/tosa/operator_row.h"

namespace okksim::tosa {
namespace {

using isa::is_constant;
using isa::is_lower_name;
using isa::is_one_of;
using isa::is_upper_name;
using Text = std::string_view;

/// The enumerators of Storage. The check detects a Storage in the column of Work.
constexpr bool is_storage(Text text) {
    return is_one_of(text, "kRowMajor kFeatureMap kFollowsInput kRowMajorInputs ");
}

/// The text in the parentheses of `name(...)`; empty for other columns.
constexpr Text argument(Text text, Text name) {
    if (!text.starts_with(name) || !text.ends_with(')')) return {};
    return text.substr(name.size() + 1, text.size() - name.size() - 2);
}

/// True for body(n, f). Kernels take up to three operands.
constexpr bool is_body(Text text) {
    const auto [columns, count] = isa::split_row<2>(argument(text, "body"));
    return count == 2 && is_one_of(columns[0], "1 2 3") && is_lower_name(columns[1]);
}

constexpr auto kColumns = std::to_array<bool (*)(Text)>({
    is_constant,
    is_upper_name,
    [](Text text) { return text == "runner" || is_lower_name(argument(text, "kernel")); },
    [](Text text) { return is_constant(text) && !is_storage(text); },
    is_storage,
    [](Text text) { return is_one_of(text, "alone sums scaled_sums rescale ") || is_body(text); },
    [](Text text) {
        return is_one_of(text, "kParts kFirst kFirstTwo kAll kElement kElements kWindows ");
    },
    [](Text text) { return text.starts_with("k") && text.ends_with("Bound"); },
    [](Text text) { return text.starts_with("k") && text.ends_with("Layer"); },
    is_lower_name,
});

constexpr auto kNameColumns = std::to_array<bool (*)(Text)>({
    is_constant,
    isa::is_number,
    [](Text text) { return isa::is_text(text) && is_upper_name(text.substr(1)); },
    [](Text text) { return isa::is_text(text) && isa::is_number(text.substr(1)); },
});

constexpr Text kNameRows[] = {
#define OKKSIM_OP_CODE(...) #__VA_ARGS__,
#include "kernels/tosa/op_codes.def"
#undef OKKSIM_OP_CODE
};

/// True if no other row has the text in the column.
constexpr bool is_unique(Text row, std::size_t column) {
    const Text text = isa::split_row<4>(row).columns[column - 1];
    return std::count_if(std::begin(kNameRows), std::end(kNameRows), [&](Text other) {
               return isa::split_row<4>(other).columns[column - 1] == text;
           }) == 1;
}

/// Texts of other columns that fit a kernel, a fusion, a bound or a layer; an empty one: any text.
struct Fit {
    Text values, work{}, storage{}, reads{}, layer{}, rules{};
};
constexpr Fit kFits[] = {
    {"runner", "kNone kUnknown", "", "kParts", "kNoLayer",
     "check_data_node check_control_flow check_variable_access"},
    {"kernel alone kNoLayer kConvolutionLayer kDepthwiseLayer kMeanLayer kMaximumLayer"},
    {"sums", "kConvolution kDepthwise", "kFeatureMap"},
    {"scaled_sums", "kMatmul"},
    {"rescale", "kResults", "kFollowsInput", "kElement", "kNoLayer", "check_type_conversion"},
    {"body", "kResults", "kFollowsInput", "kElement kElements", "kNoLayer", "check_elementwise"},
    {"kNoBound", "kNone kUnknown kResults", "", "kParts kFirst kAll kElement kElements",
     "kNoLayer kConcatLayer kCropLayer",
     "check_resize check_type_conversion check_data_layout check_scatter_gather check_data_node "
     "check_control_flow check_variable_access"},
    {"kElementBound", "kResults kConvolution kTransposeConvolution kFourier kHalfFourier", "",
     "kParts kElement kElements", "kNoLayer"},
    {"kReductionBound", "kReduction", "", "kFirstTwo", "kNoLayer"},
    {"kMatmulBound", "kMatmul", "", "kFirstTwo", "kNoLayer"},
    {"kConvolutionBound", "kConvolution", "kFeatureMap", "kWindows", "kConvolutionLayer"},
    {"kDepthwiseBound", "kDepthwise", "kFeatureMap", "kWindows", "kDepthwiseLayer"},
    {"kMeanBound", "kPool", "kFeatureMap", "kWindows", "kMeanLayer"},
    {"kMaximumBound", "kPool", "kFeatureMap", "kWindows", "kMaximumLayer"},
    {"kConcatLayer", "kNone", "", "kAll", "", "check_data_layout"},
    {"kCropLayer", "kNone", "", "kParts", "", "check_data_layout"},
};

/// True if the text of the other column fits that of the column, and in incomplete rows.
constexpr bool fits(Text row, std::size_t column, std::size_t other, Text Fit::*permitted) {
    if (isa::missing_column(row, kColumns) != 0) return true;
    const auto columns = isa::split_row<10>(row).columns;
    const Text value = columns[column - 1].substr(0, columns[column - 1].find('('));
    for (const Fit& fit : kFits) {
        if (!is_one_of(value, fit.values)) continue;
        return (fit.*permitted).empty() || is_one_of(columns[other - 1], fit.*permitted);
    }
    return false;
}

#define OKKSIM_COLUMN(number, name, row)                          \
    static_assert(isa::missing_column(row, kColumns) != (number), \
                  "operators.def: no " name " (column " #number ") in the row " row);
#define OKKSIM_FIT(column, name, other, other_name, member, row)                                   \
    static_assert(fits(row, column, other, &Fit::member),                                          \
                  "operators.def: column " #other " (" other_name ") does not fit column " #column \
                  " (" name ") in the row " row);
#define OKKSIM_FITS(column, name, row)                         \
    OKKSIM_FIT(column, name, 4, "work", work, row)             \
    OKKSIM_FIT(column, name, 5, "storage order", storage, row) \
    OKKSIM_FIT(column, name, 7, "reads", reads, row)           \
    OKKSIM_FIT(column, name, 9, "layer", layer, row)           \
    OKKSIM_FIT(column, name, 10, "rules", rules, row)
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
    OKKSIM_COLUMN(10, "rules", #__VA_ARGS__)        \
    OKKSIM_FITS(3, "kernel", #__VA_ARGS__)          \
    OKKSIM_FITS(6, "fusion", #__VA_ARGS__)          \
    OKKSIM_FITS(8, "bound", #__VA_ARGS__)           \
    OKKSIM_FITS(9, "layer", #__VA_ARGS__)
#include "kernels/tosa/operators.def"
#undef OKKSIM_TOSA_OPERATOR

#define OKKSIM_NAME(number, name, row)                                               \
    static_assert(isa::missing_column(row, kNameColumns) != (number),                \
                  "op_codes.def: no " name " (column " #number ") in the row " row); \
    static_assert(is_unique(row, number), "op_codes.def: two rows have the " name    \
                                          " (column " #number ") of the row " row);
#define OKKSIM_OP_CODE(...)                    \
    OKKSIM_NAME(1, "enumerator", #__VA_ARGS__) \
    OKKSIM_NAME(2, "number", #__VA_ARGS__)     \
    OKKSIM_NAME(3, "name", #__VA_ARGS__)       \
    OKKSIM_NAME(4, "section", #__VA_ARGS__)
#include "kernels/tosa/op_codes.def"
#undef OKKSIM_OP_CODE

}  // namespace
}  // namespace okksim::tosa
