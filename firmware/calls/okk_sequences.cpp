// SPDX-License-Identifier: Apache-2.0
// Functions of the API that the firmware builds from several commands. Each sequence is documented
// in the notation of the disassembly: d, s, w are the destination, source and work tensors.
#include "firmware/calls/okk_sequences.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "isa/base/errors.h"
#include "isa/layout.h"

namespace okksim::firmware {
namespace {

using isa::Command;
using isa::Dim4;
using isa::LocalAddr;
using isa::Opcode;

/// Number of terms in okk_bdc_exp, okk_bdc_sigmoid and okk_bdc_tanh, from the API reference.
constexpr std::int32_t kDefaultSeries = 32;

/// A strided 32-bit tensor in local memory.
struct Tensor {
    LocalAddr addr;
    Dim4 shape;
    Dim4 stride;
};

/// Issues commands on 32-bit tensors.
class Emitter {
 public:
    explicit Emitter(Context& context) : context_(context) {}

    void unary(Opcode opcode, const Tensor& dst, const Tensor& src) {
        isa::VectorUnary form;
        fill(form, dst, src);
        context_.issue(Command::make(opcode, form));
    }
    void binary(Opcode opcode, const Tensor& dst, const Tensor& src0, const Tensor& src1) {
        issue_binary<isa::VectorBinary>(opcode, dst, src0, src1);
    }
    void multiply_add(const Tensor& dst, const Tensor& src0, const Tensor& src1) {
        issue_binary<isa::VectorAccumulate>(Opcode::bdc_mac, dst, src0, src1);
    }
    void constant(Opcode opcode, const Tensor& dst, const Tensor& src, float value) {
        isa::VectorConstant form;
        fill(form, dst, src);
        form.C = isa::Bits32::from(value);
        context_.issue(Command::make(opcode, form));
    }
    void linear(const Tensor& dst, const Tensor& src, float factor, float summand) {
        isa::VectorLinear form;
        fill(form, dst, src);
        form.A = isa::Bits32::from(factor);
        form.B = isa::Bits32::from(summand);
        context_.issue(Command::make(Opcode::bdc_linear_C, form));
    }
    void xor_bits(const Tensor& dst, const Tensor& src, std::uint32_t bits) {
        isa::VectorConstantBits form;
        fill(form, dst, src);
        form.C = {bits};
        context_.issue(Command::make(Opcode::bdc_32bit_xor_C, form));
    }
    void shift(const Tensor& dst, const Tensor& src, std::int32_t amount) {
        isa::VectorShiftConstant form;
        fill(form, dst, src);
        form.C = amount;
        context_.issue(Command::make(Opcode::bdc_32bit_logical_shift_C, form));
    }
    void series(Opcode opcode, const Tensor& dst, const Tensor& src, std::int32_t terms) {
        isa::VectorSeries form;
        fill(form, dst, src);
        form.num_series = terms;
        context_.issue(Command::make(opcode, form));
    }

 private:
    template <typename Form>
    void issue_binary(Opcode opcode, const Tensor& dst, const Tensor& src0, const Tensor& src1) {
        Form form;
        form.dst_addr = dst.addr;
        form.src0_addr = src0.addr;
        form.src1_addr = src1.addr;
        form.shape = dst.shape;
        form.dst_stride = dst.stride;
        form.src0_stride = src0.stride;
        form.src1_stride = src1.stride;
        context_.issue(Command::make(opcode, form));
    }
    template <typename Form>
    static void fill(Form& form, const Tensor& dst, const Tensor& src) {
        form.dst_addr = dst.addr;
        form.src_addr = src.addr;
        form.shape = dst.shape;
        form.dst_stride = dst.stride;
        form.src_stride = src.stride;
    }

