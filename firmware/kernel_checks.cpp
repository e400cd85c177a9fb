// SPDX-License-Identifier: Apache-2.0
#include "firmware/kernel_checks.h"

#include <algorithm>
#include <string>

#include "isa/disassembler.h"
#include "isa/hex.h"

namespace okksim::firmware {
namespace {

using isa::Access;
using isa::Command;
using isa::Opcode;
using isa::TensorView;

/// Commands without a poll, and pieces of a tensor, beyond these numbers are not looked at.
constexpr std::size_t kMostPending = 1024;
constexpr std::int64_t kMostPieces = 4096;
/// Ranges of global memory that are told apart.
constexpr std::size_t kMostTouched = 256;

std::string function_of(const Command& call) { return std::string("okk_") + call.info().name; }

/// Calls visit(offset) for the first byte of each row (n, h) of one channel, up to kMostPieces,
/// until it returns true.
template <typename Visitor>
bool any_row(const TensorView& view, const Visitor& visit) {
    std::int64_t pieces = 0;
    for (std::int64_t n = 0; n < view.shape.n; ++n) {
        for (std::int64_t h = 0; h < view.shape.h; ++h) {
            if (++pieces > kMostPieces) return false;
            if (visit((n * view.stride.n + h * view.stride.h) * view.element_bytes)) return true;
        }
    }
    return false;
}

/// Rows of a tensor in system memory: visit(address, bytes) until it returns true.
template <typename Visitor>
bool any_system_row(const TensorView& view, const Visitor& visit) {
    const std::int64_t bytes = std::int64_t{view.shape.w} * view.element_bytes;
    for (std::int64_t c = 0; c < view.shape.c; ++c) {
        const std::int64_t base = static_cast<std::int64_t>(view.system_addr.value()) +
                                  c * view.stride.c * view.element_bytes;
        const bool found = any_row(view, [&](std::int64_t offset) {
            return visit(static_cast<std::uint64_t>(base + offset),
                         static_cast<std::uint64_t>(bytes));
        });
        if (found) return true;
    }
    return false;
}

/// Whether a local tensor has an element at a byte of local memory.
bool holds(const TensorView& view, isa::LocalAddr address, const isa::MachineShape& machine) {
    const std::int32_t start = machine.lane_of(view.local_addr);
    const std::int32_t lane = machine.lane_of(address);
    const std::int64_t wanted = machine.offset_of(address);
    for (std::int64_t c = (lane - start + machine.lanes) % machine.lanes; c < view.shape.c;
         c += machine.lanes) {
        const std::int64_t slot = (start + c) / machine.lanes;
        const std::int64_t base =
            machine.offset_of(view.local_addr) + slot * view.stride.c * view.element_bytes;
        const bool found = any_row(view, [&](std::int64_t offset) {
            const std::int64_t step = std::int64_t{view.stride.w} * view.element_bytes;
            const std::int64_t distance = wanted - base - offset;
            if (distance < 0) return false;
            if (step <= 0) return distance < view.element_bytes;
            return distance / step < view.shape.w && distance % step < view.element_bytes;
        });
        if (found) return true;
    }
    return false;
}

bool is_exponential(Opcode opcode) {
    return opcode == Opcode::bdc_exp || opcode == Opcode::bdc_exp_tunable ||
           opcode == Opcode::bdc_tanh || opcode == Opcode::bdc_tanh_tunable;
}

}  // namespace

void KernelChecks::begin_launch() {
    pending_.clear();
    touched_.clear();
    is_initialized_ = false;
}

void KernelChecks::called(const Command& call, const NullArguments& nulls) {
    if (!is_initialized_) {
        is_initialized_ = true;
        context_.report(FindingKind::kRule, "initialize",
                        function_of(call) +
                            ": called before okk_initialize(), which a kernel must "
                            "call first; the engines may be in any state");
    }
    check_layouts(call, nulls);
    if (is_exponential(call.opcode) && call.words[0] == call.words[1]) {
        context_.report(FindingKind::kRule, function_of(call) + "in place",
                        function_of(call) +
                            ": dst_addr = src_addr loses the fraction of every "
                            "element, so that e^trunc(x) counts; use another "
                            "tensor for the result");
    }
}

/// The aligned layout, which a NULL stride stands for, begins on a vector of the machine.
void KernelChecks::check_layouts(const Command& call, const NullArguments& nulls) {
    if (!nulls.any()) return;
    const auto operands = call.info().operands();
    const auto line = static_cast<std::uint32_t>(context_.machine().line_bytes());
    // A division for every operand of every command would be felt.
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
        context_.report(FindingKind::kRule, function_of(call) + address.name + "aligned",
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
    const void* const site = call_site(context_.delivery().function_frame);
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
    const isa::MachineShape& machine = context_.machine();
    const auto& check_global = context_.options().check_global;
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
    context_.report(FindingKind::kBuffer, function + operand,
                    function + ": " + operand + " touches memory that is not the kernel's: " +
                        problem + "; stay inside the buffers that the host passes");
}

void KernelChecks::note(std::uint64_t address, std::uint64_t bytes, bool written) {
    for (TouchedBytes& range : touched_) {
        if (range.written != written || address > range.end || address + bytes < range.begin) {
            continue;
        }
        range.begin = std::min(range.begin, address);
        range.end = std::max(range.end, address + bytes);
        return;
    }
    if (touched_.size() < kMostTouched) touched_.push_back({address, address + bytes, written});
}

void KernelChecks::report_early_pointer(const Pending& pending, const char* does) {
    const std::string function = context_.delivery().function;
    const std::string site = describe_address(pending.site);
    context_.report(FindingKind::kOrder, function + "early",
                    function + ": the pointer shows memory that " +
                        isa::disassemble(pending.command, context_.machine()) +
                        (site.empty() ? "" : " (" + site + ")") + " " + does +
                        " and nobody has waited for; call okk_poll() first");
}

void KernelChecks::pointer_to(isa::LocalAddr address) {
    for (const Pending& pending : pending_) {
        for (const TensorView& view : isa::tensor_views(pending.command, context_.machine())) {
            if (!view.local || view.access == Access::kRead) continue;
            if (holds(view, address, context_.machine())) {
                return report_early_pointer(pending, "writes");
            }
        }
    }
    const auto& look = context_.options().look_at_local;
    if (look) report_undefined(look(address));
}

void KernelChecks::report_undefined(const std::optional<std::string>& problem) {
    if (!problem) return;
    const std::string function = context_.delivery().function;
    context_.report(FindingKind::kUnwrittenRead, function + "undefined",
                    function + ": " + *problem);
}

void KernelChecks::pointer_to(std::uint64_t address, std::uint64_t bytes, isa::AccessKind kind) {
    const bool stores = kind == isa::AccessKind::kStore;
    if (context_.machine().global().holds(address)) {
        note(address, bytes, stores);
        const auto& check_global = context_.options().check_global;
        const auto problem = check_global ? check_global(address, bytes) : std::nullopt;
        if (problem) report_buffer(context_.delivery().function, "addr", *problem);
    }
    for (const Pending& pending : pending_) {
        for (const TensorView& view : isa::tensor_views(pending.command, context_.machine())) {
            if (view.local || (view.access == Access::kRead && !stores)) continue;
            const bool meets = any_system_row(view, [&](std::uint64_t row, std::uint64_t size) {
                return row < address + bytes && address < row + size;
            });
            if (meets) {
                return report_early_pointer(pending,
                                            view.access == Access::kRead ? "reads" : "writes");
            }
        }
    }
    const auto& look = context_.options().look_at_system;
    if (!look) return;
    // A pointer that says nothing of its use is asked for with one byte.
    report_undefined(look(address, bytes, !stores && bytes > 1));
}

void KernelChecks::returned(bool in_parallel_section) {
    // There is no call any more whose stack could be shown.
    context_.delivery().function_frame = nullptr;
    if (in_parallel_section) {
        context_.report(FindingKind::kOrder, "parallel",
                        "the kernel returned inside a parallel section; call okk_parallel_end() "
                        "and okk_poll() before");
    } else if (!pending_.empty()) {
        const Pending& last = pending_[latest_];
        const std::string site = describe_address(last.site);
        context_.report(FindingKind::kOrder, "poll",
                        "the kernel returned without okk_poll() after its last commands; the host "
                        "may look at results before " +
                            isa::disassemble(last.command, context_.machine()) +
                            (site.empty() ? "" : " (" + site + ")") + " is done");
    }
}

}  // namespace okksim::firmware
