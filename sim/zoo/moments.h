// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::sim::zoo {

/// The activation function after an operator. Rectifiers are CLAMP; the others use a table when
/// quantised.
enum class Activation { kNone, kRelu, kRelu6, kSilu, kGelu, kTanh, kSigmoid };

/// Computes the function in double precision.
double activate(Activation activation, double x);
/// True for the rectifiers, which saturation and CLAMP implement.
bool is_clamp(Activation activation);

/// Expected distribution of a feature map's elements over channels, positions and inputs.
struct Moments {
    double mean = 0.0;
    double variance = 1.0;

    double square() const { return mean * mean + variance; }  ///< second moment
    double deviation() const;
};

/// Returns the distribution of activate(x) for a normally distributed x.
Moments through(Activation activation, const Moments& x);
/// Returns the distribution of the maximum of `count` adjacent elements. Adjacent elements are
/// correlated, so only half of them count.
Moments largest_of(const Moments& x, int count);
/// Returns the distribution of a sum of independent addends.
Moments sum(const Moments& a, const Moments& b);

/// A closed interval.
struct Range {
    double low;
    double high;
};
/// Returns the interval that contains nearly all of activate(x), and 0.
Range range_of(Activation activation, const Moments& x);

}  // namespace okksim::sim::zoo
