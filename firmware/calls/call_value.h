// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "isa/types.h"

namespace okksim::firmware {

/// One argument of a documented function as data. Integers also carry addresses, enumerators, flags
/// and the bit patterns of floats and constants; nullptr is a NULL pointer.
using CallValue = std::variant<std::nullptr_t, std::int64_t, isa::Dim4, isa::Padding, isa::Dim2>;

using CallValues = std::vector<CallValue>;

/// The results of a call: the return value of non-void functions, and the strides that the layout
/// helpers write.
struct CallResult {
    std::optional<std::int64_t> returned;
    std::optional<isa::Dim4> stride;
};

}  // namespace okksim::firmware
