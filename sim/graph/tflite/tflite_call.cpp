// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/tflite/tflite_call.h"

#include <set>

namespace okksim::sim::graph::tflite {

void Call::illegal(const std::string& argument, const std::string& value,
                   const std::string& rule) const {
    throw_broken_rule(where, argument, value,
                      rule + " (TensorFlow Lite, " + std::string(name) + ")", "correct the model");
}

Value& Call::input(std::size_t n) const {
    if (!has(n)) illegal("input " + std::to_string(n), "missing", "the operator has this input");
    return *inputs[n];
}

Value& Call::output(std::size_t n) const {
    if (n >= outputs.size()) {
        illegal("output " + std::to_string(n), "missing", "the operator has this output");
    }
    return *outputs[n];
}

void Call::require_rank(const Value& value, std::size_t rank) const {
    if (value.rank() == rank) return;
    illegal("input " + value.name, shape_text(value.shape),
            "the operand has " + std::to_string(rank) + " dimensions");
}

std::vector<std::int64_t> Call::known(std::size_t n, const char* what) const {
    const Value& value = input(n);
    if (!value.is_known) throw UnsupportedPart(std::string(what) + " that depends on data");
    if (value.is_real() || value.type == TensorType::INT4) {
        illegal(what, type_name(value.type), "the operand holds integers");
    }
    return known_integers(value);
}

std::vector<std::int64_t> Call::known_sizes(std::size_t n, const char* what) const {
    constexpr std::int64_t kMost = std::int64_t{1} << 31;
    std::vector<std::int64_t> sizes = known(n, what);
    for (const std::int64_t size : sizes) {
        if (size < -kMost || size > kMost) {
            illegal(what, std::to_string(size), "the numbers have at most 31 bits");
        }
    }
    return sizes;
}

std::size_t Call::axis(std::int64_t axis, std::size_t rank, const char* what) const {
    const auto count = static_cast<std::int64_t>(rank);
    if (axis < -count || axis >= count) {
        illegal(what, std::to_string(axis),
                "an axis is a dimension of " + std::to_string(rank) + " dimensions");
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

std::vector<std::size_t> Call::axes(const std::vector<std::int64_t>& axes, std::size_t rank) const {
    std::set<std::size_t> sorted;
    for (const std::int64_t value : axes) sorted.insert(axis(value, rank));
    return {sorted.begin(), sorted.end()};
}

}  // namespace okksim::sim::graph::tflite
