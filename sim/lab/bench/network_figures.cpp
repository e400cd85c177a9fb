// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/bench/network_figures.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "isa/base/errors.h"
#include "isa/base/temporary_folder.h"
#include "models/bdc/bdc_params.h"
#include "sim/execution/conformance.h"
#include "sim/execution/process_pool.h"
#include "sim/lab/bench/host_limits.h"
#include "sim/lab/bench/network_run.h"
#include "sim/lab/bench/turns.h"
#include "sim/machine/machine.h"

namespace okksim::sim::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Targets of the project for one thread. Times are in sorts of a million numbers (host_limits.h),
/// megabytes are 10^6 bytes.
constexpr double kResnetSorts = 7;
constexpr double kPlanningSorts = 1.6;
constexpr double kMobilenetSorts = 3;
constexpr double kInt8MobilenetSorts = 8;
constexpr double kNativeMobilenetSorts = 3;
constexpr double kResnetMegabytes = 300;
constexpr double kOwnMegabytes = 160;
constexpr double kTimingPercent = 25;
constexpr double kSanitizerPercent = 10;
constexpr double kFullSanitizerPercent = 150;  // 2.5 times
constexpr double kTimingOnlyPercent = 6;
constexpr double kVectorsSeconds = 60;
constexpr int kVectorsProcesses = 2;

/// Returns the result of `task` in a child process. Throws ConfigError with the task's error.
Json in_child(const std::string& name, const std::function<Json()>& task) {
    const auto guarded = [&](std::size_t) {
        Json result;
        try {
            result = task();
        } catch (const std::exception& error) {
            result = {{"error", error.what()}};
        }
        return result.dump(-1, ' ', false, Json::error_handler_t::replace);
    };
    const auto texts = execution::run_in_processes(1, 1, guarded, [](std::size_t) {});
    if (!texts[0]) throw ConfigError(name, "the process that measured it died");
    Json result = Json::parse(*texts[0]);
    if (result.contains("error")) throw ConfigError(name, result["error"]);
    return result;
}

void write_in_child(const NetworkFile& network) {
    in_child(network.name, [&] {
        write_network(network);
        return Json::object();
    });
}

NetworkRun run_in_child(const NetworkFile& network) {
    const Json result = in_child(network.name, [&] {
        const NetworkRun run = run_network(network);
        return Json{{"seconds", run.seconds},
                    {"peak", run.peak_megabytes},
                    {"tensors", run.tensor_megabytes},
                    {"simulated", run.simulated_ms},
                    {"commands", run.commands}};
    });
    return {result["seconds"], result["peak"], result["tensors"], result["simulated"],
            result["commands"]};
}

double planning_in_child(const NetworkFile& network) {
    return in_child(network.name, [&] { return Json(plan_network(network)); });
}

bool meets_bars(const TimingCost& cost) {
    return cost.overhead_percent <= kTimingPercent && cost.sanitizer_percent <= kSanitizerPercent &&
           cost.full_sanitizer_percent <= kFullSanitizerPercent &&
           100 * cost.timing_only_seconds <= kTimingOnlyPercent * cost.functional_seconds;
}

TimingCost timing_cost_in_child(const NetworkFile& network, int rounds) {
    const Json result = in_child(network.name, [&] {
        const TimingCost cost = measure_timing_cost(network, rounds, meets_bars);
        return Json{
            {"functional", cost.functional_seconds}, {"timed", cost.timed_seconds},
            {"overhead", cost.overhead_percent},     {"timing_only", cost.timing_only_seconds},
            {"simulated", cost.simulated_ms},        {"replayed", cost.replayed_ms},
            {"timing_only_ms", cost.timing_only_ms}, {"commands", cost.commands},
            {"sanitizer", cost.sanitizer_percent},   {"full", cost.full_sanitizer_percent}};
    });
    return {result["functional"], result["timed"],    result["overhead"],
            result["sanitizer"],  result["full"],     result["timing_only"],
            result["simulated"],  result["replayed"], result["timing_only_ms"],
            result["commands"]};
}

/// Returns text with cycles of the compute engine and commands, both per second of the host.
std::string rates(double simulated_ms, double commands, double seconds) {
    const double megahertz = load_machine("bm1684").params.bdc->clock_mhz;
    return fmt::format("{:.1f} M simulated cycles/s, {:.0f} commands/s",
                       simulated_ms * 1e-3 * megahertz / seconds, commands / seconds);
}

