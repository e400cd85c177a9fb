// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/study/sweep/axis.h"
#include "sim/study/sweep/workload_spec.h"

namespace okksim::sim::sweep {

/// Selection of points from the axes.
enum class Sampling : std::uint8_t {
    kGrid,
    kRandom,
    kLatin,
    kSobol,
    kSearch,  ///< chosen by an engine from earlier results
    kEach,    ///< each value of each axis alone, all else as in the base machine
};

/// Graphs are planned for every machine, or once for the base machine.
enum class Planning : std::uint8_t { kPerPoint, kFixed };

/// Resources of the jobs on a cluster.
struct SlurmSpec {
    std::string partition;
    std::string time;
    std::string memory;
    int shards = 0;
};

/// A sweep as its file describes it (README.md).
struct SweepSpec {
    std::string name;
    std::string text;                ///< contents of the file
    std::filesystem::path folder;    ///< of the file; paths are relative to it
    std::string machine = "bm1684";  ///< name or file
    std::vector<std::string> settings;
    std::vector<WorkloadSpec> workloads;
    std::vector<Axis> axes;
    std::vector<std::string> constraints;
    Sampling sampling = Sampling::kGrid;
    std::uint64_t points = 0;  ///< points to choose; a limit for a search; unused for a grid
    std::uint64_t stall = 0;   ///< points without a new Pareto point that end a search
    std::uint64_t seed = 1;
    Planning planning = Planning::kPerPoint;
    int effort = 1;  ///< -O
    bool bands = false;
    std::vector<std::pair<std::string, std::string>> metrics;  ///< names and formulas
    std::vector<std::string> objectives;                       ///< of the Pareto front
    /// Metrics with limits; reports show the best machine within each limit.
    std::vector<std::pair<std::string, std::vector<double>>> levels;
    SlurmSpec slurm;
    /// Location of each key with formulas, such as "s.toml:3: objectives".
    std::map<std::string, std::string> places;

    /// Returns file, line and key for a message, or the key alone.
    std::string where(const std::string& key) const {
        const auto found = places.find(key);
        return found == places.end() ? key : found->second;
    }
};

/// Reads a specification. ConfigError names file, key and rule. It covers unknown keys and
/// parameters (with the nearest name), empty axes, and intervals without a number of points.
SweepSpec read_sweep(const std::filesystem::path& file);
/// Reads a specification from a text. Its paths are relative to `folder`.
SweepSpec read_sweep_text(const std::string& text, const std::filesystem::path& folder);
/// Reads a text that read_sweep() has stored, with the base machine of that time.
SweepSpec parse_sweep(const std::string& text, const std::string& name, const Machine& base);

}  // namespace okksim::sim::sweep
