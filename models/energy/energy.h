// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include "isa/features.h"
#include "models/chip/machine_params.h"
#include "models/energy/event_counts.h"

/// Energy of events and area of machines: pure functions. Laws: models/energy/README.md.
namespace okksim::models::energy {

/// A figure and where it lies by the spreads of what it was worked out from.
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
/// of the components; all spreads at their ends together give its band.
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
/// mm2 of what a machine has for a group of instructions alone; nothing where it lacks the group,
/// and of the functions of the API reference.
Banded area_of(const MachineParams& machine, isa::Feature group);

/// `counts` are what the machine did in `time`; what stands by, leaks and is refreshed goes by the
/// time. Linear: parts of a run add up to the run.
EnergyReport energy_of(const EventCounts& counts, Picoseconds time, const MachineParams& machine);

}  // namespace okksim::models::energy
