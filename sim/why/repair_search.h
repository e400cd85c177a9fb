// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "sim/why/origin_search.h"

namespace okksim::sim::why {

/// A change of one line behind which all results are as expected.
struct Repair {
    std::string line;
    std::string change;  ///< "C = 2 instead of 3"
};

/// What a buffer should hold at the recording's end.
struct Expectation {
    std::uint64_t address = 0;
    std::string descr;  ///< element type, as in .npy files
    std::span<const std::byte> values;
    double relative = 0, absolute = 0;  ///< tolerance
    std::uint64_t first_wrong = 0;      ///< number of the element that is asked about
};

/// Tries what may be wrong with the lines behind a wrong element, by carrying the recording out
/// again with each of them changed, for about `seconds` of processor time: what mends the buffer,
/// likely mistakes first. Nothing where one run takes too long for that.
std::vector<Repair> find_repairs(const Recording& recording, const Machine& machine,
                                 const OriginTree& tree, const Expectation& expected,
                                 double seconds);

/// The number that an element of that type holds.
double number_at(const std::byte* at, const std::string& descr);

}  // namespace okksim::sim::why
