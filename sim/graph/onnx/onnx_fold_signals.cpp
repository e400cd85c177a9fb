// SPDX-License-Identifier: Apache-2.0
// Windows and weights of signal processing, which follow from known sizes.
#include <cmath>
#include <numbers>

#include "sim/graph/onnx/onnx_checks.h"
#include "sim/graph/onnx/onnx_host.h"
#include "sim/graph/onnx/onnx_operators.h"

namespace okksim::sim::graph::onnx::fold {

namespace {

/// Returns the window's value at a phase from 0 to 2 pi.
double window_at(std::string_view type, double phase) {
    if (type == "HannWindow") return 0.5 - 0.5 * std::cos(phase);
    if (type == "HammingWindow") return 25.0 / 46 - 21.0 / 46 * std::cos(phase);
    return 0.42 - 0.5 * std::cos(phase) + 0.08 * std::cos(2 * phase);
}

double hertz_to_mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }
double mel_to_hertz(double mel) { return 700 * (std::pow(10, mel / 2595) - 1); }

/// Returns an operand of one element.
double single_number(const Call& call, std::size_t n) {
    const std::vector<double> values = call.known_reals(n, "sizes");
    call.require(values.size() == 1, "input " + std::to_string(n), shape_text(call.input(n).shape),
                 "the operand has one element");
    return values[0];
}

ElementType result_type(const Call& call) {
    const ElementType type = element_type(call.integer("output_datatype", 1));
    call.require(is_real(type) || is_whole(type), "output_datatype",
                 std::string(element_name(type)), "the result has numbers");
    return type;
}

/// Adds the triangle of one mel band, with corners at three bins, to column `band`.
void add_band(std::vector<double>& values, std::int64_t bands, std::int64_t band,
              const std::vector<std::int64_t>& bins) {
    const auto at = [&](std::int64_t bin) -> double& {
        return values.at(static_cast<std::size_t>(bin * bands + band));
    };
    const auto corner = static_cast<std::size_t>(band);
    const std::int64_t low = bins[corner], centre = bins[corner + 1], high = bins[corner + 2];
    if (low == centre) at(centre) = 1;
    for (std::int64_t bin = low; low != centre && bin <= centre; ++bin) {
        at(bin) = static_cast<double>(bin - low) / static_cast<double>(centre - low);
    }
    for (std::int64_t bin = centre; bin < high; ++bin) {
        at(bin) = static_cast<double>(high - bin) / static_cast<double>(high - centre);
    }
}

}  // namespace

bool signal_window(const Call& call) {
    call.require_inputs(1, 1);
    require_indices(call, 0);
    const std::int64_t size = call.known_integer(0, "sizes");
    call.require(size >= 0, "size", std::to_string(size), "the size is 0 or more");
    require_host_size(call, static_cast<double>(size));
    const double period = static_cast<double>(call.integer("periodic", 1) != 0 ? size : size - 1);
    std::vector<double> values;
    for (std::int64_t i = 0; i < size; ++i) {
        const double phase = size == 1 ? 0 : 2 * std::numbers::pi * static_cast<double>(i) / period;
        values.push_back(size == 1 ? 1 : window_at(call.op_type(), phase));
    }
    call.set_known(0, make_array(result_type(call), {size}, values));
    return true;
}

bool mel_weights(const Call& call) {
    call.require_inputs(5, 5);
    const double bands = single_number(call, 0), length = single_number(call, 1);
    const double rate = single_number(call, 2);
    const double low = hertz_to_mel(single_number(call, 3));
    const double high = hertz_to_mel(single_number(call, 4));
    call.require(bands >= 1 && length >= 1 && rate > 0 && low >= 0 && low <= high, "sizes",
                 std::to_string(bands),
                 "bands, length and rate are 1 or more, and edges from 0 rise");
    require_host_size(call, bands * length);
    const auto columns = static_cast<std::int64_t>(bands);
    const std::int64_t rows = static_cast<std::int64_t>(length) / 2 + 1;
    std::vector<std::int64_t> bins;
    for (std::int64_t i = 0; i < columns + 2; ++i) {
        const double mel = low + static_cast<double>(i) * (high - low) / (bands + 2);
        bins.push_back(static_cast<std::int64_t>((length + 1) * mel_to_hertz(mel) / rate));
    }
    call.require(bins.back() < rows + 1, "upper_edge_hertz", std::to_string(bins.back()),
                 "the edge is at most half the sample rate");
    std::vector<double> values(static_cast<std::size_t>((rows + 1) * columns));
    for (std::int64_t band = 0; band < columns; ++band) add_band(values, columns, band, bins);
    values.resize(static_cast<std::size_t>(rows * columns));
    call.set_known(0, make_array(result_type(call), {rows, columns}, values));
    return true;
}

}  // namespace okksim::sim::graph::onnx::fold
