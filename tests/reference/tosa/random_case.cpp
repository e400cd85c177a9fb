// SPDX-License-Identifier: Apache-2.0
#include "tests/reference/tosa/random_case.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

#include "isa/errors.h"
#include "sim/graph/builder.h"
#include "sim/graph/validate/type_rows.h"
#include "tests/reference/tosa/operators.h"
#include "tests/reference/tosa/random_tensor.h"

namespace okksim::tests {
namespace {

using reference::float_format;
using reference::Value;
using sim::graph::ArgumentType;
using sim::graph::DType;
using sim::graph::Shape;
using sim::graph::TensorIndex;
using tosa::NanPropagationMode;
using tosa::OpCode;
namespace check = sim::check;

/// ksb of a dot product of `terms` terms (1.10.3).
check::DotProductRule dot_rule(std::int64_t terms, DType accumulator, DType out, bool bias) {
    const double narrower = float_format(accumulator).fraction - float_format(out).fraction;
    const double ksb =
        std::ceil(static_cast<double>(terms) / std::exp2(narrower / 2.0)) + (bias ? 1.0 : 0.0);
    return {0, 2.0 * ksb, 1.6 * ksb};
}

class CaseMaker {
 public:
    CaseMaker(OpCode op, RandomSource& random, std::int64_t scale)
        : op_(op), random_(random), limit_(4000 * scale) {
        row_ = random.element(sim::graph::type_rows(op));
    }

    RandomCase make() {
        make_operator();
        RandomCase result;
        result.text = std::string(tosa::op_name(op_)) + " (" + std::string(row_.mode) + ")" + text_;
        for (const TensorIndex output : outputs_) builder_.output(output);
        result.graph = builder_.finish();
        result.inputs = std::move(inputs_);
        result.rule = rule_;
        result.rule_takes_bound = std::holds_alternative<check::DotProductRule>(rule_) ||
                                  std::holds_alternative<check::AbsErrorRule>(rule_);
        return result;
    }

 private:
    // ---- Building blocks. ----

    DType type(ArgumentType parameter) const { return row_.type_of(parameter); }
    DType in_type() const {
        const DType in = type(ArgumentType::kIn);
        return in != DType::kUnknown ? in : type(ArgumentType::kInOut);
    }
    DType out_type() const {
        const DType out = type(ArgumentType::kOut);
        return out != DType::kUnknown ? out : type(ArgumentType::kInOut);
    }

    void say(const std::string& text) { text_ += " " + text; }

    /// An extent: small mostly, sometimes larger; odd sizes as often as even ones.
    std::int64_t extent(std::int64_t most) {
        const std::int64_t limit = random_.pick({2, 5, 9, 17, 40, 130, limit_ / 7});
        return random_.between(1, std::max<std::int64_t>(1, std::min(limit, most)));
    }

