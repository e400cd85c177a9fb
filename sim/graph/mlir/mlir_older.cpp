// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_older.h"

#include <algorithm>

namespace okksim::sim::graph {

namespace {

constexpr std::string_view kAdvice =
    "; this form is older than TOSA 1.0: write the text again with a tool of LLVM 21 or later";

constexpr std::string_view kOperations[] = {"tosa.div", "tosa.fully_connected"};
struct Renamed {
    std::string_view before;
    std::string_view now;
};
constexpr Renamed kRenamed[] = {{"tosa.int_div", "tosa.intdiv"},
                                {"tosa.reduce_prod", "tosa.reduce_product"},
                                {"tosa.variable.read", "tosa.variable_read"},
                                {"tosa.variable.write", "tosa.variable_write"}};
constexpr std::string_view kAttributes[] = {
    "a_zp",      "b_zp",    "border",  "double_round", "input1_zp",  "input_zp",
    "max_fp",    "max_int", "min_fp",  "min_int",      "multiplier", "multiples",
    "new_shape", "offset",  "out_pad", "output_zp",    "out_shape",  "pad_const",
    "scale",     "shift",   "size",    "start",        "weight_zp",  "quantization_info"};
constexpr std::string_view kOperands[] = {
    "tosa.avg_pool2d", "tosa.conv2d", "tosa.conv3d", "tosa.depthwise_conv2d", "tosa.matmul",
    "tosa.mul",        "tosa.negate", "tosa.pad",    "tosa.reshape",          "tosa.resize",
    "tosa.rescale",    "tosa.slice",  "tosa.tile",   "tosa.transpose_conv2d"};

template <std::size_t N>
std::string_view advice_if(const std::string_view (&names)[N], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) == std::end(names) ? "" : kAdvice;
}

}  // namespace

std::string_view present_name(std::string_view operation) {
    for (const Renamed& row : kRenamed) {
        if (row.before == operation) return row.now;
    }
    return operation;
}

std::string_view advice_for_older_operation(std::string_view name) {
    return advice_if(kOperations, name);
}
std::string_view advice_for_older_attribute(std::string_view name) {
    return advice_if(kAttributes, name);
}
std::string_view advice_for_older_operands(std::string_view name) {
    return advice_if(kOperands, name);
}

}  // namespace okksim::sim::graph
