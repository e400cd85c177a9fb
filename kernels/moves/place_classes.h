// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/moves/repeated_command.h"

/// How often a command that is repeated begins at addresses that a machine aligns alike. Pure.
namespace okksim::kernels {

/// Points of some loops whose addresses have the same common divisor with the machine's alignment.
struct PlaceClass {
    std::int64_t element = 0;  ///< an element that is aligned as theirs, near the first one
    std::int64_t points = 0;

    bool operator==(const PlaceClass&) const = default;
};

/// Classes of the elements that loops of these extents and strides (in elements) visit, where
/// element 0 has this address; those with the fewest bytes in common first. Elements count from
/// the address; `alignment` >= 1.
std::vector<PlaceClass> place_classes(std::uint64_t address, int element_bytes,
                                      std::uint64_t alignment,
                                      std::span<const std::int64_t> extents,
                                      std::span<const std::int64_t> strides);

}  // namespace okksim::kernels
