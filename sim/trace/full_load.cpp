// SPDX-License-Identifier: Apache-2.0
#include "sim/trace/full_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/layout.h"
#include "models/chip/chip_params.h"
#include "models/chip/command_price.h"
#include "models/chip/energy_params.h"
#include "models/chip/in_order_machine.h"
#include "sim/trace/accountant.h"
#include "sim/trace/energy_report.h"

namespace okksim::sim::trace {
namespace {

/// Returns the side of the square planes in elements. A lane reads one plane and writes one; each
/// takes less than a quarter of its memory.
std::int32_t side_of(const models::MachineParams& machine) {
    constexpr double kShare = 4.0 * isa::kWordBytes;
    const double pixels = static_cast<double>(machine.chip->local_memory_bytes) / kShare;
    return isa::narrow(static_cast<std::int64_t>(std::sqrt(pixels)));
}

/// Returns a 3 x 3 convolution with one input and output channel per lane; input and output have
/// the same size. Input, output and weights are in separate quarters of local memory.
isa::Command convolution(const models::MachineParams& machine) {
    constexpr std::int32_t kKernel = 3;
    const auto lanes = isa::narrow(machine.chip->lanes);
    const std::int32_t side = side_of(machine);
    const auto quarter = static_cast<std::uint32_t>(machine.chip->local_memory_bytes / 4);
    isa::Convolution form;
    form.output_addr = {quarter};
    form.weight_addr = {3 * quarter};
    form.input_shape = {1, lanes, side, side};
    form.output_c = lanes;
    form.kernel_h = form.kernel_w = kKernel;
    form.input_stride =
        isa::aligned_stride(form.input_addr, form.input_shape, isa::kWordBits, machine.shape());
    form.kernel_stride = isa::compact_stride(
        form.weight_addr, isa::weight_2ic_shape(lanes, lanes, form.kernel_h, form.kernel_w),
        machine.shape());
    form.padding = {1, 1, 1, 1};
    form.stride = form.dilation = {1, 1};
    return isa::Command::make(isa::Opcode::bdc_conv2d, form);
}

/// Returns a load of one plane per lane into the third quarter of local memory.
isa::Command load(const models::MachineParams& machine) {
    const std::int32_t side = side_of(machine);
    isa::GdmaCopyToLocal form;
    form.dst_addr = {static_cast<std::uint32_t>(machine.chip->local_memory_bytes / 2)};
    form.src_addr = isa::SystemAddr::from(machine.shape().global_start);
    form.shape = {1, isa::narrow(machine.chip->lanes), side, side};
    form.dst_stride =
        isa::aligned_stride(form.dst_addr, form.shape, isa::kWordBits, machine.shape());
    form.src_stride = isa::continuous_stride(form.shape);
    return isa::Command::make(isa::Opcode::gdma_32bit_cpy_S2L, form);
}

}  // namespace

Account full_load(const models::MachineParams& machine) {
    constexpr int kConvolutions = 100;
    isa::Command compute = convolution(machine);
    isa::Command move = load(machine);
    models::CommandPricer pricer(machine);
    const double loads_each = static_cast<double>(pricer.price(compute).total().value) /
                              static_cast<double>(pricer.price(move).total().value);
    models::InOrderMachine port(machine);
    Accountant accountant(machine);
    port.add_observer(accountant);
    port.begin_launch();
    for (int i = 1; i <= kConvolutions; ++i) {
        compute.id = static_cast<isa::CommandId>(i);
        port.submit(compute);
        while (static_cast<double>(move.id) + 1 <= i * loads_each) {
            ++move.id;
            port.submit(move);
        }
    }
    port.end_launch();
    return accountant.launches().front();
}

std::string full_load_text(const Machine& machine) {
    const Account account = full_load(machine.params);
    const models::energy::EnergyReport energy = energy_of(account, machine.params);
    const models::energy::Banded watts = energy.watts(account.span);
    std::string text = fmt::format(
        "convolutions in all lanes for {:.1f} ms, while the GDMA reads:\n"
        "{}on average {:.2f} W ({:.2f} to {:.2f}) for the simulated parts\n",
        account.span.microseconds() * 1e-3, energy_table(account, machine.params), watts.value,
        watts.low, watts.high);
    const double published = machine.params.energy->published_watts;
    if (published == 0) return text;
    return text + fmt::format(
                      "published of the reference chip: {:g} W typical, including parts that are "
                      "not simulated (models/energy/README.md)\n",
                      published);
}

nlohmann::ordered_json full_load_json(const Machine& machine) {
    nlohmann::ordered_json json = energy_json(full_load(machine.params), machine.params);
    json["reference_published_watts"] = nullptr;
    const double published = machine.params.energy->published_watts;
    if (published > 0) json["reference_published_watts"] = published;
    return json;
}

}  // namespace okksim::sim::trace
