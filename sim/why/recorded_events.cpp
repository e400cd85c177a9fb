// SPDX-License-Identifier: Apache-2.0
#include "sim/why/recorded_events.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "isa/base/errors.h"
#include "models/chip/chip_params.h"
#include "sim/trace/checkpoints.h"
#include "sim/trace/command_check.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::why {

std::uint64_t element_bytes_of(const std::string& descr) {
    std::uint64_t bytes = 0;
    const char* const begin = descr.data() + std::min<std::size_t>(2, descr.size());
    std::from_chars(begin, descr.data() + descr.size(), bytes);
    return std::max<std::uint64_t>(bytes, 1);
}

std::uint64_t Buffer::element_bytes() const { return element_bytes_of(descr); }

std::string Buffer::element_text(std::uint64_t at) const {
    if (at < address || at - address >= bytes) return {};
    std::uint64_t element = (at - address) / element_bytes();
    std::vector<std::uint64_t> index(shape.size());
    for (std::size_t i = shape.size(); i-- > 0;) {
        const auto extent = static_cast<std::uint64_t>(std::max<std::int64_t>(shape[i], 1));
        index[i] = element % extent;
        element /= extent;
    }
    return fmt::format("{}[{}]", name, fmt::join(index, ","));
}

Recording::Recording(const std::filesystem::path& path) : path_(path), reader_(path) {
    if (!reader_.has_data()) {
        throw ConfigError(path.string(),
                          "lacks the data of the run; record it with --record-data (host programs: "
                          "OKKSIM_RECORD_DATA=1)");
    }
    const models::MachineParams params = reader_.machine().params;
    const isa::MachineShape shape = params.shape();
    machine_shape_ = shape;
    local_start_ = static_cast<std::uint64_t>(params.chip->local_memory_start);
    trace::TraceEntry entry;
    while (reader_.next(entry)) {
        if (entry.kind == trace::EntryKind::kCommand) {
            if (const auto problem = trace::command_problem(entry.command, shape)) {
                throw ConfigError(reader_.where(), *problem);
            }
        }
        add(entry);
    }
    for (Checkpoint& checkpoint : checkpoints_) settle(checkpoint);
}

Place place_of(const Event& event, const isa::MachineShape& machine) {
    if (!event.local) return {false, 0, static_cast<std::int64_t>(event.address), 1};
    const isa::LocalAddr address{static_cast<std::uint32_t>(event.address)};
    return {true, machine.lane_of(address), machine.offset_of(address), 1};
}

void Recording::settle(Checkpoint& checkpoint) const {
    checkpoint.settled = checkpoint.event;
    if (checkpoint.ahead.empty()) return;
    std::uint64_t commands = 0;
    while (checkpoint.settled < events_.size() && commands <= checkpoint.ahead.back()) {
        commands += events_[checkpoint.settled++].is_command ? 1 : 0;
    }
}

const Checkpoint* Recording::checkpoint_before(std::size_t event) const {
    const auto behind =
        std::find_if(checkpoints_.begin(), checkpoints_.end(),
                     [event](const Checkpoint& checkpoint) { return checkpoint.settled > event; });
    return behind == checkpoints_.begin() ? nullptr : &*std::prev(behind);
}

void Recording::add_data(const trace::TraceEntry& entry, Event event) {
    const std::uint64_t address = entry.access.address.value();
    if (checkpoint_bytes_ > 0) {
        checkpoint_bytes_ -= std::min<std::uint64_t>(entry.data.size(), checkpoint_bytes_);
        checkpoints_.back().pieces.push_back({address, entry.data});
        return;
    }
    event.is_fresh = fresh_bytes_ > 0;
    fresh_bytes_ -= std::min<std::uint64_t>(entry.data.size(), fresh_bytes_);
    const isa::MachineShape& shape = machine_shape_;
    const auto lanes = static_cast<std::uint64_t>(shape.lanes * shape.local_bytes);
    event.by_processor = in_launch_;
    event.local = address - local_start_ < lanes && !shape.in_one_memory(address);
    event.address = event.local ? address - local_start_ : address;
    event.data = entry.data;
    events_.push_back(event);
}

void Recording::add_checkpoint(const trace::TraceEntry& entry) {
    Checkpoint checkpoint;
    checkpoint.event = events_.size();
    const char* at = entry.name.data() + trace::kCheckpointName.size();
    const char* const end = entry.name.data() + entry.name.size();
    while (at < end) {
        std::uint64_t number = 0;
        const auto [behind, error] = std::from_chars(at, end, number);
        if (error != std::errc{}) break;
        checkpoint.ahead.push_back(number);
        at = behind + 1;  // after the comma
    }
    checkpoint_bytes_ = entry.access.bytes;
    checkpoints_.push_back(std::move(checkpoint));
}

