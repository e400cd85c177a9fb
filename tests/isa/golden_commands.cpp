// SPDX-License-Identifier: Apache-2.0
#include "tests/isa/golden_commands.h"

#include <stdexcept>

#include "isa/layout.h"
#include "isa/type_names.h"
#include "tests/support/golden_dir.h"

namespace okksim::tests {
namespace {

using isa::Dim4;
using isa::OperandInfo;
using isa::OperandKind;

std::string without_suffix(const std::string& name, const std::string& suffix) {
    if (!name.ends_with(suffix)) return {};
    return name.substr(0, name.size() - suffix.size());
}

/// Fills in one command from the arguments of one call.
class CommandBuilder {
 public:
    CommandBuilder(const OkkFunction& function, const OkkCase& golden,
                   const isa::MachineShape& machine)
        : function_(function), golden_(golden), machine_(machine) {
        const isa::InstructionInfo* info = isa::find_instruction(std::string_view(function.name));
        if (info == nullptr) throw std::runtime_error(function.name + ": not in the table");
        info_ = info;
        command_.opcode = info->opcode;
    }

    isa::Command build() {
        for (const OperandInfo& operand : info_->operands()) {
            if (operand.kind != OperandKind::kStride) set(operand);
        }
        for (const OperandInfo& operand : info_->operands()) {
            if (operand.kind == OperandKind::kStride) set_dim4(operand, stride(operand));
        }
        return command_;
    }

 private:
    std::optional<std::size_t> position(const std::string& name) const {
        for (std::size_t i = 0; i < function_.parameters.size(); ++i) {
            if (function_.parameters[i].second == name) return i;
        }
        return std::nullopt;
    }
    std::size_t position_of(const OperandInfo& operand) const {
        const auto index = position(operand.name);
        if (!index) throw std::runtime_error(function_.name + ": no parameter " + operand.name);
        return *index;
    }
    std::uint32_t& word(const OperandInfo& operand, int i = 0) {
        return command_.words[static_cast<std::size_t>(operand.first_word + i)];
    }
    void set_dim4(const OperandInfo& operand, const Dim4& value) {
        const std::int32_t members[] = {value.n, value.c, value.h, value.w};
        for (int i = 0; i < 4; ++i) word(operand, i) = static_cast<std::uint32_t>(members[i]);
    }

    void set(const OperandInfo& operand) {
        const OkkArguments& args = golden_.arguments();
        const std::size_t index = position_of(operand);
        switch (operand.kind) {
            case OperandKind::kLocal: word(operand) = args.local(index).value; return;
            case OperandKind::kSystem: {
                const isa::SystemAddr addr = args.system(index, machine_);
                word(operand) = addr.low;
                word(operand, 1) = addr.high;
                return;
            }
            case OperandKind::kShape: set_dim4(operand, args.dim4(index).value()); return;
            case OperandKind::kStride: return;
            case OperandKind::kInt:
            case OperandKind::kOpTypes:
            case OperandKind::kMulTypes:
            case OperandKind::kElement:
                word(operand) = static_cast<std::uint32_t>(args.integer(index));
                return;
            case OperandKind::kFloat:
            case OperandKind::kBits: word(operand) = args.bits(index).bits; return;
            case OperandKind::kBool: word(operand) = args.boolean(index) ? 1 : 0; return;
            case OperandKind::kPadding: {
                const isa::Padding padding = args.padding(index).value_or(isa::Padding{});
                set_dim4(operand, {padding.top, padding.bottom, padding.left, padding.right});
                return;
            }
            case OperandKind::kStep: {
                const isa::Dim2 step = args.dim2(index).value_or(isa::Dim2{1, 1});
                word(operand) = static_cast<std::uint32_t>(step.h);
                word(operand, 1) = static_cast<std::uint32_t>(step.w);
                return;
            }
        }
    }

    Dim4 shape_of(const std::string& tensor) const {
        for (const char* name : {"shape", "input_shape"}) {
            if (const auto index = position(name)) {
                return packed(tensor, golden_.arguments().dim4(*index).value());
            }
        }
        throw std::runtime_error(function_.name + ": no shape");
    }
    /// Batches in packed 32-bit words, for the fixed-point functions.
    Dim4 packed(const std::string& tensor, const Dim4& shape) const {
        if (!function_.name.starts_with("okk_bdc_fixed_point")) return shape;
        return isa::packed_shape(shape, element_bits(tensor));
    }
    int element_bits(const std::string& tensor) const {
        const OkkArguments& args = golden_.arguments();
        if (const auto index = position("op_type")) {
            const auto types = isa::fixed_types(static_cast<isa::OpType>(args.integer(*index)));
            return tensor == "dst" ? types.result.bits : types.source0.bits;
        }
        const bool is_8bit =
            (function_.name.find("split") != std::string::npos && tensor == "dst") ||
            (function_.name.find("mul_8bit") != std::string::npos && tensor != "dst");
        return is_8bit ? 8 : 16;
    }

    Dim4 stride(const OperandInfo& operand) {
        if (const auto index = position(operand.name)) {
            if (const auto value = golden_.arguments().dim4(*index)) return *value;
        }
        const std::string tensor = without_suffix(operand.name, "_stride");
        for (const OperandInfo& address : info_->operands()) {
            if (without_suffix(address.name, "_addr") != tensor) continue;
            if (address.kind == OperandKind::kSystem) {
                return isa::continuous_stride(shape_of(tensor));
            }
            const int bits =
                info_->engine == isa::Engine::kGdma ? 8 * isa::element_bytes(info_->data) : 32;
            const std::int32_t lane = machine_.lane_of({word(address)});
            return isa::aligned_stride(lane, shape_of(tensor), bits, machine_.lanes,
                                       machine_.line_bytes());
        }
        throw std::runtime_error(function_.name + ": no default for " + operand.name);
    }

    const OkkFunction& function_;
    const OkkCase& golden_;
    const isa::MachineShape& machine_;
    const isa::InstructionInfo* info_ = nullptr;
    isa::Command command_;
};

}  // namespace

isa::Command golden_command(const OkkFunction& function, const OkkCase& golden,
                            const isa::MachineShape& machine) {
    return CommandBuilder(function, golden, machine).build();
}

std::vector<GoldenCommand> golden_commands() {
    std::vector<GoldenCommand> commands;
    const auto dir = needed_golden_dir();
    if (!dir) return commands;
    for (const isa::InstructionInfo& row : isa::instructions()) {
        if (!row.is_documented()) continue;
        const OkkFunction function =
            load_okk_function(*dir / "okk", std::string("okk_") + row.name);
        for (const OkkCase& golden : function.cases) {
            commands.push_back({golden.id, golden.tags.empty(), golden.has_tag("doc_conflict"),
                                golden.has_tag("derived"),
                                golden_command(function, golden, okk_machine_shape())});
        }
    }
    return commands;
}

}  // namespace okksim::tests
