// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "isa/features.h"
#include "models/chip/machine_params.h"
#include "models/energy/event_counts.h"

/// Energy of events and area of machines: pure functions. Cost model: models/energy/README.md.
namespace okksim::models::energy {

/// A value with its band, which follows from the spreads of its parameters.
struct Banded {
    double value = 0;
    double low = 0;
    double high = 0;

    void add(const Banded& other) {
        value += other.value;
        low += other.low;
        high += other.high;
    }
    Banded times(double factor) const { return {value * factor, low * factor, high * factor}; }
};

/// A component of a machine's energy or area. Texts live as long as the program.
struct Component {
    const char* part;  ///< "BDC", "GDMA", "MCU", "DRAM", "chip"
    const char* name;
    Banded amount;
};

inline constexpr std::size_t kEnergyComponents = 23;
inline constexpr std::size_t kAreaComponents = 10 + isa::kFeatures.size() - 1;

/// Joules of a run or a part of one, in the order of the table of energy.cpp. The total is the sum
/// of the components. Its band has all spreads at the same end.
struct EnergyReport {
    std::array<Component, kEnergyComponents> components{};
    Banded total_joules;

    /// Mean power over `time`, in W; 0 for no time.
    Banded watts(Picoseconds time) const;
    /// Sum of the components of a part.
    Banded joules_of(const char* part) const;
    void add(const EnergyReport& other);
};

/// mm2 of a machine; the total is the sum of the components.
struct AreaReport {
    std::array<Component, kAreaComponents> components{};
    Banded total_mm2;
};

AreaReport area_of(const MachineParams& machine);
/// Returns the mm2 that a machine spends on an instruction group alone. Zero if the machine lacks
/// the group, and for the functions of the API reference.
Banded area_of(const MachineParams& machine, isa::Feature group);

/// Returns the energy of the events in `counts` during `time`. Standby, leakage and refresh depend
/// on `time`. Linear: the parts of a run add up to the run.
EnergyReport energy_of(const EventCounts& counts, Picoseconds time, const MachineParams& machine);

}  // namespace okksim::models::energy
