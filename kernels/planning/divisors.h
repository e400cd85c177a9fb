// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace okksim::kernels {

/// The divisors of a positive number up to `most`, in ascending order.
inline std::vector<std::int64_t> divisors_of(std::int64_t number, std::int64_t most) {
    std::vector<std::int64_t> divisors;
    for (std::int64_t small = 1; small * small <= number; ++small) {
        if (number % small != 0) continue;
        if (small <= most) divisors.push_back(small);
        const std::int64_t large = number / small;
        if (large != small && large <= most) divisors.push_back(large);
    }
    std::sort(divisors.begin(), divisors.end());
    return divisors;
}

}  // namespace okksim::kernels
