// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/planning/host.h"

/// Schedule of weight loads: pure, no machine.
namespace okksim::kernels::layers {

/// Busy time of the engines in each section. `compute` is the longer of compute engine and control
/// processor, `transfer` is the GDMA.
struct SectionTimes {
    std::vector<Duration> compute;
    std::vector<Duration> transfer;

    Duration slack(int section) const {
        const auto i = static_cast<std::size_t>(section);
        return compute[i] - transfer[i];
    }
};

/// Units to be loaded before a section, one after the other.
struct LoadRequest {
    std::int64_t units = 1;
    Duration setup{};      ///< of each transfer
    Duration unit_time{};  ///< of each unit, without setup
    int needed = 1;        ///< section of the reader
};

/// Units of a request that are loaded in a section, by one transfer.
struct UnitLoad {
    int section = 0;
    std::int64_t first = 0, count = 0;
};

/// Assigns a request's units to sections in [first, needed), the earliest with slack first. Units
/// without slack go where they add least time. Adds the time to `times`. Returns at least one load,
/// in ascending order.
std::vector<UnitLoad> deal_out(const LoadRequest& request, int first, SectionTimes& times);

/// Time that the sections take longer after this assignment.
Duration added_time(const LoadRequest& request, int first, const SectionTimes& times);

/// First section from `first` on with slack for one unit; `needed` - 1 if there is none.
int first_with_slack(const LoadRequest& request, int first, const SectionTimes& times);

}  // namespace okksim::kernels::layers
