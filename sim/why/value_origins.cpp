// SPDX-License-Identifier: Apache-2.0
#include "sim/why/value_origins.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <unordered_map>

#include "models/chip/functional_port.h"
#include "sim/trace/command_recorder.h"
#include "sim/trace/replay.h"

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
    std::unordered_multimap<std::size_t, Origin*> wanted;
    for (Origin& origin : tree.origins) wanted.emplace(origin.event, &origin);
    const isa::MachineShape shape = machine.params.shape();
    models::FunctionalPort port(shape);
    Reexecution result;
    const auto& events = recording.events();
    const std::size_t end = bytes == 0 ? end_of(tree) : events.size();
    for (std::size_t i = 0; i < end; ++i) {
        const Event& event = events[i];
        if (!event.is_command) {
            std::byte* const to = port.system_memory().pointer(event.address, event.data.size());
            if (to != nullptr) std::memcpy(to, event.data.data(), event.data.size());
            continue;
        }
        const auto [begin, end] = wanted.equal_range(i);
        for (auto at = begin; at != end; ++at) {
            for (OriginOperand& operand : at->second->operands) {
                for (Written& written : operand.writers) {
                    written.value = bits_at(port, written.place);
                }
            }
        }
        port.submit(event.command);
        for (auto at = begin; at != end; ++at) {
            at->second->value = bits_at(port, at->second->place);
        }
        if (event.data_crc && !result.deviates &&
            trace::written_crc(event.command, shape, port.local_memory(), port.system_memory()) !=
                *event.data_crc) {
            result.deviates = i;
        }
    }
    tree.asked.value = bits_at(port, tree.asked.place);
    const std::byte* const at = port.system_memory().pointer(address, bytes);
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
