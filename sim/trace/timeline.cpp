// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/disassembler.h"
#include "isa/errors.h"
#include "models/gdma/gdma_timing.h"

namespace okksim::sim::trace {

using models::Picoseconds;

namespace {

constexpr int kOperators = 1;
constexpr int kKernels = 2;
constexpr int kMcu = 3;
constexpr int kFirstEngine = 4;  ///< + isa::Engine
constexpr std::array<const char*, 5> kTracks{"operators", "kernels", "MCU", "GDMA", "BDC"};
constexpr std::array<const char*, 2> kQueues{"GDMA queue", "BDC queue"};

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

const char* state_name(models::ProcessorState state) {
    switch (state) {
        case models::ProcessorState::kCommand: return "write command";
        case models::ProcessorState::kCall: return "calls";
        case models::ProcessorState::kQueueFull: return "queue full";
        case models::ProcessorState::kEngineWait: return "wait for engines";
    }
    __builtin_unreachable();
}

}  // namespace

Timeline::Timeline(const std::filesystem::path& path, const models::MachineParams& machine)
    : path_(path), file_(path, std::ios::trunc), params_(machine), shape_(machine.shape()) {
    if (!file_) throw ConfigError(path.string(), "cannot be written");
    file_ << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    for (std::size_t i = 0; i < kTracks.size(); ++i) {
        begin_event();
        file_ << fmt::format(
            R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", i + 1,
            kTracks[i]);
        begin_event();
        file_ << fmt::format(
            R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})",
            i + 1);
    }
}

Timeline::~Timeline() {
    // A run that ended early still leaves a file that viewers can read.
    if (!finished_) file_ << "\n]}\n";
}

void Timeline::begin_event() {
    file_ << (first_ ? "\n" : ",\n");
    first_ = false;
}

void Timeline::slice(int track, std::string_view name, Picoseconds begin, Picoseconds end,
                     const std::string& arguments) {
    begin_event();
    file_ << fmt::format(
        R"({{"ph":"X","pid":1,"tid":{},"name":{},"ts":{:.6f},"dur":{:.6f},"args":{{{}}}}})", track,
        json_text(name), begin.microseconds(), (end - begin).microseconds(), arguments);
}

void Timeline::counter(const char* name, Picoseconds time, double value) {
    begin_event();
    file_ << fmt::format(
        R"({{"ph":"C","pid":1,"name":"{}","ts":{:.6f},"args":{{"value":{:.6g}}}}})", name,
        time.microseconds(), value);
}

void Timeline::add_operator(std::string_view name, Picoseconds begin, Picoseconds end) {
    slice(kOperators, name, begin, end, "");
}

void Timeline::launch_started(Picoseconds time) { launch_start_ = time; }

void Timeline::launch_finished(Picoseconds time) {
    std::string name = "kernel";
    if (!names_.empty()) {
        name = std::move(names_.front());
        names_.pop_front();
    }
    slice(kKernels, name, launch_start_, time, "");
    write_queue_depths();
}

void Timeline::retired(const isa::Command& command, const models::CommandTimes& times) {
    const isa::InstructionInfo& info = command.info();
    const auto engine = static_cast<std::int8_t>(info.engine);
    std::string arguments = fmt::format(
        R"("command":{},"id":{},"wait_gdma":{},"wait_bdc":{},"queued_us":{:.6f},"work_us":{:.6f})",
        json_text(isa::disassemble_operation(command, shape_)), command.id, command.wait_gdma,
        command.wait_bdc, times.queued.microseconds(), times.cost.work.microseconds());
    if (info.engine == isa::Engine::kGdma) {
        const auto cost = models::gdma_cost(command, shape_, params_.gdma);
        const Picoseconds duration = times.end - times.start;
        arguments += fmt::format(
            R"(,"memory_bandwidth_us":{:.6f},"memory_latency_us":{:.6f},"bytes":{},"pieces":{})",
            times.cost.memory_bandwidth.microseconds(), times.cost.memory_latency.microseconds(),
            cost.bytes, cost.pieces);
        // Bytes per nanosecond are GB/s.
        const double rate = duration.value == 0 ? 0
                                                : static_cast<double>(cost.bytes) * 1e3 /
                                                      static_cast<double>(duration.value);
        counter("GDMA GB/s", times.start, rate);
        counter("GDMA GB/s", times.end, 0);
    }
    slice(kFirstEngine + engine, isa::mnemonic(info), times.start, times.end, arguments);
    queue_changes_.push_back({times.queued, engine, 1});
    queue_changes_.push_back({times.end, engine, -1});
}

void Timeline::write_queue_depths() {
    std::stable_sort(queue_changes_.begin(), queue_changes_.end(),
                     [](const QueueChange& a, const QueueChange& b) { return a.time < b.time; });
    std::array<int, 2> depth{};
    for (const QueueChange& change : queue_changes_) {
        const auto engine = static_cast<std::size_t>(change.engine);
        depth[engine] += change.change;
        counter(kQueues[engine], change.time, depth[engine]);
    }
    queue_changes_.clear();
}

void Timeline::processor(models::ProcessorState state, Picoseconds begin, Picoseconds end) {
    slice(kMcu, state_name(state), begin, end, "");
}

void Timeline::finish() {
    write_queue_depths();
    finished_ = true;
    file_ << "\n]}\n";
    if (!file_.flush()) throw ConfigError(path_.string(), "cannot be written: is the disk full?");
}

}  // namespace okksim::sim::trace
