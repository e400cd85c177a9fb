// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "isa/layout.h"

namespace okksim::tests {

/// A command that fills one word at `address` in each of 64 lanes, with the operands of either
/// engine.
template <typename Operands>
isa::Command set_word(isa::Opcode opcode, isa::CommandId id, std::uint32_t value,
                      isa::LocalAddr address) {
    Operands op;
    op.dst_addr = address;
    op.C = {value};
    op.shape = {1, 64, 1, 1};
    op.dst_stride = isa::aligned_stride(0, op.shape, 32, 64, 128);
    isa::Command command = isa::Command::make(opcode, op);
    command.id = id;
    return command;
}

/// The command of the compute engine.
inline isa::Command bdc_set(isa::CommandId id, isa::CommandId wait_gdma, std::uint32_t value,
                            isa::LocalAddr address = {0}) {
    isa::Command command =
        set_word<isa::VectorSet>(isa::Opcode::bdc_32bit_set_C, id, value, address);
    command.wait_gdma = wait_gdma;
    return command;
}

/// The command of the GDMA.
inline isa::Command gdma_set(isa::CommandId id, isa::CommandId wait_bdc, std::uint32_t value,
                             isa::LocalAddr address = {0}) {
    isa::Command command =
        set_word<isa::GdmaFillLocal>(isa::Opcode::gdma_32bit_set_C_local, id, value, address);
    command.wait_bdc = wait_bdc;
    return command;
}

}  // namespace okksim::tests
