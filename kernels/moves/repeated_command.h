// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "firmware/okk.h"
#include "isa/base/errors.h"

namespace okksim::kernels {

/// A loop around a command; steps count elements.
struct CommandLoop {
    std::int64_t extent = 1;
    std::int64_t to = 0;
    std::int64_t from = 0;
};

/// Most loops around one command: one per dimension of a tensor, the two halves of an element and a
/// dimension that was cut.
inline constexpr std::size_t kMostLoops = 8;

/// Calls `body` with the elements of destination and source at every point of the loops, which are
/// innermost first.
template <typename Body>
void for_each_point(const std::vector<CommandLoop>& loops, std::int64_t to, std::int64_t from,
                    const Body& body) {
    OKKSIM_CHECK(loops.size() <= kMostLoops);
    std::array<std::int64_t, kMostLoops> index{};
    for (;;) {
        body(to, from);
        std::size_t i = 0;
        for (; i < loops.size(); ++i) {
            const CommandLoop& loop = loops[i];
            const std::int64_t step = ++index[i] < loop.extent ? 1 : 1 - loop.extent;
            to += step * loop.to;
            from += step * loop.from;
            if (step == 1) break;
            index[i] = 0;
        }
        if (i == loops.size()) return;
    }
}

inline std::int64_t point_count(const std::vector<CommandLoop>& loops) {
    std::int64_t points = 1;
    for (const CommandLoop& loop : loops) points *= loop.extent;
    return points;
}

/// One okk.h command, repeated at every point of some loops. All members count elements. A fill has
/// no source.
struct RepeatedCommand {
    dim4 shape{1, 1, 1, 1};
    dim4 to{0, 0, 0, 1};
    dim4 from{0, 0, 0, 1};
    std::int64_t first_to = 0;  ///< elements from the start of the destination
    std::int64_t first_from = 0;
    std::vector<CommandLoop> loops;  ///< innermost first

    std::uint64_t argument_words() const { return 14 + 3 * loops.size(); }
};

}  // namespace okksim::kernels
