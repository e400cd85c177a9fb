// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/common/parameter.h"

namespace okksim::models {

/// Energy per event. A spread gives the uncertainty of its group. True values are between value /
/// (1 + spread) and value * (1 + spread). Cost model: models/energy/README.md.
struct EnergyParams {
    double multiply_add_picojoules = 0;
    double fp32_picojoules = 0;
    double divide_picojoules = 0;
    double int32_picojoules = 0;
    double fixed16_picojoules = 0;
    double fixed8_picojoules = 0;
    double int32_product_picojoules = 0;
    double half_multiply_add_picojoules = 0;
    double compute_spread = 0;
    double local_read_picojoules_per_byte = 0;
    double local_write_picojoules_per_byte = 0;
    double local_bank_bytes = 1;
    double local_bank_exponent = 0;
    double l2_read_picojoules_per_byte = 0;
    double l2_write_picojoules_per_byte = 0;
    double dtcm_read_picojoules_per_byte = 0;
    double dtcm_write_picojoules_per_byte = 0;
    double moved_picojoules_per_byte = 0;
    double memory_spread = 0;
    double dram_read_picojoules_per_byte = 0;
    double dram_write_picojoules_per_byte = 0;
    double dram_row_picojoules = 0;
    double dram_refresh_picojoules_per_gib = 0;
    double dram_standby_milliwatts_per_gib = 0;
    double dram_spread = 0;
    double command_picojoules = 0;
    double processor_picojoules_per_cycle = 0;
    double control_spread = 0;
    double unit_clock_picojoules = 0;
    double leakage_milliwatts_per_mm2 = 0;
    double standing_spread = 0;
    double published_watts = 0;
};

/// Area of the parts of a chip; spreads as in EnergyParams.
struct AreaParams {
    double multiply_add_um2 = 0;
    double unit_um2 = 0;
    double lane_um2 = 0;
    double compute_engine_mm2 = 0;
    double data_mover_mm2 = 0;
    double processor_mm2 = 0;
    double int8_product_um2 = 0;
    double rescale_multiplier_um2 = 0;
    double fused_rescale_um2 = 0;
    double int_alu_um2 = 0;
    double table_port_um2 = 0;
    double convert_um2 = 0;
    double transpose_byte_um2 = 0;
    double row_list_um2 = 0;
    double half_product_um2 = 0;
    double int16_sum_um2 = 0;
    double logic_spread = 0;
    double local_memory_um2_per_kib = 0;
    double l2_um2_per_kib = 0;
    double dtcm_um2_per_kib = 0;
    double memory_spread = 0;
    double dram_channel_mm2 = 0;
    double dram_interface_mm2_per_byte_per_nanosecond = 0;
    double interface_spread = 0;
};

/// Describes a parameter whose default is the reference machine's value.
inline ParameterInfo of_reference(const char* unit, double high, const char* meaning) {
    ParameterInfo info{unit, 0, high, meaning};
    info.is_of_reference = true;
    return info;
}

template <typename Params, typename Visitor>
void describe_energy(Params& p, Visitor&& v) {
    const auto each = [](const char* meaning) { return of_reference("pJ", 1e6, meaning); };
    const auto byte = [](const char* meaning) { return of_reference("pJ/byte", 1e6, meaning); };
    const auto spread = [](const char* meaning) { return of_reference("-", 100, meaning); };
    v(p.multiply_add_picojoules, "multiply_add_picojoules",
      each("an fp32 multiply-add of convolutions and matrix products"));
    v(p.fp32_picojoules, "fp32_picojoules", each("any other fp32 operation"));
    v(p.divide_picojoules, "divide_picojoules", each("an fp32 division or root"));
    v(p.int32_picojoules, "int32_picojoules",
      each("a 32-bit integer operation, copy, conversion or lookup"));
    v(p.fixed16_picojoules, "fixed16_picojoules", each("a packed 16-bit operation"));
    v(p.fixed8_picojoules, "fixed8_picojoules", each("a packed 8-bit operation"));
    v(p.int32_product_picojoules, "int32_product_picojoules",
      each("a product of 32-bit integers, also in a rescale"));
    ParameterInfo half = each("a multiply-add of fp16 or bf16 with a sum in fp32 (half_mac)");
    half.group = "half_mac";
    v(p.half_multiply_add_picojoules, "half_multiply_add_picojoules", half);
    v(p.compute_spread, "compute_spread", spread("spread of the values above in this section"));
    v(p.local_read_picojoules_per_byte, "local_read_picojoules_per_byte",
      byte("read from a bank of local memory of local_bank_bytes"));
    v(p.local_write_picojoules_per_byte, "local_write_picojoules_per_byte",
      byte("written to a bank of local memory of local_bank_bytes"));
    ParameterInfo bank = of_reference("bytes", 1e9, "bank size of the two values above");
    bank.low = 1;
    v(p.local_bank_bytes, "local_bank_bytes", bank);
    v(p.local_bank_exponent, "local_bank_exponent",
      of_reference("-", 2, "exponent of the bank size in the energy of a byte"));
    v(p.l2_read_picojoules_per_byte, "l2_read_picojoules_per_byte", byte("read from L2-SRAM"));
    v(p.l2_write_picojoules_per_byte, "l2_write_picojoules_per_byte", byte("written to L2-SRAM"));
    v(p.dtcm_read_picojoules_per_byte, "dtcm_read_picojoules_per_byte", byte("read from DTCM"));
    v(p.dtcm_write_picojoules_per_byte, "dtcm_write_picojoules_per_byte", byte("written to DTCM"));
    v(p.moved_picojoules_per_byte, "moved_picojoules_per_byte",
      byte("moved by the GDMA, on its way between memories"));
    v(p.memory_spread, "memory_spread", spread("spread of the values from local_read to here"));
    v(p.dram_read_picojoules_per_byte, "dram_read_picojoules_per_byte",
      byte("read from global memory, both ends of the interface"));
    v(p.dram_write_picojoules_per_byte, "dram_write_picojoules_per_byte",
      byte("written to global memory, both ends of the interface"));
    v(p.dram_row_picojoules, "dram_row_picojoules",
      each("opening and closing a row of dram.row_bytes"));
    v(p.dram_refresh_picojoules_per_gib, "dram_refresh_picojoules_per_gib",
      of_reference("pJ/GiB", 1e9, "one refresh of all banks"));
    v(p.dram_standby_milliwatts_per_gib, "dram_standby_milliwatts_per_gib",
      of_reference("mW/GiB", 1e6, "idle global memory"));
    v(p.dram_spread, "dram_spread", spread("spread of the values of global memory"));
    v(p.command_picojoules, "command_picojoules",
      each("fetching, decoding and starting a command"));
    v(p.processor_picojoules_per_cycle, "processor_picojoules_per_cycle",
      each("a cycle of the control processor in a launch, waits included"));
    v(p.control_spread, "control_spread", spread("spread of the two values above"));
    v(p.unit_clock_picojoules, "unit_clock_picojoules",
      each("a cycle of an execution unit, idle or not: clock and pipeline registers"));
    v(p.leakage_milliwatts_per_mm2, "leakage_milliwatts_per_mm2",
      of_reference("mW/mm2", 1e6, "leakage of the chip's area"));
    v(p.standing_spread, "standing_spread", spread("spread of the two values above"));
    v(p.published_watts, "published_watts",
      of_reference("W", 1e6,
                   "published typical power of the whole reference chip, for comparison; 0: none"));
}

/// Describes parameters of machines with instruction groups beyond the API reference.
template <typename Params, typename Visitor>
void describe_group_area(Params& p, Visitor&& v) {
    const auto um2 = [](const char* group, const char* meaning) {
        ParameterInfo info = of_reference("um2", 1e9, meaning);
        info.group = group;
        return info;
    };
    v(p.int8_product_um2, "int8_product_um2",
      um2("int8_mac",
          "an 8-bit product with its 32-bit sum; a unit has features.int_products for each of four "
          "channels"));
    v(p.rescale_multiplier_um2, "rescale_multiplier_um2",
      um2("requantise", "a multiplier of rescales; a lane has features.rescale_multipliers"));
    v(p.fused_rescale_um2, "fused_rescale_um2",
      um2("fused_rescale",
          "path in an execution unit from its sums to the multipliers of rescales"));
    v(p.int_alu_um2, "int_alu_um2",
      um2("int_alu", "integer arithmetic in an execution unit, with products"));
    v(p.table_port_um2, "table_port_um2",
      um2("lookup",
          "a port of a lane's table; a lane has one per result of a cycle (execution units / "
          "features.table_cycles)"));
    v(p.convert_um2, "convert_um2",
      um2("convert", "conversion in an execution unit, from and to integers of any width"));
    v(p.transpose_byte_um2, "transpose_byte_um2",
      um2("dma_layout",
          "transposing buffer of the GDMA, per byte of features.transpose_bytes_per_cycle"));
    v(p.row_list_um2, "row_list_um2",
      um2("dma_index", "index buffer and address generation of the GDMA"));
    v(p.int16_sum_um2, "int16_sum_um2",
      um2("int16_mac",
          "logic that joins two 8-bit products and widens a 32-bit sum to 48 bits, for each of "
          "features.int_products"));
    v(p.half_product_um2, "half_product_um2",
      um2("half_mac",
          "a 16-bit product with its 32-bit sum; a unit has features.half_products for each of "
          "bdc.convolution_channels_per_cycle"));
}

template <typename Params, typename Visitor>
void describe_area(Params& p, Visitor&& v) {
    const auto um2 = [](const char* meaning) { return of_reference("um2", 1e9, meaning); };
    const auto kib = [](const char* meaning) { return of_reference("um2/KiB", 1e9, meaning); };
    const auto mm2 = [](const char* meaning) { return of_reference("mm2", 1e4, meaning); };
    const auto spread = [](const char* meaning) { return of_reference("-", 100, meaning); };
    v(p.multiply_add_um2, "multiply_add_um2",
      um2("an fp32 multiply-adder; a unit has bdc.convolution_channels_per_cycle"));
    v(p.unit_um2, "unit_um2", um2("the rest of an execution unit"));
    v(p.lane_um2, "lane_um2", um2("a lane without its units and memory: addresses, crossbar"));
    v(p.compute_engine_mm2, "compute_engine_mm2", mm2("queue and control of a compute engine"));
    v(p.data_mover_mm2, "data_mover_mm2", mm2("GDMA and interconnect"));
    v(p.processor_mm2, "processor_mm2", mm2("control processor without DTCM"));
    describe_group_area(p, v);
    v(p.logic_spread, "logic_spread", spread("spread of the values above in this section"));
    v(p.local_memory_um2_per_kib, "local_memory_um2_per_kib", kib("local memory"));
    v(p.l2_um2_per_kib, "l2_um2_per_kib", kib("L2-SRAM and lookup tables"));
    v(p.dtcm_um2_per_kib, "dtcm_um2_per_kib", kib("DTCM"));
    v(p.memory_spread, "memory_spread", spread("spread of the three values above"));
    v(p.dram_channel_mm2, "dram_channel_mm2", mm2("controller of a channel of global memory"));
    v(p.dram_interface_mm2_per_byte_per_nanosecond, "dram_interface_mm2_per_byte_per_nanosecond",
      of_reference("mm2/(bytes/ns)", 1e4, "interface to global memory, by its rate of reads"));
    v(p.interface_spread, "interface_spread", spread("spread of the two values above"));
}

}  // namespace okksim::models
