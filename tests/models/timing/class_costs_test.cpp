// SPDX-License-Identifier: Apache-2.0
// The machine parameter that each kind of command uses: every parameter is a different prime, and
// one vector of one element costs exactly that.
#include "isa/layout.h"
#include "models/bdc/bdc_params.h"
#include "models/bdc/bdc_timing.h"
#include "tests/support/catch.h"
#include "tests/support/small_machine.h"

namespace {

using namespace okksim;
using isa::Opcode;

models::BdcParams primes() {
    models::BdcParams params;
    params.clock_mhz = 1000;
    params.execution_units = 16;
    params.copy_cycles = 2;
    params.constant_cycles = 3;
    params.tensor_cycles = 5;
    params.mac_cycles = 7;
    params.divide_cycles = 11;
    params.linear_cycles = 13;
    params.convert_cycles = 17;
    params.square_root_cycles = 19;
    params.lookup_cycles = 23;
    params.fixed_add_cycles = 29;
    params.fixed_mul_cycles = 31;
    params.fixed_wide_mul_cycles = 37;
    params.fixed_mac_cycles = 41;
    params.fixed_max_cycles = 43;
    params.fixed_min_cycles = 47;
    params.fixed_shift_cycles = 53;
    return params;
}

template <typename Form>
std::int64_t cycles(Opcode opcode) {
    Form form;
    form.shape = {1, 1, 1, 1};
    return models::bdc_cost(isa::Command::make(opcode, form), tests::small_machine(64, 512 * 1024),
                            primes())
        .execute.value;
}

}  // namespace

TEST_CASE("timing classes/functions of one tensor") {
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_32bit_cpy) == 2);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_neg) == 3);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_relu) == 3);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_reciprocal) == 11);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_fp32_to_int32) == 17);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_rsqrt) == 19);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_sqrt) == 19);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_lookup_exp) == 23);
    CHECK(cycles<isa::VectorUnary>(Opcode::bdc_lookup_int32_to_fp32) == 23);
}

TEST_CASE("timing classes/arithmetic with a constant and of two tensors") {
    for (const Opcode opcode : {Opcode::bdc_add_C, Opcode::bdc_sub_C, Opcode::bdc_C_sub,
                                Opcode::bdc_mul_C, Opcode::bdc_max_C, Opcode::bdc_min_C}) {
        CHECK(cycles<isa::VectorConstant>(opcode) == 3);
    }
    CHECK(cycles<isa::VectorConstant>(Opcode::bdc_div_C) == 11);
    CHECK(cycles<isa::VectorConstant>(Opcode::bdc_C_div) == 11);
    for (const Opcode opcode : {Opcode::bdc_add, Opcode::bdc_sub, Opcode::bdc_mul, Opcode::bdc_max,
                                Opcode::bdc_min, Opcode::bdc_32bit_and}) {
        CHECK(cycles<isa::VectorBinary>(opcode) == 5);
    }
    CHECK(cycles<isa::VectorBinary>(Opcode::bdc_div) == 11);
    CHECK(cycles<isa::VectorAccumulate>(Opcode::bdc_mac) == 7);
    CHECK(cycles<isa::VectorAccumulateConstant>(Opcode::bdc_mac_C) == 7);
    CHECK(cycles<isa::VectorBias>(Opcode::bdc_bias) == 13);
    CHECK(cycles<isa::VectorScale>(Opcode::bdc_scale) == 13);
}

TEST_CASE("timing classes/packed fixed point") {
    CHECK(cycles<isa::FixedBinary>(Opcode::bdc_fixed_point_packed_add) == 29);
    CHECK(cycles<isa::FixedBinary>(Opcode::bdc_fixed_point_packed_sub) == 29);
    CHECK(cycles<isa::FixedMac>(Opcode::bdc_fixed_point_packed_mac) == 41);
    CHECK(cycles<isa::FixedMacConstant>(Opcode::bdc_fixed_point_packed_mac_C) == 41);
    CHECK(cycles<isa::FixedCompare>(Opcode::bdc_fixed_point_packed_max) == 43);
    CHECK(cycles<isa::FixedCompareConstant>(Opcode::bdc_fixed_point_packed_max_C) == 43);
    CHECK(cycles<isa::FixedCompare>(Opcode::bdc_fixed_point_packed_min) == 47);
    CHECK(cycles<isa::FixedCompareConstant>(Opcode::bdc_fixed_point_packed_min_C) == 47);
    CHECK(cycles<isa::FixedShift>(Opcode::bdc_fixed_point_packed_16bit_logical_shift) == 53);
}
