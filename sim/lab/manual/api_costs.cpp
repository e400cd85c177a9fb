// SPDX-License-Identifier: Apache-2.0
#include "sim/lab/manual/api_costs.h"

#include <array>
#include <string_view>

#include "firmware/calls/call_by_name.h"
#include "firmware/calls/context.h"
#include "isa/base/errors.h"
#include "isa/command_port.h"
#include "models/chip/command_price.h"

namespace okksim::sim::manual {
namespace {

/// Keeps commands without executing them; it has no memory.
class KeepingPort : public isa::CommandPort {
 public:
    explicit KeepingPort(const isa::MachineShape& machine) : machine_(machine) {}

    const isa::MachineShape& machine() const override { return machine_; }
    void submit(const isa::Command& command) override { commands.push_back(command); }
    void wait_until_idle() override {}
    void charge(isa::FirmwareCall) override {}
    void compute(const isa::Computation&) override {}
    void access(const isa::ProcessorAccess&) override {}
    void* local_pointer(isa::LocalAddr) override { return nullptr; }
    void* system_pointer(std::uint64_t) override { return nullptr; }

    std::vector<isa::Command> commands;

 private:
    isa::MachineShape machine_;
};

struct LawText {
    const char* law;
    const char* text;
};

/// Formulas of models/bdc/README.md and models/gdma/README.md by name.
constexpr auto kLaws = std::to_array<LawText>({
    {"transfer", "setup + max(bytes / rate of the narrowest port, memory + pieces * piece_cycles)"},
    {"none", "the sum of its commands"},
    {"elementwise", "startup + n * P * U(h*w) * cycles"},
    {"packed", "startup + words of n * P * U(h*w) * cycles"},
    {"packed_product", "startup + words of n * P * U(h*w) * cycles, more if the result is wider"},
    {"series", "startup + n * P * U(h*w) * (per term * terms + constant)"},
    {"convolution", "startup + n * P(output channels) * U(oh*ow) * (kh*kw*X + group)"},
    {"depthwise",
     "startup + n * P * U(oh*ow) * (kh*kw*(1 + stride_w) - kh + group) * depthwise_factor"},
    {"pool", "startup + n * P * U(oh*ow) * (kh*kw*(1 + stride_w) - kh + group)"},
    {"matrix_product", "startup + rows * P * U(columns per channel) * (left columns * term + row)"},
});

struct ClassLaw {
    isa::TimingClass timing;
    const char* law;
    const char* parameters;
};

constexpr auto kClasses = std::to_array<ClassLaw>({
#define OKKSIM_TIMING_CLASS(name, engine, law, parameters, ...) \
    {isa::TimingClass::name, #law, #parameters},
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
});

/// Returns e.g. "copy_cycles" for "cycles(p.copy_cycles)".
std::string parameter_names(std::string_view column) {
    std::string names(column.substr(column.find('(') + 1));
    names.pop_back();
    for (std::size_t at = 0; (at = names.find("p.", at)) != std::string::npos;) {
        names.replace(at, 2, "bdc.");
        at += 4;
    }
    return names;
}

}  // namespace

std::vector<isa::Command> commands_of(const ApiFunction& function, const ApiExample& example,
                                      const Machine& machine) {
    KeepingPort port(machine.params.shape());
    firmware::ContextOptions options;
    options.call_stacks = false;
    firmware::Context context(port, options);
    const firmware::Context::Binding binding(context);
    context.begin_launch();
    firmware::call_function(function.name, example.values);
    return std::move(port.commands);
}

std::string law_text(isa::TimingClass timing) {
    const ClassLaw& row = kClasses[static_cast<std::size_t>(timing)];
    for (const LawText& law : kLaws) {
        if (std::string_view(law.law) != row.law) continue;
        const std::string names = parameter_names(row.parameters);
        return names.empty() ? law.text : std::string(law.text) + " (" + names + ")";
    }
    throw InternalError(std::string("no text of the formula ") + row.law);
}

double price_us(const std::vector<isa::Command>& commands, const Machine& machine) {
    models::CommandPricer pricer(machine.params);
    models::Picoseconds total{};
    for (const isa::Command& command : commands) total = total + pricer.price(command).total();
    return total.microseconds();
}

}  // namespace okksim::sim::manual
