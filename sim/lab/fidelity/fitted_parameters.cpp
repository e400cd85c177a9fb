// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/fidelity/fitted_parameters.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

#include "isa/base/errors.h"

namespace okksim::sim::fidelity {
namespace {

constexpr std::array kFitted{
    FittedParameter{"mcu.command_cycles", 1500, 2000,
                    "an ARM9 encodes and writes a command; measured: 3.5 us per small matmul",
                    Grid::kWhole},
    FittedParameter{"host.launch_nanoseconds", 10000, 30000,
                    "driver and firmware entry; launch and sync are 40 to 47 us with a kernel"},
    FittedParameter{"host.sync_nanoseconds", 0, 20000, "interrupt and wake-up of the host"},
    FittedParameter{"bdc.startup_cycles", 26, 1000,
                    "descriptor fetch, pipeline fill, write-back drain of one command",
                    Grid::kWhole},
    FittedParameter{"bdc.broadcast_cycles", 1000, 3000,
                    "set-up of sources that are read repeatedly; equal for 96 and 1500 vectors",
                    Grid::kWhole},
    FittedParameter{"bdc.convolution_fetch_cycles", 5, 12,
                    "pixels of a kernel position; estimator 2 to 5, three channels on silicon 1.4 "
                    "to 1.9 times that"},
    FittedParameter{"bdc.convolution_fetch_cycles_per_stride", 0.5, 2,
                    "pixels fetched and dropped between strided ones"},
    FittedParameter{"bdc.convolution_bank_share", 0, 0.4,
                    "weights and pixels are read alternately if they share a bank"},
    FittedParameter{"bdc.depthwise_factor", 1, 3,
                    "window sums compared with pools, whose formula agrees with published times"},
    FittedParameter{"bdc.matmul_term_cycles", 1, 1.12,
                    "a multiply-add per cycle and unit at best; estimator 1"},
    FittedParameter{"gdma.setup_cycles", 137, 1200,
                    "descriptor fetch and address generation; the estimator has 137", Grid::kWhole},
    FittedParameter{"gdma.piece_cycles", 0.05, 1.2,
                    "address step between pieces, pipelined; the estimator has 1"},
    FittedParameter{"gdma.realign_cycles_per_beat", 0.5, 1, "shifter pass of one beat"},
    FittedParameter{"gdma.plane_bytes_per_cycle", 32, 64, "one local port, two beats interleaved"},
    FittedParameter{"dram.write_bytes_per_nanosecond", 20, 32,
                    "below the read rate: turnaround inside a command and masked bursts"},
};
static_assert(kFitted.size() <= kMostFitted);

/// Returns "section.key=value". Values of a whole-number grid have no decimal point; others have
/// enough digits to tell them apart.
std::string setting(const FittedParameter& parameter, double value) {
    return parameter.grid == Grid::kReal
               ? fmt::format("{}={}", parameter.path, value)
               : fmt::format("{}={}", parameter.path, std::llround(value));
}

}  // namespace

std::span<const FittedParameter> fitted_parameters() { return kFitted; }

double parameter_value(const Machine& machine, const std::string& path) {
    for (const ParameterRecord& parameter : machine.parameters) {
        if (parameter.path == path_of_today(path)) return std::stod(parameter.value);
    }
    throw ConfigError(path, "is no machine parameter");
}

std::vector<Machine> perturbed_machines(const std::string& machine,
                                        const std::vector<std::string>& settings) {
    std::vector<Machine> machines{load_machine(machine, settings)};
    for (const FittedParameter& parameter : kFitted) {
        const double value = parameter_value(machines.front(), parameter.path);
        for (const double factor : {0.9, 1.1}) {
            std::vector<std::string> changed = settings;
            changed.push_back(setting(parameter, value * factor));
            machines.push_back(load_machine(machine, changed));
        }
    }
    return machines;
}

Machine fitted_machine(const std::string& machine, const std::vector<std::string>& settings,
                       std::span<const FittedParameter> parameters, const Values& values) {
    OKKSIM_CHECK(values.size() == parameters.size());
    std::vector<std::string> changed = settings;
    for (std::size_t i = 0; i < values.size(); ++i) {
        changed.push_back(setting(parameters[i], values[i]));
    }
    return load_machine(machine, changed);
}

}  // namespace okksim::sim::fidelity
