// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/fixed_point.h"

#include "isa/errors.h"
#include "isa/layout.h"
#include "models/bdc/fixed_kernels.h"

namespace okksim::models {
namespace {

constexpr isa::FixedType kSigned16{true, 16};
constexpr isa::FixedType kUnsigned16{false, 16};

FixedKernel arithmetic_kernel(isa::Opcode opcode) {
    using isa::Opcode;
    switch (opcode) {  // NOLINT: the commands with these forms
        case Opcode::bdc_fixed_point_packed_add:
        case Opcode::bdc_fixed_point_packed_add_C: return FixedKernel::kAdd;
        case Opcode::bdc_fixed_point_packed_sub:
        case Opcode::bdc_fixed_point_packed_sub_C:
        case Opcode::bdc_fixed_point_packed_C_sub: return FixedKernel::kSubtract;
        case Opcode::bdc_fixed_point_packed_mul:
        case Opcode::bdc_fixed_point_packed_mul_C: return FixedKernel::kMultiply;
        case Opcode::bdc_fixed_point_packed_max:
        case Opcode::bdc_fixed_point_packed_max_C: return FixedKernel::kMaximum;
        case Opcode::bdc_fixed_point_packed_min:
        case Opcode::bdc_fixed_point_packed_min_C: return FixedKernel::kMinimum;
        default: OKKSIM_CHECK(false);
    }
}

/// A constant in every batch element of a word. It fits its type, so no bits are lost.
std::uint32_t repeated(std::int32_t value, isa::FixedType type) {
    const auto bits = static_cast<std::uint32_t>(value);
    return type.bits == 8 ? (bits & 0xFFu) * 0x01010101u : (bits & 0xFFFFu) * 0x00010001u;
}

class JobBuilder {
 public:
    JobBuilder(FixedKernel kernel, const isa::Dim4& shape, LocalMemory& memory) : memory_(memory) {
        job_.kernel = kernel;
        job_.shape = shape;
        job_.lanes = memory.lanes();
    }
    JobBuilder& tensor(isa::LocalAddr addr, const isa::Dim4& stride, isa::FixedType type) {
        job_.tensor[job_.tensors++] = {local_tensor(memory_, addr, stride, 4), type};
        return *this;
    }
    /// `word` must live until the job has run.
    JobBuilder& constant(const std::uint32_t& word, isa::FixedType type) {
        job_.tensor[job_.tensors++] = {constant_tensor(&word), type};
        return *this;
    }
    void run(LanePool& pool, std::int32_t rshift = 0, std::int32_t lshift = 0) {
        job_.rshift = rshift;
        job_.lshift = lshift;
        run_fixed(job_, pool);
    }

