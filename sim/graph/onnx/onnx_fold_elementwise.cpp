// SPDX-License-Identifier: Apache-2.0
// Element-wise operators on the host: integers exactly, real numbers in double precision, rounded
// to the element type.
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

using Whole = std::int64_t;

Whole wrapped(Whole value, Whole (*operation)(std::uint64_t, std::uint64_t), Whole other) {
    return operation(static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(other));
}
Whole whole_sum(std::uint64_t a, std::uint64_t b) { return static_cast<Whole>(a + b); }
Whole whole_difference(std::uint64_t a, std::uint64_t b) { return static_cast<Whole>(a - b); }
Whole whole_product(std::uint64_t a, std::uint64_t b) { return static_cast<Whole>(a * b); }

Whole whole_quotient(Whole a, Whole b) {
    return b == -1 ? wrapped(0, &whole_difference, a) : a / b;
}

/// The remainder with the sign of the divisor.
Whole remainder(Whole a, Whole b) {
    const Whole rest = b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Whole whole_power(Whole base, Whole exponent) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
    std::uint64_t result = 1, square = static_cast<std::uint64_t>(base);
    for (; exponent > 0; exponent /= 2, square *= square) {
        if (exponent % 2 != 0) result *= square;
    }
    return static_cast<Whole>(result);
}

struct HostBinary {
    Whole (*whole)(Whole, Whole);
    double (*real)(double, double);
    bool is_test = false;
};

const std::map<std::string_view, HostBinary>& binary_operators() {
    static const std::map<std::string_view, HostBinary> table{
        {"Add",
         {[](Whole a, Whole b) { return wrapped(a, &whole_sum, b); },
          [](double a, double b) { return a + b; }}},
        {"Sub",
         {[](Whole a, Whole b) { return wrapped(a, &whole_difference, b); },
          [](double a, double b) { return a - b; }}},
        {"Mul",
         {[](Whole a, Whole b) { return wrapped(a, &whole_product, b); },
          [](double a, double b) { return a * b; }}},
        {"Div",
         {[](Whole a, Whole b) { return whole_quotient(a, b); },
          [](double a, double b) { return a / b; }}},
        {"And", {[](Whole a, Whole b) { return a & b; }, nullptr}},
        {"Or", {[](Whole a, Whole b) { return a | b; }, nullptr}},
        {"Xor", {[](Whole a, Whole b) { return a ^ b; }, nullptr}},
        {"BitwiseAnd", {[](Whole a, Whole b) { return a & b; }, nullptr}},
        {"BitwiseOr", {[](Whole a, Whole b) { return a | b; }, nullptr}},
        {"BitwiseXor", {[](Whole a, Whole b) { return a ^ b; }, nullptr}},
        {"Mod", {&remainder, [](double a, double b) { return std::fmod(a, b); }}},
        {"Pow", {&whole_power, [](double a, double b) { return std::pow(a, b); }}},
        {"Equal",
         {[](Whole a, Whole b) { return Whole{a == b}; },
          [](double a, double b) { return a == b ? 1.0 : 0.0; }, true}},
        {"Less",
         {[](Whole a, Whole b) { return Whole{a < b}; },
          [](double a, double b) { return a < b ? 1.0 : 0.0; }, true}},
        {"LessOrEqual",
         {[](Whole a, Whole b) { return Whole{a <= b}; },
          [](double a, double b) { return a <= b ? 1.0 : 0.0; }, true}},
        {"Greater",
         {[](Whole a, Whole b) { return Whole{a > b}; },
          [](double a, double b) { return a > b ? 1.0 : 0.0; }, true}},
        {"GreaterOrEqual",
         {[](Whole a, Whole b) { return Whole{a >= b}; },
          [](double a, double b) { return a >= b ? 1.0 : 0.0; }, true}},
    };
    return table;
}

