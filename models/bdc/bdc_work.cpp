// SPDX-License-Identifier: Apache-2.0
#include "models/bdc/bdc_work.h"

#include "isa/errors.h"
#include "models/bdc/bdc_classes.h"

namespace okksim::models {
namespace {

using Count = std::int64_t (*)(const isa::Command& command);

/// Operations of a row of the instruction table by the law of its timing class.
template <typename Form, isa::TimingClass timing>
std::int64_t count(const isa::Command& command) {
    using Class = BdcClass<timing>;
    return Class::Law::operations(command.as<Form>(), Class::kOperations);
}

template <typename Form, isa::TimingClass timing, isa::InstructionKind kind>
constexpr Count count_of() {
    if constexpr (is_bdc_command(isa::engine_of(timing), kind)) {
        return count<Form, timing>;
    } else {
        return nullptr;
    }
}

constexpr std::array<Count, isa::kInstructionCount> kCounts{
#define OKKSIM_INSTRUCTION(code, name, form, data, timing, kind, ...) \
    count_of<isa::form, isa::TimingClass::timing, isa::InstructionKind::kind>(),
#include "isa/instructions.def"
#undef OKKSIM_INSTRUCTION
};

using Peak = double (*)(const laws::Array& array);

template <isa::TimingClass timing>
constexpr Peak peak_of() {
    if constexpr (isa::engine_of(timing) == isa::Engine::kBdc) {
        return [](const laws::Array& array) {
            using Class = BdcClass<timing>;
            return Class::Law::peak(array, Class::parameters(array.params), Class::kOperations);
        };
    } else {
        return [](const laws::Array&) { return 0.0; };
    }
}

constexpr auto kPeaks = std::to_array<Peak>({
#define OKKSIM_TIMING_CLASS(name, ...) peak_of<isa::TimingClass::name>(),
#include "isa/timing_classes.def"
#undef OKKSIM_TIMING_CLASS
});

}  // namespace

std::uint64_t bdc_operations(const isa::Command& command) {
    const Count count = kCounts[isa::row_index(command.info())];
    OKKSIM_CHECK(count != nullptr);
    return static_cast<std::uint64_t>(count(command));
}

double bdc_peak_operations_per_second(isa::TimingClass timing, const isa::MachineShape& machine,
                                      const BdcParams& params) {
    constexpr double kHertz = 1e6;
    return kPeaks[static_cast<std::size_t>(timing)]({machine, params}) *
           static_cast<double>(machine.lanes) * static_cast<double>(params.execution_units) *
           params.clock_mhz * kHertz;
}

}  // namespace okksim::models
