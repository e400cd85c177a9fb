// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simulation.h"

#include <sysc/tracing/sc_tracing_ids.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "firmware/calls/abandoned_context.h"
#include "isa/errors.h"
#include "isa/output_file.h"
#include "models/common/npu_module.h"
#include "sim/machine/provenance.h"

namespace okksim::sim {
namespace {

/// Carries `action` out; what SystemC reports about memory and files is what it is elsewhere:
/// SystemC puts exceptions of its processes into words, and has reports of its own for stacks and
/// files that the host does not grant.
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

Simulation::Simulation(Machine machine, const models::ChipOptions& options)
    : machine_(std::move(machine)) {
    const SystemCContext::Scope scope(context_);
    chip_ = std::make_unique<models::Chip>("chip", machine_.params, options);
    // Elaborates, so that memories can be loaded before the first launch.
    start(sc_core::SC_ZERO_TIME);
}

Simulation::~Simulation() {
    const SystemCContext::Scope scope(context_);
    close_vcd();
    chip_.reset();
    // A kernel that an exception has left behind lost its stack with the chip.
    firmware::abandon_context();
}

void Simulation::trace_vcd(const std::string& path) {
    const std::string end = ".vcd";
    if (!path.ends_with(end)) throw ConfigError("--vcd " + path, "must end in .vcd");
    vcd_ = std::make_unique<PipedFile>("--vcd " + path, path, end);
    const SystemCContext::Scope scope(context_);
    // SystemC appends the ending.
    const std::string pipe = vcd_->pipe().string();
    with_own_errors([&] {
        trace_file_ =
            sc_core::sc_create_vcd_trace_file(pipe.substr(0, pipe.size() - end.size()).c_str());
        trace_file_->set_time_unit(1, sc_core::SC_PS);
        trace_file_->write_comment(provenance_text(machine_));
        for (const auto& engine : chip_->engines) engine->trace(trace_file_);
    });
}

void Simulation::close_vcd() {
    if (trace_file_ == nullptr) return;
    const SystemCContext::Scope scope(context_);
    sc_core::sc_close_vcd_trace_file(std::exchange(trace_file_, nullptr));
}

void Simulation::finish_vcd() {
    close_vcd();
    if (vcd_) vcd_->commit();
    vcd_.reset();
}

void Simulation::launch(models::Mcu::Program program) {
    const SystemCContext::Scope scope(context_);
    chip_->mcu.launch(std::move(program));
}

void Simulation::run() {
    const SystemCContext::Scope scope(context_);
    start();
}

void Simulation::advance(models::Picoseconds duration) {
    const SystemCContext::Scope scope(context_);
    start(models::to_sc_time(duration));
}

void Simulation::host_copy(std::uint64_t address, std::uint64_t bytes,
                           models::MemoryDirection direction, models::Picoseconds link) {
    const SystemCContext::Scope scope(context_);
    const models::Picoseconds memory = chip_->host_copy(address, bytes, direction);
    start(models::to_sc_time(std::max(link, memory)));
}

models::Picoseconds Simulation::time() const {
    const SystemCContext::Scope scope(context_);
    return models::now();
}

}  // namespace okksim::sim
