// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/bound/graph_need.h"

namespace okksim::sim::bound {

/// What has to be complete before an element can be, and what cannot be before it is.
struct Neighbours {
    NeedSum before, behind;
};

/// Sets of elements, a row of bits for every element.
class ElementSets {
 public:
    explicit ElementSets(std::size_t count)
        : words_((count + kBits - 1) / kBits), bits_(count * words_, 0) {}

    void add(std::size_t set, std::size_t element);
    void add_all_of(std::size_t set, std::size_t other);
    bool has(std::size_t set, std::size_t element) const;
    std::size_t size(std::size_t set) const;
    /// Calls `body` with the elements below `end` that are in the set, or those that are not.
    template <typename Body>
    void for_each(std::size_t set, std::size_t end, bool members, const Body& body) const;

 private:
    static constexpr std::size_t kBits = 64;

    std::uint64_t* row(std::size_t set) { return bits_.data() + set * words_; }
    const std::uint64_t* row(std::size_t set) const { return bits_.data() + set * words_; }

    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

/// What elements, which must outlive it, wait for; predecessors come before them.
class ElementOrder {
 public:
    /// Time grows with the number of elements and with the pairs that do not wait for each other,
    /// or do, whichever are fewer.
    explicit ElementOrder(const std::vector<NeedElement>& elements);

    const Neighbours& of(std::size_t element) const { return neighbours_[element]; }
    bool waits(std::size_t element, std::size_t other) const { return before_.has(element, other); }
    /// What waits for one element, and the other one for it.
    NeedSum between(std::size_t first, std::size_t last) const;

 private:
    const std::vector<NeedElement>& elements_;
    ElementSets before_;
    std::vector<Neighbours> neighbours_;
};

}  // namespace okksim::sim::bound
