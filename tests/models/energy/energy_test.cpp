// SPDX-License-Identifier: Apache-2.0
// Energy and area of a machine with round numbers, computed by hand.
#include "models/energy/energy.h"

#include <string_view>

#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/energy_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/memory_params.h"
#include "models/dram/dram_params.h"
#include "models/mcu/mcu_params.h"
#include "tests/support/catch.h"

namespace {

using namespace okksim;
using namespace okksim::models::energy;
using models::MachineParams;
using models::Picoseconds;

constexpr double kPico = 1e-12;
constexpr Picoseconds kMillisecond{1'000'000'000};

/// 4 lanes of 8 units with 2 multiply-adders, 1 KiB in 2 banks each; 2 GiB of global memory.
MachineParams machine() {
    MachineParams machine;
    *machine.chip = {.lanes = 4, .local_memory_bytes = 1024, .local_memory_banks = 2};
    machine.bdc->execution_units = 8;
    machine.bdc->clock_mhz = 100;
    machine.bdc->convolution_channels_per_cycle = 2;
    machine.mcu->clock_mhz = 10;
    machine.l2->bytes = 3072;
    machine.l2->lookup_table_bytes = 1024;
    machine.dtcm->bytes = 2048;
    machine.global->bytes = std::int64_t{2} << 30;
    machine.dram->channels = 2;
    machine.dram->read_bytes_per_nanosecond = 10;
    machine.dram->refresh_nanoseconds = 1;
    machine.dram->refresh_interval_nanoseconds = 1000;
    return machine;
}

const Component& find(const auto& components, std::string_view part, std::string_view name) {
    for (const Component& component : components) {
        if (component.part == part && component.name == name) return component;
    }
    FAIL("no component " << part << " " << name);
    return components.front();
}

/// Energy of a component in joules.
double joules(const EnergyReport& report, std::string_view part, std::string_view name) {
    return find(report.components, part, name).amount.value;
}

TEST_CASE("energy/every kind of event costs its own figure") {
    MachineParams params = machine();
    models::EnergyParams& p = *params.energy;
    p.multiply_add_picojoules = 3;
    p.fp32_picojoules = 5;
    p.divide_picojoules = 7;
    p.int32_picojoules = 11;
    p.fixed16_picojoules = 13;
    p.fixed8_picojoules = 17;
    p.int32_product_picojoules = 19;
    p.half_multiply_add_picojoules = 29;
    p.local_read_picojoules_per_byte = 2;
    p.local_write_picojoules_per_byte = 3;
    p.local_bank_bytes = 512;
    p.l2_read_picojoules_per_byte = 5;
    p.l2_write_picojoules_per_byte = 7;
    p.dtcm_read_picojoules_per_byte = 11;
    p.dtcm_write_picojoules_per_byte = 13;
    p.moved_picojoules_per_byte = 1;
    p.dram_read_picojoules_per_byte = 17;
    p.dram_write_picojoules_per_byte = 19;
    p.dram_row_picojoules = 1000;
    p.command_picojoules = 100;
    p.processor_picojoules_per_cycle = 23;
    EventCounts counts;
    counts.operations = {20, 3, 2, 4, 5, 6, 8, 14};
    // Read and written: local memory, L2-SRAM, DTCM, global memory; rows.
    counts.traffic[0] = {{{{100, 10}, {}, {}, {}}}, 0};
    counts.traffic[1] = {{{{40, 30}, {20, 10}, {1, 2}, {200, 300}}}, 3};
    counts.traffic[2] = {{{{}, {4, 0}, {0, 2}, {10, 0}}}, 1};
    counts.commands = {6, 2, 0};
    counts.processor_time = kMillisecond;

    const EnergyReport report = energy_of(counts, kMillisecond, params);
    const auto is = [&](const char* part, const char* name, double picojoules) {
        INFO(part << " " << name);
        CHECK(joules(report, part, name) == Approx(picojoules * kPico));
    };
    is("BDC", "multiply-adds", 10 * 3);  // of two operations each
    is("BDC", "fp32 operations", 3 * 5);
    is("BDC", "divisions and roots", 2 * 7);
    is("BDC", "32-bit integers", 4 * 11);
    is("BDC", "16-bit fixed point", 5 * 13);
    is("BDC", "8-bit fixed point", 6 * 17);
    is("BDC", "32-bit integer products", 8 * 19);
    is("BDC", "multiply-adds of 16 bits", 7 * 29);
    is("BDC", "local memory reads", 100 * 2);
    is("BDC", "local memory writes", 10 * 3);
    is("GDMA", "moving", 30 + 10 + 2 + 300);  // what is written
    is("GDMA", "local memory", 40 * 2 + 30 * 3);
    is("GDMA", "L2-SRAM and DTCM", 20 * 5 + 10 * 7 + 1 * 11 + 2 * 13);
    is("GDMA", "DRAM reads", 200 * 17);
    is("GDMA", "DRAM writes", 300 * 19);
    is("GDMA", "DRAM rows", 3 * 1000);
    is("MCU", "cycles", 1000 * 10 * 23);  // 1000 us at 10 MHz
    is("MCU", "commands", 8 * 100);
    is("MCU", "its loads and stores", 4 * 5 + 2 * 13 + 10 * 17 + 1000);
    double sum = 0;
    for (const Component& component : report.components) sum += component.amount.value;
    CHECK(report.total_joules.value == Approx(sum));
    CHECK(report.watts(kMillisecond).value == Approx(sum / 1e-3));
    CHECK(report.watts({}).value == 0);
    // Without given uncertainties, all bands have zero width.
    CHECK(report.total_joules.low == report.total_joules.value);
    CHECK(report.total_joules.high == report.total_joules.value);
}

TEST_CASE("energy/what stands by goes by the time") {
    MachineParams params = machine();
    models::EnergyParams& p = *params.energy;
    p.dram_refresh_picojoules_per_gib = 50;
    p.dram_standby_milliwatts_per_gib = 3;
    p.unit_clock_picojoules = 2;
    p.leakage_milliwatts_per_mm2 = 7;
    params.area->data_mover_mm2 = 4;
    const EnergyReport report = energy_of({}, kMillisecond, params);
    // A refresh every microsecond: 1000, of 2 GiB.
    CHECK(joules(report, "DRAM", "refresh") == Approx(1000 * 2 * 50 * kPico));
    CHECK(joules(report, "DRAM", "standby") == Approx(2 * 3e-3 * 1e-3));
    // 32 units, 100 000 cycles.
    CHECK(joules(report, "chip", "clocks") == Approx(32 * 1e5 * 2 * kPico));
    CHECK(joules(report, "chip", "leakage") == Approx(4 * 7e-3 * 1e-3));
    CHECK(report.joules_of("chip").value == Approx(32 * 1e5 * 2 * kPico + 28e-6));
    params.dram->refresh_nanoseconds = 0;  // a memory that needs none
    CHECK(joules(energy_of({}, kMillisecond, params), "DRAM", "refresh") == 0);
}

TEST_CASE("energy/a byte of a larger bank costs more by a power of its size") {
    MachineParams params = machine();
    params.energy->local_read_picojoules_per_byte = 2;
    params.energy->local_bank_bytes = 128;  // the machine's have 512
    params.energy->local_bank_exponent = 0.5;
    EventCounts counts;
    counts.traffic[0][Memory::kLocal].read = 10;
    CHECK(joules(energy_of(counts, {}, params), "BDC", "local memory reads") ==
          Approx(10 * 2 * 2 * kPico));  // 4 ^ 0.5
}

TEST_CASE("energy/a spread divides and multiplies the figures of its group") {
    MachineParams params = machine();
    params.energy->fp32_picojoules = 6;
    params.energy->compute_spread = 0.5;
    params.energy->leakage_milliwatts_per_mm2 = 10;
    params.energy->standing_spread = 1;
    params.area->data_mover_mm2 = 3;
    params.area->logic_spread = 2;
    EventCounts counts;
    counts.operations[static_cast<std::size_t>(OperationKind::kFp32)] = 1000;
    const EnergyReport report = energy_of(counts, kMillisecond, params);
    const Banded fp32 = find(report.components, "BDC", "fp32 operations").amount;
    CHECK(fp32.low == Approx(4000 * kPico));
    CHECK(fp32.high == Approx(9000 * kPico));
    // 1 to 9 mm2 of 5 to 20 mW.
    const Banded leakage = find(report.components, "chip", "leakage").amount;
    CHECK(leakage.low == Approx(5e-6));
    CHECK(leakage.high == Approx(180e-6));
    CHECK(report.total_joules.low == Approx(fp32.low + leakage.low));
}

TEST_CASE("energy/parts of a run add up, and figures of nothing are nothing") {
    MachineParams params = machine();
    EventCounts counts;
    counts.operations = {2, 4, 6, 8, 10, 12};
    counts.commands = {1, 2, 3};
    counts.processor_time = {7};
    CHECK(energy_of(counts, kMillisecond, params).total_joules.value == 0);
    CHECK(area_of(params).total_mm2.value == 0);

    params.energy->fp32_picojoules = 1.3;
    params.energy->command_picojoules = 9;
    params.energy->dram_standby_milliwatts_per_gib = 5;
    EventCounts both = counts;
    both.add(counts);
    EnergyReport twice = energy_of(counts, kMillisecond, params);
    twice.add(energy_of(counts, kMillisecond, params));
    CHECK(twice.total_joules.value ==
          Approx(energy_of(both, kMillisecond + kMillisecond, params).total_joules.value));
}

TEST_CASE("area/groups of instructions count where the machine has them") {
    MachineParams params = machine();  // 4 lanes of 8 units
    *params.area = {.int8_product_um2 = 2,
                    .rescale_multiplier_um2 = 3,
                    .fused_rescale_um2 = 5,
                    .int_alu_um2 = 7,
                    .table_port_um2 = 11,
                    .convert_um2 = 13,
                    .logic_spread = 1};
    params.bdc->int_products = 4;
    params.bdc->rescale_multipliers = 6;
    params.bdc->table_cycles = 2;
    params.features->base = true;
    CHECK(area_of(params).total_mm2.value == 0);
    *params.features = {true, true, true, true, true, true, true};
    const AreaReport area = area_of(params);
    const auto um2 = [&](const char* name) { return find(area.components, "BDC", name).amount; };
    // A unit has 4 products for each of 4 channels. A lane has 6 multipliers, and one port for each
    // of the 8 / 2 results of a cycle.
    CHECK(um2("int8_mac").value == Approx(32 * 16 * 2e-6));
    CHECK(um2("requantise").value == Approx(4 * 6 * 3e-6));
    CHECK(um2("fused_rescale").value == Approx(32 * 5e-6));
    CHECK(um2("int_alu").value == Approx(32 * 7e-6));
    CHECK(um2("lookup").value == Approx(4 * 4 * 11e-6));
    CHECK(um2("convert").value == Approx(32 * 13e-6));
    CHECK(um2("convert").low == Approx(16 * 13e-6));  // a spread of 1
    CHECK(um2("convert").high == Approx(64 * 13e-6));
    CHECK(area.total_mm2.value ==
          Approx((32 * 16 * 2 + 4 * 6 * 3 + 32 * 5 + 32 * 7 + 4 * 4 * 11 + 32 * 13) * 1e-6));
    // A table has at least one port and at most one per result, even if a lookup takes no time.
    params.bdc->table_cycles = 24;
    CHECK(area_of(params, isa::Feature::kLookup).value == Approx(4 * 11e-6));
    params.bdc->table_cycles = 0;
    CHECK(area_of(params, isa::Feature::kLookup).value == Approx(4 * 8 * 11e-6));
}

TEST_CASE("area/components, and what twice the lanes and twice the rate add") {
    MachineParams params = machine();
    *params.area = {.multiply_add_um2 = 1000,
                    .unit_um2 = 500,
                    .lane_um2 = 250,
                    .compute_engine_mm2 = 0.1,
                    .data_mover_mm2 = 0.2,
                    .processor_mm2 = 0.3,
                    .local_memory_um2_per_kib = 2000,
                    .l2_um2_per_kib = 3000,
                    .dtcm_um2_per_kib = 4000,
                    .dram_channel_mm2 = 0.5,
                    .dram_interface_mm2_per_byte_per_nanosecond = 0.25};
    const AreaReport area = area_of(params);
    // 4 lanes x 8 units x 2 adders; 4 KiB of lanes, 3 + 1 of L2-SRAM, 2 of DTCM.
    const double lanes = 64 * 1000 + 32 * 500 + 4 * 250 + 4 * 2000;
    const double rest = 0.1 + 0.2 + 0.3 + (4 * 3000 + 2 * 4000) * 1e-6 + 2 * 0.5 + 10 * 0.25;
    CHECK(area.total_mm2.value == Approx(lanes * 1e-6 + rest));
    CHECK(find(area.components, "BDC", "multiply-adders").amount.value == Approx(0.064));
    CHECK(find(area.components, "memory", "local memory").amount.value == Approx(0.008));

    params.chip->lanes = 8;
    params.dram->read_bytes_per_nanosecond = 20;
    CHECK(area_of(params).total_mm2.value ==
          Approx(area.total_mm2.value + lanes * 1e-6 + 10 * 0.25));
}

}  // namespace
