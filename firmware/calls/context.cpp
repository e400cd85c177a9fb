// SPDX-License-Identifier: Apache-2.0
#include "firmware/calls/context.h"

#include <cstdio>
#include <string>
#include <utility>

#include "firmware/calls/abandoned_context.h"
#include "firmware/calls/repeated_commands.h"
#include "firmware/watch/kernel_checks.h"
#include "isa/base/stop_request.h"

namespace okksim::firmware {
namespace {

thread_local Context* current_context = nullptr;

[[noreturn]] void throw_bad_state(const char* function, const char* value, const char* rule,
                                  const char* advice) {
    FaultRecord record;
    record.code = FaultCode::kBadState;
    record.function = function;
    record.value = value;
    record.rule = rule;
    record.advice = advice;
    record.unit = "firmware";
    throw ProgramFault(std::move(record));
}

}  // namespace

Context::Context(isa::CommandPort& port, ContextOptions options)
    : LaunchState(port, std::move(options)) {
    if (this->options().report || this->options().processor_stored)
        checks_ = std::make_unique<KernelChecks>(*this);
}

Context::~Context() = default;

Context* Context::current() { return current_context; }

void abandon_context() { current_context = nullptr; }

Context::Binding::Binding(Context& context) : previous_(current_context) {
    current_context = &context;
}

Context::Binding::~Binding() { current_context = previous_; }

void Context::begin_launch() {
    LaunchState::forget_last_launch();
    counts_ = {};
    if (options().idle_seconds) new_commands::begin_launch();
    last_ = at_parallel_start_ = {};
    parallel_ = false;
    if (checks_) checks_->begin_launch();
    per_command_ = {};
    FaultDelivery& delivery = this->delivery();
    delivery.exception = nullptr;
    delivery.signal = {};
    delivery.function = nullptr;
    delivery.in_runtime = 0;
    delivery.time_is_up = 0;
    delivery.foreign_call = nullptr;
}

void Context::check_budget() const {
    StopRequest::check();
    if (!options().command_budget || counts_.commands.total() < *options().command_budget) return;
    FaultRecord record;
    record.code = FaultCode::kBudget;
    record.value = std::to_string(counts_.commands.total()) + " commands";
    record.rule = "a launch may issue at most " + std::to_string(*options().command_budget) +
                  " commands (command budget)";
    record.advice =
        "look for an endless loop, or raise the command budget (--command-budget; host programs: "
        "OKKSIM_COMMAND_BUDGET)";
    record.unit = "firmware";
    throw ProgramFault(std::move(record));
}

void Context::issue(isa::Command command) {
    check_budget();
    if (per_command_.operations > 0) compute(per_command_);
    const auto own = static_cast<std::size_t>(command.info().engine);
    for (std::size_t kind = 0; kind < isa::kEngineKinds; ++kind) {
        // Kinds of engines order each other outside of parallel sections only.
        const Ids& until = parallel_ && kind != own ? at_parallel_start_ : last_;
        command.set_wait(static_cast<isa::Engine>(kind), until[kind]);
    }
    command.id = ++last_[own];
    ++counts_.commands[command.info().engine];
    count_command();
    if (options().idle_seconds) new_commands::note(command);
    if (checks_) checks_->issued(command);
    port().submit(command);
}

void Context::initialize() {
    port().wait_until_idle();
    if (checks_) {
        checks_->initialized();
        checks_->engines_are_done();
    }
    parallel_ = false;
    port().charge(isa::FirmwareCall::kInitialize);
}

void Context::poll() {
    if (parallel_) {
        throw_bad_state("okk_poll", "parallel mode is active",
                        "okk_poll() requires parallel mode to be inactive",
                        "call okk_parallel_end() first");
    }
    port().wait_until_idle();
    if (checks_) checks_->engines_are_done();
}

void Context::parallel_start() {
    if (parallel_) {
        throw_bad_state("okk_parallel_start", "parallel mode is active",
                        "okk_parallel_start() requires parallel mode to be inactive",
                        "call okk_parallel_end() before starting another parallel section");
    }
    parallel_ = true;
    at_parallel_start_ = last_;
    if (checks_) checks_->parallel_started();
    port().charge(isa::FirmwareCall::kParallelStart);
}

void Context::parallel_end() {
    if (!parallel_) {
        throw_bad_state("okk_parallel_end", "parallel mode is inactive",
                        "okk_parallel_end() requires parallel mode to be active",
                        "call okk_parallel_start() first, once per okk_parallel_end()");
    }
    parallel_ = false;
    port().charge(isa::FirmwareCall::kParallelEnd);
}

void Context::log(std::string_view text) const {
    if (options().log) {
        options().log(text);
        return;
    }
    std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace okksim::firmware
