// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/xmodel/xmodel_window.h"

#include <algorithm>

namespace okksim::sim::graph::xmodel {

namespace {

constexpr std::int64_t kLargestAttribute = 8192;  // of TOSA's level 8K

enum class SizeRounding { kFloor, kCeil, kRound };

/// One XIR attribute has both padding and rounding.
SizeRounding read_size_rounding(const NodeView& node, Vocabulary vocabulary) {
    const char* key = vocabulary == Vocabulary::kOpLib ? "ceil_mode" : "pad_mode";
    const std::string mode = node.text(key, "FLOOR");
    if (mode == "CEIL") return SizeRounding::kCeil;
    if (vocabulary == Vocabulary::kOpLib && mode == "ROUND") return SizeRounding::kRound;
    if (mode != "FLOOR" && vocabulary == Vocabulary::kOpLib) {
        node.illegal(key, mode, "ceil_mode is FLOOR, CEIL or ROUND");
    }
    return SizeRounding::kFloor;
}

std::int64_t divided(std::int64_t n, std::int64_t d, SizeRounding rounding) {
    switch (rounding) {
        case SizeRounding::kFloor: return n / d;
        case SizeRounding::kCeil: return (n + d - 1) / d;
        case SizeRounding::kRound: return (2 * n + d) / (2 * d);
    }
    return 0;
}

void set_output(const NodeView& node, const std::string& mode, SizeRounding rounding,
                WindowAxis& axis) {
    if (mode == "SAME") {
        axis.output = (axis.input + axis.stride - 1) / axis.stride;
        const std::int64_t total = std::max<std::int64_t>(axis.span() - axis.input, 0);
        axis.before = total / 2;
        axis.after = total - axis.before;
        return;
    }
    if (mode == "VALID") axis.before = axis.after = 0;
    const std::int64_t room = axis.input + axis.before + axis.after - axis.reach();
    if (room < 0) {
        node.illegal("kernel", std::to_string(axis.kernel),
                     "the kernel, with its dilation " + std::to_string(axis.reach()) +
                         " long, is not larger than the padded input, here " +
                         std::to_string(axis.input + axis.before + axis.after));
    }
    // VALID: ceil((in - reach + 1) / s), which is floor((in - reach) / s) + 1.
    axis.output = divided(room, axis.stride, mode == "VALID" ? SizeRounding::kFloor : rounding) + 1;
}

void require_range(const NodeView& node, std::string_view key, std::int64_t value,
                   std::int64_t least) {
    if (value >= least && value <= kLargestAttribute) return;
    node.illegal(
        std::string(key), std::to_string(value),
        "the value is " + std::to_string(least) + " to " + std::to_string(kLargestAttribute));
}

}  // namespace

std::int64_t WindowAxis::taps(std::int64_t i, std::int64_t first, std::int64_t limit) const {
    // Taps t with first <= begin + t dilation < limit.
    const std::int64_t begin = i * stride - before;
    const auto taps_below = [&](std::int64_t end) {
        const std::int64_t count = end <= begin ? 0 : (end - begin + dilation - 1) / dilation;
        return std::min(count, kernel);
    };
    return std::max<std::int64_t>(taps_below(limit) - taps_below(first), 0);
}

std::array<std::int64_t, 2> read_pair(const NodeView& node, Vocabulary vocabulary,
                                      std::string_view oplib_key, std::string_view xir_key,
                                      std::array<std::int64_t, 2> otherwise) {
    const bool is_oplib = vocabulary == Vocabulary::kOpLib;
    const std::string_view key = is_oplib ? oplib_key : xir_key;
    const auto values = node.integers(key);
    if (!values || values->empty()) return otherwise;
    if (values->size() != 2) {
        node.illegal(std::string(key), list_text(*values), "the attribute has two values");
    }
    return is_oplib ? std::array{(*values)[0], (*values)[1]}
                    : std::array{(*values)[1], (*values)[0]};
}

std::array<std::int64_t, 4> read_padding(const NodeView& node, Vocabulary vocabulary) {
    const bool is_oplib = vocabulary == Vocabulary::kOpLib;
    const char* key = is_oplib ? "padding" : "pad";
    const auto values = node.integers(key);
    if (!values || values->empty()) return {};
    if (values->size() != 4) {
        node.illegal(key, list_text(*values), "the attribute has four values");
    }
    for (const std::int64_t value : *values) require_range(node, key, value, 0);
    const std::array<std::int64_t, 4> given{(*values)[0], (*values)[1], (*values)[2], (*values)[3]};
    return is_oplib ? given : std::array{given[2], given[3], given[0], given[1]};
}

std::string read_pad_mode(const NodeView& node, Vocabulary vocabulary) {
    const bool is_oplib = vocabulary == Vocabulary::kOpLib;
    read_size_rounding(node, vocabulary);
    const std::string mode = node.text("pad_mode", is_oplib ? "PADDING" : "FLOOR");
    if (mode == "SAME" || mode == "VALID") return mode;
    if (is_oplib ? mode == "PADDING" : (mode == "FLOOR" || mode == "CEIL")) return "PADDING";
    node.illegal(
        "pad_mode", mode,
        is_oplib ? "pad_mode is PADDING, SAME or VALID" : "pad_mode is FLOOR, CEIL, SAME or VALID");
}

Windows read_windows(const NodeView& node, Vocabulary vocabulary, const Shape& maps,
                     const std::array<std::int64_t, 2>* kernel) {
    const auto given = read_pair(node, vocabulary, "kernel_size", "kernel", {0, 0});
    if (kernel != nullptr && given != std::array<std::int64_t, 2>{} && given != *kernel) {
        node.illegal(
            "kernel", list_text({given[0], given[1]}),
            "the kernel is that of the weights, " + list_text({(*kernel)[0], (*kernel)[1]}));
    }
    const auto size = kernel != nullptr ? *kernel : given;
    const auto stride = read_pair(node, vocabulary, "strides", "stride", {1, 1});
    const auto dilation = read_pair(node, vocabulary, "dilation", "dilation", {1, 1});
    const auto padding = read_padding(node, vocabulary);
    const std::string mode = read_pad_mode(node, vocabulary);
    const SizeRounding rounding = read_size_rounding(node, vocabulary);
    Windows windows;
    for (const std::size_t i : {0U, 1U}) {
        require_range(node, "kernel", size[i], 1);
        require_range(node, "stride", stride[i], 1);
        require_range(node, "dilation", dilation[i], 1);
        WindowAxis& axis = i == 0 ? windows.y : windows.x;
        axis = {maps[1 + i],        size[i], stride[i], dilation[i], padding[2 * i],
                padding[2 * i + 1], 0};
        set_output(node, mode, rounding, axis);
        if (axis.span() <= axis.before) {
            throw UnsupportedPart("windows that are only in the padding", false);
        }
    }
    return windows;
}

}  // namespace okksim::sim::graph::xmodel
