// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/graph_need.h"

namespace okksim::sim::bound {

/// The sums of the elements that must complete before an element, and of those that must follow it.
struct Neighbours {
    NeedSum before, behind;
};

/// Sets of elements, stored as one bit row per set.
class ElementSets {
 public:
    explicit ElementSets(std::size_t count)
        : words_((count + kBits - 1) / kBits), bits_(count * words_, 0) {}

    void add(std::size_t set, std::size_t element);
    void add_all_of(std::size_t set, std::size_t other);
    bool has(std::size_t set, std::size_t element) const;
    std::size_t size(std::size_t set) const;
    /// Calls `body` for every element below `end` that is a member, or that is not a member.
    template <typename Body>
    void for_each(std::size_t set, std::size_t end, bool members, const Body& body) const;

 private:
    static constexpr std::size_t kBits = 64;

    std::uint64_t* row(std::size_t set) { return bits_.data() + set * words_; }
    const std::uint64_t* row(std::size_t set) const { return bits_.data() + set * words_; }

    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

/// The dependences between elements. `elements` must outlive the object, and predecessors must come
/// first in it.
class ElementOrder {
 public:
    /// The time grows with the number of elements, and with the smaller of the numbers of dependent
    /// and independent pairs.
    explicit ElementOrder(const std::vector<NeedElement>& elements);

    const Neighbours& of(std::size_t element) const { return neighbours_[element]; }
    bool waits(std::size_t element, std::size_t other) const { return before_.has(element, other); }
    /// Returns the sum of the elements that depend on `first` and that `last` depends on.
    NeedSum between(std::size_t first, std::size_t last) const;

 private:
    const std::vector<NeedElement>& elements_;
    ElementSets before_;
    std::vector<Neighbours> neighbours_;
};

}  // namespace okksim::sim::bound
