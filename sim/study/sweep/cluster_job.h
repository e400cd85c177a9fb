// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "sim/study/sweep/sweep_spec.h"

namespace okksim::sim::sweep {

/// What a sweep's shards are on a cluster that Slurm runs.
struct ClusterSweep {
    const SweepSpec& spec;
    std::filesystem::path file;     ///< of the specification, in a folder that all nodes see
    std::filesystem::path program;  ///< okksim there
    std::filesystem::path folder;   ///< for stores, logs and the script
    int jobs = 1;                   ///< processes of each shard

    std::filesystem::path script() const { return folder / (spec.name + ".slurm.sh"); }
    std::filesystem::path store(int shard) const;
    std::filesystem::path log(int shard) const;
};

/// The batch script of a job array whose task I computes shard I.
std::string batch_script(const ClusterSweep& sweep);

/// "1-3,7": numbers in rising order as `sbatch --array` wants them.
std::string array_text(const std::vector<int>& shards);

/// Shards that have not all their points yet.
std::vector<int> unfinished_shards(const ClusterSweep& sweep);

/// Submits the unfinished shards as a job array (`sbatch`), waits for its end (`squeue`), and
/// submits again what failed or was cut, as long as that brings further points. `tell` gets a line
/// for each step. The shards that are unfinished at the end: none, or those that make no progress.
/// ConfigError when Slurm's programs are not there or refuse the job.
std::vector<int> run_on_cluster(const ClusterSweep& sweep,
                                const std::function<void(const std::string&)>& tell);

}  // namespace okksim::sim::sweep
