// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/layers/byte_program.h"

namespace okksim::kernels::layers {

/// The fp32 result that a program of two bytes computes (kFunction without pieces, kSettledPair).
/// For loops over all pairs: plain numbers without tensors.
class PairValue {
 public:
    explicit PairValue(const ByteProgram& program)
        : weights_{program.factors[0], program.factors[1], program.constant},
          shift_(program.shift) {
        if (program.clamps) {
            low_ = program.low;
            high_ = program.high;
        }
        if (program.kind != ByteProgramKind::kSettledPair) return;
        rests_ = {program.rests[0], program.rests[1], program.rests[2]};
    }

    template <ByteProgramKind kKind>
    float of(float a, float b) const {
        const float sum = weighed(a, b, weights_);
        const float first = rounded(std::min(std::max(sum, low_), high_));
        if constexpr (kKind == ByteProgramKind::kFunction) return first + shift_;
        const float left = (sum - first) + weighed(a, b, rests_);
        return first + (left > 0.0f ? 1.0f : 0.0f) + shift_;
    }

 private:
    struct Weights {
        float a = 0, b = 0, constant = 0;
    };
    static float weighed(float a, float b, const Weights& weights) {
        const float first = a * weights.a;
        const float second = b * weights.b;
        return first + second + weights.constant;
    }

    Weights weights_, rests_;
    float low_ = -std::numeric_limits<float>::infinity();
    float high_ = std::numeric_limits<float>::infinity();
    float shift_ = 0;
};

}  // namespace okksim::kernels::layers
