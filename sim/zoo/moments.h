// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace okksim::sim::zoo {

/// What follows an operator. Rectifiers are CLAMP; the others have a table when quantised.
enum class Activation { kNone, kRelu, kRelu6, kSilu, kGelu, kTanh, kSigmoid };

/// The function in double precision.
double activate(Activation activation, double x);
/// The rectifiers, which saturation and CLAMP do.
bool is_clamp(Activation activation);

/// Expected distribution of a feature map's elements over channels, positions and inputs.
struct Moments {
    double mean = 0.0;
    double variance = 1.0;

    double square() const { return mean * mean + variance; }  ///< second moment
    double deviation() const;
};

/// Distribution of activate(x) for a normally distributed x.
Moments through(Activation activation, const Moments& x);
/// Distribution of the largest of `count` elements that lie side by side. Neighbours are alike:
/// half of them count.
Moments largest_of(const Moments& x, int count);
/// Sum of independent addends.
Moments sum(const Moments& a, const Moments& b);

/// An interval.
struct Range {
    double low;
    double high;
};
/// Where nearly all of activate(x) lies; contains 0.
Range range_of(Activation activation, const Moments& x);

}  // namespace okksim::sim::zoo