 private:
    LocalMemory& memory_;
    FixedJob job_;
};

template <typename Form>
void run_binary(isa::Opcode opcode, const Form& command, std::int32_t rshift, LocalMemory& memory,
                LanePool& pool) {
    const isa::FixedTypes types = isa::fixed_types(command.op_type);
    JobBuilder(arithmetic_kernel(opcode), command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, types.result)
        .tensor(command.src0_addr, command.src0_stride, types.source0)
        .tensor(command.src1_addr, command.src1_stride, types.source1)
        .run(pool, rshift);
}

/// The tensor is operand 0 and the constant operand 1, except in C_sub, where they change places.
template <typename Form>
void run_constant(isa::Opcode opcode, const Form& command, std::int32_t rshift, LocalMemory& memory,
                  LanePool& pool) {
    const isa::FixedTypes types = isa::fixed_types(command.op_type);
    const bool constant_first = opcode == isa::Opcode::bdc_fixed_point_packed_C_sub;
    const std::uint32_t word = repeated(command.C, constant_first ? types.source0 : types.source1);
    JobBuilder builder(arithmetic_kernel(opcode), command.shape, memory);
    builder.tensor(command.dst_addr, command.dst_stride, types.result);
    if (constant_first) builder.constant(word, types.source0);
    builder.tensor(command.src_addr, command.src_stride,
                   constant_first ? types.source1 : types.source0);
    if (!constant_first) builder.constant(word, types.source1);
    builder.run(pool, rshift);
}

/// The type of the old destination is an operand of its own.
template <typename Form>
isa::FixedType old_type(const Form& command) {
    return {command.is_origin_dst_signed != 0, 16};
}

}  // namespace

void execute_fixed(isa::Opcode opcode, const isa::FixedBinary& command, LocalMemory& memory,
                   LanePool& pool) {
    run_binary(opcode, command, command.rshift, memory, pool);
}

void execute_fixed(isa::Opcode opcode, const isa::FixedConstant& command, LocalMemory& memory,
                   LanePool& pool) {
    run_constant(opcode, command, command.rshift, memory, pool);
}

void execute_fixed(isa::Opcode opcode, const isa::FixedCompare& command, LocalMemory& memory,
                   LanePool& pool) {
    run_binary(opcode, command, 0, memory, pool);
}

void execute_fixed(isa::Opcode opcode, const isa::FixedCompareConstant& command,
                   LocalMemory& memory, LanePool& pool) {
    run_constant(opcode, command, 0, memory, pool);
}

void execute_fixed(const isa::FixedMac& command, LocalMemory& memory, LanePool& pool) {
    const isa::FixedTypes types = isa::fixed_types(command.op_type);
    JobBuilder(FixedKernel::kMultiplyAdd, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, types.result)
        .tensor(command.dst_addr, command.dst_stride, old_type(command))
        .tensor(command.src0_addr, command.src0_stride, types.source0)
        .tensor(command.src1_addr, command.src1_stride, types.source1)
        .run(pool, command.rshift, command.lshift);
}

void execute_fixed(const isa::FixedMacConstant& command, LocalMemory& memory, LanePool& pool) {
    const isa::FixedTypes types = isa::fixed_types(command.op_type);
    const std::uint32_t word = repeated(command.C, types.source1);
    JobBuilder(FixedKernel::kMultiplyAdd, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, types.result)
        .tensor(command.dst_addr, command.dst_stride, old_type(command))
        .tensor(command.src_addr, command.src_stride, types.source0)
        .constant(word, types.source1)
        .run(pool, command.rshift, command.lshift);
}

namespace {

bool shifts_arithmetically(isa::Opcode opcode) {
    return opcode == isa::Opcode::bdc_fixed_point_packed_16bit_arithmetic_shift ||
           opcode == isa::Opcode::bdc_fixed_point_packed_16bit_arithmetic_shift_C ||
           opcode == isa::Opcode::bdc_fixed_point_packed_16bit_C_arithmetic_shift;
}

isa::FixedType shifted_type(isa::Opcode opcode) {
    return shifts_arithmetically(opcode) ? kSigned16 : kUnsigned16;
}

}  // namespace

void execute_fixed(isa::Opcode opcode, const isa::FixedShift& command, LocalMemory& memory,
                   LanePool& pool) {
    JobBuilder(FixedKernel::kShift, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, shifted_type(opcode))
        .tensor(command.src0_addr, command.src0_stride, shifted_type(opcode))
        .tensor(command.src1_addr, command.src1_stride, kSigned16)
        .run(pool);
}

void execute_fixed(isa::Opcode opcode, const isa::FixedShiftConstant& command, LocalMemory& memory,
                   LanePool& pool) {
    const std::uint32_t word = repeated(command.C, kSigned16);
    JobBuilder(FixedKernel::kShift, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, shifted_type(opcode))
        .tensor(command.src_addr, command.src_stride, shifted_type(opcode))
        .constant(word, kSigned16)
        .run(pool);
}

void execute_fixed(isa::Opcode opcode, const isa::FixedConstantShift& command, LocalMemory& memory,
                   LanePool& pool) {
    const std::uint32_t word = repeated(command.C, shifted_type(opcode));
    JobBuilder(FixedKernel::kShift, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, shifted_type(opcode))
        .constant(word, shifted_type(opcode))
        .tensor(command.src_addr, command.src_stride, kSigned16)
        .run(pool);
}

void execute_fixed(const isa::FixedMul16By8& command, LocalMemory& memory, LanePool& pool) {
    // Bits of the encoding: source 0, source 1 and result are signed.
    const auto bits = static_cast<std::uint32_t>(command.mul_type);
    JobBuilder(FixedKernel::kMultiplyHalves, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, {(bits & 4) != 0, 16})
        .tensor(command.src0_high_addr, command.src0_high_stride, {(bits & 1) != 0, 8})
        .tensor(command.src0_low_addr, command.src0_low_stride, {false, 8})
        .tensor(command.src1_addr, command.src1_stride, {(bits & 2) != 0, 8})
        .run(pool, command.rshift);
}

void execute_fixed(const isa::FixedSplitHigh& command, LocalMemory& memory, LanePool& pool) {
    JobBuilder(FixedKernel::kHighByte, command.shape, memory)
        .tensor(command.dst_addr, command.dst_stride, {false, 8})
        .tensor(command.src_addr, command.src_stride, kUnsigned16)
        .run(pool);
}

}  // namespace okksim::models
