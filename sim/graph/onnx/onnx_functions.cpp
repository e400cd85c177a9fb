// SPDX-License-Identifier: Apache-2.0
// Functions of one operand, with parameters, and cumulative ones.
#include <algorithm>
#include <limits>
#include <map>

#include "sim/graph/compose/float_functions.h"
#include "sim/graph/compose/indexing.h"
#include "sim/graph/compose/integer_functions.h"
#include "sim/graph/compose/reductions.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_dimensions.h"
#include "sim/graph/onnx/onnx_elements.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::lower {

namespace {

using Function = TensorIndex (*)(OperatorBuilder& ops, TensorIndex x);

template <OpCode op>
TensorIndex function_of_tosa(OperatorBuilder& ops, TensorIndex x) {
    return ops.unary(op, x, "result");
}

const std::map<std::string_view, Function>& real_functions() {
    static const std::map<std::string_view, Function> table{
        {"Acos", &compose::acos},
        {"Acosh", &compose::acosh},
        {"Asin", &compose::asin},
        {"Asinh", &compose::asinh},
        {"Atan", &compose::atan},
        {"Atanh", &compose::atanh},
        {"Ceil", &function_of_tosa<OpCode::kCeil>},
        {"Cos", &function_of_tosa<OpCode::kCos>},
        {"Cosh", &compose::cosh},
        {"Erf", &compose::error_function},
        {"Exp", &compose::exponential},
        {"Floor", &function_of_tosa<OpCode::kFloor>},
        {"HardSwish", &compose::hard_swish},
        {"Log", &compose::logarithm},
        {"Mish", &compose::mish},
        {"Reciprocal", &compose::reciprocal},
        {"Round", &compose::round_half_even},
        {"Sigmoid", &compose::sigmoid},
        {"Sin", &function_of_tosa<OpCode::kSin>},
        {"Sinh", &compose::sinh},
        {"Softplus", &compose::softplus},
        {"Softsign", &compose::softsign},
        {"Sqrt", &compose::square_root},
        {"Tan", &compose::tan},
        {"Tanh", &compose::tanh},
    };
    return table;
}

/// Sets the result of a function of the elements of operand 0.
template <typename Compute>
void apply(const Call& call, Compute&& compute) {
    Value& x = call.input(0);
    if (elements_of(x.shape) == 0) return set_empty(call, 0, x.type, x.shape);
    const Aligned order = call.aligned(0);
    OperatorBuilder& ops = call.ops();
    const TensorIndex wide = widened(ops, x.type, order.tensors[0]);
    call.set_aligned(0, x.type, x.shape, order, narrowed(ops, x.type, compute(ops, wide)));
}

void apply_real(const Call& call, TensorIndex (*compute)(const Call& call, TensorIndex x)) {
    require_reals(call);
    apply(call, [&](OperatorBuilder&, TensorIndex x) { return compute(call, x); });
}

/// Sets the result of a function that integers have, too.
void apply_number(const Call& call, Function real, Function whole) {
    check_unary(call);
    apply(call, is_real(call.input(0).type) ? real : whole);
}

TensorIndex whole_relu(OperatorBuilder& ops, TensorIndex x) {
    return ops.binary(OpCode::kMaximum, x, ops.number(DType::kI32, ops.rank(x), 0), "relu");
}

void test(const Call& call, TensorIndex (*compute)(const Call& call, TensorIndex x)) {
    require_reals(call);
    call.require_inputs(1, 1);
    const Aligned order = call.aligned(0);
    call.set_aligned(0, ElementType::kBool, call.input(0).shape, order,
                     compute(call, order.tensors[0]));
}

/// Returns a limit of Clip: an operand of one element.
Value* limit(const Call& call, std::size_t n) {
    Value* value = call.optional_input(n);
    if (value == nullptr) return nullptr;
    call.require_same_type({&call.input(0), value});
    call.require(elements_of(value->shape) == 1, std::string(value->name), shape_text(value->shape),
                 "a limit has one element");
    return value;
}

std::optional<TensorIndex> limit_tensor(const Call& call, Value* value) {
    if (value == nullptr) return std::nullopt;
    OperatorBuilder& ops = call.ops();
    const Shape ones(call.input(0).rank(), 1);
    if (value->known && is_whole(value->type)) {
        // Limits of int64 that the chip's i32 cannot hold change nothing.
        using Limits = std::numeric_limits<std::int32_t>;
        const std::int64_t number =
            std::clamp<std::int64_t>(integers(*value->known)[0], Limits::min(), Limits::max());
        return call.tensors().constant(
            make_array(ElementType::kInt32, ones, std::vector<std::int64_t>{number}), "limit");
    }
    const TensorIndex tensor = call.tensors().declared(viewed(call, *value, ones));
    return widened(ops, value->type, tensor);
}

}  // namespace

