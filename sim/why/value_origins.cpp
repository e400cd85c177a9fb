// SPDX-License-Identifier: Apache-2.0
#include "sim/why/value_origins.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "models/chip/functional_port.h"
#include "sim/why/event_times.h"
#include "sim/why/recorded_memory.h"

namespace okksim::sim::why {
namespace {

/// Returns the bits of an element; bits past its size are zero.
std::uint32_t bits_at(models::FunctionalPort& port, const Place& place) {
    std::uint32_t bits = 0;
    const auto size = static_cast<std::size_t>(std::min<std::int32_t>(place.bytes, sizeof bits));
    const std::byte* const at =
        place.local ? port.local_memory().at(place.lane, place.at)
                    : port.system_memory().pointer(static_cast<std::uint64_t>(place.at), size);
    if (at != nullptr) std::memcpy(&bits, at, size);
    return bits;
}

/// Returns the position after the tree's last event. No later event writes the requested element.
std::size_t end_of(const OriginTree& tree) {
    std::size_t end = tree.asked.event ? *tree.asked.event + 1 : 0;
    for (const Origin& origin : tree.origins) end = std::max(end, origin.event + 1);
    return end;
}

}  // namespace

Reexecution fill_values(const Recording& recording, const Machine& machine, OriginTree& tree,
                        std::uint64_t address, std::uint64_t bytes) {
    std::map<std::size_t, std::vector<Origin*>> wanted;
    for (Origin& origin : tree.origins) wanted[origin.event].push_back(&origin);
    RecordedMemory memory(recording, machine, true);
    for (const auto& [event, origins] : wanted) {
        memory.move_to(event);
        for (Origin* const origin : origins) {
            for (OriginOperand& operand : origin->operands) {
                for (Written& written : operand.writers) {
                    written.value = bits_at(memory.port(), written.place);
                }
            }
        }
        memory.move_to(event + 1);
        for (Origin* const origin : origins) origin->value = bits_at(memory.port(), origin->place);
    }
    memory.move_to(bytes == 0 ? end_of(tree) : recording.events().size());
    tree.asked.value = bits_at(memory.port(), tree.asked.place);
    Reexecution result;
    result.deviates = memory.deviates();
    const std::byte* const at = memory.port().system_memory().pointer(address, bytes);
    if (at != nullptr) result.bytes.assign(at, at + bytes);
    return result;
}

void fill_times(const Recording& recording, OriginTree& tree) {
    const std::vector<EventTime> times = event_times(recording);
    for (Origin& origin : tree.origins) {
        origin.start = times[origin.event].start;
        origin.end = times[origin.event].end;
    }
}

}  // namespace okksim::sim::why
