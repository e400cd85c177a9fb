// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/why/origin_search.h"

namespace okksim::sim::why {

/// A change of one line after which all results are as expected.
struct Repair {
    std::string line;
    std::string change;  ///< "C = 2 instead of 3"
};

/// The expected contents of a buffer at the recording's end.
struct Expectation {
    std::uint64_t address = 0;
    std::string descr;  ///< element type, as in .npy files
    std::span<const std::byte> values;
    double relative = 0, absolute = 0;  ///< tolerance
    std::uint64_t first_wrong = 0;      ///< index of the element in question
};

/// Tries possible errors of the lines on which a wrong element depends. It executes the recording
/// with one line changed at a time, for about `seconds` of processor time. Returns the changes that
/// correct the whole buffer, likely errors first. Returns nothing if one run takes too long.
std::vector<Repair> find_repairs(const Recording& recording, const Machine& machine,
                                 const OriginTree& tree, const Expectation& expected,
                                 double seconds);

/// Returns the number in an element of type `descr`.
double number_at(const std::byte* at, const std::string& descr);

}  // namespace okksim::sim::why
