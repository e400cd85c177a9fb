// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/manual/api_notes.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "isa/layer_form.h"

namespace okksim::sim::manual {
namespace {

using isa::OperandInfo;
using isa::OperandKind;

/// Text for functions whose name contains `word`; the instruction table does not have it.
struct Note {
    const char* word;
    const char* text;
};

constexpr auto kDomains = std::to_array<Note>({
    {"bdc_exp", "src in [-103, 88]; relative error 3.0e-7 in [-10, 10], up to 36 % in [-87, -80]"},
    {"bdc_exp", "0 for src of -88 and less; no meaning for src above 88.7"},
    {"bdc_sigmoid", "src in [-103, 88] in the API reference; e^-src of the table ends at 88"},
    {"bdc_sigmoid", "right for src in [-88, 103], absolute error 2.8e-7; nearly 1 for src = -89"},
    {"bdc_tanh", "src in [-103, 88] in the API reference; 1 / e^src ends near src = -86"},
    {"bdc_tanh", "right for src in [-86, 88], absolute error 7.2e-7; infinite for src = -88"},
    {"lookup_exp", "src in [-103, 88]"},
    {"lookup_int32_to_fp32", "src in [-128, 127]"},
    {"taylor_exp",
     "meant for |src| < 1; for other values the sum of num_series + 1 terms with rounded "
     "coefficients, c[j] = c[j-1] / j"},
    {"rsqrt", "2.1 ulp for src in [2^-60, 2^60]; NaN below zero, infinite for 0"},
    {"reciprocal", "4.5 ulp for src in [2^-60, 2^60]; infinite for 0 and for infinity"},
    {"bdc_div", "uses the reciprocal: 5.4 ulp for divisors in [2^-60, 2^60]"},
    {"bdc_C_div", "uses the reciprocal: 5.4 ulp for divisors in [2^-60, 2^60]"},
    {"bdc_sqrt", "6.0 ulp in [2^-60, 2^60]; NaN below zero"},
    {"arithmetic_shift", "shifts by [-32, 32] (16 bits: [-16, 16])"},
    {"logical_shift", "shifts by [-32, 32] (16 bits: [-16, 16])"},
});

constexpr const char* kPointerNote =
    "an access to memory that a running command writes, or a store to memory that it reads, "
    "without okk_poll() (finding `order`)";
constexpr const char* kLongNote =
    "many bytes loaded or stored through it: the simulator counts no time for them unless "
    "`okk_access.h` announces them";

constexpr const char* kSelected = "dst_addr of a tensor that is selected: a fault";
constexpr const char* kWideFill =
    "NULL for dst_stride: the vendor's kit takes the layout of 32-bit elements (finding `vendor`, "
    "compat.sdk_quirks)";

constexpr auto kMistakes = std::to_array<Note>({
    {"bdc_exp", "in place (dst = src): the result is e^trunc(src) (finding `rule`)"},
    {"bdc_tanh", "in place (dst = src): the result is tanh(trunc(src)) (finding `rule`)"},
    {"okk_initialize", "missing, or not the first call (finding `rule`)"},
    {"okk_poll",
     "missing at the end of a kernel or before a pointer access (finding `order`); called between "
     "okk_parallel_start() and okk_parallel_end(): a fault"},
    {"okk_parallel_start",
     "a copy and a computation of one section that access the same memory (finding `hazard`); a "
     "second call before okk_parallel_end(): a fault"},
    {"okk_parallel_end", "missing (finding `order`); without okk_parallel_start(): a fault"},
    {"okk_128_byte", "strides of another tensor's start lane"},
    {"okk_compact", "used as strides of a tensor with NULL strides, which is aligned"},
    {"okk_continuous", "used as strides of local memory, where the stride of c counts slots"},
    {"okk_channle", "used as the channels of every lane: the last lanes may have fewer"},
    {"okk_start_npu",
     "used with a byte offset in a lane: the argument is an address over all lanes"},
    {"_size_per_npu", "used as the size of all lanes together"},
    {"l2_sram_size",
     "used as the size of all L2-SRAM: kernels may use the part from okk_l2_sram_start_addr() on"},
    {"dtcm_size",
     "used as the size of all DTCM: kernels may use the part from okk_dtcm_start_addr() on"},
    {"lookup_table", "used for the kernel's data: lookups read their tables there"},
    {"start_addr", "a constant in the kernel instead: machines differ"},
    {"okk_local_mem_start", "passed to functions of local memory, whose addresses count from 0"},
    {"bank_per_npu", "used as a number of bytes: it counts banks"},
    {"okk_eu_num", "used as the number of NPUs: it counts words of one NPU"},
    {"_mem_addr", kPointerNote},
    {"l2_sram_addr", kPointerNote},
    {"dtcm_addr", kPointerNote},
    {"okk_local_mem_addr",
     "used with an address over all lanes: the argument is an offset in one lane"},
    {"okk_global_mem_addr", "bytes outside the host's buffers (finding `buffer`)"},
    {"_mem_addr", kLongNote},
    {"l2_sram_addr", kLongNote},
    {"dtcm_addr", kLongNote},
    {"okk_npu_num", "a constant number of lanes in the kernel: machines differ"},
    {"okk_is_parallel", "called to check whether the engines are done: okk_poll() does that"},
    {"greater_select", "a NaN operand compares as not greater"},
    {"equal", "compares bits: +0 and -0 differ, a NaN equals itself"},
    {"conv2d",
     "weights stored as (output_c, input_c, kh, kw): the layout has pairs of input channels (2IC), "
     "(ceil(ic/2), oc, kh, kw) of 64 bits"},
    {"matmul",
     "uninitialised elements after the last column of a matrix, if its last channel is not full: "
     "their results have no meaning"},
    {"matrix", "a row_stride in bytes: it counts elements"},
    {"avg_pool2d", "expected average without padding: padding counts as zeros"},
    {"_16bit_cpy", "an address that is no multiple of 2: a fault"},
    {"_id_node", "used to order commands: okk_poll() and parallel mode do that"},
    {"okk_dump", "called outside of a kernel: a fault"},
    {"s16_mul_u8", "work tensors that overlap a source or each other"},
    {"bdc_32bit_cpy",
     "strides that differ: the vendor's kit exchanges them (finding `vendor`, compat.sdk_quirks)"},
    {"16bit_set_C_local", kWideFill},
    {"_8bit_set_C_local", kWideFill},
    {"packed_mac",
     "is_origin_dst_signed unlike the sign of op_type's result: the vendor's kit ignores it "
     "(finding "
     "`vendor`, compat.sdk_quirks)"},
});

/// Rules that connect several arguments.
constexpr const char* kPadded =
    "input_shape->h + padding->top + padding->bottom at most 2047, input_shape->w + padding->left "
    "+ "
    "padding->right at most 2047 (finding `limit`)";

constexpr auto kSizes = std::to_array<Note>({
    {"2d", kPadded},
    {"matmul",
     "left_cols_per_channel at most left_cols, right_cols_per_channel at most right_cols (finding "
     "`limit`)"},
    {"matmul",
     "ceil(left_cols / left_cols_per_channel) and ceil(right_cols / right_cols_per_channel) at "
     "most 4095 (finding `limit`)"},
});

void add_notes(std::span<const Note> notes, const std::string& name,
               std::vector<std::string>& lines) {
    for (const Note& note : notes) {
        if (name.find(note.word) != std::string::npos) lines.emplace_back(note.text);
    }
}

template <typename Test>
bool any_operand(const isa::InstructionInfo& info, const Test& test) {
    return std::ranges::any_of(info.operands(), test);
}

bool is_local(const OperandInfo& operand) { return operand.kind == OperandKind::kLocal; }

/// True if the commands of a function read its source after they have written its result.
bool needs_its_source(const isa::InstructionInfo& info) {
    const std::string_view name = info.name;
    return name.starts_with("bdc_exp") || name.starts_with("bdc_tanh");
}

/// Adds mistakes that are possible with the function's operands.
void add_by_operands(const isa::InstructionInfo& info, std::vector<std::string>& lines) {
    if (info.kind == isa::InstructionKind::kAlignedLayout) {
        lines.emplace_back("a local address that is no multiple of 128: a fault");
    } else if (any_operand(info, [](const OperandInfo& operand) {
                   return operand.kind == OperandKind::kStride &&
                          operand.null_layout == isa::Layout::kAligned;
               })) {
        lines.emplace_back(
            "NULL strides with a local address that is no multiple of 128 (finding `rule`)");
    }
    const auto reads_local = [](const OperandInfo& operand) {
        return is_local(operand) && operand.rules.access == isa::Access::kRead;
    };
    if (any_operand(info, reads_local)) {
        lines.emplace_back("uninitialised sources (finding `unwritten_read`)");
        lines.emplace_back(isa::is_layer(info.form) || needs_its_source(info)
                               ? "a result that shares memory with a source (finding `rule`)"
                               : "a result that shares a part of a source's memory (finding "
                                 "`rule`); the same tensor is allowed");
    }
    for (const OperandInfo& operand : info.operands()) {
        if (operand.rules.apart == isa::Apart::kNone) continue;
        lines.emplace_back(std::string(operand.name) +
                           (operand.rules.apart == isa::Apart::kResultAndSource
                                ? " = dst_addr or src_addr: a fault"
                                : " = dst_addr: a fault"));
    }
    if (any_operand(info, [](const OperandInfo& operand) {
            return operand.kind == OperandKind::kSystem;
        })) {
        lines.emplace_back("bytes outside the host's buffers (finding `buffer`)");
    }
    if (any_operand(info, [](const OperandInfo& operand) {
            return is_local(operand) && operand.rules.layout == isa::Layout::kCompact;
        })) {
        lines.emplace_back(
            "a bias, scale or weights in the aligned layout: they need the compact layout, with a "
            "value for each channel slot");
    }
    if (info.data == isa::DataType::kFixed || info.data == isa::DataType::kFixed16) {
        lines.emplace_back(
            "shape.n counted in words: it counts batch elements, four (8 bits) or two (16 bits) to "
            "a word, while strides count words");
    }
}

}  // namespace

std::vector<std::string> domains_of(const ApiFunction& function) {
    std::vector<std::string> lines;
    add_notes(kDomains, function.name, lines);
    return lines;
}

std::vector<std::string> limits_of(const ApiFunction& function) {
    std::vector<std::string> lines;
    if (function.info == nullptr) return lines;
    constexpr const char* kModel = "; the model holds up to 1048576 (finding `limit`)";
    for (const OperandInfo& operand : function.info->operands()) {
        const isa::OperandRules& rules = operand.rules;
        const std::string name = operand.name;
        if (operand.kind == OperandKind::kShape && rules.n_max != 0) {
            lines.push_back(name + ": n at most " + std::to_string(rules.n_max) + ", c at most " +
                            std::to_string(rules.c_max) + ", h and w at most " +
                            std::to_string(rules.hw_max) + kModel);
        } else if (rules.is_size) {
            lines.push_back(name + " at most " + std::to_string(rules.high) + kModel);
        }
    }
    add_notes(kSizes, function.name, lines);
    return lines;
}

std::vector<std::string> mistakes_of(const ApiFunction& function) {
    std::vector<std::string> lines;
    add_notes(kMistakes, function.name, lines);
    if (function.name.ends_with("_select")) lines.emplace_back(kSelected);
    if (function.info != nullptr) add_by_operands(*function.info, lines);
    return lines;
}

}  // namespace okksim::sim::manual
