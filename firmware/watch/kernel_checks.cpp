// SPDX-License-Identifier: Apache-2.0
#include "firmware/watch/kernel_checks.h"

#include <algorithm>
#include <string>

#include "firmware/launch/tensor_rows.h"
#include "isa/base/hex.h"
#include "isa/disassembler.h"

namespace okksim::firmware {
namespace {

using isa::Access;
using isa::Command;
using isa::Opcode;
using isa::TensorView;

/// The number of commands without a poll that are kept.
constexpr std::size_t kMostPending = 1024;
/// The number of separate ranges of global memory that are kept.
constexpr std::size_t kMostTouched = 256;

std::string function_of(const Command& call) { return std::string("okk_") + call.info().name; }

bool is_exponential(Opcode opcode) {
    return opcode == Opcode::bdc_exp || opcode == Opcode::bdc_exp_tunable ||
           opcode == Opcode::bdc_tanh || opcode == Opcode::bdc_tanh_tunable;
}

/// Returns whether an operand begins in global memory.
bool names_global(const Command& command, const isa::MachineShape& machine) {
    for (const isa::OperandInfo& operand : command.info().operands()) {
        if (operand.kind != isa::OperandKind::kSystem) continue;
        const std::uint64_t low = command.words[operand.first_word];
        const std::uint64_t high = command.words[operand.first_word + 1u];
        if (machine.global().holds(low | high << 32)) return true;
    }
    return false;
}

}  // namespace

KernelChecks::KernelChecks(LaunchState& launch)
    : launch_(launch),
      can_watch_(launch.port().owns_pages()),
      sees_all_(can_watch_ && launch.options().watch_pointers),
      watch_(launch.port()) {
    if (can_watch_) own_accesses_.emplace(launch, pending_, !sees_all_);
}

void KernelChecks::begin_launch() {
    pending_.clear();
    watch_.begin_launch();
    if (own_accesses_) own_accesses_->begin_launch();
    touched_.clear();
    is_initialized_ = false;
    has_given_ = false;
}

void KernelChecks::engines_are_done() {
    pending_.clear();
    watch_.clear();
}

void KernelChecks::called(const Command& call, const NullArguments& nulls) {
    if (!is_initialized_) {
        is_initialized_ = true;
        launch_.report(FindingKind::kRule, "initialize",
                       function_of(call) +
                           ": called before okk_initialize(). A kernel must call okk_initialize() "
                           "first, because the engines may be in any state");
    }
    check_layouts(call, nulls);
    if (is_exponential(call.opcode) && call.words[0] == call.words[1]) {
        launch_.report(FindingKind::kRule, function_of(call) + "in place",
                       function_of(call) +
                           ": dst_addr = src_addr loses the fraction of every element, so the "
                           "result is e^trunc(x); use another tensor for the result");
    }
}

/// The aligned layout, which a NULL stride stands for, begins at a multiple of a vector of the
/// machine.
void KernelChecks::check_layouts(const Command& call, const NullArguments& nulls) {
    if (!nulls.any()) return;
    const auto operands = call.info().operands();
    const auto line = static_cast<std::uint32_t>(launch_.machine().line_bytes());
    // A division for every operand of every command would be slow.
    const bool is_power = (line & (line - 1)) == 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        if (!nulls.is_null(i) || operands[i].kind != isa::OperandKind::kStride) continue;
        const isa::OperandInfo& address = operands[operands[i].tensor];
        if (operands[i].null_layout != isa::Layout::kAligned ||
            address.kind != isa::OperandKind::kLocal) {
            continue;
        }
        const std::uint32_t value = call.words[address.first_word];
        if ((is_power ? value & (line - 1) : value % line) == 0) continue;
        launch_.report(FindingKind::kRule, function_of(call) + address.name + "aligned",
                       function_of(call) + ": " + address.name + " = " + std::to_string(value) +
                           " with " + operands[i].name +
                           " = NULL: the aligned layout begins at "
                           "a multiple of " +
                           std::to_string(line) +
                           " bytes; align the address "
                           "or give the stride");
    }
}

void KernelChecks::issued(const Command& command) {
    const void* const site = launch_.delivery().call();
    if (!sees_all_ && watch_.is_touched_by(command)) watch_.add({command, site});
    if (pending_.size() < kMostPending) {
        latest_ = pending_.size();
        pending_.push_back({command, site});
    } else {
        latest_ = (latest_ + 1) % kMostPending;
        pending_[latest_] = {command, site};
    }
    if (command.info().engine == isa::Engine::kGdma) check_buffers(command);
}

