// SPDX-License-Identifier: Apache-2.0
#include "sim/why/value_origins.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "models/chip/functional_port.h"
#include "sim/trace/replay.h"
#include "sim/why/recorded_memory.h"

namespace okksim::sim::why {
namespace {

/// The bits at a place; nothing beyond its bytes.
std::uint32_t bits_at(models::FunctionalPort& port, const Place& place) {
    std::uint32_t bits = 0;
    const auto size = static_cast<std::size_t>(std::min<std::int32_t>(place.bytes, sizeof bits));
    const std::byte* const at =
        place.local ? port.local_memory().at(place.lane, place.at)
                    : port.system_memory().pointer(static_cast<std::uint64_t>(place.at), size);
    if (at != nullptr) std::memcpy(&bits, at, size);
    return bits;
}

/// When every command of interest ran; a replay completes commands in program order.
class Times : public trace::AccountListener {
 public:
    explicit Times(const std::map<std::uint64_t, std::vector<Origin*>>& wanted) : wanted_(wanted) {}

    void accounted(const isa::Command&, const models::CommandTimes& times,
                   const trace::CommandAccount&) override {
        const auto found = wanted_.find(command_++);
        if (found == wanted_.end()) return;
        for (Origin* const origin : found->second) {
            origin->start = times.start;
            origin->end = times.end;
        }
    }

 private:
    const std::map<std::uint64_t, std::vector<Origin*>>& wanted_;
    std::uint64_t command_ = 0;
};

/// Behind the last event that the tree names: nobody wrote what was asked for after its writer.
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
    std::map<std::size_t, std::uint64_t> command_of;
    for (const Origin& origin : tree.origins) command_of[origin.event] = 0;
    std::uint64_t command = 0;
    for (std::size_t i = 0; i < recording.events().size(); ++i) {
        const auto found = command_of.find(i);
        if (found != command_of.end()) found->second = command;
        if (recording.events()[i].is_command) ++command;
    }
    std::map<std::uint64_t, std::vector<Origin*>> wanted;
    for (Origin& origin : tree.origins) wanted[command_of[origin.event]].push_back(&origin);
    Times times(wanted);
    trace::ReplayOptions options;
    options.listeners.push_back(&times);
    trace::replay(recording.path(), options);
}

}  // namespace okksim::sim::why
