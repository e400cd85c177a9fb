// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "models/chip/machine_params.h"
#include "sim/trace/account.h"

namespace okksim::sim::trace {

/// The limit that sets the lower bound on the time of work.
enum class Bound : std::uint8_t {
    kNone,     ///< no operations and no traffic of global memory
    kCompute,  ///< useful operations at the peak rate of the command type
    kMemory,   ///< bytes of global memory at its read and write rates
    kIssue,    ///< cost per command that does not depend on its size
};
/// "-", "compute", "memory", "issue".
const char* bound_name(Bound bound);

/// Work and the lower bounds on its time on a machine. docs/reference/reports.md has the
/// definitions. Rooflines of parts add up to the roofline of the whole.
struct Roofline {
    double operations = 0;  ///< useful operations
    DramTraffic dram;
    double time_us = 0;     ///< actual time
    double compute_us = 0;  ///< operations / peak of the command type
    double memory_us = 0;   ///< bytes read / read rate + bytes written / write rate
    double issue_us = 0;    ///< the maximum of command writing and each engine's start-ups
    double roof_us = 0;     ///< the larger of compute_us and memory_us

    /// Returns operations per byte of global memory; nothing without traffic.
    std::optional<double> intensity() const;
    double achieved_per_second() const;
    /// Returns min(peak compute, bandwidth x intensity) in operations per second; nothing without
    /// operations.
    std::optional<double> roof_per_second() const;
    /// Returns the achieved percentage of the roof: 100 * roof_us / time_us. For pure data
    /// movement, it is the percentage of the bandwidth.
    double percent() const;
    Bound bound() const;

    void add(const Roofline& part);
};

/// Returns the roofline of `account` with `useful_operations` on a machine. The command type is the
/// class of BDC commands with the most operations.
Roofline roofline(const Account& account, double useful_operations,
                  const models::MachineParams& machine);
/// Returns the roofline if every operation of the commands counts as useful.
Roofline roofline(const Account& account, const models::MachineParams& machine);

/// Returns the part of an engine's busy time that does not depend on the size of its commands.
models::Picoseconds start_up_time(const EngineAccount& engine,
                                  const models::MachineParams& machine);

/// Returns the largest loss of the most occupied engine and its share of the time: "DRAM bandwidth
/// 63%". "-" if there is none.
std::string lost_time_text(const Account& account, const models::MachineParams& machine);

/// Returns the `count` largest losses, largest first: "DRAM bandwidth 63%, idle 2%".
std::string lost_times_text(const Account& account, const models::MachineParams& machine,
                            std::size_t count);

/// Lower bounds on a network's time on a machine, for any kernels and schedules.
struct NetworkFloor {
    double compute_us = 0;  ///< useful operations at the peak of their commands
    double memory_us = 0;   ///< every byte that must pass DRAM, once

    double us() const { return compute_us > memory_us ? compute_us : memory_us; }
};
/// `run` is the roofline of the whole network. `once` has the bytes of constants and inputs to
/// read, and of outputs to write.
NetworkFloor network_floor(const Roofline& run, const DramTraffic& once,
                           const models::MachineParams& machine);

/// Returns a roofline as text: "12.3 Gop/s, 45 % of the roof of 27.3 Gop/s; bound by memory ...".
std::string roofline_text(const Roofline& roofline);
/// Returns a roofline for JSON reports (docs/reference/reports.md).
nlohmann::ordered_json roofline_json(const Roofline& roofline);

}  // namespace okksim::sim::trace