void KernelChecks::check_buffers(const Command& command) {
    const isa::MachineShape& machine = launch_.machine();
    if (!names_global(command, machine)) return;
    const auto& check_global = launch_.options().check_global;
    for (const TensorView& view : isa::tensor_views(command, machine)) {
        if (view.local || !machine.global().holds(view.system_addr.value())) continue;
        const isa::ByteInterval whole = isa::touched_bytes(view, machine);
        const auto low = static_cast<std::uint64_t>(whole.low);
        const auto bytes = static_cast<std::uint64_t>(whole.high - whole.low);
        note(low, bytes, view.access != Access::kRead);
        if (!check_global) continue;
        auto problem = check_global(low, bytes);
        const bool is_dense =
            view.element_count() * static_cast<std::uint64_t>(view.element_bytes) == bytes;
        if (problem && !is_dense) {
            problem.reset();
            any_system_row(view, [&](std::uint64_t address, std::uint64_t row) {
                problem = check_global(address, row);
                return problem.has_value();
            });
        }
        if (problem) report_buffer(function_of(command), view.operand, *problem);
    }
}

void KernelChecks::report_buffer(const std::string& function, const std::string& operand,
                                 const std::string& problem) {
    launch_.report(FindingKind::kBuffer, function + operand,
                   function + ": " + operand + " accesses memory that is not the kernel's: " +
                       problem + "; access only the buffers that the host passes");
}

void KernelChecks::note(std::uint64_t address, std::uint64_t bytes, bool written) {
    const void* const site = launch_.delivery().call();
    for (TouchedBytes& range : touched_) {
        if (range.written != written || address > range.end || address + bytes < range.begin) {
            continue;
        }
        range.begin = std::min(range.begin, address);
        range.end = std::max(range.end, address + bytes);
        range.site = site;
        return;
    }
    if (touched_.size() < kMostTouched) {
        touched_.push_back({address, address + bytes, written, site});
    }
}

void KernelChecks::report_early_pointer(const PendingCommand& pending, const char* does) {
    const std::string function = launch_.delivery().function;
    const std::string site = describe_address(pending.site);
    launch_.report(FindingKind::kOrder, function + "early",
                   function + ": the pointer gives access to memory that " +
                       isa::disassemble(pending.command, launch_.machine()) +
                       (site.empty() ? "" : " (" + site + ")") + " " + does +
                       ", and the kernel has not waited for it; call okk_poll() first");
}

/// The kernel gets a pointer that it may use at any time.
void KernelChecks::give(GivenPointer pointer) {
    has_given_ = true;
    const auto& tell_lost = launch_.options().processor_stores_lost;
    if (!can_watch_ && tell_lost) tell_lost();
    if (!can_watch_) return;
    const FaultDelivery& delivery = launch_.delivery();
    pointer.function = delivery.function;
    pointer.site = delivery.call();
    own_accesses_->given(pointer);
    if (!sees_all_) watch_.give(pointer);
}

/// From now on, uses of the memory of pending commands are too early.
void KernelChecks::watch_pending() {
    watch_.clear();
    for (const PendingCommand& pending : pending_) watch_.add(pending);
}

void KernelChecks::watch_pointers() {
    watch_.close();
    launch_.delivery().watch = &watch_;
}

void KernelChecks::kernel_stops() {
    FaultDelivery& delivery = launch_.delivery();
    const auto before = delivery.in_runtime;
    delivery.in_runtime = 1;  // a signal must not interrupt this code
    delivery.watch = nullptr;
    watch_.open();
    if (const auto use = watch_.take()) report_early_use(*use);
    if (own_accesses_) own_accesses_->kernel_stops();
    delivery.in_runtime = before;
}

void KernelChecks::pointers_are_done() {
    FaultDelivery& delivery = launch_.delivery();
    const auto before = delivery.in_runtime;
    delivery.in_runtime = 1;  // a signal must not interrupt this code
    watch_.forget_pointers();
    delivery.in_runtime = before;
}

void KernelChecks::system_uses(const void* begin, std::uint64_t bytes) {
    FaultDelivery& delivery = launch_.delivery();
    const auto before = delivery.in_runtime;
    delivery.in_runtime = 1;
    watch_.open();
    if (own_accesses_) own_accesses_->system_uses(begin, bytes);
    delivery.in_runtime = before;
}

