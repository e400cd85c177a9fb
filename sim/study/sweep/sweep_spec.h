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

namespace okksim::sim::sweep {

/// How points are chosen among what the axes allow.
enum class Sampling : std::uint8_t {
    kGrid,
    kRandom,
    kLatin,
    kSobol,
    kSearch,  ///< by what those before them have come to
    kEach,    ///< every value of every axis by itself, the others as in the base machine
};

/// Whether graphs are planned for every machine, or once for the base machine.
enum class Planning : std::uint8_t { kPerPoint, kFixed };

/// What is run on every machine: one of these is given.
struct WorkloadSpec {
    std::string name;
    std::filesystem::path graph;   ///< a graph file
    std::filesystem::path trace;   ///< a recording of `okksim record`, or a call trace
    std::filesystem::path kernel;  ///< a library with kernels
    std::string zoo;               ///< a network of the zoo
    std::string function;          ///< of a graph's text
    std::filesystem::path values;  ///< of a graph: what decides where it goes on (--keep-values)
    std::map<std::string, std::string> zoo_options;  ///< precision, batch, size, width
    std::string launch;                              ///< of a kernel: its name
    /// Of a kernel, in the order of its argument struct: "i32=64", "in=a.npy", "out=f32[64]".
    std::vector<std::string> arguments;
    std::vector<std::filesystem::path> libraries;  ///< with kernels of CUSTOM operators
};

/// Resources of a cluster's jobs.
struct SlurmSpec {
    std::string partition;
    std::string time;
    std::string memory;
    int shards = 0;
};

/// A sweep as its file describes it (README.md).
struct SweepSpec {
    std::string name;
    std::string text;                ///< of the file
    std::filesystem::path folder;    ///< of the file: paths are relative to it
    std::string machine = "bm1684";  ///< name or file
    std::vector<std::string> settings;
    std::vector<WorkloadSpec> workloads;
    std::vector<Axis> axes;
    std::vector<std::string> constraints;
    Sampling sampling = Sampling::kGrid;
    std::uint64_t points = 0;  ///< to choose, unless it is a grid; of a search the most
    std::uint64_t stall = 0;   ///< a search ends when so many in a row have not changed the front
    std::uint64_t seed = 1;
    Planning planning = Planning::kPerPoint;
    int effort = 1;  ///< -O
    bool bands = false;
    std::vector<std::pair<std::string, std::string>> metrics;  ///< name and formula of derived ones
    std::vector<std::string> objectives;                       ///< that a front is made of
    /// Figures with the values that the best machine within is asked for.
    std::vector<std::pair<std::string, std::vector<double>>> levels;
    SlurmSpec slurm;
};

/// Reads a specification. ConfigError names file, key and rule: of unknown keys and parameters the
/// nearest name, of empty axes, of intervals without a number of points.
SweepSpec read_sweep(const std::filesystem::path& file);
/// The same for a text that is in no file; its paths are relative to `folder`.
SweepSpec read_sweep_text(const std::string& text, const std::filesystem::path& folder);
/// The same from a text that read_sweep() has kept, for the machine that was its base then.
SweepSpec parse_sweep(const std::string& text, const std::string& name, const Machine& base);

}  // namespace okksim::sim::sweep
