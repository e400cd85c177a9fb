// SPDX-License-Identifier: Apache-2.0
#include "sim/graph/mlir/mlir_real.h"

#include <charconv>
#include <cstdlib>
#include <string>

namespace okksim::sim::graph {

MlirReal read_real(std::string_view text) {
    MlirReal real;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), real.value);
    if (result.ec == std::errc::invalid_argument) return real;
    real.size = static_cast<std::size_t>(result.ptr - text.data());
    // from_chars reports an out-of-range value without its direction.
    if (result.ec == std::errc::result_out_of_range) {
        real.value = std::strtod(std::string(text.substr(0, real.size)).c_str(), nullptr);
    }
    return real;
}

}  // namespace okksim::sim::graph
