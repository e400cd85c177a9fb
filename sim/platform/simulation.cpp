// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simulation.h"

#include <sysc/tracing/sc_tracing_ids.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "firmware/calls/abandoned_context.h"
#include "isa/base/errors.h"
#include "isa/base/output_file.h"
#include "models/chip/chip.h"
#include "models/common/npu_module.h"
#include "sim/machine/provenance.h"
#include "sim/platform/piped_file.h"
#include "sim/platform/systemc_context.h"

namespace okksim::sim {
namespace {

/// Runs `action`, and converts SystemC's reports about memory and files to the exceptions that
/// other code throws. SystemC turns exceptions of its processes into text. It also has its own
/// reports for stacks and files that the host refuses.
template <typename Action>
void with_own_errors(const Action& action) {
    try {
        action();
    } catch (const sc_core::sc_report& report) {
        const auto is_of = [&report](const char* type) {
            return std::strcmp(report.get_msg_type(), type) == 0;
        };
        if (is_of(sc_core::SC_ID_STACK_SETUP_FAILED_) ||
            std::strstr(report.what(), "std::bad_alloc") != nullptr) {
            throw std::bad_alloc();
        }
        if (is_of(sc_core::SC_ID_TRACING_FOPEN_FAILED_)) {
            throw OutputError("--vcd", std::string("cannot be written: ") + report.get_msg());
        }
        throw;
    }
}

template <typename... Duration>
void start(const Duration&... duration) {
    with_own_errors([&] { sc_core::sc_start(duration...); });
}

}  // namespace

struct Simulation::Kernel {
    void close_vcd() {
        if (trace_file == nullptr) return;
        const SystemCContext::Scope scope(context);
        sc_core::sc_close_vcd_trace_file(std::exchange(trace_file, nullptr));
    }

    SystemCContext context;
    std::unique_ptr<models::Chip> chip;
    std::unique_ptr<PipedFile> vcd;
    sc_core::sc_trace_file* trace_file = nullptr;
};

Simulation::Simulation(Machine machine, const models::ChipOptions& options)
    : machine_(std::move(machine)), kernel_(std::make_unique<Kernel>()) {
    const SystemCContext::Scope scope(kernel_->context);
    kernel_->chip = std::make_unique<models::Chip>("chip", machine_.params, options);
    // Elaborates, so that memories can be loaded before the first launch.
    start(sc_core::SC_ZERO_TIME);
}

Simulation::~Simulation() {
    const SystemCContext::Scope scope(kernel_->context);
    kernel_->close_vcd();
    kernel_->chip.reset();
    // The stack of a kernel that an exception has aborted was freed with the chip, so its context
    // is invalid.
    firmware::abandon_context();
}

models::Chip& Simulation::chip() { return *kernel_->chip; }

void Simulation::add_observer(models::CommandObserver& observer) {
    kernel_->chip->add_observer(observer);
}

void Simulation::trace_vcd(const std::string& path) {
    const std::string end = ".vcd";
    if (!path.ends_with(end)) throw ConfigError("--vcd " + path, "must end in .vcd");
    kernel_->vcd = std::make_unique<PipedFile>("--vcd " + path, path, end);
    const SystemCContext::Scope scope(kernel_->context);
    // SystemC appends the extension.
    const std::string pipe = kernel_->vcd->pipe().string();
    with_own_errors([&] {
        kernel_->trace_file =
            sc_core::sc_create_vcd_trace_file(pipe.substr(0, pipe.size() - end.size()).c_str());
        kernel_->trace_file->set_time_unit(1, sc_core::SC_PS);
        kernel_->trace_file->write_comment(provenance_text(machine_));
        for (const auto& engine : kernel_->chip->engines) engine->trace(kernel_->trace_file);
    });
}

void Simulation::finish_vcd() {
    kernel_->close_vcd();
    if (kernel_->vcd) kernel_->vcd->commit();
    kernel_->vcd.reset();
}

void Simulation::launch(models::ProcessorProgram program) {
    const SystemCContext::Scope scope(kernel_->context);
    kernel_->chip->mcu.launch(std::move(program));
}

void Simulation::run() {
    const SystemCContext::Scope scope(kernel_->context);
    start();
}

void Simulation::advance(models::Picoseconds duration) {
    const SystemCContext::Scope scope(kernel_->context);
    start(models::to_sc_time(duration));
}

void Simulation::host_copy(std::uint64_t address, std::uint64_t bytes,
                           models::MemoryDirection direction, models::Picoseconds link) {
    const SystemCContext::Scope scope(kernel_->context);
    const models::Picoseconds memory = kernel_->chip->host_copy(address, bytes, direction);
    start(models::to_sc_time(std::max(link, memory)));
}

models::Picoseconds Simulation::time() const {
    const SystemCContext::Scope scope(kernel_->context);
    return models::now();
}

}  // namespace okksim::sim
