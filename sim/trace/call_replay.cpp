// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/call_replay.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/errors.h"
#include "isa/fault.h"
#include "isa/tensors.h"

namespace okksim::sim::trace {
namespace {

using isa::OperandKind;

/// Extents that no kernel exceeds; products of them stay within 64 bits.
constexpr std::int64_t kLargestExtent = 1 << 20;

bool is_extent(std::uint32_t word) {
    const auto value = static_cast<std::int32_t>(word);
    return value >= 1 && value <= kLargestExtent;
}

bool in_memory(const isa::MachineShape& machine, std::uint64_t address) {
    return address - machine.global_start < machine.global_bytes ||
           address - machine.l2_start < machine.l2_bytes ||
           address - machine.dtcm_start < machine.dtcm_bytes;
}

/// Whether a command that breaks a documented range still has a size in every direction.
bool has_meaning(const isa::Command& command, const isa::MachineShape& machine) {
    for (const isa::OperandInfo& operand : command.info().operands()) {
        const std::uint32_t* words = &command.words[operand.first_word];
        const bool counts = operand.rules.ranged && operand.rules.low >= 1;
        switch (operand.kind) {
            case OperandKind::kShape:
                if (!std::all_of(words, words + 4, is_extent)) return false;
                break;
            case OperandKind::kStep:
                if (!is_extent(words[0]) || !is_extent(words[1])) return false;
                break;
            case OperandKind::kInt:
                if (counts && !is_extent(words[0])) return false;
                break;
            case OperandKind::kPadding:
                if (std::any_of(words, words + 4, [](std::uint32_t w) {
                        return static_cast<std::int32_t>(w) < 0 || w > kLargestExtent;
                    })) {
                    return false;
                }
                break;
            default: break;
        }
    }
    const isa::TensorViews views = isa::tensor_views(command, machine);
    return std::all_of(views.begin(), views.end(), [&](const isa::TensorView& view) {
        return view.local || in_memory(machine, view.system_addr.value());
    });
}

}  // namespace

void make_call(firmware::Context& context, const RecordedCall& call) {
    if (!call.control) {
        firmware::issue_call(context, call.command, call.nulls);
        return;
    }
    switch (*call.control) {
        case ControlCall::kInitialize: context.initialize(); return;
        case ControlCall::kPoll: context.poll(); return;
        case ControlCall::kParallelStart: context.parallel_start(); return;
        case ControlCall::kParallelEnd: context.parallel_end(); return;
    }
}

bool make_recorded_call(firmware::Context& context, const RecordedCall& call) {
    try {
        make_call(context, call);
        return true;
    } catch (const ProgramFault& fault) {
        if (call.control || fault.record().code != FaultCode::kBadArgument ||
            !call.command.info().is_command()) {
            throw;
        }
        isa::Command command = call.command;
        firmware::complete_arguments(command, call.nulls, context);
        if (!has_meaning(command, context.machine())) throw;
        context.issue(command);
        return false;
    }
}

std::uint64_t make_calls(firmware::Context& context, CallTraceReader& trace) {
    RecordedCall call;
    std::uint64_t loose = 0;
    while (trace.next(call)) {
        try {
            if (!make_recorded_call(context, call)) ++loose;
        } catch (const ProgramFault& fault) {
            FaultRecord record = fault.record();
            if (record.function.empty() && !call.control) {
                record.function = fmt::format("okk_{}", call.command.info().name);
            }
            throw ConfigError(trace.where(), record.message());
        }
    }
    return loose;
}

}  // namespace okksim::sim::trace
