// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/planning/host.h"

/// When weights move: pure, no machine.
namespace okksim::kernels::layers {

/// How long the engines are busy in each section: the compute engine, or the control processor if
/// it takes longer, and the data mover.
struct SectionTimes {
    std::vector<Duration> compute;
    std::vector<Duration> transfer;

    Duration slack(int section) const {
        const auto i = static_cast<std::size_t>(section);
        return compute[i] - transfer[i];
    }
};

/// Something to be loaded before a section, one unit after the other.
struct LoadRequest {
    std::int64_t units = 1;
    Duration setup{};      ///< of each transfer
    Duration unit_time{};  ///< of each unit besides
    int needed = 1;        ///< section that reads it
};

/// Units of a request that are loaded in a section, by one transfer.
struct UnitLoad {
    int section = 0;
    std::int64_t first = 0, count = 0;
};

/// Deals a request's units to sections in [first, needed), the earliest with slack first; what
/// finds none goes where least is missing. Notes the time in `times`. At least one load, ascending.
std::vector<UnitLoad> deal_out(const LoadRequest& request, int first, SectionTimes& times);

/// How much longer the sections take together with the units dealt out so.
Duration added_time(const LoadRequest& request, int first, const SectionTimes& times);

/// The first section from `first` on in which a unit fits the slack; `needed` - 1 when none does.
int first_with_slack(const LoadRequest& request, int first, const SectionTimes& times);

}  // namespace okksim::kernels::layers
