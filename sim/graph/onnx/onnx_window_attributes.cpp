// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/onnx/onnx_window_attributes.h"

#include <algorithm>
#include <limits>

namespace okksim::sim::graph::onnx {

Shape spatial_shape(const Call& call, const Value& x) {
    if (x.rank() < 3) {
        call.illegal(std::string(x.name), shape_text(x.shape),
                     "a feature map has batch, channels and one or more spatial dimensions");
    }
    constexpr std::size_t kMostRank = 5;
    if (x.rank() > kMostRank) {
        throw UnsupportedPart(std::to_string(x.rank() - 2) + " spatial dimensions");
    }
    return {x.shape.begin() + 2, x.shape.end()};
}

Shape feature_shape(std::int64_t batch, std::int64_t channels, const Shape& spatial) {
    Shape result{batch, channels};
    result.insert(result.end(), spatial.begin(), spatial.end());
    return result;
}

std::vector<std::int64_t> direction_list(const Call& call, std::string_view name,
                                         std::size_t directions, std::int64_t otherwise,
                                         std::int64_t least) {
    const auto list = call.integer_list(name);
    if (!list || list->empty()) return std::vector<std::int64_t>(directions, otherwise);
    const bool is_right = list->size() == directions &&
                          std::all_of(list->begin(), list->end(), [least](std::int64_t each) {
                              return each >= least && each <= std::numeric_limits<int>::max();
                          });
    call.require(
        is_right, std::string(name), shape_text(*list),
        "the list has " + std::to_string(directions) + " numbers from " + std::to_string(least));
    return *list;
}

Shape kernel_shape(const Call& call, std::size_t directions, const Shape* weights) {
    if (!call.has_attribute("kernel_shape")) {
        if (weights != nullptr) return *weights;
        call.illegal("kernel_shape", "missing", "a pool has this attribute");
    }
    const Shape result = direction_list(call, "kernel_shape", directions, 1, 1);
    if (weights != nullptr && result != *weights) {
        call.illegal("kernel_shape", shape_text(result),
                     "the weights have the kernel " + shape_text(*weights));
    }
    return result;
}

AutoPad auto_pad(const Call& call) {
    const std::string_view text = call.text("auto_pad", "NOTSET");
    if (text == "NOTSET" || text.empty()) return AutoPad::kExplicit;
    if (text == "SAME_UPPER") return AutoPad::kSameUpper;
    if (text == "SAME_LOWER") return AutoPad::kSameLower;
    call.require(text == "VALID", "auto_pad", std::string(text),
                 "the padding is NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    return AutoPad::kValid;
}

compose::Windows explicit_windows(const Call& call, const Shape& kernel) {
    const std::size_t directions = kernel.size();
    const auto strides = direction_list(call, "strides", directions, 1, 1);
    const auto dilations = direction_list(call, "dilations", directions, 1, 1);
    const auto pads = direction_list(call, "pads", 2 * directions, 0, 0);
    compose::Windows windows;
    for (std::size_t i = 0; i < directions; ++i) {
        windows.push_back({kernel[i], strides[i], dilations[i], pads[i], pads[directions + i]});
    }
    return windows;
}

compose::Windows windows_of(const Call& call, const Shape& kernel, const Shape& spatial) {
    compose::Windows windows = explicit_windows(call, kernel);
    const AutoPad kind = auto_pad(call);
    for (std::size_t i = 0; kind != AutoPad::kExplicit && i < windows.size(); ++i) {
        windows[i].before = windows[i].after = 0;
        if (kind == AutoPad::kValid) continue;
        const auto odd = kind == AutoPad::kSameUpper ? compose::OddPadding::kAfter
                                                     : compose::OddPadding::kBefore;
        windows[i] = compose::same_padded(windows[i], spatial[i], odd);
    }
    return windows;
}

Shape window_counts(const Call& call, const compose::Windows& windows, const Shape& spatial,
                    bool ceil_mode) {
    Shape counts;
    for (std::size_t i = 0; i < windows.size(); ++i) {
        const std::int64_t count = compose::window_count(windows[i], spatial[i], ceil_mode);
        if (count < 1) {
            call.illegal("kernel_shape", std::to_string(windows[i].reach()) + " elements long",
                         "a window fits into the padded size " +
                             std::to_string(spatial[i] + windows[i].before + windows[i].after));
        }
        counts.push_back(count);
    }
    return counts;
}

void require_real(const Call& call, const Value& value) {
    call.require(is_real(value.type), std::string(value.name),
                 std::string(element_name(value.type)), "the operand has real numbers");
}

}  // namespace okksim::sim::graph::onnx
