// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/moves/repeated_command.h"

/// Number of repetitions of a command per alignment of its addresses. Pure.
namespace okksim::kernels {

/// Points of some loops whose addresses have the same common divisor with the machine's alignment.
struct PlaceClass {
    std::int64_t element = 0;  ///< an element of the same alignment, near the first one
    std::int64_t points = 0;

    bool operator==(const PlaceClass&) const = default;
};

/// Classes of the elements that loops of these extents and strides (in elements) visit. The classes
/// with the smallest common divisor come first. Elements count from element 0 at `address`.
/// `alignment` >= 1.
std::vector<PlaceClass> place_classes(std::uint64_t address, int element_bytes,
                                      std::uint64_t alignment,
                                      std::span<const std::int64_t> extents,
                                      std::span<const std::int64_t> strides);

}  // namespace okksim::kernels
