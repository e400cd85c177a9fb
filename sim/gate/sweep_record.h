// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"

namespace okksim::sim::gate {

/// A sweep of the gate: a small network on a few machines.
struct GateSweep {
    std::string name;
    std::string spec;  ///< as sim/sweep/README.md describes it, with one workload
};
const std::vector<GateSweep>& gate_sweeps();

/// A machine of a sweep.
struct SweepPoint {
    std::string settings;  ///< "chip.lanes=32 ..."
    std::string failure;   ///< why there is nothing else; empty: it has run
    std::vector<double> objectives;
    /// Those of sweeps that are not zero: traffic, commands, every engine's time by cause.
    std::vector<std::pair<std::string, double>> figures;

    /// 0 where there is none.
    double figure(const std::string& name) const;
};

/// What a sweep gave: the content of a *.sweep.trace file.
struct SweepRecord {
    std::string name;
    std::string machine;  ///< the base
    std::string machine_hash;
    std::vector<std::string> objectives;
    std::vector<SweepPoint> points;
};

/// Runs a sweep on the machines that its axes make of this one, and writes NAME.sweep.trace.
void record_sweep(const GateSweep& sweep, const Machine& machine,
                  const std::filesystem::path& folder);

/// JSON text. ConfigError, naming file and key, when it cannot be written or is no record.
void save_sweep_record(const SweepRecord& record, const std::filesystem::path& path);
SweepRecord load_sweep_record(const std::filesystem::path& path);

}  // namespace okksim::sim::gate
