// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/device/call_sites.h"
#include "sim/machine/machine.h"
#include "sim/trace/accountant.h"

namespace okksim::sim::trace {

/// The line of source that has issued a command, as text; unset: nobody knows.
using LineOf = std::function<std::string(const isa::Command&)>;

/// The file that stands for "with the report, wherever that goes".
inline constexpr const char* kToTerminal = "-";

/// What the time of a run went into, by the line of source that issued it.
struct LineAccount {
    firmware::CodePlace place;
    std::uint64_t commands = 0;
    std::uint64_t operations = 0;
    DramTraffic dram;
    /// By engine of the machine's list and cause: of a command, from the end of its engine's last
    /// one until its own; of the processor, which is the last, the time of the line's calls.
    std::vector<std::array<models::Picoseconds, kCauses>> time;

    /// Time that the line's commands kept an engine from others, or the processor's calls took.
    models::Picoseconds occupied(std::size_t engine) const;
    /// Time that the engines waited before the line's commands could start.
    models::Picoseconds stalled() const;
    /// What most of that was.
    Cause main_stall() const;
};

/// Sums a run's time by line while it runs. Make it a listener of the machine's accountant.
class LineProfile : public AccountListener {
 public:
    LineProfile(CallSites& sites, const models::MachineParams& machine)
        : sites_(sites), engines_(machine) {}

    void spent(const Stretch& stretch) override;
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const CommandAccount& account) override;
    void launch_accounted(const Account& account) override;

    /// By file and line; code without line numbers comes first, by function.
    std::vector<LineAccount> lines() const;
    const EngineList& engines() const { return engines_; }
    /// Of all launches, and their number.
    models::Picoseconds span() const { return span_; }
    std::uint64_t launches() const { return launches_; }

 private:
    struct Sums {
        std::uint64_t commands = 0;
        std::uint64_t operations = 0;
        DramTraffic dram;
        std::vector<std::array<models::Picoseconds, kCauses>> time;
    };

    /// What is known of a site so far.
    Sums& sums_of(const CallSite* site);

    CallSites& sites_;
    EngineList engines_;
    std::map<const CallSite*, Sums> sums_;
    models::Picoseconds span_;
    std::uint64_t launches_ = 0;
};

/// The profile beside the source, file by file; a JSON document; CSV with one row per line.
std::string line_text(const LineProfile& profile);
nlohmann::ordered_json line_json(const LineProfile& profile, const Machine& machine);
std::string line_csv(const LineProfile& profile, const Machine& machine);

/// Writes one of them, by the file's name (".json", ".csv"). ConfigError when that fails.
void write_lines(const LineProfile& profile, const Machine& machine, const std::string& path);

}  // namespace okksim::sim::trace
