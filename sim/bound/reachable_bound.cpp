// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/reachable_bound.h"

#include <algorithm>
#include <functional>

#include "sim/bound/element_order.h"
#include "sim/device/chip_device.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::bound {
namespace {

using models::Picoseconds;

class BoundOfNeeds {
 public:
    BoundOfNeeds(const std::vector<NeedElement>& elements, const models::MachineParams& machine)
        : elements_(elements), times_(machine) {
        for (const NeedElement& element : elements) all_.add(element);
    }

    ReachableBound run() const {
        ReachableBound bound;
        if (all_.commands() == 0) return bound;
        bound.issue = end(times_.issue(all_.commands()) + last_command());
        bound.compute = end(first_issue() + least_load(all_) + times_.compute(all_.compute) +
                            least_store(all_));
        bound.memory = end(first_issue() + times_.traffic(all_.traffic));
        bound.path = path();
        return bound;
    }

 private:
    Picoseconds end(Picoseconds time) const { return time + times_.poll(); }
    Picoseconds first_issue() const { return times_.issue(1); }

    /// Work of the compute engines waits for some load, and some store for it.
    Picoseconds least_load(const NeedSum& sum) const {
        return sum.traffic.loads > 0 ? times_.traffic({.loads = 1}) : Picoseconds{};
    }
    Picoseconds least_store(const NeedSum& sum) const {
        return sum.traffic.stores > 0 ? times_.traffic({.stores = 1}) : Picoseconds{};
    }
    /// Whatever is computed is stored by a command that comes later.
    Picoseconds last_command() const {
        return all_.traffic.stores > 0 ? times_.traffic({.stores = 1}) : times_.least_command();
    }

    /// An element that is not cut waits for all before it, and all behind it wait for it.
    Picoseconds path_through(const NeedElement& element, const Neighbours& neighbours) const {
        const auto& [before, behind] = neighbours;
        const Picoseconds computed = before.compute.commands > 0
                                         ? least_load(before) + times_.compute(before.compute)
                                         : Picoseconds{};
        const Picoseconds left = behind.compute.commands > 0
                                     ? times_.compute(behind.compute) + least_store(behind)
                                     : Picoseconds{};
        TrafficNeed stored = behind.traffic;
        // Others' loads may be done before.
        stored.read = 0;
        stored.loads = 0;
        return first_issue() + std::max(computed, times_.traffic(before.traffic)) +
               times_.compute(element.compute) + times_.traffic(element.traffic) +
               std::max(left, times_.traffic(stored));
    }

    /// The elements with the longest ways are cut, as many as pays.
    Picoseconds path() const {
        const std::vector<Neighbours> neighbours = neighbours_of(elements_);
        std::vector<Picoseconds> ways;
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            if (!elements_[i].can_be_whole) continue;
            ways.push_back(path_through(elements_[i], neighbours[i]));
        }
        std::sort(ways.begin(), ways.end(), std::greater<>());
        Picoseconds least = end(issued_with(ways.size()));
        for (std::size_t cuts = 0; cuts < ways.size(); ++cuts) {
            least = std::min(least, end(std::max(issued_with(cuts), ways[cuts])));
        }
        return least;
    }
    Picoseconds issued_with(std::size_t cuts) const {
        return times_.issue(all_.commands() + static_cast<std::int64_t>(cuts)) + last_command();
    }

    const std::vector<NeedElement>& elements_;
    EngineTimes times_;
    NeedSum all_;
};

}  // namespace

Picoseconds ReachableBound::time() const { return std::max({issue, compute, memory, path}); }

const char* ReachableBound::limit() const {
    if (time().value == 0) return "-";
    if (time() == compute) return "compute";
    if (time() == memory) return "memory";
    return time() == issue ? "issue" : "dependences";
}

ReachableBound reachable_bound(const BoundScope& scope, const Machine& machine) {
    const pricing::KnownMemory known;
    pricing::MachineHost host(machine.params, context_options(machine), known);
    const std::vector<NeedElement> elements = needs_of(scope, host);
    return BoundOfNeeds(elements, machine.params).run();
}

}  // namespace okksim::sim::bound
