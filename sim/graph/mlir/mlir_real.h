// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace okksim::sim::graph {

struct MlirReal {
    double value = 0;
    std::size_t size = 0;  ///< of the literal; 0 if there is none
};

/// Reads the decimal number at the beginning of `text`, rounded by IEEE 754. It becomes infinite
/// above the range of double and zero below it, with its sign.
MlirReal read_real(std::string_view text);

}  // namespace okksim::sim::graph
