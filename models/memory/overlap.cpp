// SPDX-License-Identifier: Apache-2.0
#include "models/memory/overlap.h"

#include <algorithm>
#include <boost/container/static_vector.hpp>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "isa/base/hex.h"
#include "models/memory/footprint.h"

namespace okksim::models {
namespace {

struct Run {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

/// Contiguous pieces of one channel relative to the channel's start, ascending.
std::vector<Run> runs_of(const isa::TensorView& view) {
    const RunLoops loops = run_loops(view);
    std::vector<Run> runs;
    runs.reserve(static_cast<std::size_t>(std::min(loops.count(), kMaxFootprintRuns)));
    loops.for_each([&](std::int64_t offset) {
        runs.push_back({offset, offset + loops.run_bytes});
        return static_cast<std::int64_t>(runs.size()) < kMaxFootprintRuns;
    });
    std::sort(runs.begin(), runs.end(), [](const Run& x, const Run& y) { return x.low < y.low; });
    return runs;
}

/// First byte in both lists when the second is moved by `shift`.
std::optional<std::int64_t> common_byte(const std::vector<Run>& a, const std::vector<Run>& b,
                                        std::int64_t shift) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        const std::int64_t low = std::max(a[i].low, b[j].low + shift);
        const std::int64_t high = std::min(a[i].high, b[j].high + shift);
        if (low < high) return low;
        if (a[i].high < b[j].high + shift) {
            ++i;
        } else {
            ++j;
        }
    }
    return std::nullopt;
}

/// One local tensor: its pieces and the locations of its channel slots.
struct Slots {
    Slots(const isa::TensorView& view, const isa::MachineShape& machine)
        : first_lane(machine.lane_of(view.local_addr)),
          channels(view.shape.c),
          lanes(machine.lanes),
          count(isa::channels_per_lane(first_lane, view.shape.c, machine.lanes)),
          start(machine.offset_of(view.local_addr)),
          step(std::int64_t{view.stride.c} * view.element_bytes) {}

    SlotLanes lanes_of(std::int64_t slot) const {
        return slot_lanes(first_lane, channels, slot, lanes);
    }
    std::int64_t start_of(std::int64_t slot) const { return start + slot * step; }

    std::int32_t first_lane;
    std::int32_t channels;
    std::int32_t lanes;
    std::int64_t count;
    std::int64_t start;
    std::int64_t step;
};

bool intervals_meet(const isa::TensorView& a, const isa::TensorView& b,
                    const isa::MachineShape& machine) {
    const isa::ByteInterval x = isa::touched_bytes(a, machine);
    const isa::ByteInterval y = isa::touched_bytes(b, machine);
    return x.low < y.high && y.low < x.high;
}

/// One dimension of a tensor with at least two elements.
struct ElementStep {
    std::int64_t extent = 1;
    std::int64_t stride = 0;  ///< in elements, above 0
};
using ElementSteps = boost::container::static_vector<ElementStep, 4>;

/// Steps of a tensor's elements in one lane, or in system memory.
ElementSteps steps_of(const isa::TensorView& view, const isa::MachineShape& machine) {
    std::int64_t channels = view.shape.c;
    // Each lane holds every machine.lanes-th channel.
    if (view.local) channels = isa::div_up(channels, std::int64_t{machine.lanes});
    std::int64_t columns = view.shape.w;
    if (view.last_channel_w != 0 && view.shape.c == 1) columns = view.last_channel_w;
    ElementSteps steps;
    for (const ElementStep& step :
         {ElementStep{view.shape.n, view.stride.n}, ElementStep{channels, view.stride.c},
          ElementStep{view.shape.h, view.stride.h}, ElementStep{columns, view.stride.w}}) {
        if (step.extent > 1) steps.push_back({step.extent, std::abs(step.stride)});
    }
    return steps;
}

/// Removes the dimensions that cannot contribute to a collision. No multiple of their stride below
/// their extent equals a sum of multiples of the other strides.
void remove_separate(ElementSteps& steps) {
    for (std::size_t i = 0; i < steps.size();) {
        std::int64_t reach = 0;
        std::int64_t divisor = 0;
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (k == i) continue;
            reach += (steps[k].extent - 1) * steps[k].stride;
            divisor = std::gcd(divisor, steps[k].stride);
        }
        const std::int64_t least = divisor == 0 ? 0 : divisor / std::gcd(divisor, steps[i].stride);
        if (steps[i].stride > reach || least >= steps[i].extent) {
            steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(i));
            i = 0;
        } else {
            ++i;
        }
    }
}