/// Returns the processor time of a complete `okksim run` on a machine, in a new process of this
/// program.
double process_seconds(const NetworkFile& network, std::string machine) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    std::string path = network.path.string(), name = "okksim", command = "run";
    std::string option = "--machine";
    char* const arguments[] = {name.data(),   command.data(), path.data(),
                               option.data(), machine.data(), nullptr};
    pid_t child = 0;
    const int error = posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw ConfigError(network.name, "okksim run cannot be started");
    int status = 0;
    rusage usage{};
    if (wait4(child, &status, 0, &usage) != child || status != 0) {
        throw ConfigError(network.name, "okksim run failed");
    }
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Measures work that takes `seconds()` in units of sorts. Both alternate, so that disturbances
/// affect both.
template <typename Seconds>
Figure in_sorts(const std::string& name, double bar, int rounds, const Seconds& seconds) {
    Least own, sort;
    const auto sorts = [&] { return own.seconds() / sort.seconds(); };
    const auto round = [&] {
        const double taken = seconds();
        own.add(taken);
        double all_sorts = 0;
        int count = 0;
        for (; all_sorts < taken; ++count) all_sorts += measure_sort();
        sort.add(all_sorts / count);
    };
    take_turns(rounds, round, [&] { return sorts() <= bar; });
    return {name, sorts(), kSortUnit,
            bar,  true,    fmt::format("{:.1f} ms of CPU time", own.seconds() * 1e3)};
}

/// Measures a user's run, from the start of the program to its end.
Figure run_time(const std::string& name, const NetworkFile& network, double bar, int rounds,
                const std::string& machine = "bm1684") {
    Figure figure = in_sorts(name, bar, rounds, [&] { return process_seconds(network, machine); });
    figure.machine = machine;
    return figure;
}

/// Measures planning: the cost and choice of all tiles, and operator fusion.
Figure planning_time(const NetworkFile& network, int rounds) {
    return in_sorts("ResNet-50 fp32, planning", kPlanningSorts, rounds,
                    [&] { return planning_in_child(network); });
}

void report_timing(const TimingCost& cost, const std::function<void(Figure)>& done) {
    done({"ResNet-50 fp32, time on top of the functional model", cost.overhead_percent, "%",
          kTimingPercent, true,
          fmt::format("{:.1f} ms functional, {:.1f} ms on the chip, {}",
                      cost.functional_seconds * 1e3, cost.timed_seconds * 1e3,
                      rates(cost.simulated_ms, cost.commands, cost.timed_seconds))});
    done({"ResNet-50 fp32, --sanitize=fast on top of off", cost.sanitizer_percent, "%",
          kSanitizerPercent, true, ""});
    done({"ResNet-50 fp32, --sanitize=full on top of off", cost.full_sanitizer_percent, "%",
          kFullSanitizerPercent, true, ""});
    done({"ResNet-50 fp32, timing only", 100 * cost.timing_only_seconds / cost.functional_seconds,
          "% of the functional model", kTimingOnlyPercent, true,
          fmt::format("{:.1f} ms, {}", cost.timing_only_seconds * 1e3,
                      rates(cost.timing_only_ms, cost.commands, cost.timing_only_seconds))});
}

}  // namespace

void measure_networks(const BenchOptions& options, const std::function<void(Figure)>& done) {
    const TemporaryFolder folder;
    const NetworkFile resnet{"resnet50", {}, folder.path() / "resnet50.tosa"};
    const int rounds = options.quick ? 3 : 9;
    write_in_child(resnet);
    done(run_time("ResNet-50 fp32, okksim run of one image", resnet, kResnetSorts, rounds));
    const NetworkRun run = run_in_child(resnet);
    done({"ResNet-50 fp32, resident memory", run.peak_megabytes, "MB", kResnetMegabytes, true,
          fmt::format("{:.1f} MB of tensors", run.tensor_megabytes)});
    done({"ResNet-50 fp32, memory beyond the tensors", run.peak_megabytes - run.tensor_megabytes,
          "MB", kOwnMegabytes, true, "reading and planning included"});
    done(planning_time(resnet, rounds));
    report_timing(timing_cost_in_child(resnet, options.quick ? 5 : 15), done);
    const NetworkFile mobilenet{"mobilenet_v2", {}, folder.path() / "mobilenet.tosa"};
    write_in_child(mobilenet);
    done(run_time("MobileNetV2 fp32, okksim run of one image", mobilenet, kMobilenetSorts, rounds));
    const NetworkFile int8{"mobilenet_v2",
                           {.precision = zoo::Precision::kInt8},
                           folder.path() / "mobilenet-int8.tosa"};
    write_in_child(int8);
    done(run_time("MobileNetV2 int8, okksim run of one image", int8, kInt8MobilenetSorts, rounds));
    done(run_time("MobileNetV2 int8 on okk-next, okksim run of one image", int8,
                  kNativeMobilenetSorts, rounds, "okk-next"));
}

Figure measure_vectors(const fs::path& tree) {
    execution::ConformanceOptions options;
    options.tree = tree;
    options.jobs = kVectorsProcesses;
    options.machine = load_machine("bm1684");
    const auto start = std::chrono::steady_clock::now();
    const auto results = execution::run_conformance(options, [](std::size_t, std::size_t) {});
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    const auto passed =
        std::count_if(results.begin(), results.end(), [](const execution::CaseResult& result) {
            return result.status == execution::CaseStatus::kPassed;
        });
    return {"TOSA vectors, two processes",
            elapsed.count(),
            "s",
            kVectorsSeconds,
            true,
            fmt::format("{} of {} passed", passed, results.size())};
}

}  // namespace okksim::sim::bench
