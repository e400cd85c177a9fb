// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace okksim::sim::search {

/// A point, as the index of the value on each axis.
using Position = std::vector<std::uint32_t>;

/// A search for the Pareto-optimal points; all objectives are minimised.
struct SearchProblem {
    std::vector<std::uint32_t> sizes;  ///< number of values per axis
    std::size_t objectives = 1;
    std::uint32_t seed = 1;
    /// Returns the objectives of points; empty for an invalid point. Each point is asked for once.
    /// An exception from it ends the search.
    std::function<std::vector<std::vector<double>>(const std::vector<Position>&)> evaluate;
};

/// Asks for points until all are known or no new ones appear. The same problem gives the same
/// search on every host.
using SearchEngine = void (*)(const SearchProblem& problem);

/// Name of the engine's symbol in the library search.so.
constexpr const char* kSearchEngineName = "okksim_search_engine";

}  // namespace okksim::sim::search
