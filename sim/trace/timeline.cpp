// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/disassembler.h"
#include "models/gdma/gdma_timing.h"
#include "models/mcu/host_params.h"
#include "sim/machine/provenance.h"
#include "sim/trace/entry_text.h"
#include "sim/trace/size_limit.h"

namespace okksim::sim::trace {

using models::Picoseconds;

namespace {

constexpr int kHost = 1;
constexpr int kOperators = 2;
constexpr int kKernels = 3;
constexpr int kMcu = 4;
/// Names of the first tracks, in order; tracks of engines and DRAM channels follow.
constexpr std::array<const char*, 4> kTracks{"host", "operators", "kernels", "MCU"};

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Bytes per nanosecond are GB/s.
double gigabytes_per_second(std::uint64_t bytes, Picoseconds duration) {
    constexpr double kPicosecondsPerNanosecond = 1e3;
    return static_cast<double>(bytes) * kPicosecondsPerNanosecond /
           static_cast<double>(duration.value);
}

const char* state_name(models::ProcessorState state) {
    switch (state) {
        case models::ProcessorState::kCommand: return "write command";
        case models::ProcessorState::kCall: return "calls";
        case models::ProcessorState::kComputing: return "MCU computing";
        case models::ProcessorState::kQueueFull: return "queue full";
        case models::ProcessorState::kEngineWait: return "wait for engines";
        case models::ProcessorState::kMemoryBandwidth: return "DRAM bandwidth";
        case models::ProcessorState::kMemoryLatency: return "DRAM latency";
    }
    __builtin_unreachable();
}

}  // namespace

Timeline::Timeline(const std::filesystem::path& path, const Machine& machine,
                   std::uint64_t most_bytes)
    : file_(path.string()),
      path_(path.string()),
      most_bytes_(most_bytes),
      params_(machine.params),
      shape_(machine.params.shape()),
      engines_(machine.params) {
    nlohmann::ordered_json provenance = nlohmann::ordered_json::object();
    add_provenance(provenance, machine);
    provenance_ = provenance.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    file_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    add_event(R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"okksim"}})");
    int track = 0;
    for (const char* name : kTracks) name_track(++track, name);
    for (std::size_t engine = 0; engine < engines_.processor(); ++engine) {
        Queue& queue = queues_.emplace_back();
        queue.name = engines_[engine].name;
        queue.waiting = ++track;
        queue.running = ++track;
        name_track(queue.waiting, queue.name + " queue");
        name_track(queue.running, queue.name);
    }
    first_channel_ = track + 1;
}

void Timeline::name_track(int track, std::string_view name) {
    add_event(
        fmt::format(R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                    track, name));
    add_event(fmt::format(
        R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
        track));
}

Timeline::~Timeline() {
    // A run that ended early still leaves a file that viewers can read.
    if (finished_ || !has_launched_) return;
    try {
        finish();
    } catch (const std::exception&) {  // the error that ended the run is reported instead
    }
}

void Timeline::add_event(std::string_view event) {
    is_cut_ = is_cut_ || bytes_ + event.size() > most_bytes_;
    if (is_cut_) return;
    file_ << (first_ ? "\n" : ",\n") << event;
    bytes_ += event.size();
    first_ = false;
}

void Timeline::slice(int track, std::string_view name, Picoseconds begin, Picoseconds end,
                     const std::string& arguments) {
    add_event(fmt::format(
        R"({{"ph":"X","pid":1,"tid":{},"name":{},"ts":{:.6f},"dur":{:.6f},"args":{{{}}}}})", track,
        json_text(name), begin.microseconds(), (end - begin).microseconds(), arguments));
}

void Timeline::counter(std::string_view name, Picoseconds time, double value) {
    add_event(
        fmt::format(R"({{"ph":"C","pid":1,"name":"{}","ts":{:.6f},"args":{{"value":{:.6g}}}}})",
                    name, time.microseconds(), value));
}

void Timeline::pulse(std::string_view name, const models::CommandTimes& times, double value) {
    counter(name, times.start, value);
    counter(name, times.end, 0);
}

void Timeline::add_operator(std::string_view name, Picoseconds begin, Picoseconds end) {
    slice(kOperators, name, begin, end, "");
}

void Timeline::add_host_copy(const HostCopy& copy) {
    write_sync();
    slice(kHost, copy.to_chip ? "copy in" : "copy out", copy.begin, copy.end,
          fmt::format(R"("bytes":{})", copy.bytes));
}

void Timeline::launch_started(Picoseconds time) {
    has_launched_ = true;
    launch_start_ = time;
    launch_name_ = "kernel";
    if (!names_.empty()) {
        launch_name_ = std::move(names_.front());
        names_.pop_front();
    }
    const Picoseconds begin = time - models::from_nanoseconds(params_.host->launch_nanoseconds);
    // There is no sync between two launches if the host starts the second one before the first one
    // ends.
    if (launch_end_ && *launch_end_ < begin) write_sync();
    launch_end_.reset();
    slice(kHost, "launch " + launch_name_, begin, time, "");
}

void Timeline::launch_finished(Picoseconds time) {
    slice(kHost, "wait for " + launch_name_, launch_start_, time, "");
    slice(kKernels, launch_name_, launch_start_, time, "");
    launch_end_ = time;
    for (std::size_t engine = 0; engine < queues_.size(); ++engine) {
        write_queue_depth(engine, time);
    }
}

