// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "models/chip/machine_params.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// What sets the least time that work can take.
enum class Bound : std::uint8_t {
    kNone,     ///< nothing was computed and nothing moved to or from global memory
    kCompute,  ///< useful operations at the peak rate of the command type
    kMemory,   ///< bytes of global memory at its rates
    kIssue,    ///< what commands cost whatever their size
};
/// "-", "compute", "memory", "issue".
const char* bound_name(Bound bound);

/// Work beside the least time that the machine needs for it; definitions in docs/REPORTS.md.
/// Parts add up to the roofline of the whole.
struct Roofline {
    double operations = 0;  ///< useful ones
    DramTraffic dram;
    double time_us = 0;     ///< what it took
    double compute_us = 0;  ///< operations / peak of the command type
    double memory_us = 0;   ///< bytes read / read rate + bytes written / write rate
    double issue_us = 0;    ///< the longest of writing the commands and an engine's start-ups
    double roof_us = 0;     ///< the larger of compute_us and memory_us

    /// Operations per byte of global memory; nothing when no byte was moved.
    std::optional<double> intensity() const;
    double achieved_per_second() const;
    /// min(peak compute, bandwidth x intensity); nothing without operations.
    std::optional<double> roof_per_second() const;
    /// Share of the roof that was reached: 100 * roof_us / time_us; of pure data movement, the
    /// share of the bandwidth.
    double percent() const;
    Bound bound() const;

    void add(const Roofline& part);
};

/// Useful operations of `account`'s time on a machine. The command type is the class of BDC
/// commands with most operations.
Roofline roofline(const Account& account, double useful_operations,
                  const models::MachineParams& machine);
/// The same when every operation of the commands counts as useful.
Roofline roofline(const Account& account, const models::MachineParams& machine);

/// Part of an engine's busy time that its commands cost whatever their size.
models::Picoseconds start_up_time(const EngineAccount& engine,
                                  const models::MachineParams& machine);

/// The largest part of the time in which the engine that works most does not: "DRAM bandwidth 63%".
/// "-" when there is none.
std::string lost_time_text(const Account& account, const models::MachineParams& machine);

/// The same of the `count` largest parts, the largest first: "DRAM bandwidth 63%, idle 2%".
std::string lost_times_text(const Account& account, const models::MachineParams& machine,
                            std::size_t count);

/// Least times of a network on a machine, whatever its kernels and plans.
struct NetworkFloor {
    double compute_us = 0;  ///< useful operations at the peak of their commands
    double memory_us = 0;   ///< what has to pass DRAM, once

    double us() const { return compute_us > memory_us ? compute_us : memory_us; }
};
/// `run` is the whole network's; `once`: bytes of constants and inputs, and of outputs.
NetworkFloor network_floor(const Roofline& run, const DramTraffic& once,
                           const models::MachineParams& machine);

/// Figures of a roofline in words: "12.3 Gop/s, 45 % of the roof of 27.3 Gop/s; bound by memory
/// ...".
std::string roofline_text(const Roofline& roofline);
/// Object of JSON reports (docs/REPORTS.md).
nlohmann::ordered_json roofline_json(const Roofline& roofline);

}  // namespace okksim::sim::trace
