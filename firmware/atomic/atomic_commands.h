// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "firmware/bm_atomic.h"
#include "firmware/launch/null_arguments.h"
#include "isa/command.h"

namespace okksim::firmware {

/// A call of a function of bm_atomic.h, as a call of the API function with the same operands.
struct AtomicCommand {
    isa::Command command;
    NullArguments nulls;
};

// These functions throw ProgramFault (kUnsupported), which names the field, if no documented
// command has it.
AtomicCommand command_of_bm_atomic_conv(const ConvParam& p, const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_depthwise(const DepthwiseParam& p,
                                             const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_avg_pool(const PoolParam& p, const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_max_pool(const PoolParam& p, const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_sum_pool(const SumPoolParam& p,
                                            const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_matmul(const MatmulParam& p, const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_tensor_arithmetic(const ArithParam& p,
                                                     const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_tensor_arithmetic_quantized(const ArithQuantParam& p,
                                                               const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_md_linear(const MDLinearParam& p,
                                             const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_md_scalar(const MDScalarParam& p,
                                             const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_md_sfu(const MDSFUParam& p, const isa::MachineShape& machine);
AtomicCommand command_of_bm_local_act(const ActParam& p, const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_memcpy_1D(const MemCpy1DParam& p,
                                             const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_memcpy_2D(const MemCpy2DParam& p,
                                             const isa::MachineShape& machine);
AtomicCommand command_of_bm_atomic_memcpy_4D(const MemCpy4DParam& p,
                                             const isa::MachineShape& machine);
/// `value`: the element that `p.const_val` shows.
AtomicCommand command_of_bm_atomic_memset_4D(const MemSet4DParam& p, std::uint32_t value,
                                             const isa::MachineShape& machine);
x32 value_behind(const MemSet4DParam& p);

/// Throws ProgramFault (kUnsupported) if a field does not have its only supported value.
void require_field(bool is_so, const char* field, std::uint64_t value, const char* rule,
                   const char* advice);
/// Fields of the header are unsigned, and those of commands are signed.
inline std::int32_t signed_of(unsigned int value) { return static_cast<std::int32_t>(value); }
isa::Dim4 dims_of(const unsigned int (&values)[4]);
/// Returns an address of local memory; throws ProgramFault if it has more than 32 bits.
isa::LocalAddr local_of(std::uint64_t address, const char* field);

}  // namespace okksim::firmware
