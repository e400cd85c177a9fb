// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <limits>

#include "isa/errors.h"

namespace okksim::kernels {

/// A shape, stride or count as okk.h takes it. Plans keep them within its range.
inline int narrow(std::int64_t value) {
    OKKSIM_CHECK(std::abs(value) <= std::numeric_limits<int>::max());
    return static_cast<int>(value);
}

}  // namespace okksim::kernels
