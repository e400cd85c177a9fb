// SPDX-License-Identifier: Apache-2.0
#include "firmware/calls/call_by_name.h"

#include <bit>
#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>

#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/instructions.h"

namespace okksim::firmware {

namespace {

[[noreturn]] void wrong_type(const char* expected) {
    throw std::invalid_argument(std::string("argument does not fit its parameter: expected ") +
                                expected);
}

std::int64_t integer(const CallValue& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
    wrong_type("an integer");
}

/// Keeps one argument alive in its C type while the function runs.
template <typename T>
class Argument {
 public:
    explicit Argument(const CallValue& value) { set(integer(value)); }
    T get() const { return value_; }

 private:
    void set(std::int64_t number) {
        if constexpr (std::is_same_v<T, x32>) {
            value_.u32 = static_cast<unsigned int>(number);
        } else if constexpr (std::is_same_v<T, x16>) {
            value_.u16 = static_cast<unsigned short>(number);
        } else if constexpr (std::is_same_v<T, x8>) {
            value_.u8 = static_cast<unsigned char>(number);
        } else if constexpr (std::is_same_v<T, float>) {
            value_ = std::bit_cast<float>(static_cast<std::uint32_t>(number));
        } else if constexpr (std::is_same_v<T, bool>) {
            value_ = number != 0;
        } else {
            static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
            value_ = static_cast<T>(number);
        }
    }

    T value_{};
};

template <>
class Argument<const dim4*> {
 public:
    explicit Argument(const CallValue& value)
        : present_(!std::holds_alternative<std::nullptr_t>(value)) {
        if (!present_) return;
        const auto* dims = std::get_if<isa::Dim4>(&value);
        if (dims == nullptr) wrong_type("a dim4 or NULL");
        value_ = {dims->n, dims->c, dims->h, dims->w};
    }
    const dim4* get() const { return present_ ? &value_ : nullptr; }

 private:
    bool present_;
    dim4 value_{};
};

/// Output parameter.
template <>
class Argument<dim4*> {
 public:
    explicit Argument(const CallValue&) {}
    dim4* get() { return &value_; }
    isa::Dim4 result() const { return {value_.n, value_.c, value_.h, value_.w}; }

 private:
    dim4 value_{};
};

template <>
class Argument<const dim2*> {
 public:
    explicit Argument(const CallValue& value)
        : present_(!std::holds_alternative<std::nullptr_t>(value)) {
        if (!present_) return;
        const auto* dims = std::get_if<isa::Dim2>(&value);
        if (dims == nullptr) wrong_type("a dim2 or NULL");
        value_ = {dims->h, dims->w};
    }
    const dim2* get() const { return present_ ? &value_ : nullptr; }

 private:
    bool present_;
    dim2 value_{};
};

template <>
class Argument<const Padding*> {
 public:
    explicit Argument(const CallValue& value)
        : present_(!std::holds_alternative<std::nullptr_t>(value)) {
        if (!present_) return;
        const auto* padding = std::get_if<isa::Padding>(&value);
        if (padding == nullptr) wrong_type("a Padding or NULL");
        value_ = {padding->top, padding->bottom, padding->left, padding->right};
    }
    const Padding* get() const { return present_ ? &value_ : nullptr; }

 private:
    bool present_;
    Padding value_{};
};

/// A number or a tensor: the low 32 bits are the number or the address, bit 32 is set for a tensor.
template <typename T>
class OperandArgument {
 public:
    explicit OperandArgument(const CallValue& value)
        : present_(!std::holds_alternative<std::nullptr_t>(value)) {
        if (!present_) return;
        const std::int64_t number = integer(value);
        value_.is_addr = (number >> kBits & 1) != 0;
        value_.context.addr = static_cast<std::uint32_t>(number);
    }
    const T* get() const { return present_ ? &value_ : nullptr; }

