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

/// Returns the source line that has issued a command; unset if lines are unknown.
using LineOf = std::function<std::string(const isa::Command&)>;

/// File name that means: write the profile together with the report.
inline constexpr const char* kToTerminal = "-";

/// The time of a run that one source line caused.
struct LineAccount {
    firmware::CodePlace place;
    std::uint64_t commands = 0;
    std::uint64_t operations = 0;
    DramTraffic dram;
    /// By engine of the machine's list and cause. A command's time runs from the end of its
    /// engine's last command to its own end. The processor, which is the last engine, has the time
    /// of the line's calls.
    std::vector<std::array<models::Picoseconds, kCauses>> time;

    /// Time that the line's commands occupy an engine, or its calls the processor.
    models::Picoseconds occupied(std::size_t engine) const;
    /// Time that engines wait before the line's commands start.
    models::Picoseconds stalled() const;
    /// Returns the largest cause of stalled().
    Cause main_stall() const;
};

/// Sums the time by source line while the machine runs. Add it to the listeners of the machine's
/// accountant.
class LineProfile : public AccountListener {
 public:
    LineProfile(CallSites& sites, const models::MachineParams& machine)
        : sites_(sites), engines_(machine) {}

    void spent(const Stretch& stretch) override;
    void accounted(const isa::Command& command, const models::CommandTimes& times,
                   const CommandAccount& account) override;
    void launch_accounted(const Account& account) override;

    /// Accounts in the order of file and line. Code without line numbers comes first, by function.
    std::vector<LineAccount> lines() const;
    const EngineList& engines() const { return engines_; }
    /// Time of all launches, and their number.
    models::Picoseconds span() const { return span_; }
    std::uint64_t launches() const { return launches_; }

 private:
    struct Sums {
        std::uint64_t commands = 0;
        std::uint64_t operations = 0;
        DramTraffic dram;
        std::vector<std::array<models::Picoseconds, kCauses>> time;
    };

    /// Returns the sums of a call site so far.
    Sums& sums_of(const CallSite* site);

    CallSites& sites_;
    EngineList engines_;
    std::map<const CallSite*, Sums> sums_;
    models::Picoseconds span_;
    std::uint64_t launches_ = 0;
};

/// Formats the profile as annotated source, as JSON, or as CSV with one row per line.
std::string line_text(const LineProfile& profile);
nlohmann::ordered_json line_json(const LineProfile& profile, const Machine& machine);
std::string line_csv(const LineProfile& profile, const Machine& machine);

/// Writes the format that suits the file's name (".json", ".csv"). Throws ConfigError on failure.
void write_lines(const LineProfile& profile, const Machine& machine, const std::string& path);

}  // namespace okksim::sim::trace
