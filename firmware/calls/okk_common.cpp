// SPDX-License-Identifier: Apache-2.0
// The functions of okk.h that issue no command: sequencing, machine facts, layouts, log.
#include <cstdarg>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "firmware/calls/api_call.h"
#include "firmware/calls/argument_fault.h"
#include "firmware/launch/kernel_registry.h"
#include "firmware/okk.h"
#include "firmware/okk_features.h"
#include "isa/layout.h"

namespace okksim::firmware {
namespace {

/// Runs a query: a call that costs time and returns a fact.
template <typename Body>
[[gnu::always_inline]] inline auto query(const char* function, const Body& body) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    return run_api_call(context, [&] {
        context.port().charge(isa::FirmwareCall::kQuery);
        return body(context);
    });
}

/// DIV_UP of the API reference. The division of C also defines it for zero channels.
std::int64_t channel_slots(std::int64_t start_index, std::int64_t channels, std::int64_t lanes) {
    return (start_index + channels - 1) / lanes + 1;
}

/// Products of the layout helpers wrap like the 32-bit arithmetic of the device.
int wrap(std::uint64_t value) { return static_cast<int>(static_cast<std::uint32_t>(value)); }

/// Strides of a channel-first layout whose planes are padded to a multiple of `unit` elements.
dim4 channel_first_stride(const dim4& shape, std::int64_t unit, std::int64_t slots) {
    const std::int64_t plane = std::int64_t{shape.h} * shape.w;
    const std::int64_t padded = (plane + unit - 1) / unit * unit;
    return {wrap(static_cast<std::uint64_t>(padded) * static_cast<std::uint64_t>(slots)),
            wrap(static_cast<std::uint64_t>(padded)), shape.w, 1};
}

/// A helper that writes strides through a pointer. The pointers are used outside the runtime so
/// that bad ones are the kernel's fault.
template <typename Body>
[[gnu::always_inline]] inline void write_stride(const char* function, dim4* stride,
                                                const dim4* shape, const Body& body) {
    Context& context = enter_api_call(function, __builtin_frame_address(0));
    const dim4 read = shape == nullptr ? dim4{} : *shape;
    const dim4 result = run_api_call(context, [&] {
        if (stride == nullptr || shape == nullptr) {
            throw_argument_fault(FaultCode::kBadArgument, stride == nullptr ? "stride" : "shape",
                                 "NULL", "a dim4 is required", "pass the address of a dim4");
        }
        context.port().charge(isa::FirmwareCall::kQuery);
        return body(context, read);
    });
    *stride = result;
}

/// Elements of `bits` that a vector of the machine holds.
template <int bits>
std::int64_t aligned_to_line(const isa::MachineShape& machine) {
    return isa::line_elements(machine.line_bytes(), bits);
}

/// `line` returns the multiple of elements to which the machine pads a channel's plane.
template <typename Line>
[[gnu::always_inline]] inline void local_stride(const char* function, dim4* stride, int start_idx,
                                                const dim4* shape, const Line& line) {
    write_stride(function, stride, shape, [&](Context& context, const dim4& read) {
        return channel_first_stride(read, line(context.machine()),
                                    channel_slots(start_idx, read.c, context.machine().lanes));
    });
}

}  // namespace
}  // namespace okksim::firmware

using namespace okksim::firmware;
using okksim::FaultCode;

extern "C" {

// ---- Sequencing ----

void okk_initialize(void) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    run_api_call(context, [&] { context.initialize(); });
}

void okk_poll(void) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    run_api_call(context, [&] { context.poll(); });
}

void okk_parallel_start(void) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    run_api_call(context, [&] { context.parallel_start(); });
}

void okk_parallel_end(void) {
    Context& context = enter_api_call(__func__, __builtin_frame_address(0));
    run_api_call(context, [&] { context.parallel_end(); });
}

bool okk_is_parallel_state(void) {
    return query(__func__, [](Context& context) { return context.parallel(); });
}

// Nodes of commands have no effect, because the context orders commands.
void okk_set_id_node(void*) {
    query(__func__, [](Context&) { return 0; });
}
void okk_get_id_node(void*) {
    query(__func__, [](Context&) { return 0; });
}
void okk_enable_check_id_node(void) {
    query(__func__, [](Context&) { return 0; });
}
void okk_disable_check_id_node(void) {
    query(__func__, [](Context&) { return 0; });
}

// ---- Machine facts ----