template <typename Number>
std::vector<Number> combined(const std::vector<Number>& a, const std::vector<Number>& b,
                             const Shape& a_shape, const Shape& b_shape, const Shape& shape,
                             Number (*operation)(Number, Number)) {
    const std::vector<std::size_t> a_at = broadcast_positions(a_shape, shape);
    const std::vector<std::size_t> b_at = broadcast_positions(b_shape, shape);
    std::vector<Number> result(a_at.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = operation(a[a_at[i]], b[b_at[i]]);
    return result;
}

double sign_of_number(double x) { return x > 0 ? 1.0 : x < 0 ? -1.0 : x; }

using HostFunction = double (*)(double);
const std::map<std::string_view, HostFunction>& unary_operators() {
    static const std::map<std::string_view, HostFunction> table{
        {"Acos", [](double x) { return std::acos(x); }},
        {"Asin", [](double x) { return std::asin(x); }},
        {"Atan", [](double x) { return std::atan(x); }},
        {"Abs", [](double x) { return std::fabs(x); }},
        {"Ceil", [](double x) { return std::ceil(x); }},
        {"Cos", [](double x) { return std::cos(x); }},
        {"Erf", [](double x) { return std::erf(x); }},
        {"Exp", [](double x) { return std::exp(x); }},
        {"Floor", [](double x) { return std::floor(x); }},
        {"Log", [](double x) { return std::log(x); }},
        {"Neg", [](double x) { return -x; }},
        {"Not", [](double x) { return x == 0 ? 1.0 : 0.0; }},
        {"Reciprocal", [](double x) { return 1 / x; }},
        {"Relu", [](double x) { return x < 0 ? 0.0 : x; }},
        {"Round", [](double x) { return std::nearbyint(x); }},
        {"Sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
        {"Sign", &sign_of_number},
        {"Sin", [](double x) { return std::sin(x); }},
        {"Softplus",
         [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }},
        {"Sqrt", [](double x) { return std::sqrt(x); }},
        {"Tan", [](double x) { return std::tan(x); }},
        {"Tanh", [](double x) { return std::tanh(x); }},
    };
    return table;
}

}  // namespace

bool binary(const Call& call) {
    check_binary(call);
    const Value& a = call.input(0);
    const Value& b = second_operand(call);
    const auto found = binary_operators().find(call.op_type());
    if (found == binary_operators().end()) return false;
    const HostBinary& operation = found->second;
    const Shape shape = call.broadcast({&call.input(0), &second_operand(call)});
    require_host_size(call, static_cast<double>(elements_of(shape)));
    const ElementType type = operation.is_test ? ElementType::kBool : a.type;
    if (is_real(a.type) || is_real(b.type)) {
        call.set_known(0, make_array(type, shape,
                                     combined(reals(*a.known), reals(*b.known), a.shape, b.shape,
                                              shape, operation.real)));
        return true;
    }
    const std::vector<Whole> second = integers(*b.known);
    const bool divides = call.op_type() == "Div" || call.op_type() == "Mod";
    if (divides && std::ranges::find(second, 0) != second.end()) {
        call.illegal("input 1", "0", "an integer divisor is not 0");
    }
    const bool is_c_remainder = call.op_type() == "Mod" && call.integer("fmod", 0) != 0;
    const auto c_remainder = [](Whole x, Whole y) { return y == -1 ? 0 : x % y; };
    call.set_known(0, make_array(type, shape,
                                 combined(integers(*a.known), second, a.shape, b.shape, shape,
                                          is_c_remainder ? +c_remainder : operation.whole)));
    return true;
}

bool unary(const Call& call) {
    check_unary(call);
    const HostArray& array = *call.input(0).known;
    const auto found = unary_operators().find(call.op_type());
    if (found == unary_operators().end()) return false;
    if (!is_real(array.type) && integer_bits(array.type) > 32) {
        // Doubles hold 53 bits: only small integers are exact.
        for (const Whole each : integers(array)) {
            if (std::abs(each) > (Whole{1} << 52)) return false;
        }
    }
    std::vector<double> values = reals(array);
    for (double& value : values) value = found->second(value);
    call.set_known(0, make_array(array.type, array.shape, values));
    return true;
}

bool where(const Call& call) {
    check_where(call);
    const Value& condition = call.input(0);
    const Value& x = call.input(1);
    const Value& y = call.input(2);
    const Shape shape = call.broadcast(call.inputs());
    const HostArray x_all = broadcast_to(call, *x.known, shape);
    const HostArray y_all = broadcast_to(call, *y.known, shape);
    const std::vector<Whole> choice = integers(broadcast_to(call, *condition.known, shape));
    const std::size_t size = element_bytes(x.type);
    std::vector<std::byte> bytes(choice.size() * size);
    for (std::size_t i = 0; i < choice.size(); ++i) {
        const auto from = (choice[i] != 0 ? x_all : y_all).bytes.subspan(i * size, size);
        std::copy(from.begin(), from.end(), bytes.begin() + static_cast<std::ptrdiff_t>(i * size));
    }
    call.set_known(0, make_array(x.type, shape, std::move(bytes)));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
