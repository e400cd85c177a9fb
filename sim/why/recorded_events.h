// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isa/command.h"
#include "models/common/units.h"
#include "sim/trace/command_trace_reader.h"
#include "sim/why/operand_elements.h"

namespace okksim::sim::why {

/// Something that wrote memory: a command, or the host or processor.
struct Event {
    bool is_command = false;
    bool by_processor = false;  ///< otherwise, when it is no command, by the host
    bool is_fresh = false;      ///< nobody's data: memory that is handed out again
    isa::Command command;
    std::optional<std::uint32_t> data_crc;
    std::uint32_t line = 0;    ///< number of its line, or 0
    std::uint32_t launch = 0;  ///< counted from 1; 0: before the first
    /// Of data: in lanes a local address, a lane after the other.
    bool local = false;
    std::uint64_t address = 0;
    std::span<const std::byte> data;  ///< valid as long as the recording
};

/// Where the data of an event begin that is no command.
Place place_of(const Event& event, const isa::MachineShape& machine);

/// A buffer of the host's: "y.npy:<f4[2,3]".
struct Buffer {
    std::string name;  ///< "y.npy"
    std::string descr;
    std::vector<std::int64_t> shape;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::size_t event = 0;  ///< before which it has got its name

    std::uint64_t element_bytes() const;
    /// "y.npy[2,0]"; empty when the address lies outside.
    std::string element_text(std::uint64_t at) const;
};

/// Memory before an event.
struct Checkpoint {
    struct Piece {
        std::uint64_t address = 0;
        std::span<const std::byte> data;  ///< valid as long as the recording
    };
    std::size_t event = 0;
    /// Of the commands from `event` on, counted from 0, those that have had their effect already.
    std::vector<std::uint64_t> ahead;
    /// From here on memory is as it is when all commands before have had theirs.
    std::size_t settled = 0;
    std::vector<Piece> pieces;
};

/// A recording with data, read as a whole.
class Recording {
 public:
    /// ConfigError when it is damaged, or has no data.
    explicit Recording(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    Machine machine() const { return reader_.machine(); }
    const std::vector<Event>& events() const { return events_; }
    const std::vector<Buffer>& buffers() const { return buffers_; }
    /// The last checkpoint that serves to go to an event; nullptr: the beginning.
    const Checkpoint* checkpoint_before(std::size_t event) const;
    /// The line of an event, or nothing.
    const std::string& line(const Event& event) const { return lines_[event.line]; }
    /// Says which libraries with kernels are another build now than when they were recorded, a line
    /// each.
    std::string changed_libraries() const;
    /// Before which event the control processor's own stores ceased to be recorded, if they did.
    std::optional<std::size_t> stores_lost() const { return stores_lost_; }
    /// When a launch began, counted from 1; nothing: not recorded.
    std::optional<models::Picoseconds> launch_begin(std::size_t launch) const;
    std::string launch_name(const Event& event) const;
    /// The element of a buffer at a system address that `event`, no command, has written; nothing:
    /// it has no name.
    std::string element_text(std::uint64_t address, std::size_t event) const;

 private:
    void add(const trace::TraceEntry& entry);
    void add_buffer(const trace::TraceEntry& entry);
    void add_checkpoint(const trace::TraceEntry& entry);
    void add_data(const trace::TraceEntry& entry, Event event);
    void settle(Checkpoint& checkpoint) const;

    std::filesystem::path path_;
    trace::CommandTraceReader reader_;
    std::vector<Event> events_;
    std::vector<Buffer> buffers_;
    std::vector<Checkpoint> checkpoints_;
    std::uint64_t checkpoint_bytes_ = 0;  ///< of the last one, that are to come
    std::uint64_t fresh_bytes_ = 0;       ///< of memory handed out again, that are to come
    std::vector<std::string> lines_{""};
    std::vector<std::string> launches_;
    std::vector<std::optional<models::Picoseconds>> launch_begins_;
    struct ChangedLibrary {
        std::string path;
        bool is_gone = false;  ///< it cannot be read
    };
    std::vector<ChangedLibrary> changed_libraries_;
    std::uint32_t line_ = 0;
    isa::MachineShape machine_shape_;
    std::uint64_t local_start_ = 0;
    bool in_launch_ = false;
    std::optional<std::size_t> stores_lost_;
};

/// Bytes of an element of a .npy type: "<f4".
std::uint64_t element_bytes_of(const std::string& descr);

}  // namespace okksim::sim::why
