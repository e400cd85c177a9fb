// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "isa/layout.h"

namespace okksim::tests {

/// Fills one word at `address` of each of 64 lanes.
inline isa::Command bdc_set(isa::CommandId id, isa::CommandId wait_gdma, std::uint32_t value,
                            isa::LocalAddr address = {0}) {
    isa::VectorSet op;
    op.dst_addr = address;
    op.C = {value};
    op.shape = {1, 64, 1, 1};
    op.dst_stride = isa::aligned_stride(0, op.shape, 32, 64);
    isa::Command command = isa::Command::make(isa::Opcode::bdc_32bit_set_C, op);
    command.id = id;
    command.wait_gdma = wait_gdma;
    return command;
}

/// The same by the data mover.
inline isa::Command gdma_set(isa::CommandId id, isa::CommandId wait_bdc, std::uint32_t value,
                             isa::LocalAddr address = {0}) {
    isa::GdmaFillLocal op;
    op.dst_addr = address;
    op.C = {value};
    op.shape = {1, 64, 1, 1};
    op.dst_stride = isa::aligned_stride(0, op.shape, 32, 64);
    isa::Command command = isa::Command::make(isa::Opcode::gdma_32bit_set_C_local, op);
    command.id = id;
    command.wait_bdc = wait_bdc;
    return command;
}

}  // namespace okksim::tests
