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

namespace okksim::sim::sweep {

/// What a point says besides its machine: "run.effort", "zoo.batch" ... by name.
using RunSettings = std::map<std::string, std::string>;

/// How workloads are run.
struct RunChoice {
    Planning planning = Planning::kPerPoint;
    int effort = 1;  ///< where a point says nothing of it
    bool bands = false;
};

/// Something to be run on machines, read once.
class Workload {
 public:
    virtual ~Workload() = default;

    /// Of its contents: equal hashes give equal figures on equal machines.
    virtual std::uint64_t hash() const = 0;
    /// How it is run, as the store tells points apart: "per point, -O1".
    virtual std::string plan_name() const = 0;
    /// The figures of the single command on this machine. ConfigError or ProgramFault with what
    /// makes it impossible.
    virtual Figures run(const Machine& machine) = 0;
};

/// Reads a workload with what a point says of the run. `base` is the machine of fixed plans.
/// ConfigError when it cannot be had.
std::unique_ptr<Workload> make_workload(const WorkloadSpec& spec, const RunSettings& settings,
                                        const RunChoice& choice, const Machine& base);

std::unique_ptr<Workload> make_graph_workload(const WorkloadSpec& spec, const RunSettings& settings,
                                              const RunChoice& choice, const Machine& base);
std::unique_ptr<Workload> make_kernel_workload(const WorkloadSpec& spec);
std::unique_ptr<Workload> make_trace_workload(const WorkloadSpec& spec);

/// Tells contents apart, quickly; no protection against forgery.
std::uint64_t content_hash(std::span<const std::byte> bytes, std::uint64_t seed = 0);
/// Of a file's bytes. ConfigError when it cannot be read.
std::uint64_t file_hash(const std::filesystem::path& path, std::uint64_t seed = 0);

}  // namespace okksim::sim::sweep
