// SPDX-License-Identifier: Apache-2.0
// Sections 2.3.3 to 2.3.5 and 2.3.10.
#include "isa/base/errors.h"
#include "sim/graph/validate/levels.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

/// One direction of the window, with the specification's names of its sizes.
struct WindowAxis {
    std::string axis;  ///< "d", "y" or "x"
    std::string size;  ///< "D", "H" or "W"
    std::string pads;  ///< "pad_top + pad_bottom"
    std::size_t input_axis = 0;
    std::int64_t kernel = 0;
    std::int64_t pad_before = 0;
    std::int64_t pad_after = 0;
    std::int64_t stride = 0;
    std::int64_t dilation = 1;
};

std::vector<WindowAxis> window_2d(const std::array<std::int32_t, 4>& pad,
                                  const std::array<std::int32_t, 2>& stride,
                                  const std::array<std::int32_t, 2>& dilation,
                                  std::int64_t kernel_y, std::int64_t kernel_x) {
    return {
        {"y", "H", "pad_top + pad_bottom", 1, kernel_y, pad[0], pad[1], stride[0], dilation[0]},
        {"x", "W", "pad_left + pad_right", 2, kernel_x, pad[2], pad[3], stride[1], dilation[1]}};
}

std::vector<WindowAxis> window_of(const OperatorCheck& check) {
    const Shape& weight = check.input(1).shape;
    if (check.op().op == OpCode::kConv2d) {
        const auto& a = check.op().attributes_as<Conv2dAttributes>();
        return window_2d(a.pad, a.stride, a.dilation, weight[1], weight[2]);
    }
    if (check.op().op == OpCode::kDepthwiseConv2d) {
        const auto& a = check.op().attributes_as<DepthwiseConv2dAttributes>();
        return window_2d(a.pad, a.stride, a.dilation, weight[0], weight[1]);
    }
    if (check.op().op == OpCode::kTransposeConv2d) {
        const auto& a = check.op().attributes_as<TransposeConv2dAttributes>();
        return window_2d(a.out_pad, a.stride, {1, 1}, weight[1], weight[2]);
    }
    OKKSIM_CHECK(check.op().op == OpCode::kConv3d);
    const auto& a = check.op().attributes_as<Conv3dAttributes>();
    auto axes = window_2d({a.pad[2], a.pad[3], a.pad[4], a.pad[5]}, {a.stride[1], a.stride[2]},
                          {a.dilation[1], a.dilation[2]}, weight[2], weight[3]);
    axes[0].input_axis = 2;
    axes[1].input_axis = 3;
    axes.insert(axes.begin(), {"d", "D", "pad_d0 + pad_d1", 1, weight[1], a.pad[0], a.pad[1],
                               a.stride[0], a.dilation[0]});
    return axes;
}

void check_levels(const OperatorCheck& check, const WindowAxis& axis, const char* pad_name) {
    const bool is_transposed = check.op().op == OpCode::kTransposeConv2d;
    const std::int64_t reach = is_transposed ? axis.kernel : axis.dilation * axis.kernel;
    const std::string reach_text =
        is_transposed ? "K" + axis.size : "dilation_" + axis.axis + " * K" + axis.size;
    check.level_check(reach <= kMaxKernel, reach_text + " <= MAX_KERNEL", reach_text.c_str(),
                      reach);
    for (const std::int64_t pad : {axis.pad_before, axis.pad_after}) {
        check.level_check(pad <= kMaxKernel, std::string(pad_name) + " <= MAX_KERNEL", pad_name,
                          pad);
    }
    check.level_check(axis.stride <= kMaxStride, "stride_" + axis.axis + " <= MAX_STRIDE", "stride",
                      axis.stride);
}

void check_ranges(const OperatorCheck& check, const WindowAxis& axis) {
    const bool is_transposed = check.op().op == OpCode::kTransposeConv2d;
    for (const std::int64_t pad : {axis.pad_before, axis.pad_after}) {
        check.error_if(!is_transposed && pad < 0, "pad < 0", "pad", pad);
        check.error_if(is_transposed && pad <= -axis.kernel, "out_pad <= -K" + axis.size, "out_pad",
                       pad);
    }
    check.error_if(axis.stride < 1, "stride_" + axis.axis + " < 1", "stride", axis.stride);
    check.error_if(axis.dilation < 1, "dilation_" + axis.axis + " < 1", "dilation", axis.dilation);
}

void check_output_size(const OperatorCheck& check, const WindowAxis& axis) {
    const std::int64_t in = check.input(0).shape[axis.input_axis];
    const std::int64_t out = check.output().shape[axis.input_axis];
    const std::int64_t pads = axis.pad_before + axis.pad_after;
    const std::string size = axis.size;
    if (check.op().op == OpCode::kTransposeConv2d) {
        check.error_if(out != (in - 1) * axis.stride + pads + axis.kernel,
                       "O" + size + " != (I" + size + " - 1) * stride_" + axis.axis + " + out_" +
                           axis.pads + " + K" + size,
                       check.output());
        return;
    }
    const std::int64_t span = in - 1 + pads - (axis.kernel - 1) * axis.dilation;
    const std::string text =
        "I" + size + " - 1 + " + axis.pads + " - (K" + size + " - 1) * dilation_" + axis.axis;
    check.error_if(span % axis.stride != 0, "(" + text + ") % stride_" + axis.axis + " != 0",
                   "stride", axis.stride);
    check.error_if(out != span / axis.stride + 1,
                   "O" + size + " != idiv_check(" + text + ", stride_" + axis.axis + ") + 1",
                   check.output());
}

void check_channels(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    const Tensor& weight = check.input(1);
    const Tensor& bias = check.input(2);
    const Tensor& output = check.output();
    const std::size_t last = input.shape.size() - 1;
    const bool is_depthwise = check.op().op == OpCode::kDepthwiseConv2d;
    check.require_dimension(output, 0, input.shape[0], "N");
    std::int64_t out_channels = weight.shape[0];
    if (is_depthwise) {
        check.require_dimension(weight, 2, input.shape[last], "C");
        out_channels = weight.shape[2] * weight.shape[3];
    } else {
        check.require_dimension(weight, last, input.shape[last], "IC");
    }
    check.require_dimension(output, last, out_channels, is_depthwise ? "C * M" : "OC");
    check.error_if(bias.shape[0] != out_channels && bias.shape[0] != 1,
                   is_depthwise ? "BC != C*M && BC != 1" : "BC != OC && BC != 1", bias);
}

}  // namespace

void check_convolution(const OperatorCheck& check) {
    const bool is_transposed = check.op().op == OpCode::kTransposeConv2d;
    const std::vector<WindowAxis> axes = window_of(check);
    for (const WindowAxis& axis : axes)
        check_levels(check, axis, is_transposed ? "out_pad" : "pad");
    check_constant_zero_points(check);
    for (const WindowAxis& axis : axes) check_ranges(check, axis);
    for (const WindowAxis& axis : axes) check_output_size(check, axis);
    check_channels(check);
}

}  // namespace okksim::sim::graph
