// SPDX-License-Identifier: Apache-2.0
// Functions of the vendor's kit that are several commands here: two selections and a product.
#include <bit>
#include <iterator>
#include <optional>
#include <string>

#include "firmware/calls/api_call.h"
#include "firmware/calls/argument_fault.h"
#include "firmware/calls/issue.h"
#include "firmware/okk.h"
#include "isa/command.h"
#include "isa/rules.h"

namespace okksim::firmware {
namespace {

using isa::Command;
using isa::Dim4;
using isa::LocalAddr;
using isa::Opcode;

constexpr std::uint32_t kAllBits = 0xFFFFFFFFu;

/// A number or a tensor in local memory.
struct Operand {
    bool is_given = false;
    bool is_tensor = false;
    std::uint32_t bits = 0;  ///< of the number, or the address
    bool is_number(std::uint32_t value) const { return !is_tensor && bits == value; }
};

std::uint32_t bits_of(float value) { return std::bit_cast<std::uint32_t>(value); }
std::uint32_t bits_of(const x32& value) { return value.u32; }

template <typename Pointer>
[[gnu::always_inline]] inline Operand operand(const Pointer* from) {
    if (from == nullptr) return {};
    return {true, from->is_addr, from->is_addr ? from->context.addr : bits_of(from->context.val)};
}

[[gnu::always_inline]] inline Dim4 dims(const dim4* from) {
    return from == nullptr ? Dim4{} : Dim4{from->n, from->c, from->h, from->w};
}

void require_given(bool is_given, const char* argument, const char* type) {
    if (is_given) return;
    throw_argument_fault(FaultCode::kBadArgument, argument, "NULL",
                         std::string("a ") + type + " is required",
                         std::string("pass the address of a ") + type);
}

/// Returns the arguments of a call whose strides are all NULL.
NullArguments null_strides(const Command& command) {
    NullArguments nulls;
    const auto operands = command.info().operands();
    for (std::size_t i = 0; i < operands.size(); ++i) {
        nulls.set_null(i, operands[i].kind == isa::OperandKind::kStride);
    }
    return nulls;
}

/// Commands on words in the aligned layout, whose result is `dst`.
class WordCommands {
 public:
    WordCommands(Context& context, LocalAddr dst, const Dim4& shape)
        : context_(context), dst_(dst), shape_(shape) {}

    void fill(std::uint32_t bits) {
        isa::VectorSet form{};
        form.C = {bits};
        issue(Opcode::bdc_32bit_set_C, form);
    }
    void xor_bits(std::uint32_t bits) {
        if (bits == 0) return;
        isa::VectorConstantBits form{};
        form.src_addr = dst_;
        form.C = {bits};
        issue(Opcode::bdc_32bit_xor_C, form);
    }
    void and_words(std::uint32_t address) {
        isa::VectorBinary form{};
        form.src0_addr = dst_;
        form.src1_addr = {address};
        issue(Opcode::bdc_32bit_and, form);
    }
    void compare(Opcode opcode, std::uint32_t a, std::uint32_t b, std::uint32_t selected) {
        isa::VectorBinarySelect form{};
        form.src0_addr = {a};
        form.src1_addr = {b};
        form.select_val = {selected};
        issue(opcode, form);
    }
    void compare_constant(Opcode opcode, std::uint32_t tensor, std::uint32_t C,
                          std::uint32_t selected) {
        isa::VectorConstantSelect form{};
        form.src_addr = {tensor};
        form.C = {C};
        form.select_val = {selected};
        issue(opcode, form);
    }
    /// dst = dst != 0 ? a : b
    void choose(std::uint32_t a, std::uint32_t b) {
        isa::IntSelect form{};
        form.src0_addr = dst_;
        form.src1_addr = {a};
        form.src2_addr = {b};
        form.dst_type = form.src0_type = isa::ElementType::kInt32;
        form.src1_type = form.src2_type = isa::ElementType::kInt32;
        issue(Opcode::bdc_32bit_select, form);
    }

 private:
    template <typename Form>
    void issue(Opcode opcode, Form& form) {
        form.dst_addr = dst_;
        form.shape = shape_;
        const Command command = Command::make(opcode, form);
        issue_call(context_, command, null_strides(command));
    }

