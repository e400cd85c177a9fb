// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/vector_commands.h"

#include "isa/errors.h"
#include "isa/layout.h"
#include "models/bdc/vector_kernels.h"

namespace okksim::models {
namespace {

using isa::Opcode;

/// Which kernel a command runs and in which order it takes the tensor and the constant.
struct ConstantRule {
    VectorKernel kernel;
    bool constant_first = false;
};

/// Tensors of a command as they are collected: destination first.
class Operands {
 public:
    explicit Operands(LocalMemory& memory) : memory_(memory) {}

    Operands& tensor(isa::LocalAddr addr, const isa::Dim4& stride) {
        tensors_[count_++] = local_tensor(memory_, addr, stride, 4);
        return *this;
    }
    /// `word` must live until the command has run.
    Operands& constant(const std::uint32_t& word) {
        tensors_[count_++] = constant_tensor(&word);
        return *this;
    }
    /// One value per channel in the compact layout.
    Operands& per_channel(isa::LocalAddr addr) { return tensor(addr, {0, 1, 0, 0}); }

    void run(VectorKernel kernel, const isa::Dim4& shape, LanePool& pool,
             const VectorParams& params = {}) {
        run_vector(kernel, params, shape, memory_.lanes(), {tensors_.data(), count_}, pool);
    }

