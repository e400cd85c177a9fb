// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <string_view>

#include "sim/lab/manual/api_notes.h"

namespace okksim::sim::manual {
namespace {

using isa::OperandInfo;
using isa::OperandKind;

constexpr const char* kWork = "work: the shape and layout of src";

constexpr const char* kDilatedSize =
    "output_h = (input_shape->h + padding->top + padding->bottom - ((kernel_h - 1) * dilation->h + "
    "1)) / stride->h + 1, rounded down; output_w likewise with left and right. The dilated kernel "
    "must fit into the padded input";
constexpr const char* kPoolOutput =
    "output: (input_shape->n, input_shape->c, output_h, output_w), 128-byte aligned";
constexpr const char* kPoolSize =
    "output_h = (input_shape->h + padding->top + padding->bottom - kernel_h) / stride->h + 1, "
    "rounded down; output_w likewise with left and right. The kernel must fit into the padded "
    "input";

constexpr const char* kMatrix =
    "in local memory: (rows, ceil(cols / cols_per_channel), 1, cols_per_channel), 128-byte "
    "aligned, "
    "with ceil(channels / NPUs) slots for every start lane";

/// Text for functions whose name contains `word`: a size that the API reference derives from
/// shapes.
struct TensorNote {
    const char* word;
    const char* text;
};

constexpr auto kTensors = std::to_array<TensorNote>({
    {"bdc_bias", "bias: (1, shape->c, 1, 1), compact"},
    {"bdc_scale", "scale: (1, shape->c, 1, 1), compact"},
    {"scale_bias", "bias: (1, shape->c, 1, 1), compact"},
    {"conv2d", "output: (input_shape->n, output_c, output_h, output_w), 128-byte aligned"},
    {"conv2d", kDilatedSize},
    {"conv2d",
     "weights: (ceil(input_shape->c / 2), output_c, kernel_h, kernel_w) pairs of 64 bits (2IC); "
     "kernel_stride counts pairs"},
    {"conv2d", "bias, read only with using_bias: (1, output_c, 1, 1), compact"},
    {"depthwise2d", kPoolOutput},
    {"depthwise2d", kDilatedSize},
    {"depthwise2d", "weights: (1, input_shape->c, kernel_h, kernel_w), compact"},
    {"depthwise2d", "bias, read only with using_bias: (1, input_shape->c, 1, 1), compact"},
    {"pool2d", kPoolOutput},
    {"pool2d", kPoolSize},
    {"matmul", "output: left_rows x right_cols, with right_cols_per_channel"},
    {"matmul", "left: left_rows x left_cols; right: left_cols x right_cols"},
    {"matmul", "bias, read only with using_bias: 1 x right_cols, with right_cols_per_channel"},
    {"32bit_matrix", kMatrix},
    {"32bit_matrix",
     "matmul expects rows ceil((start lane + channels) / NPUs) slots apart: the two "
     "agree if the channels do not pass the last NPU"},
    {"4N_int8_to_fp32", "src and work: 4N, ceil(shape->n / 4) batches of words"},
    {"bdc_int8_to_fp32",
     "src and work without is_aligned_layout: compact, but with planes of ALIGN(shape->h * "
     "shape->w, 4) bytes"},
    {"bdc_exp", kWork},
    {"bdc_sigmoid", kWork},
    {"bdc_tanh", kWork},
    {"split_low", "work: the size of src"},
});

/// Returns the meaning of NULL; nullptr for operands that are no pointers.
const char* null_text(const OperandInfo& operand) {
    switch (operand.kind) {
        case OperandKind::kShape: return "a fault";
        case OperandKind::kPadding: return "no padding";
        case OperandKind::kStep: return "1 for h and w";
        case OperandKind::kStride: break;
        default: return nullptr;
    }
    if (std::string_view(operand.name) == "kernel_stride") return "2IC without gaps";
    return operand.null_layout == isa::Layout::kContinuous ? "the continuous layout"
                                                           : "the 128-byte aligned layout";
}

}  // namespace

std::vector<std::string> null_arguments_of(const ApiFunction& function) {
    std::vector<std::string> lines;
    if (function.info == nullptr) return lines;
    for (const OperandInfo& operand : function.info->operands()) {
        const bool is_parameter = std::ranges::find(function.parameters, operand.name,
                                                    &Parameter::name) != function.parameters.end();
        const char* const meaning = is_parameter ? null_text(operand) : nullptr;
        if (meaning != nullptr) lines.push_back(std::string(operand.name) + ": " + meaning);
    }
    return lines;
}

std::vector<std::string> tensors_of(const ApiFunction& function) {
    std::vector<std::string> lines;
    for (const TensorNote& note : kTensors) {
        if (function.name.find(note.word) != std::string::npos) lines.emplace_back(note.text);
    }
    return lines;
}

}  // namespace okksim::sim::manual
