// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::gate {

/// A machine of a sweep.
struct SweepPoint {
    std::string settings;  ///< "chip.lanes=32 ..."
    std::string failure;   ///< reason for failure; empty: the machine has run
    std::vector<double> objectives;
    /// Nonzero metrics: traffic, commands, every engine's time by cause.
    std::vector<std::pair<std::string, double>> figures;

    /// Returns a metric, or 0 if there is none.
    double figure(const std::string& name) const;
};

/// The results of a sweep: the contents of a *.sweep.trace file.
struct SweepRecord {
    std::string name;
    std::string machine;  ///< base machine
    std::string machine_hash;
    std::vector<std::string> objectives;
    std::vector<SweepPoint> points;
};

/// Runs a sweep with one workload on `machine` varied by its axes.
SweepRecord run_sweep_record(const std::string& name, const sweep::SweepSpec& spec,
                             const Machine& machine);

/// Save and load JSON text. They throw ConfigError with file and key if the file cannot be written
/// or is not a record.
std::string sweep_record_text(const SweepRecord& record);
/// `file` names the text in messages.
SweepRecord parse_sweep_record(const std::string& text, const std::string& file);
void save_sweep_record(const SweepRecord& record, const std::filesystem::path& path);
SweepRecord load_sweep_record(const std::filesystem::path& path);

}  // namespace okksim::sim::gate
