// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace okksim::sim::search {

/// A point by which value each axis has.
using Position = std::vector<std::uint32_t>;

/// What is sought: points whose objectives, all smaller is better, nobody beats.
struct SearchProblem {
    std::vector<std::uint32_t> sizes;  ///< values of each axis
    std::size_t objectives = 1;
    std::uint32_t seed = 1;
    /// The objectives of points, each asked for once; empty for one that there cannot be. What it
    /// throws ends the search.
    std::function<std::vector<std::vector<double>>(const std::vector<Position>&)> evaluate;
};

/// Asks for points until all have been, or nothing new comes up any more. The same problem is
/// searched the same way everywhere.
using SearchEngine = void (*)(const SearchProblem& problem);

/// The name under which the library search.so has it.
constexpr const char* kSearchEngineName = "okksim_search_engine";

}  // namespace okksim::sim::search