/// True if multiples of the strides, each below its extent and not all 0, add up to `-sum`. The
/// last dimension is solved for.
bool meets(const ElementSteps& steps, std::size_t at, std::int64_t sum, bool is_zero) {
    const ElementStep& step = steps[at];
    if (at + 1 == steps.size()) {
        if (sum % step.stride != 0) return false;
        const std::int64_t times = std::abs(sum / step.stride);
        return times < step.extent && !(is_zero && times == 0);
    }
    // A solution and its negative are the same collision.
    for (std::int64_t k = is_zero ? 0 : 1 - step.extent; k < step.extent; ++k) {
        if (meets(steps, at + 1, sum + k * step.stride, is_zero && k == 0)) return true;
    }
    return false;
}

}  // namespace

bool shares_own_memory(const isa::TensorView& view, const isa::MachineShape& machine) {
    ElementSteps steps = steps_of(view, machine);
    if (std::ranges::any_of(steps, [](const ElementStep& step) { return step.stride == 0; })) {
        return true;
    }
    remove_separate(steps);
    if (steps.size() < 3) return !steps.empty();
    std::int64_t count = 1;
    std::int64_t reach = 1;
    for (const ElementStep& step : steps) {
        count *= step.extent;
        reach += (step.extent - 1) * step.stride;
    }
    if (count > reach) return true;
    std::ranges::sort(steps, {}, &ElementStep::extent);
    return meets(steps, 0, 0, true);
}

std::string LocalPlace::text() const {
    return "lane " + std::to_string(lane) + ", byte " +
           isa::hex(static_cast<std::uint64_t>(offset));
}

std::optional<LocalPlace> shared_place(const isa::TensorView& a, const isa::TensorView& b,
                                       const isa::MachineShape& machine) {
    if (!intervals_meet(a, b, machine)) return std::nullopt;
    const Slots x(a, machine);
    const Slots y(b, machine);
    const std::vector<Run> runs_a = runs_of(a);
    const std::vector<Run> runs_b = runs_of(b);
    for (std::int64_t i = 0; i < x.count; ++i) {
        const SlotLanes lanes_a = x.lanes_of(i);
        for (std::int64_t j = 0; j < y.count; ++j) {
            const SlotLanes lanes_b = y.lanes_of(j);
            const std::int32_t lane = std::max(lanes_a.first, lanes_b.first);
            if (lane >= std::min(lanes_a.last, lanes_b.last)) continue;
            const auto byte = common_byte(runs_a, runs_b, y.start_of(j) - x.start_of(i));
            if (byte) return LocalPlace{lane, x.start_of(i) + *byte};
        }
    }
    return std::nullopt;
}

bool reads_own_results(const isa::TensorView& result, const isa::TensorView& source,
                       const isa::MachineShape& machine) {
    const std::int32_t lane = machine.lane_of(result.local_addr);
    const std::int64_t bytes = result.element_bytes;
    const std::int64_t apart =
        machine.offset_of(source.local_addr) - machine.offset_of(result.local_addr);
    if (source.shape != result.shape || source.element_bytes != bytes || apart % bytes != 0 ||
        machine.lane_of(source.local_addr) != lane) {
        return true;
    }
    const isa::ByteInterval touched = isa::touched_bytes(result, machine);
    const std::int64_t first = (machine.offset_of(result.local_addr) - touched.low) / bytes;
    std::vector<bool> written(static_cast<std::size_t>((touched.high - touched.low) / bytes));
    const std::int64_t slots = isa::channels_per_lane(lane, result.shape.c, machine.lanes);
    const auto place = [](const isa::Dim4& stride, std::int64_t n, std::int64_t slot,
                          std::int64_t h, std::int64_t w) {
        return n * stride.n + slot * stride.c + h * stride.h + w * stride.w;
    };
    for (std::int64_t n = 0; n < result.shape.n; ++n) {
        for (std::int64_t slot = 0; slot < slots; ++slot) {
            for (std::int64_t h = 0; h < result.shape.h; ++h) {
                for (std::int64_t w = 0; w < result.shape.w; ++w) {
                    const std::int64_t read =
                        first + apart / bytes + place(source.stride, n, slot, h, w);
                    const bool is_inside =
                        read >= 0 && read < static_cast<std::int64_t>(written.size());
                    if (is_inside && written[static_cast<std::size_t>(read)]) return true;
                    written[static_cast<std::size_t>(first + place(result.stride, n, slot, h, w))] =
                        true;
                }
            }
        }
    }
    return false;
}

}  // namespace okksim::models
