// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/tensors.h"

namespace okksim::sim::why {

/// The location of an element: byte `at` of a lane, or system address `at`.
struct Place {
    bool local = false;
    std::int32_t lane = 0;
    std::int64_t at = 0;
    std::int32_t bytes = 4;

    auto operator<=>(const Place&) const = default;
    /// Returns e.g. "lane 3, byte 0x80", or the system address.
    std::string text() const;
};

/// Returns the location of element `index` of a tensor.
Place place_of(const isa::TensorView& view, const isa::Dim4& index,
               const isa::MachineShape& machine);

/// Returns the tensor's element that contains the first byte at `place`.
std::optional<isa::Dim4> element_at(const isa::TensorView& view, const Place& place,
                                    const isa::MachineShape& machine);

/// Returns the elements of operand `source` on which element `index` of the result views[0]
/// depends. They are in the order of the sum, if there is one, without duplicates, and at most
/// `most`.
std::vector<Place> sources_of(const isa::Command& command, const isa::TensorViews& views,
                              int source, const isa::Dim4& index, const isa::MachineShape& machine,
                              std::size_t most);

}  // namespace okksim::sim::why
