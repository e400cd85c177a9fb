// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/gate/baseline.h"

#include <fmt/format.h>

#include <new>

#include "isa/base/errors.h"
#include "isa/base/fault.h"
#include "isa/base/output_file.h"
#include "isa/base/stop_request.h"
#include "sim/execution/case_filter.h"
#include "sim/execution/executor.h"
#include "sim/execution/process_pool.h"
#include "sim/graph/folder.h"
#include "sim/graph/validate/validate.h"
#include "sim/planning/machine_plan.h"
#include "sim/study/gate/filter_file.h"
#include "sim/study/gate/measurement.h"
#include "sim/study/gate/sweep_record.h"
#include "sim/study/gate/time_record.h"
#include "sim/study/gate/workload_runs.h"
#include "sim/trace/run_observers.h"

namespace okksim::sim::gate {
namespace {

namespace fs = std::filesystem;

/// Prefix of a process's message about a file that it cannot write.
const std::string kUnwritten = "unwritten: ";

struct NamedTask {
    std::string name;
    std::function<void()> record;
};

/// The two files of a case. They get their names together, so that a full disk leaves the former
/// pair.
class FilePair {
 public:
    FilePair(const fs::path& folder, const std::string& name) : stem_((folder / name).string()) {}
    ~FilePair() {
        std::error_code ignored;  // renamed files are absent
        for (const char* end : {kFunctionalEnd, kTimeEnd}) {
            if (is_replaced(end)) fs::remove(unfinished(end), ignored);
        }
    }
    FilePair(const FilePair&) = delete;
    FilePair& operator=(const FilePair&) = delete;

    /// Returns the path to write. Devices and other special files are written directly.
    std::string unfinished(const char* end) const {
        return stem_ + end + (is_replaced(end) ? ".unfinished" : "");
    }
    void rename() const {
        for (const char* end : {kFunctionalEnd, kTimeEnd}) {
            if (!is_replaced(end)) continue;
            std::error_code error;
            fs::rename(unfinished(end), stem_ + end, error);
            if (error) throw OutputError(stem_ + end, "cannot be written: " + error.message());
        }
    }

 private:
    bool is_replaced(const char* end) const {
        const fs::file_status status = fs::status(stem_ + end);
        return !fs::exists(status) || fs::is_regular_file(status);
    }

    std::string stem_;
};

}  // namespace

void record_case(const GateCase& gate_case, const Machine& machine, const fs::path& folder) {
    const GateGraph gate = gate_case.build();
    graph::validate_graph(gate.graph);
    const planning::GraphPlan plan = planning::plan_for_machine(gate.graph, machine);
    Simulation simulation(machine, {});
    execution::GraphExecutor executor(gate.graph, plan, simulation);
    for (std::size_t i = 0; i < gate.inputs.size(); ++i) executor.set_input(i, gate.inputs[i]);
    trace::ObserverOptions options;
    const FilePair files(folder, gate_case.name);
    options.record = files.unfinished(kFunctionalEnd);
    options.record_crc = true;
    trace::RunObservers observers(trace::observed(simulation), options);
    observers.name_launch(gate_case.name);
    const execution::ExecutionReport report = executor.run();
    observers.finish();
    if (report.fault) throw ProgramFault(*report.fault);
    TimeRecord record = time_record_of(gate_case.name, machine, observers.accountant().total());
    add_operators(record, report);
    const graph::Block& main = gate.graph.main();
    for (std::size_t i = 0; i < main.outputs.size(); ++i) {
        record.outputs.push_back(
            {main.tensors[main.outputs[i]].name, hash_of(executor.output(i).data)});
    }
    save_time_record(record, files.unfinished(kTimeEnd));
    files.rename();
}

void record_sweep(const GateSweep& gate_sweep, const Machine& machine, const fs::path& folder) {
    const sweep::SweepSpec spec = sweep::parse_sweep(gate_sweep.spec, gate_sweep.name, machine);
    save_sweep_record(run_sweep_record(gate_sweep.name, spec, machine),
                      folder / (gate_sweep.name + kSweepEnd));
}

std::vector<std::string> record_baseline(
    const Machine& machine, const fs::path& folder, const std::string& filter, int jobs,
    const std::function<void(std::size_t done, std::size_t all)>& progress) {
    graph::make_folder(folder);
    std::vector<NamedTask> cases;
    const execution::CaseFilter wanted(filter);
    const auto add = [&](const std::string& name, std::function<void()> record) {
        if (wanted.selects(name)) cases.push_back({name, std::move(record)});
    };
    // Start the longest tasks first.
    for (const GateSweep& sweep : gate_sweeps()) {
        add(sweep.name, [&] { record_sweep(sweep, machine, folder); });
    }
    for (const GateCase& gate_case : gate_cases()) {
        add(gate_case.name, [&] { record_case(gate_case, machine, folder); });
    }
    if (cases.empty())
        throw ConfigError("--filter " + filter, "selects no kernel, network or sweep");
    FilterFile filters(folder);
    filters.begin(filter);
    const auto texts = execution::run_in_processes(
        cases.size(), jobs,
        [&](std::size_t i) -> std::string {
            try {
                cases[i].record();
                return {};
            } catch (const OutputError& error) {
                return kUnwritten + error.what();
            } catch (const std::bad_alloc&) {
                throw;  // concerns the host
            } catch (const std::exception& error) {
                return error.what();
            }
        },
        [&](std::size_t done) { progress(done, cases.size()); });
    std::vector<std::string> failures;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (texts[i] && texts[i]->starts_with(kUnwritten)) {
            throw OutputError(cases[i].name, texts[i]->substr(kUnwritten.size()));
        }
        const std::string problem =
            texts[i].value_or(StopRequest::signal() != 0 ? "not run: the run was interrupted"
                                                         : "the simulator crashed");
        if (!problem.empty()) failures.push_back(cases[i].name + ": " + problem);
    }
    if (filter.empty() && failures.empty()) filters.complete();
    return failures;
}

}  // namespace okksim::sim::gate