void float_unary(const Call& call) {
    check_unary(call);
    const Function function = real_functions().at(call.op_type());
    apply(call, function);
}

void absolute(const Call& call) {
    apply_number(call, &compose::absolute, &compose::integer_absolute);
}
void negate(const Call& call) {
    apply_number(call, &compose::negative, &compose::integer_negative);
}
void sign(const Call& call) { apply_number(call, &compose::sign, &compose::integer_sign); }
void relu(const Call& call) { apply_number(call, &compose::relu, &whole_relu); }
void bitwise_not(const Call& call) {
    apply_number(call, nullptr, &function_of_tosa<OpCode::kBitwiseNot>);
}

void is_nan(const Call& call) {
    test(call, [](const Call& of, TensorIndex x) { return compose::is_nan(of.ops(), x); });
}

void is_infinite(const Call& call) {
    test(call, [](const Call& of, TensorIndex x) {
        return compose::is_infinite(of.ops(), x, of.integer("detect_positive", 1) != 0,
                                    of.integer("detect_negative", 1) != 0);
    });
}

void activation(const Call& call) {
    call.require_inputs(1, 1);
    apply_real(call, [](const Call& of, TensorIndex x) {
        OperatorBuilder& ops = of.ops();
        const std::string_view type = of.op_type();
        const auto alpha = [&](double otherwise) { return of.real("alpha", otherwise); };
        if (type == "LeakyRelu") return compose::leaky_relu(ops, x, alpha(0.01));
        if (type == "Elu") return compose::elu(ops, x, alpha(1));
        if (type == "Celu") return compose::celu(ops, x, alpha(1));
        if (type == "HardSigmoid") {
            return compose::hard_sigmoid(ops, x, alpha(0.2), of.real("beta", 0.5));
        }
        if (type == "ThresholdedRelu") return compose::thresholded_relu(ops, x, alpha(1));
        if (type == "Swish") return compose::quick_gelu(ops, x, alpha(1));
        if (type == "QuickGelu") return compose::quick_gelu(ops, x, alpha(1.702));
        if (type == "Shrink") {
            return compose::shrink(ops, x, of.real("bias", 0), of.real("lambd", 0.5));
        }
        const bool is_first = of.opset() < 6;  // rounded parameters
        return compose::selu(ops, x, alpha(is_first ? 1.6732 : 1.67326319217681884765625),
                             of.real("gamma", is_first ? 1.0507 : 1.05070102214813232421875));
    });
}

void gelu(const Call& call) {
    call.require_inputs(1, 1);
    const std::string_view form = call.text("approximate", "none");
    call.require(form == "none" || form == "tanh", "approximate", std::string(form),
                 "the approximation is none or tanh");
    require_reals(call);
    apply(call, form == "tanh" ? &compose::gelu_tanh : &compose::gelu);
}

void gelu_with_bias(const Call& call) {
    const bool is_fast = call.op_type() == "FastGelu";
    call.require_inputs(is_fast ? 1 : 2, 2);
    require_reals(call);
    Value& x = call.input(0);
    std::vector<Value*> operands{&x};
    if (call.has_input(1)) operands.push_back(&call.input(1));
    call.require_same_type(operands);
    require_broadcasts(call, *operands.back());
    const Aligned order = call.tensors().aligned(operands);
    OperatorBuilder& ops = call.ops();
    TensorIndex sum = order.tensors[0];
    if (operands.size() == 2) sum = ops.binary(OpCode::kAdd, sum, order.tensors[1], "biased");
    call.set_aligned(0, x.type, x.shape, order,
                     is_fast ? compose::gelu_tanh(ops, sum) : compose::gelu(ops, sum));
}

