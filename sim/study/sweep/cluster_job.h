// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// A sweep whose shards run as jobs on a Slurm cluster.
struct ClusterSweep {
    const SweepSpec& spec;
    std::filesystem::path file;     ///< the specification, in a folder that all nodes see
    std::filesystem::path program;  ///< path of okksim on the nodes
    std::filesystem::path folder;   ///< for stores, logs and the script
    int jobs = 1;                   ///< processes of each shard

    std::filesystem::path script() const { return folder / (spec.name + ".slurm.sh"); }
    std::filesystem::path store(int shard) const;
    std::filesystem::path log(int shard) const;
};

/// Returns the batch script of a job array whose task I computes shard I.
std::string batch_script(const ClusterSweep& sweep);

/// Formats rising numbers as `sbatch --array` expects them: "1-3,7".
std::string array_text(const std::vector<int>& shards);

/// Returns the shards with missing points.
std::vector<int> unfinished_shards(const ClusterSweep& sweep);

/// Submits the unfinished shards as a job array (`sbatch`) and waits for its end (`squeue`). Failed
/// or killed shards are submitted again while each round adds points. `tell` gets a line for each
/// step. Returns the shards that remain unfinished. ConfigError if Slurm's programs are missing or
/// refuse the job.
std::vector<int> run_on_cluster(const ClusterSweep& sweep,
                                const std::function<void(const std::string&)>& tell);

}  // namespace okksim::sim::sweep
