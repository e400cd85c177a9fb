// SPDX-License-Identifier: Apache-2.0
#include "models/energy/energy.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "isa/base/errors.h"
#include "models/bdc/bdc_params.h"
#include "models/chip/chip_params.h"
#include "models/chip/energy_params.h"
#include "models/chip/feature_params.h"
#include "models/chip/memory_params.h"
#include "models/dram/dram_params.h"
#include "models/gdma/gdma_params.h"
#include "models/mcu/mcu_params.h"

namespace okksim::models::energy {
namespace {

constexpr double kPico = 1e-12;
constexpr double kMilli = 1e-3;
constexpr double kKiB = 1024;
constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr double kMm2PerUm2 = 1e-6;

Banded banded(double value, double spread) {
    return {value, value / (1 + spread), value * (1 + spread)};
}

/// Fills the components of a report, in order.
template <typename Components>
class ComponentList {
 public:
    ComponentList(Components& components, Banded& total) : components_(components), total_(total) {}

    void add(const char* part, const char* name, Banded amount) {
        OKKSIM_CHECK(count_ < components_.size());
        components_[count_++] = {part, name, amount};
        total_.add(amount);
    }
    void finish() const { OKKSIM_CHECK(count_ == components_.size()); }

 private:
    Components& components_;
    Banded& total_;
    std::size_t count_ = 0;
};

double seconds(Picoseconds time) { return static_cast<double>(time.value) * kPico; }

/// Returns the energy of a byte of a local-memory bank, relative to a bank of the reference size.
double bank_factor(const MachineParams& machine) {
    const double bank = static_cast<double>(machine.chip->local_memory_bytes) /
                        static_cast<double>(machine.chip->local_memory_banks);
    return std::pow(bank / machine.energy->local_bank_bytes, machine.energy->local_bank_exponent);
}

double gib_of_global(const MachineParams& machine) {
    return static_cast<double>(machine.global->bytes) / kGiB;
}

double execution_units(const MachineParams& machine) {
    return static_cast<double>(machine.chip->lanes) *
           static_cast<double>(machine.bdc->execution_units) *
           static_cast<double>(machine.chip->compute_engines);
}

double byte_picojoules(const MemoryBytes& bytes, double read, double write) {
    return static_cast<double>(bytes.read) * read + static_cast<double>(bytes.written) * write;
}

double on_chip_picojoules(const Traffic& traffic, const EnergyParams& p) {
    return byte_picojoules(traffic[Memory::kL2], p.l2_read_picojoules_per_byte,
                           p.l2_write_picojoules_per_byte) +
           byte_picojoules(traffic[Memory::kDtcm], p.dtcm_read_picojoules_per_byte,
                           p.dtcm_write_picojoules_per_byte);
}

double dram_picojoules(const Traffic& traffic, const EnergyParams& p) {
    return byte_picojoules(traffic[Memory::kDram], p.dram_read_picojoules_per_byte,
                           p.dram_write_picojoules_per_byte) +
           static_cast<double>(traffic.dram_rows) * p.dram_row_picojoules;
}

/// Returns the bytes that the GDMA engine writes, which equals the bytes that it moves.
double moved_bytes(const Traffic& traffic) {
    double bytes = 0;
    for (const MemoryBytes& memory : traffic.memories) bytes += static_cast<double>(memory.written);
    return bytes;
}

using EnergyList = ComponentList<std::array<Component, kEnergyComponents>>;

void add_bdc(EnergyList& list, const EventCounts& counts, const MachineParams& machine) {
    const EnergyParams& p = *machine.energy;
    const auto arithmetic = [&](const char* name, OperationKind kind, double picojoules) {
        const auto operations = static_cast<double>(counts.of(kind));
        list.add("BDC", name, banded(operations * picojoules * kPico, p.compute_spread));
    };
    constexpr double kPerMultiplyAdd = 2;  // operations
    arithmetic("multiply-adds", OperationKind::kMultiplyAdd,
               p.multiply_add_picojoules / kPerMultiplyAdd);
    arithmetic("fp32 operations", OperationKind::kFp32, p.fp32_picojoules);
    arithmetic("divisions and roots", OperationKind::kDivide, p.divide_picojoules);
    arithmetic("32-bit integers", OperationKind::kInt32, p.int32_picojoules);
    arithmetic("16-bit fixed point", OperationKind::kFixed16, p.fixed16_picojoules);
    arithmetic("8-bit fixed point", OperationKind::kFixed8, p.fixed8_picojoules);
    arithmetic("32-bit integer products", OperationKind::kInt32Product, p.int32_product_picojoules);
    arithmetic("multiply-adds of 16 bits", OperationKind::kHalfMultiplyAdd,
               p.half_multiply_add_picojoules / kPerMultiplyAdd);
    const MemoryBytes& local = counts.of(Unit::kBdc)[Memory::kLocal];
    const double factor = bank_factor(machine) * kPico;
    list.add("BDC", "local memory reads",
             banded(static_cast<double>(local.read) * p.local_read_picojoules_per_byte * factor,
                    p.memory_spread));
    list.add("BDC", "local memory writes",
             banded(static_cast<double>(local.written) * p.local_write_picojoules_per_byte * factor,
                    p.memory_spread));
}

void add_gdma(EnergyList& list, const EventCounts& counts, const MachineParams& machine) {
    const EnergyParams& p = *machine.energy;
    const Traffic& traffic = counts.of(Unit::kGdma);
    const MemoryBytes& dram = traffic[Memory::kDram];
    const auto add = [&](const char* name, double picojoules, double spread) {
        list.add("GDMA", name, banded(picojoules * kPico, spread));
    };
    add("moving", moved_bytes(traffic) * p.moved_picojoules_per_byte, p.memory_spread);
    add("local memory",
        byte_picojoules(traffic[Memory::kLocal], p.local_read_picojoules_per_byte,
                        p.local_write_picojoules_per_byte) *
            bank_factor(machine),
        p.memory_spread);
    add("L2-SRAM and DTCM", on_chip_picojoules(traffic, p), p.memory_spread);
    add("DRAM reads", static_cast<double>(dram.read) * p.dram_read_picojoules_per_byte,
        p.dram_spread);
    add("DRAM writes", static_cast<double>(dram.written) * p.dram_write_picojoules_per_byte,
        p.dram_spread);
    add("DRAM rows", static_cast<double>(traffic.dram_rows) * p.dram_row_picojoules, p.dram_spread);
}

void add_processor(EnergyList& list, const EventCounts& counts, const MachineParams& machine) {
    const EnergyParams& p = *machine.energy;
    const double cycles = counts.processor_time.microseconds() * machine.mcu->clock_mhz;
    double commands = 0;
    for (const std::uint64_t count : counts.commands) commands += static_cast<double>(count);
    const Traffic& traffic = counts.of(Unit::kMcu);
    list.add("MCU", "cycles",
             banded(cycles * p.processor_picojoules_per_cycle * kPico, p.control_spread));
    list.add("MCU", "commands", banded(commands * p.command_picojoules * kPico, p.control_spread));
    Banded memories = banded(on_chip_picojoules(traffic, p) * kPico, p.memory_spread);
    memories.add(banded(dram_picojoules(traffic, p) * kPico, p.dram_spread));
    list.add("MCU", "its loads and stores", memories);
}

/// Adds the components that depend on time alone, in W.
void add_standing(EnergyList& list, Picoseconds time, const MachineParams& machine) {
    constexpr double kHertzPerMhz = 1e6;
    constexpr double kNano = 1e-9;
    const EnergyParams& p = *machine.energy;
    const DramParams& dram = *machine.dram;
    const double all = seconds(time);
    const bool refreshes = dram.refresh_nanoseconds > 0;
    const double refresh_count = refreshes ? all / (dram.refresh_interval_nanoseconds * kNano) : 0;
    list.add(
        "DRAM", "refresh",
        banded(refresh_count * gib_of_global(machine) * p.dram_refresh_picojoules_per_gib * kPico,
               p.dram_spread));
    list.add("DRAM", "standby",
             banded(all * gib_of_global(machine) * p.dram_standby_milliwatts_per_gib * kMilli,
                    p.dram_spread));
    list.add("chip", "clocks",
             banded(all * execution_units(machine) * machine.bdc->clock_mhz * kHertzPerMhz *
                        p.unit_clock_picojoules * kPico,
                    p.standing_spread));
    // The leakage per mm2 is as uncertain for a badly known area.
    const Banded area = area_of(machine).total_mm2;
    const Banded each = banded(p.leakage_milliwatts_per_mm2 * kMilli, p.standing_spread);
    list.add(
        "chip", "leakage",
        {all * area.value * each.value, all * area.low * each.low, all * area.high * each.high});
}

/// Returns the um2 of an instruction group, as if the machine had it.
double um2_of(const MachineParams& machine, isa::Feature group) {
    const AreaParams& p = *machine.area;
    const double units = execution_units(machine);
    const double lanes = static_cast<double>(machine.chip->lanes) *
                         static_cast<double>(machine.chip->compute_engines);
    switch (group) {
        case isa::Feature::kBase: return 0;  // the rest of the machine
        case isa::Feature::kInt8Mac:
            // Same as in the cost formula: a pass takes a word of weights, and a channel takes a
            // byte.
            return units * isa::kWordBytes * static_cast<double>(machine.bdc->int_products) *
                   p.int8_product_um2;
        case isa::Feature::kRequantise:
            return lanes * static_cast<double>(machine.bdc->rescale_multipliers) *
                   p.rescale_multiplier_um2;
        case isa::Feature::kFusedRescale: return units * p.fused_rescale_um2;
        case isa::Feature::kIntAlu: return units * p.int_alu_um2;
        case isa::Feature::kLookup: {
            // A table has at least one port, and at most one per result.
            const double cycles = std::clamp(static_cast<double>(machine.bdc->table_cycles), 1.0,
                                             static_cast<double>(machine.bdc->execution_units));
            return units / cycles * p.table_port_um2;
        }
        case isa::Feature::kConvert: return units * p.convert_um2;
        case isa::Feature::kDmaLayout:
            return machine.gdma->transpose_bytes_per_cycle * p.transpose_byte_um2;
        case isa::Feature::kDmaIndex: return p.row_list_um2;
        case isa::Feature::kInt16Mac:
            // Two 8-bit products form one of 16 by 8 bits; only the rest of the sum is additional
            // area.
            return units * static_cast<double>(machine.bdc->int_products) * p.int16_sum_um2;
        case isa::Feature::kHalfMac:
            return units * static_cast<double>(machine.bdc->convolution_channels_per_cycle) *
                   static_cast<double>(machine.bdc->half_products) * p.half_product_um2;
    }
    __builtin_unreachable();
}

}  // namespace

Banded EnergyReport::watts(Picoseconds time) const {
    return time.value == 0 ? Banded{} : total_joules.times(1 / seconds(time));
}

Banded EnergyReport::joules_of(const char* part) const {
    Banded sum;
    for (const Component& component : components) {
        if (std::string_view(component.part) == part) sum.add(component.amount);
    }
    return sum;
}

void EnergyReport::add(const EnergyReport& other) {
    for (std::size_t i = 0; i < components.size(); ++i) {
        components[i].part = other.components[i].part;
        components[i].name = other.components[i].name;
        components[i].amount.add(other.components[i].amount);
    }
    total_joules.add(other.total_joules);
}

AreaReport area_of(const MachineParams& machine) {
    const AreaParams& p = *machine.area;
    AreaReport report;
    ComponentList list(report.components, report.total_mm2);
    const auto logic = [&](const char* part, const char* name, double mm2) {
        list.add(part, name, banded(mm2, p.logic_spread));
    };
    const auto memory = [&](const char* name, double bytes, double um2_per_kib) {
        list.add("memory", name, banded(bytes / kKiB * um2_per_kib * kMm2PerUm2, p.memory_spread));
    };
    const double units = execution_units(machine);
    const auto lanes = static_cast<double>(machine.chip->lanes);
    const auto adders = static_cast<double>(machine.bdc->convolution_channels_per_cycle);
    logic("BDC", "multiply-adders", units * adders * p.multiply_add_um2 * kMm2PerUm2);
    logic("BDC", "rest of execution units", units * p.unit_um2 * kMm2PerUm2);
    logic("BDC", "lanes", lanes * p.lane_um2 * kMm2PerUm2);
    logic("BDC", "control",
          static_cast<double>(machine.chip->compute_engines) * p.compute_engine_mm2);
    memory("local memory", lanes * static_cast<double>(machine.chip->local_memory_bytes),
           p.local_memory_um2_per_kib);
    memory("L2-SRAM", static_cast<double>(machine.l2->bytes + machine.l2->lookup_table_bytes),
           p.l2_um2_per_kib);
    memory("DTCM", static_cast<double>(machine.dtcm->bytes), p.dtcm_um2_per_kib);
    logic("GDMA", "DMA engine", p.data_mover_mm2);
    logic("MCU", "control processor", p.processor_mm2);
    list.add("DRAM", "controllers and interface",
             banded(static_cast<double>(machine.dram->channels) * p.dram_channel_mm2 +
                        machine.dram->read_bytes_per_nanosecond *
                            p.dram_interface_mm2_per_byte_per_nanosecond,
                    p.interface_spread));
    for (const isa::FeatureInfo& group : isa::kFeatures) {
        if (group.feature == isa::Feature::kBase) continue;
        list.add("BDC", group.key, area_of(machine, group.feature));
    }
    list.finish();
    return report;
}

Banded area_of(const MachineParams& machine, isa::Feature group) {
    const bool has_it = (machine.features->present() & isa::feature_bit(group)) != 0;
    return has_it ? banded(um2_of(machine, group) * kMm2PerUm2, machine.area->logic_spread)
                  : Banded{};
}

EnergyReport energy_of(const EventCounts& counts, Picoseconds time, const MachineParams& machine) {
    EnergyReport report;
    ComponentList list(report.components, report.total_joules);
    add_bdc(list, counts, machine);
    add_gdma(list, counts, machine);
    add_processor(list, counts, machine);
    add_standing(list, time, machine);
    list.finish();
    return report;
}

}  // namespace okksim::models::energy
