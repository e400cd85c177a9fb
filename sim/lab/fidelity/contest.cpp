// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "isa/base/errors.h"
#include "models/chip/in_order_machine.h"
#include "models/mcu/host_params.h"
#include "sim/device/chip_device.h"
#include "sim/execution/process_pool.h"
#include "sim/lab/fidelity/csv.h"
#include "sim/trace/call_replay.h"

namespace okksim::sim::fidelity {
namespace {

using CaseKey = std::pair<std::string, int>;

/// Passes one program's commands to several machines of the same shape.
class ManyMachines : public isa::CommandPort {
 public:
    explicit ManyMachines(const std::vector<Machine>& machines) {
        for (const Machine& machine : machines) machines_.emplace_back(machine.params);
        for (models::InOrderMachine& machine : machines_) machine.begin_launch();
    }
    std::vector<double> finish() {
        std::vector<double> microseconds;
        for (models::InOrderMachine& machine : machines_) {
            microseconds.push_back(machine.end_launch().microseconds());
        }
        return microseconds;
    }

    const isa::MachineShape& machine() const override { return machines_.front().machine(); }
    void submit(const isa::Command& command) override {
        for (models::InOrderMachine& machine : machines_) machine.submit(command);
    }
    void wait_until_idle() override {
        for (models::InOrderMachine& machine : machines_) machine.wait_until_idle();
    }
    void charge(isa::FirmwareCall call) override {
        for (models::InOrderMachine& machine : machines_) machine.charge(call);
    }
    void compute(const isa::Computation& computation) override {
        for (models::InOrderMachine& machine : machines_) machine.compute(computation);
    }
    void access(const isa::ProcessorAccess& access) override {
        for (models::InOrderMachine& machine : machines_) machine.access(access);
    }
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

 private:
    std::vector<models::InOrderMachine> machines_;
};

/// True for cases in which the winning kernels fell back to slow paths (HARDWARE.md).
bool is_fallback_case(const CaseKey& key) {
    constexpr int kFirst = 11;
    constexpr int kLast = 14;
    return key.first == "conv2d" && key.second >= kFirst && key.second <= kLast;
}

class CaseList {
 public:
    ContestCase& at(const CaseKey& key) {
        ContestCase& entry = cases_[key];
        entry.op = key.first;
        entry.number = key.second;
        if (is_fallback_case(key)) {
            entry.counted = false;
            entry.note = "not counted: the contestants' kernels use slow fallback paths";
        }
        return entry;
    }
    ContestKernel& kernel(const CaseKey& key, const std::string& contestant) {
        auto& kernels = at(key).kernels;
        for (ContestKernel& kernel : kernels) {
            if (kernel.contestant == contestant) return kernel;
        }
        if (kernels.empty()) at(key).further = further_;
        kernels.push_back({contestant, "unverified", {}, 0, {}, {}});
        return kernels.back();
    }

    /// Marks cases whose kernels follow as cases of a further folder.
    void begin_further() { further_ = true; }
    void read_summary(const std::filesystem::path& path) {
        const CsvTable table = CsvTable::read(path);
        const std::size_t op = table.column("op"), number = table.column("case"),
                          contestant = table.column("contestant"),
                          gdma = table.column("gdma_calls"), bdc = table.column("bdc_calls"),
                          correct = table.column("correct"), best = table.column("best_us");
        for (std::size_t row = 0; row < table.rows(); ++row) {
            const CaseKey key{table.text(row, op), static_cast<int>(table.integer(row, number))};
            ContestKernel& kernel = this->kernel(key, table.text(row, contestant));
            kernel.correct = table.text(row, correct);
            kernel.engine_calls =
                static_cast<std::uint64_t>(table.integer(row, gdma) + table.integer(row, bdc));
            at(key).silicon_us = table.number(row, best);
        }
    }
    /// Reads silicon times and parameters of the operators that have traces.
    void read_leaderboard(const std::filesystem::path& path) {
        std::set<std::string> operators;
        for (const auto& [key, entry] : cases_) operators.insert(key.first);
        const CsvTable table = CsvTable::read(path);
        const std::size_t op = table.column("op"), number = table.column("case"),
                          params = table.column("params"), best = table.column("best_us");
        for (std::size_t row = 0; row < table.rows(); ++row) {
            if (!operators.contains(table.text(row, op))) continue;
            ContestCase& entry =
                at({table.text(row, op), static_cast<int>(table.integer(row, number))});
            entry.params = table.text(row, params);
            entry.silicon_us = table.number(row, best);
        }
    }
    /// Reads the ranges of the known cases.
    void read_history(const std::filesystem::path& path) {
        for (const auto& [key, range] : read_ranges(path)) {
            if (const auto found = cases_.find(key); found != cases_.end()) {
                found->second.range = range;
            }
        }
    }
    void find_traces(const std::filesystem::path& folder) {
        std::set<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            const std::string name = entry.path().filename().string();
            if (name.ends_with(".jsonl.xz") || name.ends_with(".jsonl")) {
                paths.insert(entry.path());
            }
        }
        for (const auto& path : paths) add_trace(path);
    }
    ContestReport take() {
        ContestReport report;
        for (auto& [key, entry] : cases_) report.cases.push_back(std::move(entry));
        report.ignored = std::move(ignored_);
        return report;
    }

