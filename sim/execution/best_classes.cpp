// SPDX-License-Identifier: Apache-2.0
#include "sim/execution/best_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <numeric>

#include "isa/base/errors.h"
#include "isa/base/printable.h"
#include "sim/graph/element.h"

namespace okksim::sim::execution {
namespace {

using graph::DType;

std::int64_t class_count(const graph::Tensor& output) { return output.shape.back(); }

/// Returns the elements as numbers.
std::vector<double> numbers(const graph::HostTensor& output) {
    // In the host encoding, i4 has one byte and i48 has eight.
    const DType stored = output.type == DType::kI4    ? DType::kI8
                         : output.type == DType::kI48 ? DType::kShape
                                                      : output.type;
    const std::size_t bits = 8 * graph::host_element_bytes(output.type);
    std::vector<double> values;
    for (std::uint64_t i = 0; i < graph::element_count(output.shape).value_or(0); ++i) {
        if (graph::is_floating_point(stored)) {
            values.push_back(
                graph::decode_float(stored, graph::float_bits_element(output.data, stored, i)));
            continue;
        }
        const auto value = static_cast<double>(graph::integer_element(output.data, stored, i));
        const bool wraps = output.is_unsigned && value < 0;
        values.push_back(wraps ? value + std::ldexp(1.0, static_cast<int>(bits)) : value);
    }
    return values;
}

/// True for values from 0 to 1 with the sum 1, except for rounding errors.
bool are_probabilities(const std::vector<double>& values, double tolerance) {
    const bool in_range = std::ranges::all_of(values, [tolerance](double value) {
        return value >= -tolerance && value <= 1 + tolerance;
    });
    return in_range &&
           std::fabs(std::accumulate(values.begin(), values.end(), 0.0) - 1) <= tolerance;
}

std::vector<double> softmax(const std::vector<double>& values) {
    const double largest = *std::ranges::max_element(values);
    std::vector<double> shares;
    double sum = 0;
    for (const double value : values) sum += shares.emplace_back(std::exp(value - largest));
    for (double& share : shares) share /= sum;
    return shares;
}

struct Probabilities {
    std::vector<double> values;  ///< empty: unknown
    std::string meaning;
};

Probabilities probabilities_of(const graph::HostTensor& output, const std::vector<double>& values) {
    if (std::ranges::any_of(values, [](double value) { return !std::isfinite(value); })) {
        return {{}, "no probabilities: the output has values that are not finite"};
    }
    if (graph::is_floating_point(output.type)) {
        constexpr double kRounding = 0.01;
        if (are_probabilities(values, kRounding)) return {values, "the output is probabilities"};
        return {softmax(values), "probability: softmax of the output, computed on the host"};
    }
    if (output.type == DType::kI8) {
        // The result of an 8-bit softmax has the scale 1/256, and its zero point is the least
        // value.
        constexpr double kScale = 1.0 / 256, kRounding = 0.1;
        const double zero = output.is_unsigned ? 0 : -128;
        std::vector<double> shares;
        for (const double value : values) shares.push_back((value - zero) * kScale);
        if (are_probabilities(shares, kRounding)) {
            return {std::move(shares), "the output is probabilities in steps of 1/256"};
        }
    }
    return {{}, "no probabilities: the output is integers of an unknown scale"};
}

}  // namespace

std::vector<std::string> read_labels(const std::filesystem::path& file) {
    std::ifstream stream(file);
    if (!stream || std::filesystem::is_directory(file)) {
        throw ConfigError("--labels " + file.string(), "the file cannot be read");
    }
    std::vector<std::string> labels;
    for (std::string line; std::getline(stream, line);) {
        if (!line.empty() && line.back() == '\r') line.pop_back();
        labels.push_back(line);
    }
    while (!labels.empty() && labels.back().empty()) labels.pop_back();
    if (labels.empty()) {
        throw ConfigError("--labels " + file.string(),
                          "has no label: the file needs a line for each class");
    }
    return labels;
}

bool has_classes(const graph::Tensor& output) {
    // 64-bit elements have a dimension for their words.
    const bool is_plain = output.words == graph::FileWords::kNone && output.type != DType::kBool;
    const std::size_t rank = output.shape.size();
    return is_plain && (rank == 1 || (rank == 2 && output.shape[0] == 1)) &&
           class_count(output) > 1;
}

void check_classes(const graph::Block& main, const ClassOptions& options) {
    if (options.count == 0) return;
    std::string shapes;
    bool has_some = false;
    for (const graph::TensorIndex index : main.outputs) {
        const graph::Tensor& output = main.tensors[index];
        shapes += (shapes.empty() ? "" : ", ") + output.name.text() + " " +
                  graph::shape_text(output.shape);
        if (!has_classes(output)) continue;
        has_some = true;
        const auto classes = static_cast<std::size_t>(class_count(output));
        if (options.labels.empty() || options.labels.size() == classes) continue;
        throw ConfigError("--labels " + options.labels_file,
                          fmt::format("has {} labels, but output {} has {} classes: give one line "
                                      "for each class, in their order",
                                      options.labels.size(), output.name.text(), classes));
    }
    if (has_some) return;
    throw ConfigError(
        fmt::format("--top {}", options.count),
        "no output has one value per class, [N] or [1,N]; the outputs are: " + shapes);
}

ClassTable best_classes(const std::string& name, const graph::HostTensor& output,
                        const ClassOptions& options) {
    const std::vector<double> values = numbers(output);
    const Probabilities probabilities = probabilities_of(output, values);
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // NaN comes last.
    const auto rank = [&values](std::size_t i) {
        return std::isnan(values[i]) ? -std::numeric_limits<double>::infinity() : values[i];
    };
    std::ranges::stable_sort(order,
                             [&](std::size_t a, std::size_t b) { return rank(a) > rank(b); });
    order.resize(std::min(order.size(), options.count));
    ClassTable table{name, probabilities.meaning, {}};
    for (const std::size_t i : order) {
        BestClass best;
        best.number = static_cast<std::int64_t>(i);
        if (i < options.labels.size()) best.label = options.labels[i];
        best.value = values[i];
        if (!probabilities.values.empty()) best.probability = probabilities.values[i];
        table.best.push_back(std::move(best));
    }
    return table;
}

}  // namespace okksim::sim::execution
