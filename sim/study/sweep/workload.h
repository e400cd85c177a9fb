// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "sim/machine/machine.h"
#include "sim/study/sweep/figures.h"
#include "sim/study/sweep/point_names.h"
#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::graph {
struct Graph;
}

namespace okksim::sim::sweep {

/// A point's settings of the run by name: "run.effort", "zoo.batch" ...
using RunSettings = std::map<std::string, std::string>;

/// Choices for planning and running workloads.
struct RunChoice {
    Planning planning = Planning::kPerPoint;
    int effort = 1;  ///< unless a point sets it
    bool bands = false;
};

/// A workload that is read once and run on many machines.
class Workload {
 public:
    virtual ~Workload() = default;

    /// Returns a hash of the contents. Equal hashes give equal results on equal machines.
    virtual std::uint64_t hash() const = 0;
    /// Describes the plan as part of the store's key: "per point, -O1".
    virtual std::string plan_name() const = 0;
    /// Returns the same values as the single command on this machine. ConfigError or ProgramFault
    /// if the workload cannot run.
    virtual Figures run(const Machine& machine) = 0;
};

/// Reads a workload with the point's run settings. `base` is the machine of fixed plans.
/// ConfigError if the workload cannot be read.
std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const RunSettings& settings,
                                        const RunChoice& choice, const Machine& base);

std::unique_ptr<Workload> make_graph_workload(const WorkloadSpec& spec, const RunSettings& settings,
                                              const RunChoice& choice, const Machine& base);
std::unique_ptr<Workload> make_kernel_workload(const WorkloadSpec& spec);
std::unique_ptr<Workload> make_trace_workload(const WorkloadSpec& spec);

/// Builds the variant of a network of the zoo. ConfigError for wrong options.
graph::Graph zoo_graph(const WorkloadSpec& spec);
/// Returns "fp32", "fp16" or "int8".
std::string zoo_precision(const WorkloadSpec& spec);

/// Returns a fast, non-cryptographic hash of the contents.
std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);
/// Returns the hash of a file's bytes. ConfigError if the file cannot be read.
std::uint64_t file_hash(const std::filesystem::path& path, std::uint64_t seed = 0);

}  // namespace okksim::sim::sweep
