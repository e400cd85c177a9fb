// SPDX-License-Identifier: Apache-2.0
// The GDMA and BDC functions of okk.h, one per row of the instruction table. The row's form gives
// the parameter list; operands and parameters have the same names and order.
#include "firmware/calls/api_call.h"
#include "firmware/calls/issue.h"
#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/command.h"

namespace okksim::firmware {
namespace {

/// local_addr_t and unsigned int are one C type. The operand decides which of them an argument is.
struct UnsignedWord {
    unsigned int value;
    operator isa::LocalAddr() const { return {value}; }
    operator std::int32_t() const { return static_cast<std::int32_t>(value); }
};
UnsignedWord operand(unsigned int value, NullArguments& nulls) {
    nulls.next(false);
    return {value};
}
isa::SystemAddr operand(system_addr_t address, NullArguments& nulls) {
    nulls.next(false);
    return isa::SystemAddr::from(address);
}
std::int32_t operand(int value, NullArguments& nulls) {
    nulls.next(false);
    return value;
}
isa::Bits32 operand(float value, NullArguments& nulls) {
    nulls.next(false);
    return isa::Bits32::from(value);
}
isa::Bits32 operand(x32 value, NullArguments& nulls) {
    nulls.next(false);
    return {value.u32};
}
isa::Bits32 operand(x16 value, NullArguments& nulls) {
    nulls.next(false);
    return {value.u16};
}
isa::Bits32 operand(x8 value, NullArguments& nulls) {
    nulls.next(false);
    return {value.u8};
}
std::uint32_t operand(bool value, NullArguments& nulls) {
    nulls.next(false);
    return value ? 1 : 0;
}
isa::OpType operand(op_type_t value, NullArguments& nulls) {
    nulls.next(false);
    return static_cast<isa::OpType>(value);
}
isa::MulType operand(mul_type_t value, NullArguments& nulls) {
    nulls.next(false);
    return static_cast<isa::MulType>(value);
}
isa::ElementType operand(okk_element_t value, NullArguments& nulls) {
    nulls.next(false);
    return static_cast<isa::ElementType>(value);
}
isa::Dim4 operand(const dim4* value, NullArguments& nulls) {
    nulls.next(value == nullptr);
    return value == nullptr ? isa::Dim4{} : isa::Dim4{value->n, value->c, value->h, value->w};
}
isa::Dim2 operand(const dim2* value, NullArguments& nulls) {
    nulls.next(value == nullptr);
    return value == nullptr ? isa::Dim2{} : isa::Dim2{value->h, value->w};
}
isa::Padding operand(const Padding* value, NullArguments& nulls) {
    nulls.next(value == nullptr);
    if (value == nullptr) return {};
    return {value->top, value->bottom, value->left, value->right};
}

/// Carries out a call of the function `function`. It is inlined, so that the frame is the
/// function's. It reads pointers before it enters the runtime, so that a bad one is the kernel's
/// fault.
template <typename Form, typename... Arguments>
[[gnu::always_inline]] inline void call(isa::Opcode opcode, const char* function,
                                        Arguments... arguments) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    NullArguments nulls;
    const Form form{operand(arguments, nulls)...};
    run_api_call(context, [&] { issue_call(context, isa::Command::make(opcode, form), nulls); });
}

/// Strides of the functions that take none: the default layout.
constexpr const dim4* kNoStride = nullptr;

}  // namespace
}  // namespace okksim::firmware

using okksim::firmware::call;
using okksim::firmware::kNoStride;
using okksim::isa::Opcode;

// A form's operands become the parameters of its functions and the arguments of call(). A comma
// comes before each operand, and OKKSIM_LIST drops the first one.
#define OKKSIM_LIST(...) OKKSIM_WITHOUT_FIRST(__VA_ARGS__)
#define OKKSIM_WITHOUT_FIRST(first, ...) __VA_ARGS__