void Recording::add(const trace::TraceEntry& entry) {
    Event event;
    event.line = line_;
    event.launch = static_cast<std::uint32_t>(launches_.size());
    switch (entry.kind) {
        case trace::EntryKind::kLaunch:
            launches_.push_back(entry.name);
            launch_begins_.emplace_back();
            in_launch_ = true;
            return;
        case trace::EntryKind::kPlace: {
            const auto known = std::find(lines_.begin(), lines_.end(), entry.name);
            line_ = static_cast<std::uint32_t>(known - lines_.begin());
            if (known == lines_.end()) lines_.push_back(entry.name);
            return;
        }
        case trace::EntryKind::kBuffer: return add_buffer(entry);
        case trace::EntryKind::kData: return add_data(entry, event);
        case trace::EntryKind::kCommand:
            event.is_command = true;
            event.command = entry.command;
            event.data_crc = entry.data_crc;
            events_.push_back(event);
            return;
        case trace::EntryKind::kFinish: in_launch_ = false; return;
        case trace::EntryKind::kPoll:
        case trace::EntryKind::kCharge:
        case trace::EntryKind::kCompute:
        case trace::EntryKind::kAccess: return;
    }
}

void Recording::add_buffer(const trace::TraceEntry& entry) {
    // Format: "name:<f4[2,3]". The name itself may contain colons and brackets.
    const std::string& text = entry.name;
    if (text.starts_with(trace::kCheckpointName)) return add_checkpoint(entry);
    if (text == trace::kBegunName && !launch_begins_.empty()) {
        launch_begins_.back() = models::Picoseconds{static_cast<std::int64_t>(entry.access.bytes)};
        return;
    }
    if (text == trace::kStoresLostName) {
        if (!stores_lost_) stores_lost_ = events_.size();
        return;
    }
    if (text == trace::kForgottenName) {
        fresh_bytes_ = entry.access.bytes;
        return;
    }
    if (text.starts_with(trace::kLibraryName)) {
        const std::string library = text.substr(trace::kLibraryName.size());
        const std::optional<std::uint64_t> mark = trace::file_mark(library);
        if (mark != entry.access.bytes) changed_libraries_.push_back({library, !mark});
        return;
    }
    const std::size_t colon = text.rfind(':');
    const std::size_t bracket = text.find('[', colon == std::string::npos ? 0 : colon);
    if (colon == std::string::npos || bracket == std::string::npos) return;
    Buffer buffer;
    buffer.name = text.substr(0, colon);
    buffer.descr = text.substr(colon + 1, bracket - colon - 1);
    buffer.address = entry.access.address.value();
    buffer.bytes = entry.access.bytes;
    buffer.event = events_.size();
    for (const char* at = text.data() + bracket + 1; at < text.data() + text.size(); ++at) {
        std::int64_t extent = 0;
        const auto [end, error] = std::from_chars(at, text.data() + text.size(), extent);
        if (error != std::errc{}) break;
        buffer.shape.push_back(extent);
        at = end;
    }
    buffers_.push_back(std::move(buffer));
}

std::string Recording::changed_libraries() const {
    std::string text;
    for (const auto& [library, is_gone] : changed_libraries_) {
        text += library + (is_gone ? " cannot be read any more and may have changed; the report "
                                     "names lines of the recorded build\n"
                                   : " is another build than the recorded one; the report names "
                                     "lines of the recorded build\n");
    }
    return text;
}

std::optional<models::Picoseconds> Recording::launch_begin(std::size_t launch) const {
    return launch == 0 || launch > launch_begins_.size() ? std::nullopt
                                                         : launch_begins_[launch - 1];
}

std::string Recording::launch_name(const Event& event) const {
    return event.launch == 0 ? "" : launches_[event.launch - 1];
}

std::string Recording::element_text(std::uint64_t address, std::size_t event) const {
    // The name of a copied buffer follows its data; a copy back may give it further names.
    std::string last;
    for (const Buffer& buffer : buffers_) {
        std::string text = buffer.element_text(address);
        if (text.empty()) continue;
        if (buffer.event > event) return text;
        last = std::move(text);
    }
    return last;
}

}  // namespace okksim::sim::why
