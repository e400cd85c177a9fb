// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/planning/group_pricer.h"

namespace okksim::sim::planning {

/// The best choice for the rest of a chain from a position on.
struct ChainChoice {
    std::size_t end = 0;  ///< start of the next choice
    kernels::layers::SliceCounts slices;
    bool grouped = false;  ///< a layer group; otherwise separate kernels
    double saved = 0;      ///< microseconds saved up to the end of the chain
};

/// The ways to cut a chain, a run of operators that can be layers, into groups.
class ChainCuts {
 public:
    /// Both must outlive this object.
    ChainCuts(GroupPricer& pricer, std::span<const std::uint32_t> chain, CutSearch search);

    /// Returns the fewest operators of a group. A group of one keeps no feature map, but its parts
    /// may be faster than a kernel's tiles, or avoid a reorder.
    std::size_t least_operators() const { return search_ == CutSearch::kWhereNeeded ? 2 : 1; }
    /// Returns the next position from `at` on where a kernel of the plan without groups ends.
    std::size_t end_of_kernel(std::size_t at) const;

    /// Returns the best choice for each position where a kernel begins: the choices with the
    /// largest sum of saved time.
    std::vector<ChainChoice> best();

 private:
    std::size_t begin_of_kernel(std::size_t at) const;
    void consider(std::size_t at, std::size_t end, const SlicedTime& sliced);
    double limit(std::size_t at, std::size_t end) const;
    std::size_t whole_end(std::size_t at) const;
    void consider_whole(std::size_t at);
    void consider_slices(std::size_t at);
    bool is_passed(std::size_t at, std::size_t next);

    GroupPricer& pricer_;
    std::span<const std::uint32_t> chain_;
    CutSearch search_;
    std::vector<double> apart_;  ///< microseconds of the operators before a position
    std::vector<ChainChoice> choices_;
    std::size_t fits_;             ///< end of the longest group that fits as a whole
    std::vector<bool> may_begin_;  ///< positions where a group may begin
    std::size_t passed_ = 0;       ///< see is_passed()
};

}  // namespace okksim::sim::planning
