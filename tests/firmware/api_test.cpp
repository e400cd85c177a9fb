// SPDX-License-Identifier: Apache-2.0
// okk.h as a program sees it: types, values, C++ and C.
#include <type_traits>

#include "firmware/calls/context.h"
#include "firmware/launch/kernel_registry.h"
#include "firmware/leave/kernel_runner.h"
#include "firmware/okk.h"
#include "isa/instructions.h"
#include "tests/firmware/api_in_c.h"
#include "tests/firmware/recording_port.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace okksim::tests {

namespace {

#define SIGNATURE(result, name, parameters) \
    static_assert(std::is_same_v<decltype(name), result parameters>);
#include "tests/firmware/api_signatures.def"
#undef SIGNATURE

static_assert(std::is_same_v<local_addr_t, unsigned int>);
static_assert(std::is_same_v<system_addr_t, unsigned long long>);
static_assert(std::is_same_v<global_addr_t, unsigned long long>);
static_assert(sizeof(dim4) == 16 && sizeof(dim2) == 8 && sizeof(Padding) == 16);
static_assert(sizeof(x32) == 4 && sizeof(x16) == 2 && sizeof(x8) == 1);
static_assert(sizeof(s8x4) == 4 && sizeof(u8x4) == 4 && sizeof(s16x2) == 4 && sizeof(u16x2) == 4);
// Two of the documented values; api_in_c.c uses the rest of the types.
static_assert(S8_OP_S8_TO_S8 == 31 && U16_OP_U16_TO_U16 == 0 && S16_MUL_U8_TO_S16 == 5);
static_assert(DIV_UP(64, 64) == 1 && DIV_UP(65, 64) == 2);

}  // namespace

TEST_CASE("every documented function has its documented signature in C") {
    CHECK(documented_functions_in_c() == 119);
}

TEST_CASE("the enumerators encode what the instruction set decodes") {
    // S8_OP_U8_TO_S16: source 0 int8, source 1 uint8, result int16.
    const isa::FixedTypes types = isa::fixed_types(static_cast<isa::OpType>(S8_OP_U8_TO_S16));
    CHECK(types.source0 == isa::FixedType{true, 8});
    CHECK(types.source1 == isa::FixedType{false, 8});
    CHECK(types.result == isa::FixedType{true, 16});
}

TEST_CASE("a kernel in C registers itself and issues its commands") {
    const auto entry = firmware::KernelRegistry::instance().find("api_in_c_kernel");
    REQUIRE(entry == api_in_c_kernel);
    std::string log;
    RecordingPort port(small_machine(4, 16384));
    firmware::ContextOptions options;
    options.log = [&](std::string_view text) { log += text; };
    firmware::Context context(port, options);
    const api_in_c_arguments arguments{port.machine().global_start, 3.f};
    const auto fault = firmware::run_kernel(context, entry, &arguments);
    REQUIRE_FALSE(fault);
    REQUIRE(port.commands().size() == 3);
    CHECK(port.commands()[0].opcode == isa::Opcode::bdc_32bit_set_C);
    CHECK(port.commands()[0].as<isa::VectorSet>().C.as_float() == 1.f);
    CHECK(port.commands()[1].as<isa::VectorConstant>().C.as_float() == 3.f);
    CHECK(port.commands()[2].opcode == isa::Opcode::gdma_32bit_cpy_L2S);
    CHECK(log == "scale 3.0\ndone\n");
}

TEST_CASE("layout helpers follow the documented formulas") {
    RecordingPort port(small_machine(64, 16384));
    firmware::Context context(port);
    const firmware::Context::Binding binding(context);
    const dim4 shape{3, 10, 7, 33};
    dim4 stride{};
    // Starting in NPU 60, 10 channels need ceil((60 + 10) / 64) = 2 slots; the plane has 231
    // elements.
    okk_128_byte_aligned_stride_for_32bit(&stride, 60, &shape);
    CHECK((stride.n == 512 && stride.c == 256 && stride.h == 33 && stride.w == 1));
    okk_128_byte_aligned_stride_for_16bit(&stride, 60, &shape);
    CHECK((stride.n == 512 && stride.c == 256));
    okk_128_byte_aligned_stride_for_8bit(&stride, 60, &shape);
    CHECK((stride.n == 512 && stride.c == 256));
    okk_compact_stride(&stride, 60, &shape);
    CHECK((stride.n == 462 && stride.c == 231));
    okk_continuous_stride(&stride, &shape);
    CHECK((stride.n == 2310 && stride.c == 231 && stride.h == 33 && stride.w == 1));
    CHECK(okk_start_npu_index(2 * 16384 - 1) == 1);
    CHECK(okk_channle_num_per_npu(63, 2) == 2);
}

TEST_CASE("machine facts come from the machine") {
    isa::MachineShape machine = small_machine(16, 32768);
    machine.vector_words = 16;
    RecordingPort port(machine);
    firmware::Context context(port);
    const firmware::Context::Binding binding(context);
    CHECK(okk_npu_num() == 16);
    CHECK(okk_local_mem_size_per_npu() == 32768);
    CHECK(okk_local_mem_bank_per_npu() == 8);
    CHECK(okk_l2_sram_start_addr() == machine.l2_start);
    CHECK(okk_l2_sram_size() == machine.l2_bytes);
    CHECK(okk_dtcm_start_addr() == machine.dtcm_start);
    CHECK(okk_dtcm_size() == machine.dtcm_bytes);
    CHECK(okk_global_mem_start_addr() == machine.global_start);
    CHECK(okk_eu_num() == 16);
    CHECK(okk_local_mem_start_addr() == 0x08000000);
    CHECK(okk_lookup_table_start_addr() == 0x323C00);
    CHECK(okk_lookup_table_size() == 902144);
}

}  // namespace okksim::tests