void KernelChecks::kernel_has_left() {
    if (launch_.delivery().watch != nullptr) kernel_stops();
    if (own_accesses_) own_accesses_->end_launch();
}

void KernelChecks::report_early_use(const PointerWatch::EarlyUse& use) {
    const std::string site = describe_address(use.pending.site);
    const std::string given = describe_address(use.pointer.site);
    const std::string function = use.pointer.function;
    launch_.report(FindingKind::kOrder, function + "early",
                   function + ": the pointer" + (given.empty() ? "" : " (" + given + ")") +
                       " is used to access memory that " +
                       isa::disassemble(use.pending.command, launch_.machine()) +
                       (site.empty() ? "" : " (" + site + ")") + " " +
                       (use.writes ? "writes" : "reads") +
                       ", and the kernel has not waited for it; call okk_poll() first",
                   use.stack);
}

void KernelChecks::pointer_to(isa::LocalAddr address) {
    give({nullptr, nullptr, {true, address, 0}});
    if (sees_all_ && !own_accesses_->is_lost()) return;  // the watch sees the uses of the pointer
    for (const PendingCommand& pending : pending_) {
        for (const TensorView& view : isa::tensor_views(pending.command, launch_.machine())) {
            if (!view.local || !holds_byte(view, address, launch_.machine())) continue;
            if (can_watch_) return watch_pending();
            if (view.access != Access::kRead) return report_early_pointer(pending, "writes");
        }
    }
    const auto& look = launch_.options().look_at_local;
    if (look) report_undefined(look(address));
}

void KernelChecks::report_undefined(const std::optional<std::string>& problem) {
    if (!problem) return;
    const std::string function = launch_.delivery().function;
    launch_.report(FindingKind::kUnwrittenRead, function + "undefined",
                   function + ": the pointer " + *problem);
}

void KernelChecks::pointer_to(std::uint64_t address, std::uint64_t bytes, isa::AccessKind kind) {
    const bool stores = kind == isa::AccessKind::kStore;
    if (launch_.machine().global().holds(address)) {
        note(address, bytes, stores);
        const auto& check_global = launch_.options().check_global;
        const auto problem = check_global ? check_global(address, bytes) : std::nullopt;
        if (problem) report_buffer(launch_.delivery().function, "addr", *problem);
    }
    // A pointer without an announced use is requested with one byte.
    const bool is_bare = !stores && bytes == 1;
    if (is_bare || sees_all_) give({nullptr, nullptr, {false, {}, address}});
    if (is_bare && sees_all_ && !own_accesses_->is_lost())
        return;  // the watch sees the uses of the pointer
    for (const PendingCommand& pending : pending_) {
        for (const TensorView& view : isa::tensor_views(pending.command, launch_.machine())) {
            const bool is_harmless =
                view.access == Access::kRead && !stores && !(is_bare && can_watch_);
            if (view.local || is_harmless) continue;
            const isa::ByteInterval whole = isa::touched_bytes(view, launch_.machine());
            if (static_cast<std::uint64_t>(whole.low) >= address + bytes ||
                address >= static_cast<std::uint64_t>(whole.high)) {
                continue;
            }
            const bool meets = any_system_row(view, [&](std::uint64_t row, std::uint64_t size) {
                return row < address + bytes && address < row + size;
            });
            if (!meets) continue;
            if (is_bare && can_watch_) return watch_pending();
            return report_early_pointer(pending, view.access == Access::kRead ? "reads" : "writes");
        }
    }
    const auto& look = launch_.options().look_at_system;
    if (!look) return;
    report_undefined(look(address, bytes, !stores && !is_bare));
}

void KernelChecks::returned(bool in_parallel_section) {
    // The kernel has returned, so no call stack exists.
    launch_.delivery().function_frame = nullptr;
    if (in_parallel_section) {
        const std::string site = describe_address(section_);
        launch_.report(FindingKind::kOrder, "parallel",
                       "the kernel returned inside a parallel section" +
                           (site.empty() ? "" : ", which begins in " + site) +
                           "; call okk_parallel_end() and okk_poll() first");
    } else if (!pending_.empty()) {
        const PendingCommand& last = pending_[latest_];
        const std::string site = describe_address(last.site);
        launch_.report(FindingKind::kOrder, "poll",
                       "the kernel returned without okk_poll() after its last commands; the host "
                       "may read results before " +
                           isa::disassemble(last.command, launch_.machine()) +
                           (site.empty() ? "" : " (" + site + ")") + " is done");
    }
}

}  // namespace okksim::firmware