    Context& context_;
};

/// Destination, source and work tensors of exp and its relatives, all in the aligned layout.
struct SeriesCall {
    Tensor dst;
    Tensor src;
    Tensor work;
    std::int32_t terms;
};

template <typename Form>
SeriesCall series_call(const Form& form, std::int32_t terms, const isa::MachineShape& machine) {
    const auto tensor = [&](LocalAddr addr) {
        return Tensor{addr, form.shape,
                      isa::aligned_stride(addr, form.shape, isa::kWordBits, machine)};
    };
    return {tensor(form.dst_addr), tensor(form.src_addr), tensor(form.work_addr), terms};
}

/// d = e^s = t*P + t. Here k = trunc(s), t = table[k], and P is the tail of the series at s - k:
///     d = fp32_to_int32 s;  d = lookup_int32_to_fp32 d;  w = s - d;  d = fp32_to_int32 d;
///     d = lookup_exp d;  w = taylor_exp_tail w;  d = d + d*w;
/// In place (d is s), the difference is 0 and the result is e^k, as on the device (SEMANTICS.md 4).
void exponential(Emitter& emit, const SeriesCall& call) {
    const Tensor& d = call.dst;
    const Tensor& s = call.src;
    const Tensor& w = call.work;
    emit.unary(Opcode::bdc_fp32_to_int32, d, s);
    emit.unary(Opcode::bdc_lookup_int32_to_fp32, d, d);
    emit.binary(Opcode::bdc_sub, w, s, d);
    emit.unary(Opcode::bdc_fp32_to_int32, d, d);
    emit.unary(Opcode::bdc_lookup_exp, d, d);
    emit.series(Opcode::bdc_taylor_exp_tail, w, w, call.terms);
    emit.multiply_add(d, d, w);
}

/// d = 1 / (1 + e^-s):  w = -s;  d = exp w;  w = d + 1;  d = reciprocal w
void sigmoid(Emitter& emit, const SeriesCall& call) {
    const Tensor& d = call.dst;
    const Tensor& w = call.work;
    emit.unary(Opcode::bdc_neg, w, call.src);
    exponential(emit, {d, w, w, call.terms});
    emit.constant(Opcode::bdc_add_C, w, d, 1.0f);
    emit.unary(Opcode::bdc_reciprocal, d, w);
}

/// d = 1 - 2*(m * 1/(p + m)), p = e^s, m = 1/p:
///     d = exp s;  w = reciprocal d;  d = d + w;  w = w/d;  d = w*(-2) + 1
void hyperbolic_tangent(Emitter& emit, const SeriesCall& call) {
    const Tensor& d = call.dst;
    const Tensor& w = call.work;
    exponential(emit, call);
    emit.unary(Opcode::bdc_reciprocal, w, d);
    emit.binary(Opcode::bdc_add, d, d, w);
    emit.binary(Opcode::bdc_div, w, w, d);
    emit.linear(d, w, -2.0f, 1.0f);
}

/// Bytes as words: w = s for int8, w = s ^ 0x80808080 for uint8, whose values then are 128 too low.
void copy_bytes(Emitter& emit, const Tensor& work, const Tensor& src, bool is_signed) {
    if (is_signed) {
        emit.unary(Opcode::bdc_32bit_cpy, work, src);
    } else {
        emit.xor_bits(work, src, 0x80808080u);
    }
}

/// d = float of byte `byte` of w. The lookup takes the low 8 bits of its operand, so the bytes
/// above need no masking:  d = w >> 8*byte;  d = lookup_int32_to_fp32 d
void convert_byte(Emitter& emit, const Tensor& dst, const Tensor& work, std::int32_t byte) {
    if (byte == 0) {
        emit.unary(Opcode::bdc_lookup_int32_to_fp32, dst, work);
    } else {
        emit.shift(dst, work, -8 * byte);
        emit.unary(Opcode::bdc_lookup_int32_to_fp32, dst, dst);
    }
}

/// Makes up for what copy_bytes() took from uint8 values:  d = d + 128
void restore_unsigned(Emitter& emit, const Tensor& dst, bool is_signed) {
    if (!is_signed) emit.constant(Opcode::bdc_add_C, dst, dst, 128.0f);
}

LocalAddr advance(LocalAddr addr, std::int64_t words) {
    return {static_cast<std::uint32_t>(addr.value + words * isa::kWordBytes)};
}

Dim4 word_stride(LocalAddr addr, const Dim4& shape, bool aligned,
                 const isa::MachineShape& machine) {
    return aligned ? isa::aligned_stride(addr, shape, isa::kWordBits, machine)
                   : isa::compact_stride(addr, shape, machine);
}

/// Byte b of a 4N word is batch element 4i + b: converts batch b, b + 4, ... for each b.
void issue_int8_to_fp32(Context& context, const isa::SequencePackedInt8ToFp32& form) {
    Emitter emit(context);
    const isa::MachineShape& machine = context.machine();
    const bool aligned = form.is_aligned_layout != 0;
    const bool is_signed = form.is_signed != 0;
    const Dim4 words = isa::packed_shape(form.shape, 8);
    const Dim4 stride = word_stride(form.dst_addr, form.shape, aligned, machine);
    const Tensor src{form.src_addr, words, word_stride(form.src_addr, words, aligned, machine)};
    const Tensor work{form.work_addr, words, word_stride(form.work_addr, words, aligned, machine)};
    copy_bytes(emit, work, src, is_signed);
    for (std::int32_t byte = 0; byte < std::min(isa::kWordBytes, form.shape.n); ++byte) {
        Tensor dst{advance(form.dst_addr, std::int64_t{byte} * stride.n), form.shape, stride};
        dst.shape.n = static_cast<std::int32_t>(isa::div_up(form.shape.n - byte, isa::kWordBytes));
        dst.stride.n = isa::kWordBytes * stride.n;
        convert_byte(emit, dst, work, byte);
    }
    restore_unsigned(emit, {form.dst_addr, form.shape, stride}, is_signed);
}

/// The rows of a plane are adjacent, so a plane of bytes is a row of words. Byte b of word i is
/// element 4i + b. Long planes are cut into chunks that fit one command.
void issue_int8_to_fp32(Context& context, const isa::SequenceInt8ToFp32& form) {
    Emitter emit(context);
    const isa::MachineShape& machine = context.machine();
    const bool aligned = form.is_aligned_layout != 0;
    const bool is_signed = form.is_signed != 0;
    const std::int64_t plane = std::int64_t{form.shape.h} * form.shape.w;
    const auto row_words = static_cast<std::int32_t>(isa::div_up(plane, isa::kWordBytes));
    const Dim4 words{form.shape.n, form.shape.c, 1, row_words};
    // A byte plane padded to a vector (aligned) or a word is a word plane padded to the same.
    const Tensor src{form.src_addr, words, word_stride(form.src_addr, words, aligned, machine)};
    const Tensor work{form.work_addr, words, word_stride(form.work_addr, words, aligned, machine)};
    const Dim4 stride = word_stride(form.dst_addr, form.shape, aligned, machine);
    const auto cut = [](Tensor tensor, std::int32_t first, std::int32_t count) {
        tensor.addr = advance(tensor.addr, std::int64_t{first} * tensor.stride.w);
        tensor.shape.w = count;
        return tensor;
    };
    for (std::int32_t first = 0; first < row_words; first += isa::kMostExtent) {
        const std::int32_t count = std::min(isa::kMostExtent, row_words - first);
        copy_bytes(emit, cut(work, first, count), cut(src, first, count), is_signed);
    }
    for (std::int32_t byte = 0; byte < std::min<std::int64_t>(isa::kWordBytes, plane); ++byte) {
        const auto columns = static_cast<std::int32_t>(isa::div_up(plane - byte, isa::kWordBytes));
        const Tensor dst{advance(form.dst_addr, byte),
                         {form.shape.n, form.shape.c, 1, columns},
                         {stride.n, stride.c, stride.c, isa::kWordBytes}};
        for (std::int32_t first = 0; first < columns; first += isa::kMostExtent) {
            const std::int32_t count = std::min(isa::kMostExtent, columns - first);
            convert_byte(emit, cut(dst, first, count), cut(work, first, count), byte);
        }
    }
    restore_unsigned(emit, {form.dst_addr, form.shape, stride}, is_signed);
}

/// The low byte moved up and split off:  w = s << 8;  d = split_high w
void issue_split_low_8bit(Context& context, const isa::SequenceSplitLow& call) {
    isa::FixedShiftConstant shift;
    shift.dst_addr = call.work_addr;
    shift.src_addr = call.src_addr;
    shift.C = 8;
    shift.shape = call.shape;
    shift.dst_stride = call.work_stride;
    shift.src_stride = call.src_stride;
    context.issue(Command::make(Opcode::bdc_fixed_point_packed_16bit_logical_shift_C, shift));
    isa::FixedSplitHigh split;
    split.dst_addr = call.dst_addr;
    split.src_addr = call.work_addr;
    split.shape = call.shape;
    split.dst_stride = call.dst_stride;
    split.src_stride = call.work_stride;
    context.issue(Command::make(Opcode::bdc_fixed_point_packed_16bit_split_high_8bit, split));
}

/// Terms of a call; functions whose names lack "_tunable" take kDefaultSeries.
std::int32_t terms_of(const isa::SequenceWork&) { return kDefaultSeries; }
std::int32_t terms_of(const isa::SequenceWorkSeries& form) { return form.num_series; }

template <typename Form>
void issue_exponential(Context& context, const Form& form) {
    Emitter emit(context);
    exponential(emit, series_call(form, terms_of(form), context.machine()));
}
template <typename Form>
void issue_sigmoid(Context& context, const Form& form) {
    Emitter emit(context);
    sigmoid(emit, series_call(form, terms_of(form), context.machine()));
}
template <typename Form>
void issue_hyperbolic_tangent(Context& context, const Form& form) {
    Emitter emit(context);
    hyperbolic_tangent(emit, series_call(form, terms_of(form), context.machine()));
}

using Expand = void (*)(Context& context, const Command& call);

// The function that expands a row, by its column semantics; nullptr for commands.
#define OKKSIM_EXPAND_sequence(name) \
    [](Context& context, const auto& form) { issue_##name(context, form); }
#define OKKSIM_EXPAND_vector(...) nullptr
#define OKKSIM_EXPAND_fixed(...) nullptr
#define OKKSIM_EXPAND_array(...) nullptr
#define OKKSIM_EXPAND_typed(...) nullptr
#define OKKSIM_EXPAND_mover(...) nullptr

template <typename Form, auto kIssue>
constexpr Expand entry() {
    if constexpr (std::is_null_pointer_v<decltype(kIssue)>) {
        return nullptr;
    } else {
        return [](Context& context, const Command& call) { kIssue(context, call.as<Form>()); };
    }
}

constexpr std::array<Expand, isa::kInstructionCount> kExpand{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, semantics, ...) \
    entry<isa::form, OKKSIM_EXPAND_##semantics>(),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

}  // namespace

void issue_sequence(Context& context, const Command& call) {
    const Expand expand = kExpand[isa::row_index(call.info())];
    OKKSIM_CHECK(expand != nullptr);
    expand(context, call);
}

}  // namespace okksim::firmware
