// SPDX-License-Identifier: Apache-2.0
// Sections 2.12 and 2.13.
#include "isa/base/errors.h"
#include "sim/graph/validate/levels.h"
#include "sim/graph/validate/operator_rules.h"

namespace okksim::sim::graph {

namespace {

/// One direction of RESIZE.
struct ResizeAxis {
    std::string name;  ///< "y" or "x"
    std::string size;  ///< "H" or "W"
    std::int64_t in = 0;
    std::int64_t out = 0;
    std::int64_t scale_n = 0;
    std::int64_t scale_d = 0;
    std::int64_t offset = 0;
    std::int64_t border = 0;
};

void check_resize_scale(const OperatorCheck& check, const ResizeAxis& axis) {
    const std::string& n = axis.name;
    check.error_if(axis.scale_n <= 0, "scale_" + n + "_n <= 0", "scale", axis.scale_n);
    check.error_if(axis.scale_d <= 0, "scale_" + n + "_d <= 0", "scale", axis.scale_d);
    check.error_if(axis.scale_n > (1 << 11), "scale_" + n + "_n > (1 << 11)", "scale",
                   axis.scale_n);
    // The rule concerns the exact ratio, not its integer part.
    check.level_check(axis.scale_n <= kMaxScale * axis.scale_d,
                      "scale_" + n + "_n/scale_" + n + "_d <= MAX_SCALE", "scale", axis.scale_n);
    check.error_if(axis.scale_d >= 16 * axis.scale_n, "scale_" + n + "_d >= 16 * scale_" + n + "_n",
                   "scale", axis.scale_d);
}

void check_resize_axis(const OperatorCheck& check, const ResizeAxis& axis) {
    check_resize_scale(check, axis);
    const std::string& n = axis.name;
    check.error_if(
        axis.offset < -axis.scale_n || axis.offset >= 16 * axis.scale_n,
        "offset_" + n + " < -scale_" + n + "_n || offset_" + n + " >= 16 * scale_" + n + "_n",
        "offset", axis.offset);
    check.error_if(
        axis.border < -16 * axis.scale_n || axis.border >= axis.scale_n,
        "border_" + n + " < -16 * scale_" + n + "_n || border_" + n + " >= scale_" + n + "_n",
        "border", axis.border);
    const std::int64_t span = (axis.in - 1) * axis.scale_n - axis.offset + axis.border;
    const std::string text =
        "(I" + axis.size + " - 1) * scale_" + n + "_n - offset_" + n + " + border_" + n;
    check.error_if(span % axis.scale_d != 0, "(" + text + ") % scale_" + n + "_d != 0", "scale",
                   axis.scale_d);
    check.error_if(axis.out != span / axis.scale_d + 1,
                   "O" + axis.size + " != idiv_check(" + text + ", scale_" + n + "_d) + 1",
                   check.output());
}

void check_rescale_attributes(const OperatorCheck& check, const RescaleAttributes& a) {
    const DType in = check.input(0).type;
    const DType out = check.output().type;
    const auto error_if = [&check](bool condition, const char* rule, const char* name) {
        check.error_if(condition, rule, name, 1);
    };
    error_if(a.scale32 && in == DType::kI48, "scale32 && is_same<in_t,i48_t>()", "scale32");
    check.error_if(!a.scale32 && a.rounding_mode == RoundingMode::kDoubleRound,
                   "!scale32 && (rounding_mode == DOUBLE_ROUND)", "scale32", 0);
    check.error_if(a.rounding_mode == RoundingMode::kUnknown,
                   "rounding_mode is not a value of rounding_mode_t", "rounding_mode", 0);
    error_if(a.input_unsigned && a.output_unsigned, "input_unsigned && output_unsigned",
             "output_unsigned");
    error_if(out == DType::kI32 && a.input_unsigned, "is_same<out_t,i32_t>() && input_unsigned",
             "input_unsigned");
    error_if(in == DType::kI32 && a.output_unsigned, "is_same<in_t,i32_t>() && output_unsigned",
             "output_unsigned");
    error_if(in == DType::kI48 && a.output_unsigned, "is_same<in_t,i48_t>() && output_unsigned",
             "output_unsigned");
    error_if(in == DType::kI48 && a.input_unsigned, "is_same<in_t, i48_t> && input_unsigned",
             "input_unsigned");
    error_if(in == DType::kI32 && a.input_unsigned, "is_same<in_t, i32_t> && input_unsigned",
             "input_unsigned");
    error_if(out == DType::kI32 && a.output_unsigned, "is_same<out_t, i32_t> && output_unsigned",
             "output_unsigned");
    error_if(a.per_channel && check.input(0).shape.empty(), "per_channel && rank(input) < 1",
             "per_channel");
}

}  // namespace

void check_resize(const OperatorCheck& check) {
    const Tensor& input = check.input(0);
    const Tensor& output = check.output();
    check.error_if(check.op().attributes_as<ResizeAttributes>().mode == ResizeMode::kUnknown,
                   "mode is not a value of resize_mode_t", "mode", 0);
    check.require_dimension(check.input(1), 0, 4, "4");
    check.require_dimension(check.input(2), 0, 2, "2");
    check.require_dimension(check.input(3), 0, 2, "2");
    check.require_dimension(output, 0, input.shape[0], "N");
    check.require_dimension(output, 3, input.shape[3], "C");
    for (const Tensor* tensor : {&output, &input}) {
        check.error_if(tensor->shape[1] >= 16384 || tensor->shape[2] >= 16384,
                       "max(OH,OW,IH,IW) >= 16384", *tensor);
    }
    const auto scale = check.constant(1);
    const auto offset = check.constant(2);
    const auto border = check.constant(3);
    OKKSIM_CHECK(scale && offset && border);
    check_resize_axis(check, {"y", "H", input.shape[1], output.shape[1], (*scale)[0], (*scale)[1],
                              (*offset)[0], (*border)[0]});
    check_resize_axis(check, {"x", "W", input.shape[2], output.shape[2], (*scale)[2], (*scale)[3],
                              (*offset)[1], (*border)[1]});
}

void check_type_conversion(const OperatorCheck& check) {
    check.require_same_shape(check.input(0), check.output());
    if (check.op().op == OpCode::kCast) return;
    const auto& a = check.op().attributes_as<RescaleAttributes>();
    check_rescale_attributes(check, a);
    const std::int64_t channels = a.per_channel ? check.input(0).shape.back() : 1;
    const char* symbol = a.per_channel ? "NC = shape[rank(shape)-1]" : "NC";
    check.require_dimension(check.input(1), 0, channels, symbol);
    check.require_dimension(check.input(2), 0, channels, symbol);
    check_constant_zero_points(check);
}

}  // namespace okksim::sim::graph
