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

/// A write to memory by a command, the host or the processor.
struct Event {
    bool is_command = false;
    bool by_processor = false;  ///< if neither a command nor this: by the host
    bool is_fresh = false;      ///< contents of reallocated, uninitialised memory
    isa::Command command;
    std::optional<std::uint32_t> data_crc;
    std::uint32_t line = 0;    ///< number of its source line, or 0
    std::uint32_t launch = 0;  ///< counted from 1; 0: before the first launch
    /// Address of data: a local address if `local`, where lanes follow one another.
    bool local = false;
    std::uint64_t address = 0;
    std::span<const std::byte> data;  ///< valid as long as the recording
};

/// Returns the location of the first byte of a data event.
Place place_of(const Event& event, const isa::MachineShape& machine);

/// A buffer of the host, named "y.npy:<f4[2,3]".
struct Buffer {
    std::string name;  ///< "y.npy"
    std::string descr;
    std::vector<std::int64_t> shape;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::size_t event = 0;  ///< the event after the naming

    std::uint64_t element_bytes() const;
    /// Returns e.g. "y.npy[2,0]"; empty if the address is outside the buffer.
    std::string element_text(std::uint64_t at) const;
};

/// Memory before an event.
struct Checkpoint {
    struct Piece {
        std::uint64_t address = 0;
        std::span<const std::byte> data;  ///< valid as long as the recording
    };
    std::size_t event = 0;
    /// Commands that have already taken effect, counted from 0 at `event`.
    std::vector<std::uint64_t> ahead;
    /// The first event before which memory has the effects of exactly all earlier commands.
    std::size_t settled = 0;
    std::vector<Piece> pieces;
};

/// A complete recording with data.
class Recording {
 public:
    /// Throws ConfigError if the recording is damaged or has no data.
    explicit Recording(const std::filesystem::path& path);

    const std::filesystem::path& path() const { return path_; }
    Machine machine() const { return reader_.machine(); }
    const std::vector<Event>& events() const { return events_; }
    const std::vector<Buffer>& buffers() const { return buffers_; }
    /// Returns the last checkpoint from which an event can be reached; nullptr stands for the
    /// beginning.
    const Checkpoint* checkpoint_before(std::size_t event) const;
    /// Returns the source line of an event, or an empty string.
    const std::string& line(const Event& event) const { return lines_[event.line]; }
    /// Returns one line for each kernel library that is now a different build from the recorded
    /// one.
    std::string changed_libraries() const;
    /// Returns the event from which on the control processor's own stores are missing, if any.
    std::optional<std::size_t> stores_lost() const { return stores_lost_; }
    /// Returns the start of a launch, counted from 1, or nothing if it is not recorded.
    std::optional<models::Picoseconds> launch_begin(std::size_t launch) const;
    std::string launch_name(const Event& event) const;
    /// Returns the buffer element at a system address that the data event `event` has written;
    /// empty if it has no name.
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
    std::uint64_t checkpoint_bytes_ = 0;  ///< bytes of the last checkpoint still to read
    std::uint64_t fresh_bytes_ = 0;       ///< bytes of reallocated memory still to read
    std::vector<std::string> lines_{""};
    std::vector<std::string> launches_;
    std::vector<std::optional<models::Picoseconds>> launch_begins_;
    struct ChangedLibrary {
        std::string path;
        bool is_gone = false;  ///< the file cannot be read
    };
    std::vector<ChangedLibrary> changed_libraries_;
    std::uint32_t line_ = 0;
    isa::MachineShape machine_shape_;
    std::uint64_t local_start_ = 0;
    bool in_launch_ = false;
    std::optional<std::size_t> stores_lost_;
};

/// Returns the element size in bytes of a .npy type, e.g. "<f4".
std::uint64_t element_bytes_of(const std::string& descr);

}  // namespace okksim::sim::why
