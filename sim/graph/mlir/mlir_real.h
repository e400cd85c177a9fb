// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace okksim::sim::graph {

struct MlirReal {
    double value = 0;
    std::size_t size = 0;  ///< of the literal; 0: there is none
};

/// The decimal number that `text` begins with, rounded as IEEE 754 does: beyond every double it is
/// infinite, below all of them zero, each with its sign.
MlirReal read_real(std::string_view text);

}  // namespace okksim::sim::graph