void Timeline::write_sync() {
    if (!launch_end_) return;
    slice(kHost, "sync", *launch_end_,
          *launch_end_ + models::from_nanoseconds(params_.host->sync_nanoseconds), "");
    launch_end_.reset();
}

void Timeline::accounted(const isa::Command& command, const models::CommandTimes& times,
                         const CommandAccount& account) {
    const isa::InstructionInfo& info = command.info();
    const std::size_t engine = engines_.of(command);
    const std::string& name = queues_[engine].name;
    add_to_queue(engine, command, times);
    std::string arguments =
        fmt::format(R"("command":{},"id":{},"wait_gdma":{},"wait_bdc":{},"queued_us":{:.6f})",
                    json_text(isa::disassemble_operation(command, shape_)), command.id,
                    command.wait_gdma, command.wait_bdc, times.queued.microseconds());
    if (line_of_) arguments += fmt::format(R"(,"line":{})", json_text(line_of_(command)));
    for (std::size_t cause = 0; cause < kCauses; ++cause) {
        if (account.by_cause[cause].value == 0) continue;
        arguments += fmt::format(R"(,"{} us":{:.6f})", cause_name(static_cast<Cause>(cause)),
                                 account.by_cause[cause].microseconds());
    }
    const Picoseconds duration = times.end - times.start;
    if (info.engine == isa::Engine::kGdma) {
        const auto cost = models::gdma_cost(command, shape_, *params_.gdma);
        arguments += fmt::format(R"(,"bytes":{},"pieces":{})", cost.bytes, cost.pieces);
        if (duration.value > 0) {
            pulse(name + " GB/s", times, gigabytes_per_second(cost.bytes, duration));
        }
    } else {
        arguments += fmt::format(R"(,"operations":{})", account.operations);
    }
    const Picoseconds conflict = account[Cause::kBankConflict];
    if (conflict.value > 0) {
        pulse(name + " bank conflicts %", times,
              100 * static_cast<double>(conflict.value) / static_cast<double>(duration.value));
    }
    slice(queues_[engine].running, isa::mnemonic(info), times.start, times.end, arguments);
}

void Timeline::add_to_queue(std::size_t engine, const isa::Command& command,
                            const models::CommandTimes& times) {
    Queue& queue = queues_[engine];
    const Picoseconds next = std::max(times.queued, queue.head_since);
    if (next < times.start) {
        slice(queue.waiting, fmt::format("next: {}", isa::mnemonic(command.info())), next,
              times.start,
              fmt::format(R"("id":{},"wait_gdma":{},"wait_bdc":{},"queued_us":{:.6f})", command.id,
                          command.wait_gdma, command.wait_bdc, times.queued.microseconds()));
    }
    queue.head_since = times.start;
    queue.joined.push_back(times.queued);
    queue.left.push_back(times.end);
    // Commands that retire later also joined the queue later.
    write_queue_depth(engine, times.queued);
}

void Timeline::write_queue_depth(std::size_t engine, Picoseconds time) {
    Queue& queue = queues_[engine];
    while (!queue.joined.empty() || !queue.left.empty()) {
        Picoseconds now = queue.left.front();  // every command that joined also leaves
        if (!queue.joined.empty()) now = std::min(now, queue.joined.front());
        if (now > time) return;
        const int before = queue.depth;
        for (; !queue.joined.empty() && queue.joined.front() == now; queue.joined.pop_front()) {
            ++queue.depth;
        }
        for (; !queue.left.empty() && queue.left.front() == now; queue.left.pop_front()) {
            --queue.depth;
        }
        if (queue.depth != before) counter(queue.name + " queue depth", now, queue.depth);
    }
}

void Timeline::processor(models::ProcessorState state, Picoseconds begin, Picoseconds end) {
    const bool is_access = state == models::ProcessorState::kMemoryBandwidth ||
                           state == models::ProcessorState::kMemoryLatency;
    if (is_access) {
        slice(kMcu, access_text(access_), begin, end,
              fmt::format(R"("waits for":"{}")", state_name(state)));
    } else if (state == models::ProcessorState::kComputing) {
        slice(kMcu, state_name(state), begin, end,
              fmt::format(R"("what":{})", json_text(computed_)));
        computed_.clear();
    } else {
        slice(kMcu, state_name(state), begin, end, "");
    }
}

void Timeline::computed(const isa::Computation& computation) {
    if (computed_.find(computation.what) != std::string::npos) return;
    if (!computed_.empty()) computed_ += ", ";
    computed_ += computation.what;
}

void Timeline::memory_channel(const models::ChannelUse& use) {
    for (; channels_ <= use.channel; ++channels_) {
        name_track(first_channel_ + static_cast<int>(channels_),
                   fmt::format("DRAM channel {}", channels_));
    }
    slice(first_channel_ + static_cast<int>(use.channel),
          use.direction == models::MemoryDirection::kRead ? "read" : "write", use.start, use.end,
          fmt::format(R"("bytes":{},"rows opened":{})", use.bytes, use.row_misses));
    const Picoseconds duration = use.end - use.start;
    if (duration.value == 0) return;
    const std::string name = fmt::format("DRAM channel {} GB/s", use.channel);
    counter(name, use.start, gigabytes_per_second(use.bytes, duration));
    counter(name, use.end, 0);
}

void Timeline::finish() {
    write_sync();
    finished_ = true;
    file_ << "\n],\"otherData\":" << provenance_ << "}\n";
    file_.commit();
    if (is_cut_)
        throw beyond_limit(path_, "timeline", "has only the beginning of the run", most_bytes_);
}

}  // namespace okksim::sim::trace