    Context& context_;
    LocalAddr dst_;
    Dim4 shape_;
};

struct SelectCall {
    bool is_greater;
    LocalAddr dst;
    Operand src0, src1, select0, select1;
};

/// d = comparison ? selected : 0
void compare(WordCommands& words, const SelectCall& call, std::uint32_t selected) {
    Operand a = call.src0;
    const Operand& b = call.src1;
    if (!a.is_tensor && !b.is_tensor) {
        words.fill(a.bits);
        a = {true, true, call.dst.value};
    }
    if (a.is_tensor && b.is_tensor) {
        words.compare(
            call.is_greater ? Opcode::bdc_greater_select_value : Opcode::bdc_equal_select_value,
            a.bits, b.bits, selected);
    } else if (!call.is_greater) {
        words.compare_constant(Opcode::bdc_equal_C_select_value, a.is_tensor ? a.bits : b.bits,
                               a.is_tensor ? b.bits : a.bits, selected);
    } else if (a.is_tensor) {
        words.compare_constant(Opcode::bdc_greater_C_select_value, a.bits, b.bits, selected);
    } else {
        words.compare_constant(Opcode::bdc_C_greater_select_value, b.bits, a.bits, selected);
    }
}

/// Issues a selection without a work tensor. If one selected operand is a number and not 0, d holds
/// either that number or 0, and the next step tells them apart.
void issue_select(Context& context, const SelectCall& call, const Dim4& shape) {
    WordCommands words(context, call.dst, shape);
    const Operand& s0 = call.select0;
    const Operand& s1 = call.select1;
    const std::uint32_t d = call.dst.value;
    if (!s0.is_tensor && !s1.is_tensor) {
        compare(words, call, s0.bits ^ s1.bits);
        words.xor_bits(s1.bits);
    } else if (s0.is_tensor && s1.is_tensor) {
        compare(words, call, kAllBits);
        words.choose(s0.bits, s1.bits);
    } else if (s1.is_number(0)) {
        compare(words, call, kAllBits);
        words.and_words(s0.bits);
    } else if (s0.is_number(0)) {
        compare(words, call, kAllBits);
        words.xor_bits(kAllBits);
        words.and_words(s1.bits);
    } else if (s0.is_tensor) {
        compare(words, call, s1.bits);
        words.xor_bits(s1.bits);
        words.choose(d, s0.bits);
    } else {
        compare(words, call, s0.bits);
        words.choose(d, s1.bits);
    }
}

void check_select(const SelectCall& call, bool has_shape) {
    require_given(call.src0.is_given, "src0", "fp32_or_addr_t");
    require_given(call.src1.is_given, "src1", "fp32_or_addr_t");
    require_given(call.select0.is_given, "select0", "x32_or_addr_t");
    require_given(call.select1.is_given, "select1", "x32_or_addr_t");
    require_given(has_shape, "shape", "dim4");
    for (const Operand* each : {&call.select0, &call.select1}) {
        if (!each->is_tensor || each->bits != call.dst.value) continue;
        throw_argument_fault(FaultCode::kBadArgument, "dst_addr", std::to_string(each->bits),
                             "the result must not be the tensor of select0 or select1, because "
                             "the simulator issues several commands",
                             "pass the address of another tensor");
    }
}

[[gnu::always_inline]] inline void select(const char* function, bool is_greater,
                                          local_addr_t dst_addr, const fp32_or_addr_t* src0,
                                          const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                                          const x32_or_addr_t* select1, const dim4* shape) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    const SelectCall call{is_greater,    {dst_addr},       operand(src0),
                          operand(src1), operand(select0), operand(select1)};
    const bool has_shape = shape != nullptr;
    const Dim4 read = dims(shape);
    run_api_call(context, [&] {
        check_select(call, has_shape);
        issue_select(context, call, read);
    });
}

/// The rules of the function okk_bdc_fixed_point_packed_16bit_mul_8bit refuse the type
/// S16_MUL_U8_TO_S16, so the check is that of the command.
void issue_product(Context& context, isa::FixedMul16By8 form, const NullArguments& nulls) {
    form.mul_type = isa::MulType::kS16U8ToS16;
    Command command = Command::make(Opcode::bdc_fixed_point_packed_16bit_mul_8bit, form);
    complete_arguments(command, nulls, context);
    isa::SizeLimits limits{context.options().strict_limits, std::nullopt};
    if (const auto broken = isa::check(command, context.machine(), false, limits)) {
        throw_argument_fault(FaultCode::kBadArgument, broken->argument.c_str(), broken->value,
                             broken->rule, "pass a value that keeps the rule");
    }
    context.issue(command);
}

}  // namespace
}  // namespace okksim::firmware

using namespace okksim::firmware;

extern "C" {

void okk_bdc_greater_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                            const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                            const x32_or_addr_t* select1, const dim4* shape) {
    select(__func__, true, dst_addr, src0, src1, select0, select1, shape);
}

void okk_bdc_equal_select(local_addr_t dst_addr, const fp32_or_addr_t* src0,
                          const fp32_or_addr_t* src1, const x32_or_addr_t* select0,
                          const x32_or_addr_t* select1, const dim4* shape) {
    select(__func__, false, dst_addr, src0, src1, select0, select1, shape);
}

void okk_bdc_fixed_point_packed_s16_mul_u8_to_s16(local_addr_t dst_addr, local_addr_t src0_addr,
                                                  local_addr_t src1_addr, local_addr_t work_addr,
                                                  local_addr_t work_high_addr,
                                                  local_addr_t work_low_addr, const dim4* shape,
                                                  const dim4* dst_stride, const dim4* src0_stride,
                                                  const dim4* src1_stride, const dim4* work_stride,
                                                  const dim4* work_high_stride,
                                                  const dim4* work_low_stride, int rshift) {
    okk_bdc_fixed_point_packed_16bit_split_high_8bit(work_high_addr, src0_addr, shape,
                                                     work_high_stride, src0_stride);
    okk_bdc_fixed_point_packed_16bit_split_low_8bit(work_low_addr, src0_addr, work_addr, shape,
                                                    work_low_stride, src0_stride, work_stride);
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    okksim::isa::FixedMul16By8 form{};
    form.dst_addr = {dst_addr};
    form.src0_high_addr = {work_high_addr};
    form.src0_low_addr = {work_low_addr};
    form.src1_addr = {src1_addr};
    form.shape = dims(shape);
    form.dst_stride = dims(dst_stride);
    form.src0_high_stride = dims(work_high_stride);
    form.src0_low_stride = dims(work_low_stride);
    form.src1_stride = dims(src1_stride);
    form.rshift = rshift;
    NullArguments nulls;
    const dim4* const strides[] = {dst_stride, work_high_stride, work_low_stride, src1_stride};
    constexpr std::size_t kFirstStride = 5;  // after four addresses and the shape
    for (std::size_t i = 0; i < std::size(strides); ++i) {
        nulls.set_null(kFirstStride + i, strides[i] == nullptr);
    }
    run_api_call(context, [&] { issue_product(context, form, nulls); });
}

}  // extern "C"
