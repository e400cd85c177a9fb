// SPDX-License-Identifier: Apache-2.0
#include "sim/study/gate/measurement.h"

#include <fmt/format.h>

#include "isa/base/fnv1a.h"
#include "sim/trace/energy_report.h"

namespace okksim::sim::gate {

TimeRecord time_record_of(const std::string& name, const Machine& machine,
                          const trace::Account& account) {
    TimeRecord record;
    record.name = name;
    record.machine = machine.label();
    record.machine_hash = fmt::format("{:016x}", machine.hash());
    record.simulated_us = account.span.microseconds();
    record.engines = engine_times(account);
    return record;
}

RunTotals totals_of(const trace::Account& account, const Machine& machine) {
    constexpr double kMicrojoules = 1e6;  // in a joule
    RunTotals totals;
    totals.commands = account.processor().commands;  // it writes every command
    totals.dram_bytes = account.dram.total();
    const double joules = trace::energy_of(account, machine.params).total_joules.value;
    totals.energy_uj = std::stod(fmt::format("{:.12g}", joules * kMicrojoules));
    return totals;
}

std::string hash_of(std::span<const std::byte> bytes) {
    isa::Fnv1a hash;
    hash.add(bytes);
    return fmt::format("{:016x}", hash.value());
}

}  // namespace okksim::sim::gate