    Shape shape(int rank) {
        Shape result(static_cast<std::size_t>(rank));
        std::int64_t left = limit_;
        std::vector<std::size_t> order(result.size());
        std::iota(order.begin(), order.end(), 0);
        for (std::size_t i = order.size(); i > 1; --i) {
            std::swap(order[i - 1],
                      order[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
        }
        for (const std::size_t i : order) {
            result[i] = extent(left);
            left /= result[i];
        }
        return result;
    }

    static bool can_pool(DType type) {
        return type == DType::kI8 || type == DType::kI16 || tosa::is_floating_point(type);
    }

    TensorIndex add_input(const Value& value) {
        const TensorIndex index = builder_.input(value.type, value.shape);
        inputs_.push_back(reference::to_host(value));
        say(std::string(tosa::dtype_name(value.type)) + sim::graph::shape_text(value.shape));
        if (value.shape.size() != 4 || !can_pool(value.type) || !random_.one_in(3)) return index;
        say("(channel first)");
        tosa::MaxPool2dAttributes copy;
        copy.kernel = copy.stride = {1, 1};
        copy.nan_mode = NanPropagationMode::kPropagate;
        return builder_.add(OpCode::kMaxPool2d, copy, {index}, value.type, value.shape);
    }

    TensorIndex input(DType type, const Shape& shape, const Domain& domain) {
        return add_input(random_value(type, shape, domain, random_));
    }

    TensorIndex constant(const Value& value) {
        const auto host = reference::to_host(value);
        return builder_.constant_bytes(value.type, value.shape, sim::graph::constant_bytes(host));
    }

    /// A constant of one element.
    TensorIndex one(DType type, std::int64_t number) {
        Value value = reference::make_value(type, {1});
        if (!value.is_float()) value.integer[0] = number;
        return constant(value);
    }

    /// A zero point: for int8 any, else 0.
    std::int64_t zero_point(DType type) {
        const std::int64_t value = type == DType::kI8 ? random_.between(-128, 127) : 0;
        if (value != 0) say("zp " + std::to_string(value));
        return value;
    }

    void finish(tosa::Attributes attributes, std::vector<TensorIndex> operands, DType type,
                const Shape& shape) {
        say("->" + sim::graph::shape_text(shape));
        outputs_ = {builder_.add(op_, std::move(attributes), std::move(operands), type, shape)};
    }

    NanPropagationMode nan_mode() {
        const bool ignore = random_.one_in(2);
        say(ignore ? "IGNORE" : "PROPAGATE");
        return ignore ? NanPropagationMode::kIgnore : NanPropagationMode::kPropagate;
    }

    std::int32_t axis_of(const Shape& shape) {
        const auto axis =
            static_cast<std::int32_t>(random_.below(static_cast<std::int64_t>(shape.size())));
        say("axis " + std::to_string(axis));
        return axis;
    }

    int rank(int least) { return static_cast<int>(random_.between(least, 6)); }

    // ---- Operators. ----

    void make_operator();
    void make_unary();
    void make_binary();
    void make_select();
    void make_clamp();
    void make_table();
    void make_reduction();
    void make_pool();
    void make_convolution();
    void make_matmul();
    void make_fourier();
    void make_layout();
    void make_gather();
    void make_resize();
    void make_cast();
    void make_rescale();

    Domain unary_domain();
    Domain binary_domain(bool second);
    void choose_function_rule();

    OpCode op_;
    RandomSource& random_;
    std::int64_t limit_;
    sim::graph::TypeRow row_;
    sim::graph::GraphBuilder builder_;
    std::vector<sim::graph::HostTensor> inputs_;
    std::vector<TensorIndex> outputs_;
    check::Rule rule_ = check::ExactRule{};
    std::string text_;
};

void CaseMaker::make_operator() {
    switch (op_) {
        case OpCode::kArgmax:
        case OpCode::kReduceAll:
        case OpCode::kReduceAny:
        case OpCode::kReduceMax:
        case OpCode::kReduceMin:
        case OpCode::kReduceProduct:
        case OpCode::kReduceSum: make_reduction(); return;
        case OpCode::kAvgPool2d:
        case OpCode::kMaxPool2d: make_pool(); return;
        case OpCode::kConv2d:
        case OpCode::kConv3d:
        case OpCode::kDepthwiseConv2d:
        case OpCode::kTransposeConv2d: make_convolution(); return;
        case OpCode::kMatmul: make_matmul(); return;
        case OpCode::kFft2d:
        case OpCode::kRfft2d: make_fourier(); return;
        case OpCode::kClamp: make_clamp(); return;
        case OpCode::kSelect: make_select(); return;
        case OpCode::kTable: make_table(); return;
        case OpCode::kCast: make_cast(); return;
        case OpCode::kRescale: make_rescale(); return;
        case OpCode::kResize: make_resize(); return;
        case OpCode::kGather:
        case OpCode::kScatter: make_gather(); return;
        case OpCode::kConcat:
        case OpCode::kPad:
        case OpCode::kReshape:
        case OpCode::kReverse:
        case OpCode::kSlice:
        case OpCode::kTile:
        case OpCode::kTranspose: make_layout(); return;
        case OpCode::kErf:
        case OpCode::kSigmoid:
        case OpCode::kTanh:
        case OpCode::kAbs:
        case OpCode::kBitwiseNot:
        case OpCode::kCeil:
        case OpCode::kClz:
        case OpCode::kCos:
        case OpCode::kExp:
        case OpCode::kFloor:
        case OpCode::kLog:
        case OpCode::kLogicalNot:
        case OpCode::kNegate:
        case OpCode::kReciprocal:
        case OpCode::kRsqrt:
        case OpCode::kSin:
        case OpCode::kIdentity: make_unary(); return;
        default: make_binary();
    }
}

Domain CaseMaker::unary_domain() {
    Domain domain;
    switch (op_) {
        case OpCode::kLog: domain = {0.0625, 200.0, 0, 0, false, false}; break;
        case OpCode::kRsqrt: domain = {0.0625, 300.0, 0, 0, false, false}; break;
        case OpCode::kReciprocal: domain = {0.0625, 100.0, 0, 0, false, false}; break;
        case OpCode::kExp: domain = {-8.0, 8.0, 0, 0, false, false}; break;
        case OpCode::kSin:
        case OpCode::kCos: domain = {-30.0, 30.0, 0, 0, false, false}; break;
        case OpCode::kAbs:
        case OpCode::kCeil:
        case OpCode::kFloor:
        case OpCode::kNegate:
        case OpCode::kIdentity: domain.specials = true; break;
        default: break;
    }
    if (op_ == OpCode::kAbs) domain.lowest = -(1 << 30), domain.highest = 1 << 30;
    if (op_ == OpCode::kNegate && in_type() != DType::kI8) {
        domain.lowest = -32767, domain.highest = 32767;
    }
    return domain;
}

/// The error rules of sections 2.4, 2.5 and 2.7.
void CaseMaker::choose_function_rule() {
    const DType type = out_type();
    if (!tosa::is_floating_point(type)) return;
    const double base = type == DType::kFp32 ? 3.0 : 1.0;
    const double smallest = std::ldexp(1.0, float_format(type).lowest_exponent);
    check::AbsErrorRule error;
    switch (op_) {
        case OpCode::kAdd:
        case OpCode::kSub:
        case OpCode::kMul:
        case OpCode::kCeil:
        case OpCode::kFloor: rule_ = check::UlpRule{0.5, std::nullopt}; return;
        case OpCode::kReciprocal: rule_ = check::UlpRule{1.0, std::nullopt}; return;
        case OpCode::kRsqrt: rule_ = check::UlpRule{2.0, std::nullopt}; return;
        case OpCode::kErf: rule_ = check::UlpRule{5.0, std::nullopt}; return;
        case OpCode::kExp:
        case OpCode::kPow: error.base_bound = base; break;
        case OpCode::kTanh:
            error.base_bound = 4.0 * base;
            error.lower_bound = 0.5;
            break;
        case OpCode::kLog: error.lower_bound = 0.5; break;
        case OpCode::kSigmoid: break;
        case OpCode::kSin:
        case OpCode::kCos:
            error.base_bound = op_ == OpCode::kSin ? 2.0 : 1.0;
            error.normal_divisor = 2.0;
            error.bound_as_magnitude = true;
            if (op_ == OpCode::kSin) error.max_compare = std::numbers::pi * smallest;
            break;
        default: return;
    }
    rule_ = error;
}

void CaseMaker::make_unary() {
    const Shape whole = shape(rank(0));
    std::vector<TensorIndex> operands{input(in_type(), whole, unary_domain())};
    if (op_ == OpCode::kNegate) {
        operands.push_back(one(in_type(), zero_point(in_type())));
        operands.push_back(one(in_type(), zero_point(in_type())));
    }
    choose_function_rule();
    finish(tosa::NoAttributes{}, std::move(operands), out_type(), whole);
}

Domain CaseMaker::binary_domain(bool second) {
    Domain domain;
    const bool wide = in_type() == DType::kI32;
    switch (op_) {
        case OpCode::kAdd:
        case OpCode::kSub: domain.lowest = -(1 << 30), domain.highest = (1 << 30) - 1; break;
        case OpCode::kMul:
            if (wide) domain.lowest = -46000, domain.highest = 46000;
            break;
        case OpCode::kIntdiv:
            domain.lowest = second ? 1 : INT32_MIN;
            domain.highest = second && random_.one_in(2) ? 300 : INT32_MAX;
            break;
        case OpCode::kArithmeticRightShift:
        case OpCode::kLogicalLeftShift:
        case OpCode::kLogicalRightShift:
            domain.highest = !second ? 0 : wide ? 31 : in_type() == DType::kI16 ? 15 : 7;
            break;
        case OpCode::kPow:
            domain.low = second ? -3.0 : 0.25;
            domain.high = 3.0;
            break;
        case OpCode::kMaximum:
        case OpCode::kMinimum:
        case OpCode::kEqual:
        case OpCode::kGreater:
        case OpCode::kGreaterEqual: domain.specials = true; break;
        default: break;
    }
    return domain;
}

void CaseMaker::make_binary() {
    const Shape whole = shape(rank(0));
    Shape first = whole, second = whole;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (random_.one_in(4)) (random_.one_in(2) ? first : second)[i] = 1;
    }
    std::vector<TensorIndex> operands{input(in_type(), first, binary_domain(false)),
                                      input(in_type(), second, binary_domain(true))};
    tosa::Attributes attributes = tosa::NoAttributes{};
    if (op_ == OpCode::kMaximum) attributes = tosa::MaximumAttributes{nan_mode()};
    if (op_ == OpCode::kMinimum) attributes = tosa::MinimumAttributes{nan_mode()};
    if (op_ == OpCode::kArithmeticRightShift) {
        attributes = tosa::ArithmeticRightShiftAttributes{random_.one_in(2)};
    }
    if (op_ == OpCode::kMul) {
        const std::int64_t shift = in_type() == DType::kI32 ? random_.below(40) : 0;
        say("shift " + std::to_string(shift));
        operands.push_back(one(DType::kI8, shift));
    }
    choose_function_rule();
    finish(attributes, std::move(operands), out_type(), whole);
}

void CaseMaker::make_select() {
    const Shape whole = shape(rank(1));
    std::array<Shape, 3> shapes{whole, whole, whole};
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (random_.one_in(4)) shapes[static_cast<std::size_t>(random_.below(3))][i] = 1;
    }
    Domain domain;
    domain.specials = true;
    const auto condition = input(DType::kBool, shapes[0], {});
    const auto yes = input(in_type(), shapes[1], domain);
    const auto no = input(in_type(), shapes[2], domain);
    finish(tosa::NoAttributes{}, {condition, yes, no}, in_type(), whole);
}

void CaseMaker::make_clamp() {
    const Shape whole = shape(rank(1));
    Domain domain;
    domain.specials = true;
    const auto operand = input(in_type(), whole, domain);
    Value limits = random_value(in_type(), {2}, {}, random_);
    std::sort(limits.real.begin(), limits.real.end());
    std::sort(limits.integer.begin(), limits.integer.end());
    const auto host = reference::to_host(limits);
    const std::size_t bytes = host.data.size() / 2;
    tosa::ClampAttributes attributes;
    std::memcpy(attributes.min_val.bytes.data(), host.data.data(), bytes);
    std::memcpy(attributes.max_val.bytes.data(), host.data.data() + bytes, bytes);
    attributes.min_val.size = attributes.max_val.size = static_cast<std::uint32_t>(bytes);
    attributes.nan_mode = nan_mode();
    finish(attributes, {operand}, in_type(), whole);
}

void CaseMaker::make_table() {
    const Shape whole = shape(rank(1));
    Domain domain;
    // Slopes between neighbours must fit int16.
    if (in_type() == DType::kI16) domain.lowest = -16000, domain.highest = 16000;
    const auto operand = input(in_type(), whole, {});
    const std::int64_t entries = in_type() == DType::kI8 ? 256 : 513;
    const auto table =
        constant(random_value(type(ArgumentType::kTable), {entries}, domain, random_));
    finish(tosa::NoAttributes{}, {operand, table}, out_type(), whole);
}

void CaseMaker::make_reduction() {
    Shape whole = shape(rank(1));
    Domain domain;
    domain.specials = op_ != OpCode::kReduceSum && op_ != OpCode::kReduceProduct;
    if (op_ == OpCode::kReduceSum) {
        domain.lowest = -(1 << 17), domain.highest = 1 << 17;
    } else if (op_ == OpCode::kReduceProduct) {
        domain.low = 0.5, domain.high = 1.7;
    }
    const auto operand = input(in_type(), whole, domain);
    const std::int32_t axis = axis_of(whole);
    const auto at = static_cast<std::size_t>(axis);
    const std::int64_t count = whole[at];
    tosa::Attributes attributes;
    switch (op_) {
        case OpCode::kArgmax: attributes = tosa::ArgmaxAttributes{axis, nan_mode()}; break;
        case OpCode::kReduceAll: attributes = tosa::ReduceAllAttributes{axis}; break;
        case OpCode::kReduceAny: attributes = tosa::ReduceAnyAttributes{axis}; break;
        case OpCode::kReduceMax: attributes = tosa::ReduceMaxAttributes{axis, nan_mode()}; break;
        case OpCode::kReduceMin: attributes = tosa::ReduceMinAttributes{axis, nan_mode()}; break;
        case OpCode::kReduceProduct:
            attributes = tosa::ReduceProductAttributes{axis};
            rule_ = check::ReduceProductRule{count};
            break;
        default:
            attributes = tosa::ReduceSumAttributes{axis};
            if (tosa::is_floating_point(in_type())) {
                const DType sum = in_type() == DType::kBf16 ? DType::kFp32 : in_type();
                rule_ = dot_rule(count, sum, in_type(), false);
            }
    }
    if (op_ == OpCode::kArgmax) {
        whole.erase(whole.begin() + axis);
    } else {
        whole[at] = 1;
    }
    finish(attributes, {operand}, out_type(), whole);
}

void CaseMaker::make_pool() {
    Shape in = shape(4), out = in;
    std::array<std::int32_t, 2> kernel{}, stride{};
    std::array<std::int32_t, 4> pad{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        std::int64_t& extent_in = in[axis + 1];
        kernel[axis] =
            static_cast<std::int32_t>(extent(std::min<std::int64_t>(extent_in + 3, 8192)));
        stride[axis] = static_cast<std::int32_t>(extent(random_.one_in(4) ? 30 : 3));
        pad[2 * axis] = static_cast<std::int32_t>(random_.below(kernel[axis]));
        pad[2 * axis + 1] = static_cast<std::int32_t>(random_.below(kernel[axis]));
        if (random_.one_in(3)) pad[2 * axis] = pad[2 * axis + 1] = 0;
        if (extent_in + pad[2 * axis] + pad[2 * axis + 1] < kernel[axis]) {
            extent_in = kernel[axis];
        }
        // The input grows until the stride divides.
        const std::int64_t rest =
            (extent_in + pad[2 * axis] + pad[2 * axis + 1] - kernel[axis]) % stride[axis];
        if (rest != 0) extent_in += stride[axis] - rest;
        out[axis + 1] =
            (extent_in + pad[2 * axis] + pad[2 * axis + 1] - kernel[axis]) / stride[axis] + 1;
    }
    say("kernel " + std::to_string(kernel[0]) + "x" + std::to_string(kernel[1]) + " stride " +
        std::to_string(stride[0]) + "," + std::to_string(stride[1]) + " pad " +
        std::to_string(pad[0]) + "," + std::to_string(pad[1]) + "," + std::to_string(pad[2]) + "," +
        std::to_string(pad[3]));
    Domain domain;
    if (op_ == OpCode::kMaxPool2d) {
        domain.specials = true;
        const auto operand = input(in_type(), in, domain);
        finish(tosa::MaxPool2dAttributes{kernel, stride, pad, nan_mode()}, {operand}, in_type(),
               out);
        return;
    }
    const auto operand = input(in_type(), in, domain);
    const DType sum = type(ArgumentType::kAccumulator);
    const auto in_zero = one(in_type(), zero_point(in_type()));
    const auto out_zero = one(in_type(), zero_point(in_type()));
    if (tosa::is_floating_point(in_type())) {
        rule_ = dot_rule(std::int64_t{kernel[0]} * kernel[1], sum, in_type(), false);
    }
    finish(tosa::AvgPool2dAttributes{kernel, stride, pad, sum}, {operand, in_zero, out_zero},
           in_type(), out);
}

void CaseMaker::make_convolution() {
    const bool three = op_ == OpCode::kConv3d, transposed = op_ == OpCode::kTransposeConv2d;
    const bool depthwise = op_ == OpCode::kDepthwiseConv2d;
    const std::size_t axes = three ? 3 : 2;
    std::array<std::int32_t, 3> stride{}, dilation{};
    std::array<std::int32_t, 6> pad{};
    Shape in{random_.between(1, 2)}, kernel, out{in[0]};
    for (std::size_t i = 0; i < axes; ++i) {
        kernel.push_back(random_.between(1, random_.one_in(6) ? 9 : 3));
        stride[i] = static_cast<std::int32_t>(random_.between(1, 3));
        dilation[i] = static_cast<std::int32_t>(random_.between(1, 2));
        std::int64_t extent_in = random_.between(1, (three ? 7 : 14) + limit_ / 8000);
        for (std::size_t side = 0; side < 2; ++side) {
            pad[2 * i + side] = static_cast<std::int32_t>(
                transposed ? random_.between(1 - kernel[i], 3) : random_.below(3));
        }
        const std::int64_t padding = pad[2 * i] + pad[2 * i + 1];
        if (transposed) {
            std::int64_t extent_out = (extent_in - 1) * stride[i] + padding + kernel[i];
            for (; extent_out < 1; extent_out += stride[i]) ++extent_in;
            out.push_back(extent_out);
        } else {
            const std::int64_t window = (kernel[i] - 1) * dilation[i] + 1;
            extent_in = std::max(extent_in, window - padding);
            while ((extent_in + padding - window) % stride[i] != 0) ++extent_in;
            out.push_back((extent_in + padding - window) / stride[i] + 1);
        }
        in.push_back(extent_in);
    }
    const std::int64_t most_channels = 40 + limit_ / 2000;
    const std::int64_t in_channels = extent(most_channels), out_channels = extent(most_channels);
    const std::int64_t multiplier = random_.between(1, 3);
    in.push_back(in_channels);
    out.push_back(depthwise ? in_channels * multiplier : out_channels);
    Shape weight = kernel;
    if (depthwise) {
        weight.insert(weight.end(), {in_channels, multiplier});
    } else {
        weight.insert(weight.begin(), out_channels);
        weight.push_back(in_channels);
    }
    const DType weight_type = type(ArgumentType::kWeight), sum = type(ArgumentType::kAccumulator);
    const DType result = out_type();
    Domain domain{-1.0, 1.0, 0, 0, false, false};
    const auto data = input(in_type(), in, domain);
    say("weight " + sim::graph::shape_text(weight));
    const auto weights = random_.one_in(4)
                             ? input(weight_type, weight, domain)
                             : constant(random_value(weight_type, weight, domain, random_));
    Domain bias_domain{-1.0, 1.0, -100000, 100000, false, false};
    const auto bias =
        constant(random_value(result, {random_.one_in(3) ? 1 : out.back()}, bias_domain, random_));
    const auto in_zero = one(in_type(), zero_point(in_type()));
    const auto weight_zero =
        one(weight_type, weight_type == DType::kI8 ? zero_point(weight_type) : 0);
    std::int64_t terms = depthwise ? 1 : in_channels;
    for (const std::int64_t extent : kernel) terms *= extent;
    if (tosa::is_floating_point(result)) rule_ = dot_rule(terms, sum, result, true);
    for (std::size_t i = 0; i < axes; ++i) {
        say("stride " + std::to_string(stride[i]) + " dilation " + std::to_string(dilation[i]) +
            " pad " + std::to_string(pad[2 * i]) + "," + std::to_string(pad[2 * i + 1]));
    }
    const std::array<std::int32_t, 4> pad2{pad[0], pad[1], pad[2], pad[3]};
    const std::array<std::int32_t, 2> stride2{stride[0], stride[1]};
    const std::array<std::int32_t, 2> dilation2{dilation[0], dilation[1]};
    tosa::Attributes attributes;
    if (three) {
        attributes = tosa::Conv3dAttributes{pad, stride, dilation, true, sum};
    } else if (transposed) {
        attributes = tosa::TransposeConv2dAttributes{pad2, stride2, true, sum};
    } else if (depthwise) {
        attributes = tosa::DepthwiseConv2dAttributes{pad2, stride2, dilation2, true, sum};
    } else {
        attributes = tosa::Conv2dAttributes{pad2, stride2, dilation2, true, sum};
    }
    finish(attributes, {data, weights, bias, in_zero, weight_zero}, result, out);
}

void CaseMaker::make_matmul() {
    const std::int64_t batch = random_.between(1, 4);
    const std::int64_t most = 60 + limit_ / 1000;
    const std::int64_t height = extent(most), depth = extent(5 * most), width = extent(most);
    const Domain domain{-1.0, 1.0, 0, 0, false, false};
    const auto left = input(in_type(), {batch, height, depth}, domain);
    const auto right = input(in_type(), {batch, depth, width}, domain);
    const auto left_zero = one(in_type(), zero_point(in_type()));
    const auto right_zero = one(in_type(), zero_point(in_type()));
    if (tosa::is_floating_point(out_type())) {
        rule_ = dot_rule(depth, out_type(), out_type(), false);
    }
    finish(tosa::NoAttributes{}, {left, right, left_zero, right_zero}, out_type(),
           {batch, height, width});
}

void CaseMaker::make_fourier() {
    const std::int64_t height = std::int64_t{1} << random_.below(6);
    const std::int64_t width = std::int64_t{1} << random_.below(6);
    const Shape in{random_.between(1, 3), height, width};
    const auto real = input(DType::kFp32, in, {});
    Shape out = in;
    if (op_ == OpCode::kRfft2d) {
        out[2] = width / 2 + 1;
        outputs_ = {builder_.tensor(DType::kFp32, out), builder_.tensor(DType::kFp32, out)};
        builder_.add_with_outputs(op_, tosa::Rfft2dAttributes{true}, {real}, outputs_);
        rule_ = dot_rule(height * width, DType::kFp32, DType::kFp32, false);
        return;
    }
    const auto imaginary = input(DType::kFp32, in, {});
    outputs_ = {builder_.tensor(DType::kFp32, out), builder_.tensor(DType::kFp32, out)};
    builder_.add_with_outputs(op_, tosa::Fft2dAttributes{random_.one_in(2), true},
                              {real, imaginary}, outputs_);
    rule_ = dot_rule(2 * height * width, DType::kFp32, DType::kFp32, false);
}

void CaseMaker::make_layout() {
    Shape in = shape(rank(1)), out = in;
    Domain domain;
    domain.specials = true;
    std::vector<TensorIndex> operands;
    if (op_ == OpCode::kConcat) {
        const std::int32_t axis = axis_of(in);
        const auto at = static_cast<std::size_t>(axis);
        out[at] = 0;
        for (std::int64_t i = random_.between(1, 4); i > 0; --i) {
            in[at] = extent(20);
            out[at] += in[at];
            operands.push_back(input(in_type(), in, domain));
        }
        finish(tosa::ConcatAttributes{axis}, operands, in_type(), out);
        return;
    }
    operands.push_back(input(in_type(), in, domain));
    std::vector<std::int64_t> first, second;
    tosa::Attributes attributes = tosa::NoAttributes{};
    switch (op_) {
        case OpCode::kPad:
            for (std::int64_t& extent : out) {
                for (int side = 0; side < 2; ++side) {
                    first.push_back(random_.below(4));
                    extent += first.back();
                }
            }
            operands.push_back(builder_.shape_value(first));
            operands.push_back(constant(random_value(in_type(), {1}, {}, random_)));
            break;
        case OpCode::kReshape: {
            std::int64_t count = reference::elements(in);
            out.clear();
            for (std::int64_t d = 2; d <= 7 && out.size() < 5; ++d) {
                if (count % d == 0 && random_.one_in(2)) out.push_back(d), count /= d;
            }
            out.insert(out.begin() + random_.below(static_cast<std::int64_t>(out.size()) + 1),
                       count);
            operands.push_back(builder_.shape_value(out));
            break;
        }
        case OpCode::kReverse: attributes = tosa::ReverseAttributes{axis_of(in)}; break;
        case OpCode::kSlice:
            for (std::int64_t& extent : out) {
                first.push_back(random_.below(extent));
                extent = random_.between(1, extent - first.back());
            }
            operands.push_back(builder_.shape_value(first));
            operands.push_back(builder_.shape_value(out));
            break;
        case OpCode::kTile:
            for (std::int64_t& extent : out) {
                first.push_back(random_.between(1, random_.one_in(2) ? 3 : 1));
                extent *= first.back();
            }
            operands.push_back(builder_.shape_value(first));
            break;
        default: {
            std::vector<std::int32_t> perms(in.size());
            std::iota(perms.begin(), perms.end(), 0);
            for (std::size_t i = perms.size(); i > 1; --i) {
                std::swap(
                    perms[i - 1],
                    perms[static_cast<std::size_t>(random_.below(static_cast<std::int64_t>(i)))]);
            }
            for (std::size_t i = 0; i < perms.size(); ++i) {
                out[i] = in[static_cast<std::size_t>(perms[i])];
                say(std::to_string(perms[i]));
            }
            attributes = tosa::TransposeAttributes{perms};
        }
    }
    finish(attributes, operands, in_type(), out);
}

void CaseMaker::make_gather() {
    const std::int64_t batch = random_.between(1, 3), keys = extent(100), channels = extent(70);
    const bool scatter = op_ == OpCode::kScatter;
    const std::int64_t width = scatter ? random_.between(1, keys) : extent(100);
    Domain domain;
    domain.specials = true;
    const auto values = input(type(ArgumentType::kInOut), {batch, keys, channels}, domain);
    Value indices = reference::make_value(DType::kI32, {batch, width});
    std::vector<std::int64_t> order(static_cast<std::size_t>(keys));
    for (std::int64_t n = 0; n < batch; ++n) {
        std::iota(order.begin(), order.end(), 0);
        for (std::int64_t i = 0; i < width; ++i) {
            auto& index = indices.integer[static_cast<std::size_t>(n * width + i)];
            if (!scatter) {
                index = random_.below(keys);
                continue;
            }
            // No index twice.
            std::swap(order[static_cast<std::size_t>(i)],
                      order[static_cast<std::size_t>(random_.between(i, keys - 1))]);
            index = order[static_cast<std::size_t>(i)];
        }
    }
    const auto where = add_input(indices);
    if (!scatter) {
        finish(tosa::NoAttributes{}, {values, where}, type(ArgumentType::kInOut),
               {batch, width, channels});
        return;
    }
    const auto data = input(type(ArgumentType::kInOut), {batch, width, channels}, domain);
    finish(tosa::NoAttributes{}, {values, where, data}, type(ArgumentType::kInOut),
           {batch, keys, channels});
}

void CaseMaker::make_resize() {
    Shape in{random_.between(1, 2), random_.between(1, 12), random_.between(1, 12), extent(40)};
    Shape out = in;
    std::vector<std::int64_t> scale, offset, border;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        std::int64_t n, d, o, b, extent_out;
        do {
            n = random_.between(1, 12);
            d = random_.between(1, 12);
            o = random_.between(-n, n);
            b = random_.between(-n, n - 1);
            extent_out = (in[axis + 1] - 1) * n - o + b;
        } while (d >= 16 * n || extent_out < 0 || extent_out % d != 0);
        scale.insert(scale.end(), {n, d});
        offset.push_back(o);
        border.push_back(b);
        out[axis + 1] = extent_out / d + 1;
    }
    for (const std::int64_t number : scale) say(std::to_string(number));
    const bool bilinear =
        tosa::is_floating_point(in_type()) ? random_.one_in(2) : in_type() != out_type();
    const Value value = random_value(in_type(), in, {}, random_);
    double largest = 0;
    for (const double element : value.real) largest = std::max(largest, std::abs(element));
    const auto operand = add_input(value);
    if (tosa::is_floating_point(in_type())) rule_ = check::RelativeRule{largest, 0.006, 20.0};
    const auto mode = bilinear ? tosa::ResizeMode::kBilinear : tosa::ResizeMode::kNearestNeighbor;
    say(bilinear ? "BILINEAR" : "NEAREST");
    finish(tosa::ResizeAttributes{mode},
           {operand, builder_.shape_value(scale), builder_.shape_value(offset),
            builder_.shape_value(border)},
           out_type(), out);
}

void CaseMaker::make_cast() {
    const Shape whole = shape(rank(1));
    const bool from_float = tosa::is_floating_point(in_type());
    Domain domain;
    domain.specials = true;
    domain.no_nan = !tosa::is_floating_point(out_type());
    if (from_float && random_.one_in(2)) domain.low = -300.0, domain.high = 300.0;
    const auto operand = input(in_type(), whole, domain);
    if (tosa::is_floating_point(out_type())) {
        rule_ = check::UlpRule{0.5, from_float ? std::optional(1.0) : std::nullopt};
    }
    finish(tosa::NoAttributes{}, {operand}, out_type(), whole);
}

void CaseMaker::make_rescale() {
    const Shape whole = shape(rank(1));
    tosa::RescaleAttributes attributes;
    const DType in = in_type(), out = out_type();
    attributes.scale32 = in != DType::kI48 && random_.one_in(2);
    attributes.per_channel = random_.one_in(2);
    attributes.rounding_mode = attributes.scale32 && random_.one_in(2)
                                   ? tosa::RoundingMode::kDoubleRound
                                   : tosa::RoundingMode::kSingleRound;
    const auto may_be_unsigned = [](DType type) {
        return type == DType::kI8 || type == DType::kI16;
    };
    if (may_be_unsigned(in) && may_be_unsigned(out) && random_.one_in(3)) {
        (random_.one_in(2) ? attributes.input_unsigned : attributes.output_unsigned) = true;
    }
    const auto zero = [&](DType type, bool is_unsigned) -> std::int64_t {
        if (type == DType::kI8) return random_.between(-128, 127);
        return type == DType::kI16 && is_unsigned && random_.one_in(2) ? -32768 : 0;
    };
    const std::int64_t channels = attributes.per_channel ? whole.back() : 1;
    Value multiplier =
        reference::make_value(attributes.scale32 ? DType::kI32 : DType::kI16, {channels});
    Value shift = reference::make_value(DType::kI8, {channels});
    for (std::size_t i = 0; i < shift.integer.size(); ++i) {
        const int bits = attributes.scale32 ? 30 : 14;
        multiplier.integer[i] =
            random_.between(std::int64_t{1} << bits, (std::int64_t{1} << (bits + 1)) - 1);
        // The value must be below 2^(shift - 1) and the result fit int32.
        const int input_bits = in == DType::kI8    ? 9
                               : in == DType::kI16 ? 17
                               : in == DType::kI32 ? 32
                                                   : 48;
        shift.integer[i] = random_.between(std::max({2, input_bits + 1, bits + input_bits - 30}),
                                           std::min(62, bits + 20));
        if (in == DType::kI48) shift.integer[i] = random_.between(33, 50);
    }
    Domain domain;
    if (random_.one_in(2) && (in == DType::kI32 || in == DType::kI48)) {
        domain.lowest = -100000, domain.highest = 100000;
    }
    const auto operand = input(in, whole, domain);
    say(attributes.scale32 ? "scale32" : "scale16");
    if (attributes.per_channel) say("per channel");
    if (attributes.input_unsigned) say("unsigned input");
    if (attributes.output_unsigned) say("unsigned output");
    if (attributes.rounding_mode == tosa::RoundingMode::kDoubleRound) say("double round");
    say("multiplier " + std::to_string(multiplier.integer[0]) + " shift " +
        std::to_string(shift.integer[0]));
    const auto in_zero = one(in, zero(in, attributes.input_unsigned));
    const auto out_zero = one(out, zero(out, attributes.output_unsigned));
    finish(attributes, {operand, constant(multiplier), constant(shift), in_zero, out_zero}, out,
           whole);
}

}  // namespace

const std::vector<OpCode>& random_operators() {
    static const std::vector<OpCode> operators = [] {
        std::vector<OpCode> all;
        for (int i = 1; i <= tosa::kOpCodeCount; ++i) {
            const auto op = static_cast<OpCode>(i);
            const bool skipped = op == OpCode::kConst || op == OpCode::kConstShape ||
                                 op == OpCode::kCustom || op == OpCode::kCondIf ||
                                 op == OpCode::kWhileLoop || op == OpCode::kVariable ||
                                 op == OpCode::kVariableRead || op == OpCode::kVariableWrite;
            if (!skipped) all.push_back(op);
        }
        return all;
    }();
    return operators;
}

RandomCase make_random_case(OpCode op, RandomSource& random, std::int64_t scale) {
    return CaseMaker(op, random, scale).make();
}

}  // namespace okksim::tests
