// SPDX-License-Identifier: Apache-2.0
// Section 2.3 without the convolutions.
#include <array>

#include "sim/graph/validate/levels.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

void check_argmax(const OperatorCheck& check) {
    const std::int64_t axis = check.op().attributes_as<ArgmaxAttributes>().axis;
    const Shape& shape1 = check.input(0).shape;
    check.error_if(axis < 0 || axis >= static_cast<std::int64_t>(shape1.size()),
                   "axis < 0 || axis >= rank(shape1)", "axis", axis);
    Shape wanted = shape1;
    wanted.erase(wanted.begin() + axis);
    check.error_if(wanted != check.output().shape,
                   "flatten(left_shape, right_shape) != shape, with " + shape_text(wanted),
                   check.output());
}

/// The attributes that AVG_POOL2D and MAX_POOL2D share.
struct Pooling {
    std::array<std::int32_t, 2> kernel;
    std::array<std::int32_t, 2> stride;
    std::array<std::int32_t, 4> pad;
};

void check_pooling_levels(const OperatorCheck& check, const Pooling& pooling) {
    for (const std::int64_t value : pooling.kernel) {
        check.level_check(value <= kMaxKernel, "kernel <= MAX_KERNEL", "kernel", value);
    }
    for (const std::int64_t value : pooling.stride) {
        check.level_check(value <= kMaxStride, "stride <= MAX_STRIDE", "stride", value);
    }
    for (const std::int64_t value : pooling.pad) {
        check.level_check(value <= kMaxKernel, "pad <= MAX_KERNEL", "pad", value);
    }
}

void check_pooling(const OperatorCheck& check, const Pooling& pooling) {
    check_pooling_levels(check, pooling);
    check_constant_zero_points(check);
    for (const std::int64_t value : pooling.kernel) {
        check.error_if(value < 1, "kernel_y < 1 || kernel_x < 1", "kernel", value);
    }
    for (const std::int64_t value : pooling.stride) {
        check.error_if(value < 1, "stride_y < 1 || stride_x < 1", "stride", value);
    }
    for (const std::int64_t value : pooling.pad) {
        check.error_if(value < 0, "pad_top < 0 || pad_bottom < 0 || pad_left < 0 || pad_right < 0",
                       "pad", value);
    }
    const Tensor& input = check.input(0);
    const Tensor& output = check.output();
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const std::int64_t kernel = pooling.kernel[axis];
        for (const std::int64_t pad : {pooling.pad[2 * axis], pooling.pad[2 * axis + 1]}) {
            check.error_if(pad >= kernel,
                           axis == 0 ? "pad_top >= kernel_y || pad_bottom >= kernel_y"
                                     : "pad_right >= kernel_x || pad_left >= kernel_x",
                           "pad", pad);
        }
        const std::int64_t span =
            input.shape[axis + 1] + pooling.pad[2 * axis] + pooling.pad[2 * axis + 1] - kernel;
        check.error_if(span % pooling.stride[axis] != 0,
                       axis == 0 ? "(IH + pad_top + pad_bottom - kernel_y) % stride_y != 0"
                                 : "(IW + pad_left + pad_right - kernel_x) % stride_x != 0",
                       "stride", pooling.stride[axis]);
        check.error_if(output.shape[axis + 1] != span / pooling.stride[axis] + 1,
                       axis == 0
                           ? "OH != idiv_check(IH + pad_top + pad_bottom - kernel_y, stride_y) + 1"
                           : "OW != idiv_check(IW + pad_left + pad_right - kernel_x, stride_x) + 1",
                       output);
    }
    check.require_dimension(output, 0, input.shape[0], "N");
    check.require_dimension(output, 3, input.shape[3], "C");
}

bool is_power_of_two(std::int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

void check_fft(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    for (const std::size_t axis : {1U, 2U}) {
        const char* name = axis == 1 ? "H" : "W";
        const std::int64_t size = input.shape[axis];
        check.level_check(size <= kMaxKernel, std::string(name) + " <= MAX_KERNEL", name, size);
        check.error_if(!is_power_of_two(size), "!power_of_two(" + std::string(name) + ")", name,
                       size);
    }
    if (check.op().op == OpCode::kFft2d) {
        check.require_same_shape(input, check.input(1));
        check.require_same_shape(input, check.output(0));
        check.require_same_shape(input, check.output(1));
        return;
    }
    for (const std::size_t n : {0U, 1U}) {
        check.require_dimension(check.output(n), 0, input.shape[0], "N");
        check.require_dimension(check.output(n), 1, input.shape[1], "H");
        check.require_dimension(check.output(n), 2, input.shape[2] / 2 + 1, "W/2 + 1");
    }
}

void check_matmul(const OperatorCheck& check) {
    const Tensor& a = check.input(0);
    const Tensor& b = check.input(1);
    check.require_dimension(b, 0, a.shape[0], "N");
    check.require_dimension(b, 1, a.shape[2], "C");
    check.require_dimension(check.output(), 0, a.shape[0], "N");
    check.require_dimension(check.output(), 1, a.shape[1], "H");
    check.require_dimension(check.output(), 2, b.shape[2], "W");
    check_constant_zero_points(check);
}

}  // namespace

void check_tensor_operator(const OperatorCheck& check) {
    const Operator& op = check.op();
    if (op.op == OpCode::kArgmax) {
        check_argmax(check);
    } else if (op.op == OpCode::kAvgPool2d) {
        const auto& a = op.attributes_as<AvgPool2dAttributes>();
        check_pooling(check, {a.kernel, a.stride, a.pad});
    } else if (op.op == OpCode::kMaxPool2d) {
        const auto& a = op.attributes_as<MaxPool2dAttributes>();
        check_pooling(check, {a.kernel, a.stride, a.pad});
    } else if (op.op == OpCode::kMatmul) {
        check_matmul(check);
    } else {
        check_fft(check);
    }
}

}  // namespace okksim::sim::graph