 private:
    static constexpr int kBits = 32;
    bool present_;
    T value_{};
};
template <>
class Argument<const fp32_or_addr_t*> : public OperandArgument<fp32_or_addr_t> {
    using OperandArgument::OperandArgument;
};
template <>
class Argument<const x32_or_addr_t*> : public OperandArgument<x32_or_addr_t> {
    using OperandArgument::OperandArgument;
};

/// Command nodes, which no function reads or writes.
template <>
class Argument<void*> {
 public:
    explicit Argument(const CallValue&) {}
    void* get() const { return nullptr; }
};

template <typename T>
void collect(CallResult& result, const Argument<T>& argument) {
    if constexpr (std::is_same_v<T, dim4*>) result.stride = argument.result();
}

template <typename Return, typename... Parameters, std::size_t... index>
CallResult invoke(Return (*function)(Parameters...), const CallValues& values,
                  std::index_sequence<index...>) {
    if (values.size() != sizeof...(Parameters)) {
        throw std::invalid_argument("wrong number of arguments: " + std::to_string(values.size()) +
                                    " given, " + std::to_string(sizeof...(Parameters)) +
                                    " expected");
    }
    std::tuple<Argument<Parameters>...> arguments{Argument<Parameters>(values[index])...};
    CallResult result;
    if constexpr (std::is_void_v<Return>) {
        function(std::get<index>(arguments).get()...);
    } else {
        result.returned = static_cast<std::int64_t>(function(std::get<index>(arguments).get()...));
    }
    (collect(result, std::get<index>(arguments)), ...);
    return result;
}

using Invoker = std::function<CallResult(const CallValues&)>;

template <typename Return, typename... Parameters>
Invoker invoker(Return (*function)(Parameters...)) {
    return [function](const CallValues& values) {
        return invoke(function, values, std::index_sequence_for<Parameters...>{});
    };
}

using InvokerTable = std::map<std::string, Invoker, std::less<>>;

InvokerTable make_table() {
    InvokerTable table;
#define OKKSIM_ENTRY(name) table.emplace(#name, invoker(&name));
#define OKKSIM_ENTRY_kCommand(name) OKKSIM_ENTRY(okk_##name)
#define OKKSIM_ENTRY_kAlignedLayout(name) OKKSIM_ENTRY(okk_##name)
#define OKKSIM_ENTRY_kSequence(name) OKKSIM_ENTRY(okk_##name)
#define OKKSIM_ENTRY_kCommandOnly(name)
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, ...) OKKSIM_ENTRY_##kind(name)
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
    OKKSIM_ENTRY(okk_initialize)
    OKKSIM_ENTRY(okk_poll)
    OKKSIM_ENTRY(okk_parallel_start)
    OKKSIM_ENTRY(okk_parallel_end)
    OKKSIM_ENTRY(okk_is_parallel_state)
    OKKSIM_ENTRY(okk_local_mem_size_per_npu)
    OKKSIM_ENTRY(okk_l2_sram_size)
    OKKSIM_ENTRY(okk_dtcm_size)
    OKKSIM_ENTRY(okk_npu_num)
    OKKSIM_ENTRY(okk_start_npu_index)
    OKKSIM_ENTRY(okk_channle_num_per_npu)
    OKKSIM_ENTRY(okk_128_byte_aligned_stride_for_32bit)
    OKKSIM_ENTRY(okk_128_byte_aligned_stride_for_16bit)
    OKKSIM_ENTRY(okk_128_byte_aligned_stride_for_8bit)
    OKKSIM_ENTRY(okk_compact_stride)
    OKKSIM_ENTRY(okk_continuous_stride)
#undef OKKSIM_ENTRY
#undef OKKSIM_ENTRY_kCommand
#undef OKKSIM_ENTRY_kAlignedLayout
#undef OKKSIM_ENTRY_kSequence
#undef OKKSIM_ENTRY_kCommandOnly
    return table;
}

/// Functions of the vendor's kit that the API reference lacks, except those that return pointers.
InvokerTable make_kit_table() {
    InvokerTable table;
#define OKKSIM_ENTRY(name) table.emplace(#name, invoker(&name));
    OKKSIM_ENTRY(okk_bdc_greater_select)
    OKKSIM_ENTRY(okk_bdc_equal_select)
    OKKSIM_ENTRY(okk_bdc_fixed_point_packed_s16_mul_u8_to_s16)
    OKKSIM_ENTRY(okk_set_id_node)
    OKKSIM_ENTRY(okk_get_id_node)
    OKKSIM_ENTRY(okk_enable_check_id_node)
    OKKSIM_ENTRY(okk_disable_check_id_node)
    OKKSIM_ENTRY(okk_global_mem_start_addr)
    OKKSIM_ENTRY(okk_local_mem_start_addr)
    OKKSIM_ENTRY(okk_local_mem_bank_per_npu)
    OKKSIM_ENTRY(okk_l2_sram_start_addr)
    OKKSIM_ENTRY(okk_dtcm_start_addr)
    OKKSIM_ENTRY(okk_lookup_table_start_addr)
    OKKSIM_ENTRY(okk_lookup_table_size)
    OKKSIM_ENTRY(okk_eu_num)
#undef OKKSIM_ENTRY
    return table;
}

const InvokerTable& table() {
    static const InvokerTable functions = make_table();
    return functions;
}

const Invoker* find_invoker(std::string_view name) {
    static const InvokerTable of_the_kit = make_kit_table();
    for (const InvokerTable* each : {&table(), &of_the_kit}) {
        const auto entry = each->find(name);
        if (entry != each->end()) return &entry->second;
    }
    return nullptr;
}

}  // namespace

CallResult call_function(std::string_view name, const CallValues& arguments) {
    const Invoker* const invoke_named = find_invoker(name);
    if (invoke_named == nullptr) {
        throw std::invalid_argument("okk.h has no function " + std::string(name) +
                                    " that can be called by name");
    }
    return (*invoke_named)(arguments);
}

std::vector<std::string> documented_functions() {
    std::vector<std::string> names;
    for (const auto& [name, function] : table()) {
        const isa::InstructionInfo* info = isa::find_instruction(name);
        if (info == nullptr || info->feature == isa::Feature::kBase) names.push_back(name);
    }
    return names;
}

}  // namespace okksim::firmware