 private:
    LocalMemory& memory_;
    std::array<WalkTensor, 4> tensors_;
    std::size_t count_ = 0;
};

VectorKernel binary_kernel(Opcode opcode) {
    switch (opcode) {  // the commands with this form
        case Opcode::bdc_add: return VectorKernel::kAdd;
        case Opcode::bdc_sub: return VectorKernel::kSubtract;
        case Opcode::bdc_mul: return VectorKernel::kMultiply;
        case Opcode::bdc_div: return VectorKernel::kDivide;
        case Opcode::bdc_mac: return VectorKernel::kMultiplyAdd;
        case Opcode::bdc_max: return VectorKernel::kMaximum;
        case Opcode::bdc_min: return VectorKernel::kMinimum;
        case Opcode::bdc_32bit_and: return VectorKernel::kAnd;
        case Opcode::bdc_32bit_or: return VectorKernel::kOr;
        case Opcode::bdc_32bit_xor: return VectorKernel::kXor;
        case Opcode::bdc_32bit_arithmetic_shift: return VectorKernel::kArithmeticShift;
        case Opcode::bdc_32bit_logical_shift: return VectorKernel::kLogicalShift;
        default: OKKSIM_CHECK(false);
    }
}

ConstantRule constant_rule(Opcode opcode) {
    switch (opcode) {  // the commands with a tensor and a constant
        case Opcode::bdc_add_C: return {VectorKernel::kAdd};
        case Opcode::bdc_sub_C: return {VectorKernel::kSubtract};
        case Opcode::bdc_C_sub: return {VectorKernel::kSubtract, true};
        case Opcode::bdc_mul_C: return {VectorKernel::kMultiply};
        case Opcode::bdc_div_C: return {VectorKernel::kDivide};
        case Opcode::bdc_C_div: return {VectorKernel::kDivide, true};
        case Opcode::bdc_max_C: return {VectorKernel::kMaximum};
        case Opcode::bdc_min_C: return {VectorKernel::kMinimum};
        case Opcode::bdc_mac_C: return {VectorKernel::kMultiplyAdd};
        case Opcode::bdc_32bit_and_C: return {VectorKernel::kAnd};
        case Opcode::bdc_32bit_or_C: return {VectorKernel::kOr};
        case Opcode::bdc_32bit_xor_C: return {VectorKernel::kXor};
        case Opcode::bdc_32bit_arithmetic_shift_C: return {VectorKernel::kArithmeticShift};
        case Opcode::bdc_32bit_C_arithmetic_shift: return {VectorKernel::kArithmeticShift, true};
        case Opcode::bdc_32bit_logical_shift_C: return {VectorKernel::kLogicalShift};
        case Opcode::bdc_32bit_C_logical_shift: return {VectorKernel::kLogicalShift, true};
        case Opcode::bdc_greater_C_select_value: return {VectorKernel::kGreaterSelect};
        case Opcode::bdc_C_greater_select_value: return {VectorKernel::kGreaterSelect, true};
        case Opcode::bdc_equal_C_select_value: return {VectorKernel::kEqualSelect};
        default: OKKSIM_CHECK(false);
    }
}

VectorKernel unary_kernel(Opcode opcode) {
    switch (opcode) {  // the commands with this form
        case Opcode::bdc_32bit_cpy: return VectorKernel::kCopy;
        case Opcode::bdc_fp32_to_int32: return VectorKernel::kToInt32;
        case Opcode::bdc_lookup_int32_to_fp32: return VectorKernel::kInt8ToFloat;
        case Opcode::bdc_lookup_exp: return VectorKernel::kExpTable;
        case Opcode::bdc_rsqrt: return VectorKernel::kReciprocalRoot;
        case Opcode::bdc_sqrt: return VectorKernel::kRoot;
        case Opcode::bdc_reciprocal: return VectorKernel::kReciprocal;
        case Opcode::bdc_neg: return VectorKernel::kNegate;
        case Opcode::bdc_relu: return VectorKernel::kRelu;
        default: OKKSIM_CHECK(false);
    }
}

template <typename Form>
void run_with_constant(Opcode opcode, const Form& command, std::uint32_t word,
                       const VectorParams& params, LocalMemory& memory, LanePool& pool) {
    const ConstantRule rule = constant_rule(opcode);
    Operands operands(memory);
    operands.tensor(command.dst_addr, command.dst_stride);
    if (rule.kernel == VectorKernel::kMultiplyAdd) {
        operands.tensor(command.dst_addr, command.dst_stride);
    }
    if (rule.constant_first) operands.constant(word);
    operands.tensor(command.src_addr, command.src_stride);
    if (!rule.constant_first) operands.constant(word);
    operands.run(rule.kernel, command.shape, pool, params);
}

}  // namespace

void execute_vector(Opcode opcode, const isa::VectorBinary& command, LocalMemory& memory,
                    LanePool& pool) {
    const VectorKernel kernel = binary_kernel(opcode);
    Operands operands(memory);
    operands.tensor(command.dst_addr, command.dst_stride);
    if (kernel == VectorKernel::kMultiplyAdd) {
        operands.tensor(command.dst_addr, command.dst_stride);
    }
    operands.tensor(command.src0_addr, command.src0_stride)
        .tensor(command.src1_addr, command.src1_stride)
        .run(kernel, command.shape, pool);
}

void execute_vector(Opcode opcode, const isa::VectorBinarySelect& command, LocalMemory& memory,
                    LanePool& pool) {
    const VectorKernel kernel = opcode == Opcode::bdc_equal_select_value
                                    ? VectorKernel::kEqualSelect
                                    : VectorKernel::kGreaterSelect;
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .tensor(command.src0_addr, command.src0_stride)
        .tensor(command.src1_addr, command.src1_stride)
        .run(kernel, command.shape, pool, {.constant = command.select_val.bits});
}

void execute_vector(Opcode opcode, const isa::VectorConstant& command, LocalMemory& memory,
                    LanePool& pool) {
    run_with_constant(opcode, command, command.C.bits, {}, memory, pool);
}

void execute_vector(Opcode opcode, const isa::VectorConstantBits& command, LocalMemory& memory,
                    LanePool& pool) {
    run_with_constant(opcode, command, command.C.bits, {}, memory, pool);
}

void execute_vector(Opcode opcode, const isa::VectorShiftConstant& command, LocalMemory& memory,
                    LanePool& pool) {
    run_with_constant(opcode, command, static_cast<std::uint32_t>(command.C), {}, memory, pool);
}

void execute_vector(Opcode opcode, const isa::VectorConstantShift& command, LocalMemory& memory,
                    LanePool& pool) {
    run_with_constant(opcode, command, static_cast<std::uint32_t>(command.C), {}, memory, pool);
}

void execute_vector(Opcode opcode, const isa::VectorConstantSelect& command, LocalMemory& memory,
                    LanePool& pool) {
    run_with_constant(opcode, command, command.C.bits, {.constant = command.select_val.bits},
                      memory, pool);
}

void execute_vector(Opcode opcode, const isa::VectorUnary& command, LocalMemory& memory,
                    LanePool& pool) {
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .tensor(command.src_addr, command.src_stride)
        .run(unary_kernel(opcode), command.shape, pool);
}

void execute_vector(Opcode opcode, const isa::VectorSeries& command, LocalMemory& memory,
                    LanePool& pool) {
    const VectorKernel kernel =
        opcode == Opcode::bdc_taylor_exp_tail ? VectorKernel::kSeriesTail : VectorKernel::kSeries;
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .tensor(command.src_addr, command.src_stride)
        .run(kernel, command.shape, pool, {.terms = command.num_series});
}

void execute_vector(const isa::VectorSet& command, LocalMemory& memory, LanePool& pool) {
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .run(VectorKernel::kFill, command.shape, pool, {.constant = command.C.bits});
}

void execute_vector(const isa::VectorBias& command, LocalMemory& memory, LanePool& pool) {
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .tensor(command.src_addr, command.src_stride)
        .per_channel(command.bias_addr)
        .run(VectorKernel::kAdd, command.shape, pool);
}

void execute_vector(const isa::VectorScale& command, LocalMemory& memory, LanePool& pool) {
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .tensor(command.src_addr, command.src_stride)
        .per_channel(command.scale_addr)
        .run(VectorKernel::kScale, command.shape, pool);
}

void execute_vector(const isa::VectorScaleBias& command, LocalMemory& memory, LanePool& pool) {
    Operands(memory)
        .tensor(command.dst_addr, command.dst_stride)
        .tensor(command.src_addr, command.src_stride)
        .per_channel(command.scale_addr)
        .per_channel(command.bias_addr)
        .run(VectorKernel::kScaleBias, command.shape, pool);
}

}  // namespace okksim::models
