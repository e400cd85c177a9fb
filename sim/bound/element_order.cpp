// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/element_order.h"

#include <bit>
#include <cstdint>

namespace okksim::sim::bound {
namespace {

/// Sets of elements, a row of bits for every element.
class ElementSets {
 public:
    explicit ElementSets(std::size_t count)
        : words_((count + kBits - 1) / kBits), bits_(count * words_, 0) {}

    void add(std::size_t set, std::size_t element) {
        row(set)[element / kBits] |= std::uint64_t{1} << element % kBits;
    }
    void add_all_of(std::size_t set, std::size_t other) {
        for (std::size_t i = 0; i < words_; ++i) row(set)[i] |= row(other)[i];
    }
    std::size_t size(std::size_t set) const {
        std::size_t all = 0;
        for (std::size_t i = 0; i < words_; ++i) {
            all += static_cast<std::size_t>(std::popcount(row(set)[i]));
        }
        return all;
    }
    /// Calls `body` with the elements below `end` that are in the set, or those that are not.
    template <typename Body>
    void for_each(std::size_t set, std::size_t end, bool members, const Body& body) const {
        for (std::size_t i = 0; i * kBits < end; ++i) {
            std::uint64_t left = members ? row(set)[i] : ~row(set)[i];
            if (end - i * kBits < kBits) left &= (std::uint64_t{1} << (end - i * kBits)) - 1;
            for (; left != 0; left &= left - 1) {
                body(i * kBits + static_cast<std::size_t>(std::countr_zero(left)));
            }
        }
    }

 private:
    static constexpr std::size_t kBits = 64;

    std::uint64_t* row(std::size_t set) { return bits_.data() + set * words_; }
    const std::uint64_t* row(std::size_t set) const { return bits_.data() + set * words_; }

    std::size_t words_;
    std::vector<std::uint64_t> bits_;
};

/// All that an element waits for, not only what it waits for directly.
ElementSets closures_of(const std::vector<NeedElement>& elements) {
    ElementSets before(elements.size());
    for (std::size_t i = 0; i < elements.size(); ++i) {
        for (const std::size_t other : elements[i].before) {
            before.add_all_of(i, other);
            before.add(i, other);
        }
    }
    return before;
}

}  // namespace

std::vector<Neighbours> neighbours_of(const std::vector<NeedElement>& elements) {
    const ElementSets before = closures_of(elements);
    std::vector<Neighbours> all(elements.size());
    // Elements that wait for most before them: as if for all, less the others.
    std::vector<bool> waits_for_most(elements.size());
    NeedSum earlier;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const bool most = waits_for_most[i] = 2 * before.size(i) > i;
        if (most) all[i].before = earlier;
        before.for_each(i, i, !most, [&](std::size_t other) {
            if (most) {
                all[i].before.remove(elements[other]);
                all[other].behind.remove(elements[i]);
            } else {
                all[i].before.add(elements[other]);
                all[other].behind.add(elements[i]);
            }
        });
        earlier.add(elements[i]);
    }
    NeedSum later;
    for (std::size_t i = elements.size(); i-- > 0;) {
        all[i].behind.add(later);
        if (waits_for_most[i]) later.add(elements[i]);
    }
    return all;
}

}  // namespace okksim::sim::bound
