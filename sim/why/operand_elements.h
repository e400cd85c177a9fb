// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/tensors.h"

namespace okksim::sim::why {

/// Where an element lies: byte `at` of a lane, or system address `at`.
struct Place {
    bool local = false;
    std::int32_t lane = 0;
    std::int64_t at = 0;
    std::int32_t bytes = 4;

    auto operator<=>(const Place&) const = default;
    /// "lane 3, byte 0x80"; an address.
    std::string text() const;
};

/// Where element `index` of a tensor lies.
Place place_of(const isa::TensorView& view, const isa::Dim4& index,
               const isa::MachineShape& machine);

/// The element of a tensor that holds the first byte of a place.
std::optional<isa::Dim4> element_at(const isa::TensorView& view, const Place& place,
                                    const isa::MachineShape& machine);

/// The elements of operand `source` that element `index` of the result views[0] is made of, in the
/// order of the sum where there is one. Each once; at most `most`.
std::vector<Place> sources_of(const isa::Command& command, const isa::TensorViews& views,
                              int source, const isa::Dim4& index, const isa::MachineShape& machine,
                              std::size_t most);

}  // namespace okksim::sim::why
