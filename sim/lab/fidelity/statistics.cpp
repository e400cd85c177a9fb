// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "isa/base/errors.h"

namespace okksim::sim::fidelity {
namespace {

std::vector<double> ranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> rank(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first + 1;
        while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
        const double shared = static_cast<double>(first + end - 1) / 2;
        for (std::size_t i = first; i < end; ++i) rank[order[i]] = shared;
        first = end;
    }
    return rank;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
    const double n = static_cast<double>(a.size());
    const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
    const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean_a) * (b[i] - mean_b);
        aa += (a[i] - mean_a) * (a[i] - mean_a);
        bb += (b[i] - mean_b) * (b[i] - mean_b);
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 1;
}

}  // namespace

double quantile(std::vector<double> values, double fraction) {
    if (values.empty()) return 0;
    const double rank = std::ceil(fraction * static_cast<double>(values.size()));
    const auto index = static_cast<std::ptrdiff_t>(std::max(rank, 1.0)) - 1;
    std::nth_element(values.begin(), values.begin() + index, values.end());
    return values[static_cast<std::size_t>(index)];
}

Agreement agreement(std::span<const double> simulated, std::span<const double> measured) {
    OKKSIM_CHECK(simulated.size() == measured.size());
    Agreement result;
    result.count = simulated.size();
    if (result.count == 0) return result;
    for (std::size_t i = 0; i < simulated.size(); ++i) {
        const double ratio = simulated[i] / measured[i];
        result.mean_absolute_error += std::abs(ratio - 1) / static_cast<double>(result.count);
        result.bias += (ratio - 1) / static_cast<double>(result.count);
        result.worst_factor = std::max({result.worst_factor, ratio, 1 / ratio});
    }
    result.rank_correlation = correlation(ranks(simulated), ranks(measured));
    return result;
}

}  // namespace okksim::sim::fidelity
