// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/element_order.h"

#include <bit>

namespace okksim::sim::bound {

void ElementSets::add(std::size_t set, std::size_t element) {
    row(set)[element / kBits] |= std::uint64_t{1} << element % kBits;
}

void ElementSets::add_all_of(std::size_t set, std::size_t other) {
    for (std::size_t i = 0; i < words_; ++i) row(set)[i] |= row(other)[i];
}

bool ElementSets::has(std::size_t set, std::size_t element) const {
    return (row(set)[element / kBits] >> element % kBits & 1) != 0;
}

std::size_t ElementSets::size(std::size_t set) const {
    std::size_t all = 0;
    for (std::size_t i = 0; i < words_; ++i) {
        all += static_cast<std::size_t>(std::popcount(row(set)[i]));
    }
    return all;
}

template <typename Body>
void ElementSets::for_each(std::size_t set, std::size_t end, bool members, const Body& body) const {
    for (std::size_t i = 0; i * kBits < end; ++i) {
        std::uint64_t left = members ? row(set)[i] : ~row(set)[i];
        if (end - i * kBits < kBits) left &= (std::uint64_t{1} << (end - i * kBits)) - 1;
        for (; left != 0; left &= left - 1) {
            body(i * kBits + static_cast<std::size_t>(std::countr_zero(left)));
        }
    }
}

ElementOrder::ElementOrder(const std::vector<NeedElement>& elements)
    : elements_(elements), before_(elements.size()), neighbours_(elements.size()) {
    for (std::size_t i = 0; i < elements.size(); ++i) {
        for (const std::size_t other : elements[i].before) {
            before_.add_all_of(i, other);
            before_.add(i, other);
        }
    }
    // An element that depends on most earlier ones starts with the sum of all, less the others.
    std::vector<bool> waits_for_most(elements.size());
    NeedSum earlier;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const bool most = waits_for_most[i] = 2 * before_.size(i) > i;
        if (most) neighbours_[i].before = earlier;
        before_.for_each(i, i, !most, [&](std::size_t other) {
            if (most) {
                neighbours_[i].before.remove(elements[other]);
                neighbours_[other].behind.remove(elements[i]);
            } else {
                neighbours_[i].before.add(elements[other]);
                neighbours_[other].behind.add(elements[i]);
            }
        });
        earlier.add(elements[i]);
    }
    NeedSum later;
    for (std::size_t i = elements.size(); i-- > 0;) {
        neighbours_[i].behind.add(later);
        if (waits_for_most[i]) later.add(elements[i]);
    }
}

NeedSum ElementOrder::between(std::size_t first, std::size_t last) const {
    NeedSum sum;
    before_.for_each(last, last, true, [&](std::size_t element) {
        if (waits(element, first)) sum.add(elements_[element]);
    });
    return sum;
}

}  // namespace okksim::sim::bound
