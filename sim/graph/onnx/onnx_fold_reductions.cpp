// SPDX-License-Identifier: Apache-2.0
// Reductions on the host: integers exactly, real numbers in double precision.
#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/graph/onnx/onnx_axes.h"
#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

/// Returns the elements of each result, in the order of the results.
template <typename Number>
std::vector<std::vector<Number>> groups_of(const std::vector<Number>& values, const Shape& shape,
                                           const std::vector<std::size_t>& axes) {
    Shape kept = shape;
    for (const std::size_t axis : axes) kept[axis] = 1;
    std::vector<std::vector<Number>> groups(static_cast<std::size_t>(elements_of(kept)));
    const std::vector<std::size_t> to = broadcast_positions(kept, shape);
    for (std::size_t i = 0; i < values.size(); ++i) groups[to[i]].push_back(values[i]);
    return groups;
}

template <typename Number, typename Term>
Number sum_of(const std::vector<Number>& values, Term&& term) {
    Number sum{};
    for (const Number value : values) sum += term(value);
    return sum;
}

/// Returns a sum, product, extremum or mean; nothing for kinds of real numbers.
template <typename Number>
std::optional<Number> reduced_number(std::string_view type, const std::vector<Number>& values) {
    const auto same = [](Number x) { return x; };
    if (type == "ReduceSum") return sum_of(values, same);
    if (type == "ReduceL1") return sum_of(values, [](Number x) { return x < 0 ? -x : x; });
    if (type == "ReduceSumSquare") return sum_of(values, [](Number x) { return x * x; });
    if (type == "ReduceProd") {
        Number product = 1;
        for (const Number value : values) product *= value;
        return product;
    }
    if (type == "ReduceMean") {
        return values.empty() ? Number{}
                              : sum_of(values, same) / static_cast<Number>(values.size());
    }
    using Limits = std::numeric_limits<Number>;
    if (type == "ReduceMax") {
        const Number least = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
        return values.empty() ? least : *std::ranges::max_element(values);
    }
    if (type == "ReduceMin") {
        const Number most = Limits::has_infinity ? Limits::infinity() : Limits::max();
        return values.empty() ? most : *std::ranges::min_element(values);
    }
    return std::nullopt;
}

double reduced_real(std::string_view type, const std::vector<double>& values) {
    if (const auto simple = reduced_number(type, values)) return *simple;
    if (type == "ReduceL2") {
        return std::sqrt(sum_of(values, [](double x) { return x * x; }));
    }
    if (type == "ReduceLogSum") return std::log(sum_of(values, [](double x) { return x; }));
    const double most = values.empty() ? 0 : *std::ranges::max_element(values);
    const double around = std::isfinite(most) ? most : 0;
    return std::log(sum_of(values, [around](double x) { return std::exp(x - around); })) + around;
}

}  // namespace

bool reduce(const Call& call) {
    const ReducedAxes reduced = reduced_axes(call);
    const HostArray& array = *call.input(0).known;
    const std::string_view type = call.op_type();
    if (is_real(array.type)) {
        std::vector<double> results;
        for (const auto& group : groups_of(reals(array), array.shape, reduced.axes)) {
            results.push_back(reduced_real(type, group));
        }
        call.set_known(0, make_array(array.type, reduced.result, results));
        return true;
    }
    std::vector<std::int64_t> results;
    for (const auto& group : groups_of(integers(array), array.shape, reduced.axes)) {
        const auto whole = reduced_number(type, group);
        if (!whole) return false;
        results.push_back(*whole);
    }
    call.set_known(0, make_array(array.type, reduced.result, results));
    return true;
}

bool arg_extremum(const Call& call) {
    const ReducedAxes reduced = extremum_axis(call);
    const HostArray& array = *call.input(0).known;
    const bool is_max = call.op_type() == "ArgMax";
    const bool takes_last = call.integer("select_last_index", 0) != 0;
    std::vector<std::int64_t> results;
    for (const auto& group : groups_of(reals(array), array.shape, reduced.axes)) {
        std::size_t best = 0;
        for (std::size_t i = 1; i < group.size(); ++i) {
            const bool is_better = is_max ? group[i] > group[best] : group[i] < group[best];
            if (is_better || (takes_last && group[i] == group[best])) best = i;
        }
        results.push_back(static_cast<std::int64_t>(best));
    }
    call.set_known(0, make_array(ElementType::kInt64, reduced.result, results));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