unsigned int okk_local_mem_size_per_npu(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().local_bytes);
    });
}

unsigned int okk_l2_sram_size(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().l2_bytes);
    });
}

unsigned int okk_dtcm_size(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().dtcm_bytes);
    });
}

int okk_npu_num(void) {
    return query(__func__, [](Context& context) { return int{context.machine().lanes}; });
}

bool okk_has_feature(okk_feature_t feature) {
    return query(__func__, [feature](Context& context) {
        const auto number = static_cast<std::size_t>(feature);
        return number < okksim::isa::kFeatures.size() &&
               okksim::isa::has_feature(context.machine(), okksim::isa::kFeatures[number].feature);
    });
}

unsigned long long okk_global_mem_start_addr(void) {
    return query(__func__, [](Context& context) -> unsigned long long {
        return context.machine().global_start;
    });
}

unsigned int okk_local_mem_start_addr(void) {
    return query(__func__,
                 [](Context& context) { return context.options().facts.local_memory_start; });
}

unsigned int okk_local_mem_bank_per_npu(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().local_banks);
    });
}

unsigned int okk_l2_sram_start_addr(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().l2_start);
    });
}

unsigned int okk_dtcm_start_addr(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().dtcm_start);
    });
}

unsigned int okk_lookup_table_start_addr(void) {
    return query(__func__,
                 [](Context& context) { return context.options().facts.lookup_table_start; });
}

unsigned int okk_lookup_table_size(void) {
    return query(__func__,
                 [](Context& context) { return context.options().facts.lookup_table_bytes; });
}

unsigned int okk_eu_num(void) {
    return query(__func__, [](Context& context) {
        return static_cast<unsigned int>(context.machine().vector_words);
    });
}

// ---- Layouts ----

int okk_start_npu_index(local_addr_t addr) {
    return query(__func__,
                 [&](Context& context) { return int{context.machine().lane_of({addr})}; });
}

int okk_channle_num_per_npu(int start_idx, int num_channels) {
    return query(__func__, [&](Context& context) {
        return static_cast<int>(channel_slots(start_idx, num_channels, context.machine().lanes));
    });
}

void okk_128_byte_aligned_stride_for_32bit(dim4* stride, int start_idx, const dim4* shape) {
    local_stride(__func__, stride, start_idx, shape, aligned_to_line<32>);
}

void okk_128_byte_aligned_stride_for_16bit(dim4* stride, int start_idx, const dim4* shape) {
    local_stride(__func__, stride, start_idx, shape, aligned_to_line<16>);
}

void okk_128_byte_aligned_stride_for_8bit(dim4* stride, int start_idx, const dim4* shape) {
    local_stride(__func__, stride, start_idx, shape, aligned_to_line<8>);
}

void okk_compact_stride(dim4* stride, int start_idx, const dim4* shape) {
    local_stride(__func__, stride, start_idx, shape,
                 [](const okksim::isa::MachineShape&) { return 1; });
}

void okk_continuous_stride(dim4* stride, const dim4* shape) {
    write_stride(__func__, stride, shape,
                 [](Context&, const dim4& read) { return channel_first_stride(read, 1, read.c); });
}

// ---- Log, assertions, registry ----

void okksim_log(const char* format, ...) {
    char text[1024];
    std::va_list arguments;
    va_start(arguments, format);
    const int length = std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0) return;
    Context* context = Context::current();
    if (context == nullptr) {
        std::fputs(text, stdout);
        return;
    }
    enter_api_call("OKKERNEL_LOG", __builtin_frame_address(0));
    run_api_call(*context, [&] { context->log(text); });
}

void okksim_assertion_failed(const char* condition, const char* file, int line,
                             const char* function) {
    Context& context = enter_api_call("OKKERNEL_ASSERT", __builtin_frame_address(0));
    run_api_call(context, [&] {
        throw_argument_fault(
            FaultCode::kAssertion, "", condition,
            std::string("asserted in ") + function + "() at " + file + ":" + std::to_string(line),
            "make the condition hold, or remove the assertion");
    });
    __builtin_unreachable();
}

void okk_register_kernel_func(const char* name, okk_kernel_func_t func) {
    KernelRegistry::instance().add(name, func);
}

void okk_dump_registered_kernel_funcs(void) {
    for (const std::string& name : KernelRegistry::instance().names()) {
        okksim_log("%s\n", name.c_str());
    }
}

}  // extern "C"
