// SPDX-License-Identifier: Apache-2.0
#include "kernels/layers/layer_schedule.h"

#include <algorithm>

namespace okksim::kernels::layers {
namespace {

Duration time_of(const LoadRequest& request, std::int64_t units) {
    return request.setup + request.unit_time * units;
}

/// Units whose transfer fits the slack.
std::int64_t units_within(const LoadRequest& request, Duration slack, std::int64_t most) {
    if (slack < time_of(request, 1)) return 0;
    if (request.unit_time <= Duration{}) return most;
    return std::min<std::int64_t>((slack - request.setup) / request.unit_time, most);
}

}  // namespace

int first_with_slack(const LoadRequest& request, int first, const SectionTimes& times) {
    for (int section = first; section < request.needed; ++section) {
        if (units_within(request, times.slack(section), 1) > 0) return section;
    }
    return request.needed - 1;
}

namespace {

std::vector<UnitLoad> dealt(const LoadRequest& request, int first, const SectionTimes& times) {
    std::vector<UnitLoad> loads;
    std::int64_t done = 0;
    for (int section = first; section < request.needed && done < request.units; ++section) {
        const std::int64_t count =
            units_within(request, times.slack(section), request.units - done);
        if (count == 0) continue;
        loads.push_back({section, done, count});
        done += count;
    }
    if (done < request.units) {
        // The remaining units go to the section with most slack, which waits least for them.
        int best = request.needed - 1;
        for (int section = best - 1; section >= first; --section) {
            if (times.slack(section) > times.slack(best)) best = section;
        }
        const auto at = std::find_if(loads.begin(), loads.end(),
                                     [&](const UnitLoad& load) { return load.section >= best; });
        if (at != loads.end() && at->section == best) {
            at->count += request.units - done;
        } else {
            loads.insert(at, {best, 0, request.units - done});
        }
        done = 0;
        for (UnitLoad& load : loads) {
            load.first = done;
            done += load.count;
        }
    }
    return loads;
}

}  // namespace

std::vector<UnitLoad> deal_out(const LoadRequest& request, int first, SectionTimes& times) {
    std::vector<UnitLoad> loads = dealt(request, first, times);
    for (const UnitLoad& load : loads) {
        times.transfer[static_cast<std::size_t>(load.section)] += time_of(request, load.count);
    }
    return loads;
}

Duration added_time(const LoadRequest& request, int first, const SectionTimes& times) {
    Duration added{};
    for (const UnitLoad& load : dealt(request, first, times)) {
        const Duration slack = times.slack(load.section);
        added += std::max(Duration{}, time_of(request, load.count) - slack) -
                 std::max(Duration{}, -slack);
    }
    return added;
}

}  // namespace okksim::kernels::layers
