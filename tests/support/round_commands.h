// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa/command.h"
#include "isa/types.h"

namespace okksim::tests {

/// 8000 bytes: 8 us at 1 byte per ns.
inline isa::Command load(isa::CommandId id, const isa::MachineShape& machine) {
    isa::GdmaCopyToLocal op{};
    op.src_addr = isa::SystemAddr::from(machine.global_start);
    op.shape = {1, 1, 1, 2000};
    op.dst_stride = op.src_stride = {2000, 2000, 2000, 1};
    isa::Command command = isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L, op);
    command.id = id;
    return command;
}

}  // namespace okksim::tests
