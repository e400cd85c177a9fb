// SPDX-License-Identifier: Apache-2.0
#include "sim/study/sweep/cluster_job.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/study/sweep/point_store.h"

extern char** environ;

namespace okksim::sim::sweep {
namespace {

/// Interval between two queries of the job's state, to limit the load on Slurm.
constexpr std::chrono::milliseconds kAsksApart{1000};

struct CommandResult {
    int exit_code = 0;
    std::string output;  ///< standard output and error
};

/// Runs a program with arguments, without a shell.
CommandResult run_command(std::vector<std::string> arguments) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw ConfigError(arguments[0], "cannot make a pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    pid_t child = 0;
    const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    CommandResult result;
    std::array<char, 4096> block;
    while (failed == 0) {
        const ssize_t got = read(ends[0], block.data(), block.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        result.output.append(block.data(), static_cast<std::size_t>(got));
    }
    close(ends[0]);
    if (failed != 0) {
        throw ConfigError("--slurm", fmt::format("{} cannot be started: {}; install Slurm's "
                                                 "programs (Debian: slurm-client), or run shards "
                                                 "by --shard",
                                                 arguments[0], std::strerror(failed)));
    }
    int status = 0;
    waitpid(child, &status, 0);
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return result;
}

/// Quotes a text for a shell.
std::string quoted(const std::string& text) {
    std::string all = "'";
    for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return all + "'";
}

/// Returns the number of finished points in a shard's store, or 0 if there is no store.
std::uint64_t finished_points(const ClusterSweep& sweep, int shard, bool& is_complete) {
    is_complete = false;
    const std::filesystem::path path = sweep.store(shard);
    if (!std::filesystem::exists(path)) return 0;
    try {
        PointStore store(path, PointStore::Access::kRead);
        for (const StoredSweep& stored : store.sweeps()) {
            if (stored.spec != sweep.spec.text) continue;
            const auto count = static_cast<std::uint64_t>(sweep.spec.slurm.shards);
            const auto first = static_cast<std::uint64_t>(shard - 1);
            const std::uint64_t all =
                stored.points > first ? (stored.points - first + count - 1) / count : 0;
            is_complete = stored.finished >= all;
            return stored.finished;
        }
    } catch (const ConfigError&) {
        // The job was killed while it created the store: the shard starts again.
        std::filesystem::remove(path);
    }
    return 0;
}

std::uint64_t all_finished(const ClusterSweep& sweep) {
    std::uint64_t sum = 0;
    bool is_complete = false;
    for (int shard = 1; shard <= sweep.spec.slurm.shards; ++shard) {
        sum += finished_points(sweep, shard, is_complete);
    }
    return sum;
}

/// Submits the job array and returns the job's number.
std::string submit(const ClusterSweep& sweep, const std::vector<int>& shards) {
    const CommandResult result = run_command(
        {"sbatch", "--parsable", "--array=" + array_text(shards), sweep.script().string()});
    std::string number = result.output.substr(0, result.output.find_first_of(";\n"));
    if (result.exit_code != 0 || number.empty()) {
        throw ConfigError("--slurm", "sbatch refuses the job: " + result.output);
    }
    return number;
}

bool is_running(const std::string& job) {
    const CommandResult result =
        run_command({"squeue", "--noheader", "--jobs=" + job, "--format=%i"});
    // Slurm forgets a job some time after it ends.
    return result.exit_code == 0 && result.output.find(job) != std::string::npos;
}

}  // namespace

std::filesystem::path ClusterSweep::store(int shard) const {
    return folder / fmt::format("{}-{}-of-{}.sqlite", spec.name, shard, spec.slurm.shards);
}

std::filesystem::path ClusterSweep::log(int shard) const {
    return folder / fmt::format("{}-{}.log", spec.name, shard);
}

std::string batch_script(const ClusterSweep& sweep) {
    const SlurmSpec& slurm = sweep.spec.slurm;
    std::string text = "#!/bin/bash\n";
    text += "#SBATCH --job-name=okksim\n";
    text += fmt::format("#SBATCH --output={}\n",
                        (sweep.folder / (sweep.spec.name + "-%a.log")).string());
    text += fmt::format("#SBATCH --cpus-per-task={}\n", sweep.jobs);
    if (!slurm.partition.empty()) text += "#SBATCH --partition=" + slurm.partition + "\n";
    if (!slurm.time.empty()) text += "#SBATCH --time=" + slurm.time + "\n";
    if (!slurm.memory.empty()) text += "#SBATCH --mem=" + slurm.memory + "\n";
    text += fmt::format(
        "exec {} sweep {} --shard \"$SLURM_ARRAY_TASK_ID/{}\" --store {}-\"$SLURM_ARRAY_TASK_ID\"-"
        "of-{}.sqlite --jobs {} --yes\n",
        quoted(sweep.program.string()), quoted(sweep.file.string()), slurm.shards,
        quoted((sweep.folder / sweep.spec.name).string()), slurm.shards, sweep.jobs);
    return text;
}

std::string array_text(const std::vector<int>& shards) {
    std::string text;
    for (std::size_t i = 0; i < shards.size();) {
        std::size_t last = i;
        while (last + 1 < shards.size() && shards[last + 1] == shards[last] + 1) ++last;
        text += text.empty() ? "" : ",";
        text += last == i ? fmt::format("{}", shards[i])
                          : fmt::format("{}-{}", shards[i], shards[last]);
        i = last + 1;
    }
    return text;
}

std::vector<int> unfinished_shards(const ClusterSweep& sweep) {
    std::vector<int> shards;
    for (int shard = 1; shard <= sweep.spec.slurm.shards; ++shard) {
        bool is_complete = false;
        finished_points(sweep, shard, is_complete);
        if (!is_complete) shards.push_back(shard);
    }
    return shards;
}

std::vector<int> run_on_cluster(const ClusterSweep& sweep,
                                const std::function<void(const std::string&)>& tell) {
    if (sweep.spec.slurm.shards == 0) {
        throw ConfigError(
            "slurm.shards",
            "is missing in the specification; give the number of tasks for the points");
    }
    write_file(sweep.script().string(), batch_script(sweep));
    std::vector<int> shards = unfinished_shards(sweep);
    std::uint64_t before = all_finished(sweep);
    while (!shards.empty()) {
        const std::string job = submit(sweep, shards);
        tell(fmt::format("job {}: shards {} of {}", job, array_text(shards),
                         sweep.spec.slurm.shards));
        while (is_running(job)) {
            if (StopRequest::signal() != 0) {
                (void)run_command({"scancel", job});
                return shards;
            }
            std::this_thread::sleep_for(kAsksApart);
        }
        shards = unfinished_shards(sweep);
        const std::uint64_t after = all_finished(sweep);
        tell(fmt::format("job {} has ended: {} points are finished", job, after));
        if (after == before) break;
        before = after;
    }
    return shards;
}

}  // namespace okksim::sim::sweep