 private:
    /// Adds a trace named "<op>_<case>_<contestant>.jsonl.xz".
    void add_trace(const std::filesystem::path& path) {
        std::string name = path.filename().string();
        name = name.substr(0, name.find(".jsonl"));
        const std::size_t last = name.rfind('_');
        const std::size_t middle = last == std::string::npos ? last : name.rfind('_', last - 1);
        const std::string number =
            middle == std::string::npos ? "" : name.substr(middle + 1, last - middle - 1);
        constexpr std::size_t kMostDigits = 6;
        if (number.empty() || number.size() > kMostDigits ||
            number.find_first_not_of("0123456789") != std::string::npos) {
            ignored_.push_back(path.filename().string());
            return;
        }
        kernel({name.substr(0, middle), std::stoi(number)}, name.substr(last + 1)).trace = path;
    }

    std::map<CaseKey, ContestCase> cases_;
    std::vector<std::string> ignored_;
    bool further_ = false;
};

std::string kernel_name(const std::string& op, int number, const std::string& contestant) {
    return fmt::format("{} {} {}", op, number, contestant);
}

/// Replays the trace of the kernel `wanted`. The result crosses a process boundary as JSON.
std::string replay(const std::filesystem::path& path, const std::string& wanted,
                   const std::vector<Machine>& machines) {
    nlohmann::json result = nlohmann::json::object();
    try {
        ManyMachines port(machines);
        trace::CallTraceReader trace(path, port.machine());
        const trace::CallTraceHeader& header = trace.header();
        const std::string kernel = kernel_name(header.op, header.case_number, header.contestant);
        if (kernel != wanted) {
            throw ConfigError(path.string(), "is the trace of " + kernel + ", by its first line");
        }
        result["engine_calls"] = trace.header().gdma_calls + trace.header().bdc_calls;
        firmware::Context context(port, context_options(machines.front()));
        context.begin_launch();
        trace::make_calls(context, trace);
        result["us"] = port.finish();
    } catch (const ConfigError& error) {
        result["error"] = error.what();
    }
    return result.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void keep(const std::optional<std::string>& text, const std::vector<Machine>& machines,
          ContestKernel& kernel) {
    if (!text) {
        kernel.error = "the replay process died";
        return;
    }
    const auto result = nlohmann::json::parse(*text);
    if (result.contains("engine_calls")) kernel.engine_calls = result["engine_calls"];
    if (result.contains("error")) {
        kernel.error = result["error"];
        return;
    }
    for (std::size_t i = 0; i < machines.size(); ++i) {
        const models::HostParams& host = *machines[i].params.host;
        kernel.simulated_us.push_back(result["us"][i].get<double>() +
                                      (host.launch_nanoseconds + host.sync_nanoseconds) * 1e-3);
    }
}

}  // namespace

const ContestKernel* ContestCase::best(std::size_t machine) const {
    for (const char* wanted : {"yes", "unverified"}) {
        const ContestKernel* best = nullptr;
        for (const ContestKernel& kernel : kernels) {
            if (kernel.correct != wanted || kernel.simulated_us.empty() ||
                kernel.engine_calls == 0) {
                continue;
            }
            if (best == nullptr || kernel.simulated_us[machine] < best->simulated_us[machine]) {
                best = &kernel;
            }
        }
        if (best != nullptr) return best;
    }
    return nullptr;
}

double ContestCase::error_outside(std::size_t machine) const {
    const ContestKernel* kernel = best(machine);
    if (kernel == nullptr || silicon_us <= 0) return 0;
    const double us = kernel->simulated_us[machine];
    return range ? range->error(us) : us / silicon_us - 1;
}

bool ContestCase::is_impossible(const ContestKernel& kernel, std::size_t machine) const {
    const double fastest = range ? range->fastest : silicon_us;
    return kernel.correct == "yes" && !kernel.simulated_us.empty() && kernel.engine_calls > 0 &&
           kernel.simulated_us[machine] < (1 - kImpossibleShare) * fastest;
}

Agreement ContestReport::figures(std::size_t machine) const {
    std::vector<double> simulated;
    std::vector<double> silicon;
    for (const ContestCase& entry : cases) {
        const ContestKernel* best = entry.best(machine);
        if (!entry.counted || best == nullptr || entry.silicon_us <= 0) continue;
        simulated.push_back(best->simulated_us[machine]);
        silicon.push_back(entry.silicon_us);
    }
    return agreement(simulated, silicon);
}

double ContestReport::mean_error_outside(std::size_t machine) const {
    double sum = 0;
    std::size_t count = 0;
    for (const ContestCase& entry : cases) {
        if (!entry.counted || entry.best(machine) == nullptr || entry.silicon_us <= 0) continue;
        sum += std::abs(entry.error_outside(machine));
        ++count;
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
}

bool ContestReport::has_ranges() const {
    return std::ranges::all_of(cases, [](const ContestCase& entry) {
        return !entry.counted || entry.best(0) == nullptr || entry.range.has_value();
    });
}

std::vector<std::string> ContestReport::impossible_kernels(std::size_t machine,
                                                           bool counted) const {
    std::vector<std::string> names;
    for (const ContestCase& entry : cases) {
        if (entry.counted != counted) continue;
        for (const ContestKernel& kernel : entry.kernels) {
            if (!entry.is_impossible(kernel, machine)) continue;
            names.push_back(kernel_name(entry.op, entry.number, kernel.contestant));
        }
    }
    return names;
}

std::vector<std::string> ContestReport::unread_kernels() const {
    std::vector<std::string> names;
    for (const ContestCase& entry : cases) {
        for (const ContestKernel& kernel : entry.kernels) {
            if (!kernel.trace.empty() && (kernel.error.empty() || kernel.correct == "no")) continue;
            names.push_back(fmt::format("{} {} {} ({})", entry.op, entry.number, kernel.contestant,
                                        kernel.trace.empty() ? "no trace" : "not replayed"));
        }
    }
    return names;
}

ContestReport ContestReport::first_folder() const {
    ContestReport first = *this;
    std::erase_if(first.cases, [](const ContestCase& entry) { return entry.further; });
    return first;
}

bool ContestReport::has_further() const {
    return std::ranges::any_of(cases, &ContestCase::further);
}

bool ContestReport::met() const {
    const ContestReport first = first_folder();
    const Agreement base = first.figures(0);
    return unread_kernels().empty() && base.count > 0 &&
           base.mean_absolute_error <= kMeanErrorBar && base.worst_factor <= kFactorBar &&
           base.rank_correlation >= kRankBar &&
           (!first.has_ranges() || first.mean_error_outside(0) <= kOutsideBar) &&
           first.impossible_kernels(0).size() <= kImpossibleBar;
}

ContestReport run_contest(const ContestOptions& options,
                          const std::function<void(std::size_t, std::size_t)>& progress) {
    OKKSIM_CHECK(!options.machines.empty());
    CaseList list;
    std::vector<std::filesystem::path> histories{options.history};
    for (const std::filesystem::path& folder : options.traces) {
        if (folder != options.traces.front()) list.begin_further();
        if (!std::filesystem::is_directory(folder)) continue;
        const auto summary = folder / "summary.csv";
        if (std::filesystem::exists(summary)) list.read_summary(summary);
        list.find_traces(folder);
        histories.push_back(folder / "contest_history.csv");
    }
    if (std::filesystem::exists(options.leaderboard)) list.read_leaderboard(options.leaderboard);
    for (const auto& history : histories) {
        if (std::filesystem::exists(history)) list.read_history(history);
    }
    ContestReport report = list.take();

    std::vector<ContestKernel*> kernels;
    std::map<const ContestKernel*, std::string> names;
    for (ContestCase& entry : report.cases) {
        for (ContestKernel& kernel : entry.kernels) {
            if (kernel.trace.empty()) continue;
            kernels.push_back(&kernel);
            names[&kernel] = kernel_name(entry.op, entry.number, kernel.contestant);
        }
    }
    // Long traces come first, so that the longest one does not start last.
    std::stable_sort(kernels.begin(), kernels.end(), [](const auto* a, const auto* b) {
        return a->engine_calls > b->engine_calls;
    });
    const auto texts = execution::run_in_processes(
        kernels.size(), options.jobs,
        [&](std::size_t index) {
            return replay(kernels[index]->trace, names[kernels[index]], options.machines);
        },
        [&](std::size_t done) { progress(done, kernels.size()); });
    for (std::size_t i = 0; i < kernels.size(); ++i) keep(texts[i], options.machines, *kernels[i]);
    return report;
}

}  // namespace okksim::sim::fidelity
