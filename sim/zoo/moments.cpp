// SPDX-License-Identifier: Apache-2.0
#include "sim/zoo/moments.h"

#include <algorithm>
#include <cmath>

namespace okksim::sim::zoo {

double activate(Activation activation, double x) {
    switch (activation) {
        case Activation::kNone: return x;
        case Activation::kRelu: return std::max(x, 0.0);
        case Activation::kRelu6: return std::clamp(x, 0.0, 6.0);
        case Activation::kSilu: return x / (1.0 + std::exp(-x));
        case Activation::kGelu: return 0.5 * x * (1.0 + std::erf(x * std::sqrt(0.5)));
        case Activation::kTanh: return std::tanh(x);
        case Activation::kSigmoid: return 1.0 / (1.0 + std::exp(-x));
    }
    return x;
}

bool is_clamp(Activation activation) {
    return activation == Activation::kRelu || activation == Activation::kRelu6;
}

double Moments::deviation() const { return std::sqrt(variance); }

Moments through(Activation activation, const Moments& x) {
    if (activation == Activation::kNone) return x;
    // Midpoint sums over +-6 standard deviations.
    constexpr int kSteps = 600;
    double weight = 0.0, first = 0.0, second = 0.0;
    for (int i = 0; i < kSteps; ++i) {
        const double t = -6.0 + 12.0 * (i + 0.5) / kSteps;
        const double density = std::exp(-0.5 * t * t);
        const double y = activate(activation, x.mean + t * x.deviation());
        weight += density;
        first += density * y;
        second += density * y * y;
    }
    const double mean = first / weight;
    return {mean, second / weight - mean * mean};
}

Moments largest_of(const Moments& x, int count) {
    const double independent = (count + 1) / 2.0;
    const double logarithm = std::log(independent);
    // Fitted expectation and variance of the maximum of n normal numbers, for n up to 20.
    return {x.mean + x.deviation() * 0.85 * std::pow(logarithm, 0.75),
            x.variance / (1.0 + logarithm)};
}

Moments sum(const Moments& a, const Moments& b) {
    return {a.mean + b.mean, a.variance + b.variance};
}

Range range_of(Activation activation, const Moments& x) {
    // The range is asymmetric, as calibrated ranges are, so that zero points differ from zero.
    const double low = std::min(x.mean - 3.8 * x.deviation(), 0.0);
    const double high = std::max(x.mean + 4.2 * x.deviation(), 0.0);
    switch (activation) {
        case Activation::kNone: return {low, high};
        case Activation::kRelu: return {0.0, high};
        case Activation::kRelu6: return {0.0, std::min(high, 6.0)};
        case Activation::kSilu: return {-0.2785, high};
        case Activation::kGelu: return {-0.17, high};
        case Activation::kTanh: return {-1.0, 127.0 / 128.0};
        case Activation::kSigmoid: return {0.0, 255.0 / 256.0};
    }
    return {low, high};
}

}  // namespace okksim::sim::zoo