void clip(const Call& call) {
    if (call.opset() < 11) {
        call.require_inputs(1, 1);
        return apply_real(call, [](const Call& of, TensorIndex x) {
            std::optional<double> low, high;
            if (of.has_attribute("min")) low = of.real("min", 0);
            if (of.has_attribute("max")) high = of.real("max", 0);
            return compose::clip(of.ops(), x, low, high);
        });
    }
    call.require_inputs(1, 3);
    require_numbers(call);
    Value* low = limit(call, 1);
    Value* high = limit(call, 2);
    const bool has_known = (low == nullptr || low->known) && (high == nullptr || high->known);
    apply(call, [&](OperatorBuilder& ops, TensorIndex x) {
        if (!has_known || !is_floating_point(ops.type(x))) {
            return compose::clip_at_run_time(ops, x, limit_tensor(call, low),
                                             limit_tensor(call, high));
        }
        const auto number = [](Value* value) {
            return value == nullptr ? std::nullopt : std::optional(reals(*value->known)[0]);
        };
        return compose::clip(ops, x, number(low), number(high));
    });
}

void dropout(const Call& call) {
    call.require_inputs(1, 3);
    require_reals(call);
    const Value& x = call.input(0);
    double ratio = call.real("ratio", 0.5);
    bool is_training = call.opset() < 7 && call.integer("is_test", 0) == 0;
    if (call.opset() >= 12) {
        is_training = call.has_input(2) && call.known_integer(2, "training modes") != 0;
        if (is_training && call.has_input(1)) {
            const std::vector<double> ratios = call.known_reals(1, "ratios");
            call.require(ratios.size() == 1, "ratio", shape_text(call.input(1).shape),
                         "the operand has one element");
            ratio = ratios[0];
        }
    }
    if (is_training && ratio != 0) throw UnsupportedPart("training");
    call.set_same(0, call.input(0));
    if (!call.has_output(1)) return;
    const ElementType type = call.opset() >= 10 ? ElementType::kBool : x.type;
    // From operator set 12 on, the mask tells the kept elements. Before, onnxruntime gives a mask
    // of dropped elements, which the definition leaves open.
    const std::int64_t mask = call.opset() >= 12 ? 1 : 0;
    const HostArray element = make_array(type, {1}, std::vector<std::int64_t>{mask});
    call.set_known(1, repeated(call, element, x.shape));
}

void cumulative_sum(const Call& call) {
    call.require_inputs(2, 2);
    require_numbers(call);
    Value& x = call.input(0);
    const std::size_t axis = call.axis(call.known_integer(1, "axes"), x.rank());
    if (elements_of(x.shape) == 0) return set_empty(call, 0, x.type, x.shape);
    const Aligned order = call.aligned(0);
    OperatorBuilder& ops = call.ops();
    const TensorIndex sums =
        compose::cumulative_sum(ops, widened(ops, x.type, order.tensors[0]), order.place(axis),
                                call.integer("exclusive", 0) != 0, call.integer("reverse", 0) != 0);
    call.set_aligned(0, x.type, x.shape, order, narrowed(ops, x.type, sums));
}

void trilu(const Call& call) {
    call.require_inputs(1, 2);
    require_rank(call, 0, 2);
    Value& x = call.input(0);
    const std::int64_t k = call.has_input(1) ? call.known_integer(1, "diagonals") : 0;
    if (elements_of(x.shape) == 0) return set_empty(call, 0, x.type, x.shape);
    OperatorBuilder& ops = call.ops();
    const bool is_upper = call.integer("upper", 1) != 0;
    if (device_offset(x.type) == 0) {
        return call.set_tensor(0, x.type, x.shape,
                               compose::trilu(ops, call.tensor(0), is_upper, k));
    }
    const TensorIndex wide = widened(ops, x.type, call.tensor(0));
    call.set_tensor(0, x.type, x.shape,
                    narrowed(ops, x.type, compose::trilu(ops, wide, is_upper, k)));
}

}  // namespace okksim::sim::graph::onnx::lower
