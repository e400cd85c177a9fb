// SPDX-License-Identifier: Apache-2.0
#include "sim/bound/reachable_bound.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "sim/bound/element_order.h"
#include "sim/bound/own_work.h"
#include "sim/bound/step_cuts.h"
#include "sim/device/chip_device.h"
#include "sim/pricing/known_memory.h"

namespace okksim::sim::bound {
namespace {

using models::Picoseconds;

class BoundOfNeeds {
 public:
    BoundOfNeeds(const std::vector<NeedElement>& elements, const models::MachineParams& machine,
                 bool is_launch)
        : elements_(elements), order_(elements), times_(machine, is_launch) {
        bool has_layers = false;
        for (const NeedElement& element : elements) {
            all_.add(element);
            issue_.steps += element.is_step ? 1 : 0;
            has_layers |= element.is_of_layers;
        }
        issue_.commands = all_.commands();
        issue_.instructions = all_.instructions;
        if (has_layers) {
            issue_.add({0, layers_set_up(), 1, kLeastSections});
        } else if (all_.joining > 0 || issue_.steps == 0) {
            issue_.add({0, least_set_up(), 1, 0});
        }
    }

    ReachableBound run() const {
        ReachableBound bound;
        if (all_.commands() == 0) return bound;
        bound.issue = end(times_.issue(issue_) + last_command());
        bound.compute = end(first_issue() + least_load(all_) + times_.compute(all_.compute) +
                            least_store(all_));
        bound.memory = end(first_issue() + times_.traffic(all_.traffic));
        bound.path = path();
        return bound;
    }

 private:
    Picoseconds end(Picoseconds time) const { return time + times_.poll(); }
    Picoseconds first_issue() const { return times_.issue({1, least_set_up(), 1, 0}); }

    /// The compute engines wait for at least one load, and at least one store waits for them.
    Picoseconds least_load(const NeedSum& sum) const {
        return sum.traffic.loads > 0 ? times_.traffic({.loads = 1}) : Picoseconds{};
    }
    Picoseconds least_store(const NeedSum& sum) const {
        return sum.traffic.stores > 0 ? times_.traffic({.stores = 1}) : Picoseconds{};
    }
    /// The last result is stored by a command after its computation.
    Picoseconds last_command() const {
        return all_.traffic.stores > 0 ? times_.traffic({.stores = 1}) : times_.least_command();
    }

    /// Returns the earliest start of an uncut element after the first command. The element waits
    /// for all of its predecessors.
    Picoseconds until(std::size_t index) const {
        const NeedSum& before = order_.of(index).before;
        const Picoseconds computed = before.compute.commands > 0
                                         ? least_load(before) + times_.compute(before.compute)
                                         : Picoseconds{};
        const Picoseconds begun =
            first_issue() + std::max(computed, times_.traffic(before.traffic));
        return std::max(begun, issued(index));
    }
    /// Returns the time until the element's first command is issued, after those of its
    /// predecessors.
    Picoseconds issued(std::size_t index) const {
        const NeedSum& before = order_.of(index).before;
        const NeedElement& own = elements_[index];
        const bool joins = before.joining > 0 || own.joins_step;
        return times_.issue({before.commands() + 1,
                             before.instructions + own.instructions + (joins ? least_set_up() : 0),
                             1, 0});
    }
    Picoseconds of(std::size_t index) const {
        const NeedElement& element = elements_[index];
        return times_.compute(element.compute) + times_.traffic(element.traffic);
    }
    /// Returns the time from the end of an uncut element to the end of its successors, which wait
    /// for it.
    Picoseconds from(std::size_t index) const {
        const NeedSum& behind = order_.of(index).behind;
        const Picoseconds left = behind.compute.commands > 0
                                     ? times_.compute(behind.compute) + least_store(behind)
                                     : Picoseconds{};
        return std::max(left, times_.traffic(behind.traffic));
    }
    Picoseconds path_through(std::size_t index) const {
        return until(index) + of(index) + from(index);
    }

    /// Returns the length of the longest path through two uncut elements.
    Picoseconds path_through(std::size_t first, std::size_t last) const {
        const NeedSum between = order_.between(first, last);
        const Picoseconds computed =
            between.compute.commands > 0
                ? least_load(between) + times_.compute(between.compute) + least_store(between)
                : Picoseconds{};
        return until(first) + of(first) + std::max(computed, times_.traffic(between.traffic)) +
               of(last) + from(last);
    }

    /// Returns the longest path with dependences. Plans may cut elements on the longest paths, as
    /// long as the added commands cost less.
    Picoseconds path() const {
        std::vector<Picoseconds> ways;
        std::vector<std::size_t> wholes;
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            if (elements_[i].is_whole) wholes.push_back(i);
            if (elements_[i].can_be_whole && !elements_[i].is_whole) {
                ways.push_back(path_through(i));
            }
        }
        std::sort(ways.begin(), ways.end(), std::greater<>());
        Picoseconds least = end(issued_with(ways.size()));
        for (std::size_t cuts = 0; cuts < ways.size(); ++cuts) {
            least = std::min(least, end(std::max(issued_with(cuts), ways[cuts])));
        }
        for (const std::size_t last : wholes) {
            least = std::max(least, end(path_through(last)));
            for (const std::size_t first : wholes) {
                if (order_.waits(last, first))
                    least = std::max(least, end(path_through(first, last)));
            }
        }
        return least;
    }
    Picoseconds issued_with(std::size_t cuts) const {
        IssueNeed need = issue_;
        need.commands += static_cast<std::int64_t>(cuts);
        return times_.issue(need) + last_command();
    }

    const std::vector<NeedElement>& elements_;
    ElementOrder order_;
    EngineTimes times_;
    NeedSum all_;
    IssueNeed issue_;
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
    std::optional<ReachableBound> least;
    for (const std::vector<NeedElement>& elements : ways_of(scope, host)) {
        const ReachableBound bound = BoundOfNeeds(elements, machine.params, scope.is_launch).run();
        if (!least || bound.time() < least->time()) least = bound;
    }
    if (!least) return {};
    if (const auto by_steps = least_over_cuts_into_steps(scope, host)) {
        least->path = std::max(least->path, *by_steps);
    }
    return *least;
}

}  // namespace okksim::sim::bound