// C types by the kind of an operand: use(type, name), or stride(type, name) for strides. `bits` is
// the type of raw bits, which depends on the data type of the row.
#define OKKSIM_KIND_Local(use, stride, bits, name) use(local_addr_t, name)
#define OKKSIM_KIND_System(use, stride, bits, name) use(system_addr_t, name)
#define OKKSIM_KIND_Shape(use, stride, bits, name) use(const dim4*, name)
#define OKKSIM_KIND_Stride(use, stride, bits, name) stride(const dim4*, name)
#define OKKSIM_KIND_Int(use, stride, bits, name) use(int, name)
#define OKKSIM_KIND_Short(use, stride, bits, name) use(short, name)
#define OKKSIM_KIND_Unsigned(use, stride, bits, name) use(unsigned int, name)
#define OKKSIM_KIND_UnsignedShort(use, stride, bits, name) use(unsigned short, name)
#define OKKSIM_KIND_Float(use, stride, bits, name) use(float, name)
#define OKKSIM_KIND_Bits(use, stride, bits, name) use(bits, name)
#define OKKSIM_KIND_Bool(use, stride, bits, name) use(bool, name)
#define OKKSIM_KIND_Padding(use, stride, bits, name) use(const Padding*, name)
#define OKKSIM_KIND_Step(use, stride, bits, name) use(const dim2*, name)
#define OKKSIM_KIND_OpTypes(use, stride, bits, name) use(op_type_t, name)
#define OKKSIM_KIND_MulTypes(use, stride, bits, name) use(mul_type_t, name)

#define OKKSIM_KIND_Element(use, stride, bits, name) use(okk_element_t, name)

#define OKKSIM_AS_PARAMETER(type, name) , type name
#define OKKSIM_AS_ARGUMENT(type, name) , name
#define OKKSIM_AS_NOTHING(type, name)
#define OKKSIM_AS_DEFAULT(type, name) , kNoStride
#define OKKSIM_PARAMETER(bits, kind, name) \
    OKKSIM_KIND_##kind(OKKSIM_AS_PARAMETER, OKKSIM_AS_PARAMETER, bits, name)

// Parameters of functions with strides, by the data type of the row; arguments of all.
#define OKKSIM_PARAMETER_kFp32(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_PARAMETER_kInt32(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_PARAMETER_kBits32(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_PARAMETER_kBits16(kind, name, ...) OKKSIM_PARAMETER(x16, kind, name)
#define OKKSIM_PARAMETER_kBits8(kind, name, ...) OKKSIM_PARAMETER(x8, kind, name)
#define OKKSIM_PARAMETER_kFixed(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_PARAMETER_kFixed8(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_PARAMETER_kFixed16(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_PARAMETER_kTyped(kind, name, ...) OKKSIM_PARAMETER(x32, kind, name)
#define OKKSIM_ARGUMENT(kind, name, ...) , name
// These macros do the same for functions without strides.
#define OKKSIM_ALIGNED_PARAMETER(kind, name, ...) \
    OKKSIM_KIND_##kind(OKKSIM_AS_PARAMETER, OKKSIM_AS_NOTHING, x32, name)
#define OKKSIM_ALIGNED_ARGUMENT(kind, name, ...) \
    OKKSIM_KIND_##kind(OKKSIM_AS_ARGUMENT, OKKSIM_AS_DEFAULT, x32, name)

#define OKKSIM_DEFINE(name, form, parameter, argument)                                    \
    void okk_##name(OKKSIM_LIST(first OKKSIM_FORM_##form(parameter))) {                   \
        call<okksim::isa::form>(Opcode::name, "okk_" #name OKKSIM_FORM_##form(argument)); \
    }
#define OKKSIM_DEFINE_kCommand(name, form, data) \
    OKKSIM_DEFINE(name, form, OKKSIM_PARAMETER_##data, OKKSIM_ARGUMENT)
#define OKKSIM_DEFINE_kAlignedLayout(name, form, data) \
    OKKSIM_DEFINE(name, form, OKKSIM_ALIGNED_PARAMETER, OKKSIM_ALIGNED_ARGUMENT)
#define OKKSIM_DEFINE_kSequence(name, form, data) OKKSIM_DEFINE_kCommand(name, form, data)
#define OKKSIM_DEFINE_kCommandOnly(name, form, data)

// okk.h and okk_features.h declare the same functions by hand: a definition whose parameters differ
// contradicts it.
extern "C" {
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, ...) \
    OKKSIM_DEFINE_##kind(name, form, data)
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
}
